/* SPDX-License-Identifier: MIT */
/* Every call of timer.h and clock.h: what it does, what it returns, what it refuses. */
#include "reports.h"
#include "timer_common.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "timer/clock.h"

static int ran;
static uint64_t ran_at;

static void note(struct ww_timer *t)
{
	(void)t;
	ran_at = ww_jiffies();
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

static void start(struct ww_timer *t)
{
	virtual_near_wrap();
	ww_set_misuse_handler(keep_report);
	ww_timer_setup(t, note, 0);
}

TEST(mod_pending_never_arms_an_idle_timer)
{
	struct ww_timer t;

	start(&t);
	CHECK_EQ(ww_mod_timer_pending(&t, ww_jiffies() + 1), 0);
	CHECK(!ww_timer_pending(&t));
	ww_mod_timer(&t, ww_jiffies() + 10);
	CHECK_EQ(ww_mod_timer_pending(&t, ww_jiffies() + 20), 1);
	ww_clock_advance(20);
	CHECK_EQ(ran, 0);
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
}

TEST(reduce_never_moves_later_and_arms_an_idle_timer)
{
	struct ww_timer t;
	uint64_t now;

	start(&t);
	now = ww_jiffies();
	CHECK_EQ(ww_timer_reduce(&t, now + 10), 0);
	CHECK_EQ(ww_timer_reduce(&t, now + 20), 1);
	CHECK_EQ(t.expires, now + 10);
	CHECK_EQ(ww_timer_reduce(&t, now + 5), 1);
	ww_clock_advance(6);
	CHECK_EQ(ran_at, now + 6);
	CHECK_EQ(ran, 1);
}

TEST(shutdown_drops_every_later_arming_until_setup)
{
	struct ww_timer t;

	start(&t);
	ww_mod_timer(&t, ww_jiffies() + 5);
	CHECK_EQ(ww_timer_shutdown(&t), 1);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 5), 0);
	CHECK_EQ(ww_timer_reduce(&t, ww_jiffies() + 5), 0);
	t.expires = ww_jiffies() + 5;
	ww_add_timer(&t);
	ww_add_timer_on(&t, 0);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(ww_timer_shutdown_sync(&t), 0);
	ww_clock_advance(100);
	CHECK_EQ(ran, 0);
	CHECK_EQ(reports, 0);
	ww_timer_setup(&t, note, 0);
	ww_mod_timer(&t, ww_jiffies() + 5);
	ww_clock_advance(6);
	CHECK_EQ(ran, 1);
}

TEST(adding_a_pending_timer_is_reported_and_changes_nothing)
{
	struct ww_timer t;
	uint64_t expires;

	start(&t);
	expires = ww_jiffies() + 5;
	ww_mod_timer(&t, expires);
	t.expires = expires + 50; /* which is misuse, too */
	ww_add_timer(&t);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "ww_add_timer: ") && strstr(report, "already pending"));
	ww_clock_advance(6);
	CHECK_EQ(ran, 1);
	CHECK_EQ(ran_at, expires + 1);
}

TEST(a_timer_that_was_never_set_up_is_reported_by_every_call)
{
	static struct ww_timer t;

	virtual_near_wrap();
	ww_set_misuse_handler(keep_report);
	CHECK_EQ(ww_mod_timer(&t, 1), 0);
	CHECK_EQ(ww_mod_timer_pending(&t, 1), 0);
	CHECK_EQ(ww_timer_reduce(&t, 1), 0);
	CHECK_EQ(ww_timer_delete(&t), 0);
	CHECK_EQ(ww_timer_delete_sync(&t), 0);
	CHECK_EQ(ww_timer_delete_sync_try(&t), 0);
	CHECK_EQ(ww_timer_shutdown(&t), 0);
	CHECK_EQ(ww_timer_shutdown_sync(&t), 0);
	ww_add_timer(&t);
	ww_timer_destroy_on_stack(&t);
	CHECK_EQ(ww_timer_set_base(&t, NULL), -EINVAL);
	CHECK_EQ(reports, 11);
	CHECK(strstr(report, "never set up"));
}

TEST(setting_up_a_pending_timer_is_found_where_debugging_is_on)
{
	struct ww_timer t;

	start(&t);
	ww_debug_enable(true);
	ww_mod_timer(&t, ww_jiffies() + 5);
	ww_timer_setup(&t, note, 0);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "is pending"));
	CHECK(ww_timer_pending(&t));
	CHECK_EQ(ww_debug_check(), 0);
}

TEST(unknown_flags_are_reported_and_ignored)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, note, 0x80);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "0x80"));
	ww_mod_timer(&t, ww_jiffies());
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
}

TEST(a_forgotten_timer_on_the_stack_is_reported_and_deleted)
{
	struct ww_timer t;

	virtual_near_wrap();
	ww_set_misuse_handler(keep_report);
	ww_timer_setup_on_stack(&t, note, 0);
	ww_timer_destroy_on_stack(&t);
	CHECK_EQ(reports, 0);
	ww_timer_setup_on_stack(&t, note, 0);
	ww_mod_timer(&t, ww_jiffies() + 5);
	ww_timer_destroy_on_stack(&t);
	CHECK_EQ(reports, 1);
	ww_clock_advance(10);
	CHECK_EQ(ran, 0);
	ww_mod_timer(&t, ww_jiffies()); /* no timer any more */
	CHECK_EQ(reports, 2);
}

static int own_result;

/* Not static: it is reported by its name. */
void deletes_itself(struct ww_timer *t);
void deletes_itself(struct ww_timer *t)
{
	own_result = ww_timer_delete_sync_try(t);
	ww_mod_timer(t, ww_jiffies() + 5);
	CHECK_EQ(ww_timer_delete_sync(t), 1);
	ran++;
}

TEST(a_synchronous_delete_from_its_own_function_is_reported_and_does_not_wait)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, deletes_itself, 0);
	ww_mod_timer(&t, ww_jiffies());
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
	CHECK_EQ(own_result, -1);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "its own callback") && strstr(report, "deletes_itself"));
	CHECK(!ww_timer_pending(&t));
}

void shuts_itself_down(struct ww_timer *t);
void shuts_itself_down(struct ww_timer *t)
{
	ww_mod_timer(t, ww_jiffies() + 5);
	CHECK_EQ(ww_timer_shutdown_sync(t), 1);
	CHECK_EQ(ww_mod_timer(t, ww_jiffies() + 5), 0);
	ran++;
}

TEST(a_synchronous_shutdown_from_its_own_function_is_reported_and_shuts_it_down)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, shuts_itself_down, 0);
	ww_mod_timer(&t, ww_jiffies());
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "its own callback") && strstr(report, "shuts_itself_down"));
	CHECK(!ww_timer_pending(&t));
	ww_clock_advance(20);
	CHECK_EQ(ran, 1);
}

static void shuts_down_and_arms(struct ww_timer *t)
{
	CHECK_EQ(ww_timer_shutdown(t), 0);
	CHECK_EQ(ww_mod_timer(t, ww_jiffies() + 5), 0);
	ran++;
}

TEST(what_a_function_arms_after_its_own_shutdown_is_dropped)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, shuts_down_and_arms, 0);
	ww_mod_timer(&t, ww_jiffies());
	ww_clock_advance(100);
	CHECK_EQ(ran, 1);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(reports, 0);
}

static int entered, may_go_on;

static void takes_time_and_arms(struct ww_timer *t)
{
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&may_go_on, __ATOMIC_ACQUIRE))
		sched_yield();
	sleep_ms(20); /* the other thread waits by now, or comes later: both are right */
	CHECK_EQ(ww_mod_timer(t, ww_jiffies() + 100000), 0);
	ran++;
}

TEST(a_shutdown_waits_for_a_running_function_and_takes_what_that_armed)
{
	struct ww_timer t;

	real_near_wrap();
	ww_timer_setup(&t, takes_time_and_arms, 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&entered, 1);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(ww_timer_delete_sync_try(&t), -1);
	CHECK_EQ(ww_timer_delete(&t), 0); /* which does not wait */
	__atomic_store_n(&may_go_on, 1, __ATOMIC_RELEASE);
	CHECK_EQ(ww_timer_shutdown_sync(&t), 1);
	CHECK_EQ(ran, 1);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies()), 0);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(ww_timer_delete_sync_try(&t), 0);
}

static struct ww_timer ping, pong;
static int meeting;

void waits_for_the_other(struct ww_timer *t);
void waits_for_the_other(struct ww_timer *t)
{
	__atomic_add_fetch(&meeting, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&meeting, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
	ww_timer_delete_sync(t == &ping ? &pong : &ping);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

TEST(two_functions_that_wait_for_each_other_are_reported_and_both_end)
{
	struct ww_base *a, *b;

	real_near_wrap();
	ww_set_misuse_handler(keep_report);
	a = ww_base_create("a");
	b = ww_base_create("b");
	ww_timer_setup(&ping, waits_for_the_other, 0);
	ww_timer_setup(&pong, waits_for_the_other, 0);
	CHECK_EQ(ww_timer_set_base(&ping, a), 0);
	CHECK_EQ(ww_timer_set_base(&pong, b), 0);
	ww_mod_timer(&ping, ww_jiffies());
	ww_mod_timer(&pong, ww_jiffies());
	wait_for_runs(&ran, 2);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "waits_for_the_other"));
	ww_timer_delete_sync(&ping);
	ww_timer_delete_sync(&pong);
	CHECK_EQ(ww_base_destroy(a), 0);
	CHECK_EQ(ww_base_destroy(b), 0);
}

void takes_long(struct ww_timer *t);
void takes_long(struct ww_timer *t)
{
	(void)t;
	sleep_ms(60);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

TEST(a_function_that_runs_too_long_is_reported_once_by_its_name)
{
	struct ww_timer t;

	real_near_wrap();
	ww_set_misuse_handler(keep_report);
	ww_timer_set_long_callback(50000000);
	ww_timer_setup(&t, takes_long, 0);
	for (int i = 1; i <= 3; i++) {
		ww_mod_timer(&t, ww_jiffies());
		wait_for_runs(&ran, i);
		ww_timer_delete_sync(&t);
	}
	wait_for_runs(&reports, 1);
	CHECK_EQ(reports, 1);
	CHECK(strstr(report, "takes_long"));
}

TEST(slack_keeps_within_the_window_and_shares_ticks)
{
	static struct ww_timer t[200];
	uint64_t now, ticks[200];
	int distinct = 0;

	virtual_near_wrap();
	now = ww_jiffies();
	for (int i = 0; i < 200; i++) {
		ww_timer_setup(&t[i], note, 0);
		ww_mod_timer_slack(&t[i], now + 1000 + (uint64_t)i, 200);
		CHECK(t[i].expires - now >= 1000 + (uint64_t)i);
		CHECK(t[i].expires - now <= 1200 + (uint64_t)i);
		int seen = 0;
		for (int k = 0; k < distinct; k++)
			seen |= ticks[k] == t[i].expires;
		if (!seen)
			ticks[distinct++] = t[i].expires;
	}
	CHECK(distinct <= 3);
	/* Already inside the new window: left alone. */
	uint64_t was = t[0].expires;
	CHECK_EQ(ww_mod_timer_slack(&t[0], was - 10, 20), 1);
	CHECK_EQ(t[0].expires, was);
	CHECK_EQ(ww_mod_timer_slack(&t[0], was + 5, 0), 1);
	CHECK_EQ(t[0].expires, was + 5);
	ww_clock_advance(2000);
	CHECK_EQ(ran, 200);
}

TEST(a_slack_window_is_kept_at_every_distance_and_width)
{
	static const uint64_t far[] = {
		0, 1, 149, 150, 151, 1000, (uint64_t)-5, 1ull << 33, 1ull << 61, 1ull << 62};
	static const uint64_t wide[] = {0, 1, 2, 63, 64, 1000, 1ull << 32, 1ull << 62, UINT64_MAX};
	struct ww_timer t;

	start(&t);
	for (unsigned i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		for (unsigned k = 0; k < sizeof(wide) / sizeof(wide[0]); k++) {
			uint64_t expires = ww_jiffies() + far[i], slack = wide[k];

			if (slack > WW_MAX_JIFFY_OFFSET)
				slack = WW_MAX_JIFFY_OFFSET;
			CHECK_EQ(ww_mod_timer_slack(&t, expires, wide[k]), 0);
			CHECK(t.expires - expires <= slack);
			CHECK_EQ(ww_debug_check(), 0);
			CHECK_EQ(ww_timer_delete(&t), 1);
		}
	}
}

TEST(rounding_is_to_whole_seconds_and_never_into_the_past)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	CHECK_EQ(ww_clock_configure(1000, 500000), 0);
	CHECK_EQ(ww_round_jiffies_on(510249, 0), 510000);
	CHECK_EQ(ww_round_jiffies_on(510250, 0), 511000);
	CHECK_EQ(ww_round_jiffies_up_on(510001, 0), 511000);
	CHECK_EQ(ww_round_jiffies_on(510100, 2), 509994);
	CHECK_EQ(ww_round_jiffies_on(500100, 0), 500100); /* would be now */
	CHECK_EQ((ww_round_jiffies_up_relative(10100) + 500000 + 3 * (uint64_t)sched_getcpu()) %
			 1000,
		 0);
	CHECK(ww_round_jiffies_relative(10100) <= 11000);
	CHECK(ww_round_jiffies(510100) <= 510000);
	CHECK(ww_round_jiffies_up(510100) >= 510100);
}

TEST(conversions_round_up_and_saturate)
{
	CHECK_EQ(ww_clock_configure(300, 0), 0);
	CHECK_EQ(ww_hz(), 300);
	CHECK_EQ(ww_msecs_to_jiffies(0), 0);
	CHECK_EQ(ww_msecs_to_jiffies(1), 1);
	CHECK_EQ(ww_msecs_to_jiffies(10), 3);
	CHECK_EQ(ww_msecs_to_jiffies(11), 4);
	CHECK_EQ(ww_usecs_to_jiffies(3333), 1);
	CHECK_EQ(ww_usecs_to_jiffies(3334), 2);
	CHECK_EQ(ww_nsecs_to_jiffies(1), 1);
	CHECK_EQ(ww_nsecs_to_jiffies(UINT64_MAX), 5534023222113u);
	CHECK_EQ(ww_msecs_to_jiffies(UINT64_MAX), WW_MAX_JIFFY_OFFSET);
	CHECK_EQ(ww_jiffies_to_msecs(1), 4);
	CHECK_EQ(ww_jiffies_to_msecs(3), 10);
	CHECK_EQ(ww_jiffies_to_nsecs(300), 1000000000);
	CHECK(ww_jiffies_to_nsecs(UINT64_MAX) == UINT64_MAX);
	CHECK(ww_time_after(1, UINT64_MAX) && ww_time_before(UINT64_MAX, 1));
}

TEST(the_clock_is_configured_before_its_first_use_only)
{
	CHECK_EQ(ww_clock_configure(0, 0), -EINVAL);
	CHECK_EQ(ww_clock_configure(1000001, 0), -EINVAL);
	CHECK_EQ(ww_clock_configure(250, UINT64_MAX - 1), 0);
	ww_jiffies();
	CHECK_EQ(ww_clock_configure(1000, 0), -EBUSY);
	CHECK_EQ(ww_clock_use_virtual(), -EBUSY);
	CHECK_EQ(ww_hz(), 250);
}

/* Ticks and nanoseconds agree to the nanosecond, and so no timer is early, at this rate. */
static void exact_at(unsigned hz)
{
	struct ww_timer t;

	CHECK_EQ(ww_clock_configure(hz, UINT64_MAX - 3), 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t a = ww_jiffies(), ns = ww_ktime_get_ns(), b = ww_jiffies();

		CHECK(ww_time_before_eq(a, b));
		CHECK(ww_tick_to_ns(a) <= ns);
		CHECK(ns < ww_tick_to_ns(b + 1));
	}
	ww_timer_setup(&t, note, 0);
	for (int i = 0; i < 30; i++) {
		uint64_t begin = ww_ktime_get_ns(), d = (uint64_t)i % 3;

		CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + d), 0);
		wait_for_runs(&ran, i + 1);
		CHECK(ww_ktime_get_ns() - begin >= d * 1000000000 / hz);
		CHECK_EQ(ww_timer_delete_sync(&t), 0);
	}
}

TEST_LIMIT(ticks_are_exact_at_a_rate_that_does_not_divide_a_second, 30)
{
	exact_at(300);
}

TEST_LIMIT(ticks_are_exact_at_an_odd_and_high_rate, 30)
{
	exact_at(999983);
}

TEST_LIMIT(ticks_are_exact_at_the_highest_rate, 30)
{
	exact_at(1000000);
}

TEST_LIMIT(ticks_are_exact_at_a_power_of_two, 30)
{
	exact_at(1024);
}

/* --- CPUs --- */

static int ran_on[64];

static void note_cpu(struct ww_timer *t)
{
	(void)t;
	ran_on[sched_getcpu() % 64] = 1;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		tap_skip("CPU %d is not ours", cpu);
}

static void need_cpus(int n)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < n)
		tap_skip("needs %d CPUs", n);
}

TEST(add_on_fires_on_the_cpu_named_though_its_base_sleeps)
{
	struct ww_timer t;

	need_cpus(2);
	real_near_wrap();
	ww_timer_setup(&t, note_cpu, 0);
	ww_jiffies();
	for (int cpu = 1; cpu >= 0; cpu--) {
		t.expires = ww_jiffies() + 20;
		ww_add_timer_on(&t, cpu);
		wait_for_runs(&ran, 2 - cpu);
		CHECK_EQ(ran_on[cpu], 1);
		ww_timer_delete_sync(&t);
	}
}

TEST(a_timer_for_a_cpu_that_is_not_there_runs_elsewhere)
{
	static const int cpus[] = {-1, 0, 1, 63, 1000, INT32_MAX, INT32_MIN};
	struct ww_timer_stats s;
	struct ww_timer t;

	start(&t);
	for (int i = 0; i < (int)(sizeof(cpus) / sizeof(cpus[0])); i++) {
		t.expires = ww_jiffies() + 1;
		ww_add_timer_on(&t, cpus[i]);
		CHECK(ww_timer_pending(&t));
		ww_clock_advance(2);
		CHECK_EQ(ran, i + 1);
		ww_timer_get_stats(cpus[i], &s);
		CHECK_EQ(s.pending, 0);
	}
}

TEST(a_pinned_timer_moves_to_the_cpu_that_rearms_it)
{
	struct ww_timer t;

	need_cpus(2);
	real_near_wrap();
	ww_timer_setup(&t, note_cpu, WW_TIMER_PINNED);
	ww_msecs_to_jiffies(1);
	t.expires = ww_jiffies() + 10000;
	ww_add_timer_on(&t, 0);
	bind_to(1);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 20000), 1);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 10), 1);
	wait_for_runs(&ran, 1);
	CHECK_EQ(ran_on[1], 1);
	CHECK_EQ(ran_on[0], 0);
}

TEST(local_pins_and_global_unpins)
{
	struct ww_timer t;

	start(&t);
	t.expires = ww_jiffies() + 5;
	ww_add_timer_local(&t);
	ww_clock_advance(6);
	t.expires = ww_jiffies() + 5;
	ww_add_timer_global(&t);
	ww_clock_advance(6);
	CHECK_EQ(ran, 2);
	CHECK_EQ(reports, 0);
}

TEST(timers_still_fire_when_the_process_loses_their_cpu)
{
	struct ww_timer t;

	need_cpus(2);
	real_near_wrap();
	ww_timer_setup(&t, note, 0);
	ww_jiffies();
	t.expires = ww_jiffies() + 50;
	ww_add_timer_on(&t, 1);
	bind_to(0); /* this thread; the base's own stays where it is, or goes where it is put */
	wait_for_runs(&ran, 1);
}

/* --- What sleeps and what wakes --- */

static uint64_t sleeps(void)
{
	struct ww_timer_stats s;

	ww_timer_get_stats(-1, &s);
	return s.sleeps;
}

/* Wait until every base has gone to sleep, on a machine that may be busy with other things. */
static uint64_t settled(void)
{
	uint64_t n = sleeps();

	for (int quiet = 0; quiet < 20; quiet++) {
		sleep_ms(20);
		if (!n || sleeps() != n)
			quiet = 0;
		n = sleeps();
	}
	return n;
}

TEST(a_thousand_far_timers_wake_nobody)
{
	static struct ww_timer t[1000];
	uint64_t before;

	/* Elsewhere a re-armed timer may go to another base, which wakes up for its first one. */
	bind_to(0);
	real_near_wrap();
	for (int i = 0; i < 1000; i++) {
		ww_timer_setup(&t[i], note, 0);
		ww_mod_timer(&t[i], ww_jiffies() + 3600000 - (uint64_t)i);
	}
	before = settled();
	sleep_ms(1000);
	CHECK_EQ(sleeps(), before);
	/* Nor does one that is later than what the base wakes up for anyhow, or one pushed out. */
	for (int i = 0; i < 1000; i++)
		ww_mod_timer(&t[i], ww_jiffies() + 7200000);
	sleep_ms(50);
	CHECK_EQ(sleeps(), before);
	CHECK_EQ(ran, 0);
}

static struct ww_timer lazy_from_start = WW_TIMER_INITIALIZER_FLAGS(note, WW_TIMER_DEFERRABLE);

TEST(a_deferrable_timer_wakes_nobody_and_runs_with_the_next_that_does)
{
	struct ww_timer lazy, t;
	uint64_t before;

	real_near_wrap();
	ww_timer_setup(&t, note, 0);
	ww_timer_setup(&lazy, note, WW_TIMER_DEFERRABLE);
	t.expires = ww_jiffies() + 3600000;
	ww_add_timer_on(&t, 0);
	before = settled();
	lazy.expires = ww_jiffies() + 10;
	ww_add_timer_on(&lazy, 0);
	lazy_from_start.expires = ww_jiffies() + 10;
	ww_add_timer_on(&lazy_from_start, 0);
	sleep_ms(100);
	CHECK_EQ(ran, 0);
	CHECK_EQ(sleeps(), before);
	ww_timer_delete(&t);
	t.expires = ww_jiffies();
	ww_add_timer_on(&t, 0);
	wait_for_runs(&ran, 3);
}

static void rearms_in_the_past(struct ww_timer *t)
{
	ran++;
	ww_mod_timer(t, ww_jiffies() - 100);
}

TEST(a_function_that_rearms_in_the_past_runs_once_a_tick)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, rearms_in_the_past, 0);
	ww_mod_timer(&t, ww_jiffies());
	CHECK_EQ(ww_clock_advance(200), 200);
	CHECK_EQ(ran, 200);
}

/* --- Bases as objects --- */

static int begun;

static void begins_and_takes_long(struct ww_timer *t)
{
	(void)t;
	__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
	sleep_ms(50);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

TEST(a_base_destroyed_while_a_callback_runs_ends_after_it)
{
	struct ww_base *b = ww_base_create("brief");
	struct ww_timer t;

	CHECK(b != NULL);
	ww_timer_setup(&t, begins_and_takes_long, 0);
	CHECK_EQ(ww_timer_set_base(&t, b), 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&begun, 1);
	CHECK_EQ(ww_base_destroy(b), 0);
	CHECK_EQ(ran, 1);
}

static void *makes_bases(void *unused)
{
	/* A sanitizer pays for the memory of a base many times. */
	const int n = TAP_TSAN || TAP_ASAN ? 25 : 100;

	(void)unused;
	for (int i = 0; i < n; i++) {
		struct ww_base *b = ww_base_create_driven("one of many");
		struct ww_timer t;

		CHECK(b != NULL);
		ww_timer_setup(&t, note, 0);
		CHECK_EQ(ww_timer_set_base(&t, b), 0);
		ww_mod_timer(&t, ww_jiffies() + 1000000);
		CHECK_EQ(ww_base_destroy(b), -EBUSY);
		CHECK_EQ(ww_timer_delete_sync(&t), 1);
		CHECK_EQ(ww_base_destroy(b), 0);
	}
	return NULL;
}

TEST_LIMIT(threads_that_make_bases_at_once_get_different_ones, 60)
{
	pthread_t th[4];

	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&th[i], NULL, makes_bases, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(th[i], NULL);
	CHECK_EQ(ww_debug_check(), 0);
}

TEST(a_base_with_its_own_thread_runs_what_is_bound_to_it)
{
	struct ww_timer t;
	struct ww_timer_stats s;
	struct ww_base *b;

	real_near_wrap();
	ww_set_misuse_handler(keep_report);
	b = ww_base_create("mine");
	CHECK(b != NULL);
	ww_timer_setup(&t, note, 0);
	CHECK_EQ(ww_timer_set_base(&t, b), 0);
	ww_mod_timer(&t, ww_jiffies() + 300);
	CHECK_EQ(ww_timer_set_base(&t, NULL), -EBUSY);
	CHECK_EQ(reports, 1);
	CHECK_EQ(ww_base_destroy(b), -EBUSY);
	wait_for_runs(&ran, 1);
	ww_timer_delete_sync(&t);
	ww_base_get_stats(b, &s);
	CHECK_EQ(s.fired, 1);
	CHECK_EQ(ww_base_fd(b), -EINVAL);
	CHECK_EQ(ww_base_run(b), -EINVAL);
	CHECK_EQ(reports, 3);
	CHECK_EQ(ww_base_destroy(b), 0);
	/* What was bound to it can't be armed, and says so. */
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies()), 0);
	CHECK_EQ(reports, 4);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(ww_timer_set_base(&t, NULL), 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&ran, 2);
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

TEST(a_driven_base_polls_readable_when_something_is_due)
{
	struct ww_timer t, u;
	struct ww_timer_stats s;
	struct ww_base *b;
	int fd;

	real_near_wrap();
	b = ww_base_create_driven("loop");
	CHECK(b != NULL);
	fd = ww_base_fd(b);
	CHECK(fd >= 0);
	ww_timer_setup(&t, note, 0);
	ww_timer_setup(&u, note, 0);
	ww_timer_set_base(&t, b);
	ww_timer_set_base(&u, b);
	CHECK(!readable(fd, 20)); /* nothing armed: no next expiry */
	ww_mod_timer(&t, ww_jiffies() + 50);
	CHECK_EQ(ww_base_run(b), 0);
	CHECK(!readable(fd, 0));
	ww_mod_timer(&u, ww_jiffies() + 3600000);
	CHECK(readable(fd, 5000));
	CHECK_EQ(ww_base_run(b), 1);
	CHECK(!readable(fd, 20));
	/* Pushed out and pushed out, by the thread that runs it: stores, and no barrier. */
	ww_mod_timer(&t, ww_jiffies() + 20);
	for (int i = 0; i < 1000; i++)
		ww_mod_timer(&t, ww_jiffies() + 20);
	while (ran < 2) {
		CHECK(readable(fd, 5000));
		ww_base_run(b);
	}
	ww_base_get_stats(b, &s);
	CHECK_EQ(s.barriers, 0);
	CHECK(s.slow_rearms < 100);
	/* Closer: the descriptor follows. */
	CHECK_EQ(ww_mod_timer(&u, ww_jiffies() + 1), 1);
	CHECK(readable(fd, 5000));
	while (ran < 3)
		ww_base_run(b);
	CHECK_EQ(ww_base_destroy(b), 0);
}

static void *drives(void *arg)
{
	ww_base_run(arg);
	return NULL;
}

TEST(a_driven_base_may_change_hands)
{
	struct ww_timer t;
	struct ww_base *b;
	pthread_t th;

	real_near_wrap();
	b = ww_base_create_driven("loop");
	ww_timer_setup(&t, note, 0);
	ww_timer_set_base(&t, b);
	ww_base_run(b);
	ww_mod_timer(&t, ww_jiffies() + 30);
	for (int i = 0; i < 100; i++)
		ww_mod_timer(&t, ww_jiffies() + 30);
	while (!ran) {
		CHECK(readable(ww_base_fd(b), 5000));
		pthread_create(&th, NULL, drives, b);
		pthread_join(th, NULL);
		/* From here on another thread is the owner: this one's stores need its barrier. */
		if (!ran)
			CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 5), 1);
	}
	CHECK_EQ(ww_base_destroy(b), 0);
}

TEST(advancing_runs_the_timers_of_every_base)
{
	struct ww_timer t[3];
	struct ww_base *a, *b;

	virtual_near_wrap();
	a = ww_base_create("a");
	b = ww_base_create_driven("b");
	for (int i = 0; i < 3; i++)
		ww_timer_setup(&t[i], note, 0);
	ww_timer_set_base(&t[0], a);
	ww_timer_set_base(&t[1], b);
	for (int i = 0; i < 3; i++)
		ww_mod_timer(&t[i], ww_jiffies() + 5);
	CHECK_EQ(ww_clock_advance(5), 0);
	CHECK_EQ(ww_clock_advance(1), 3);
	CHECK_EQ(ww_base_run(b), 0);
	CHECK_EQ(ww_base_destroy(a), 0);
	CHECK_EQ(ww_base_destroy(b), 0);
}

static struct ww_timer of_the_other;

static void arms_the_other_in_the_past(struct ww_timer *t)
{
	(void)t;
	CHECK_EQ(ww_mod_timer(&of_the_other, ww_jiffies() - 100), 0);
}

TEST(a_deadline_in_the_past_fires_at_the_next_tick_also_on_another_base)
{
	struct ww_base *first, *second;
	struct ww_timer t;

	start(&t);
	first = ww_base_create("first");
	second = ww_base_create("second");
	ww_timer_setup(&t, arms_the_other_in_the_past, 0);
	for (int i = 0; i < 4; i++) { /* bases have their turns in an order, which must not show */
		ww_timer_setup(&of_the_other, note, i / 2 ? WW_TIMER_DEFERRABLE : 0);
		ww_timer_set_base(&t, i % 2 ? second : first);
		ww_timer_set_base(&of_the_other, i % 2 ? first : second);
		ww_mod_timer(&t, ww_jiffies() + 10);
		CHECK_EQ(ww_clock_advance(11), 1);
		CHECK_EQ(ran, i);
		CHECK_EQ(ww_clock_advance(1), 1);
		CHECK_EQ(ran, i + 1);
	}
}

static void advances(struct ww_timer *t)
{
	(void)t;
	CHECK_EQ(ww_clock_advance(1), 0);
	ran++;
}

TEST(advancing_from_a_function_or_in_real_time_is_reported)
{
	struct ww_timer t;

	start(&t);
	ww_timer_setup(&t, advances, 0);
	ww_mod_timer(&t, ww_jiffies());
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
	CHECK_EQ(reports, 1);
}

TEST(time_does_not_go_back_however_far_it_is_advanced)
{
	struct ww_timer t, lazy;
	uint64_t now;

	start(&t);
	ww_timer_setup(&lazy, note, WW_TIMER_DEFERRABLE);
	now = ww_jiffies();
	ww_mod_timer(&t, now + (1ull << 62));
	ww_mod_timer(&lazy, now + 5);
	CHECK_EQ(ww_clock_advance(UINT64_MAX), 0);
	CHECK_EQ(ww_clock_advance(1ull << 63), 0);
	CHECK_EQ(reports, 2);
	CHECK(strstr(report, "2^63 - 1"));
	CHECK_EQ(ww_jiffies(), now);
	CHECK_EQ(ww_clock_advance(INT64_MAX), 2);
	CHECK_EQ(ww_jiffies(), now + INT64_MAX);
	ww_mod_timer(&t, ww_jiffies() + 3);
	CHECK_EQ(ww_clock_advance(3), 0);
	CHECK_EQ(ww_clock_advance(1), 1);
	CHECK_EQ(ww_debug_check(), 0);
}

TEST(the_counts_add_up)
{
	struct ww_timer t;
	struct ww_timer_stats s;

	start(&t);
	ww_mod_timer(&t, ww_jiffies() + 100);
	for (int i = 0; i < 10; i++)
		ww_mod_timer(&t, ww_jiffies() + 200 + (uint64_t)i);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.armed, 1);
	CHECK_EQ(s.pending, 1);
	CHECK_EQ(s.slow_rearms, 1); /* the first opens it */
	CHECK_EQ(s.pushed_out, 0);
	ww_clock_advance(1000);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.fired, 1);
	CHECK_EQ(s.pending, 0);
	CHECK(s.refiled >= 1);
	CHECK(s.barriers >= 1);
	CHECK_EQ(s.pushed_out, 1); /* nine times, found once */
	CHECK_EQ(s.cancelled, 0);
}

/* SPDX-License-Identifier: MIT */
/* What one timer promises. The counter starts just before its wrap in every case. */
#include "tap.h"

#include <time.h>
#include <unistd.h>

#include "timer_common.h"

static int ran;
static uint64_t ran_at;

static void note(struct ww_timer *t)
{
	(void)t;
	ran_at = ww_jiffies();
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

TEST(a_timer_runs_when_the_counter_first_reads_expires_plus_one_at_every_distance)
{
	struct ww_timer t;

	virtual_near_wrap();
	ww_timer_setup(&t, note, 0);
	for (uint64_t d = 0; d <= 1ull << 62; d = d ? d * 2 + (d & 4 ? 1 : 0) : 1) {
		uint64_t expires = ww_jiffies() + d;

		ran = 0;
		CHECK_EQ(ww_mod_timer(&t, expires), 0);
		CHECK(ww_timer_pending(&t));
		ww_clock_advance(d);
		CHECK_EQ(ran, 0);
		CHECK_EQ(ww_clock_advance(1), 1);
		CHECK_EQ(ran, 1);
		CHECK_EQ(ran_at, expires + 1);
		CHECK(!ww_timer_pending(&t));
	}
}

TEST(a_deadline_in_the_past_fires_at_the_next_tick)
{
	struct ww_timer t;

	virtual_near_wrap();
	ww_timer_setup(&t, note, 0);
	ww_clock_advance(100);
	ww_mod_timer(&t, ww_jiffies() - 50);
	CHECK_EQ(ran, 0);
	ww_clock_advance(0);
	CHECK_EQ(ran, 0);
	ww_clock_advance(1);
	CHECK_EQ(ran, 1);
}

TEST(delete_says_whether_it_was_pending)
{
	struct ww_timer t;

	virtual_near_wrap();
	ww_timer_setup(&t, note, 0);
	CHECK_EQ(ww_timer_delete(&t), 0);
	CHECK_EQ(ww_timer_delete_sync(&t), 0);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 5), 0);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 9), 1);
	CHECK_EQ(ww_timer_delete(&t), 1);
	CHECK_EQ(ww_timer_delete(&t), 0);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + 9), 0);
	CHECK_EQ(ww_timer_delete_sync(&t), 1);
	ww_clock_advance(1000);
	CHECK_EQ(ran, 0);
}

static WW_DEFINE_TIMER(at_start, note);

TEST(a_static_timer_needs_no_setup)
{
	virtual_near_wrap();
	CHECK_EQ(ww_timer_delete_sync(&at_start), 0);
	at_start.expires = ww_jiffies() + 3;
	ww_add_timer(&at_start);
	ww_clock_advance(4);
	CHECK_EQ(ran, 1);
}

TEST(an_hour_of_virtual_time_takes_no_time)
{
	struct ww_timer t;

	virtual_near_wrap();
	ww_timer_setup(&t, note, 0);
	ww_mod_timer(&t, ww_jiffies() + 3600 * ww_hz());
	ww_clock_advance(3600 * ww_hz() + 1);
	CHECK_EQ(ran, 1);
}

TEST(a_real_timer_is_never_early)
{
	struct ww_timer t;

	real_near_wrap();
	ww_timer_setup(&t, note, 0);
	for (int i = 0; i < 20; i++) {
		uint64_t before = ww_ktime_get_ns(), d = (uint64_t)(i % 5);

		ran = 0;
		CHECK_EQ(ww_mod_timer(&t, ww_jiffies() + d), 0);
		wait_for_runs(&ran, 1);
		CHECK(ww_ktime_get_ns() - before >= ww_jiffies_to_nsecs(d));
		CHECK_EQ(ww_timer_delete_sync(&t), 0);
	}
}

static int entered, left_it;

static void slow(struct ww_timer *t)
{
	(void)t;
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	sleep_ms(100);
	left_it = 1;
}

TEST(delete_sync_waits_for_a_running_callback)
{
	struct ww_timer t;

	real_near_wrap();
	ww_timer_setup(&t, slow, 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&entered, 1);
	CHECK(!ww_timer_pending(&t));
	CHECK_EQ(ww_timer_delete_sync(&t), 0);
	CHECK_EQ(left_it, 1);
}

static void again(struct ww_timer *t)
{
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
	ww_mod_timer(t, ww_jiffies());
	sleep_ms(2);
}

TEST(delete_sync_ends_a_timer_that_rearms_itself)
{
	struct ww_timer t;

	real_near_wrap();
	ww_timer_setup(&t, again, 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&ran, 5);
	ww_timer_delete_sync(&t);
	int n = ran;
	sleep_ms(30);
	CHECK_EQ(ran, n);
	CHECK(!ww_timer_pending(&t));
}

/* SPDX-License-Identifier: MIT */
/* Faults that timers really had elsewhere: for each the promise that it broke. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "timer_common.h"
#include "timer/timer.h"
#include "wheelwork/base.h"
#include "wheelwork/work.h"

static int ran;

static void note(struct ww_timer *t)
{
	(void)t;
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

static void need_two_cpus(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		tap_skip("needs 2 CPUs");
}

/* --- A function and its timer --- */

static int inside, overlaps, entries;

static void long_one(struct ww_timer *t)
{
	(void)t;
	if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
		__atomic_add_fetch(&overlaps, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&entries, 1, __ATOMIC_RELEASE);
	sleep_ms(30);
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}

TEST(a_timer_armed_on_another_cpu_while_it_runs_waits_for_its_own_end)
{
	struct ww_timer t, pinned;

	need_two_cpus();
	real_near_wrap();
	ww_timer_setup(&t, long_one, 0);
	ww_timer_setup(&pinned, long_one, WW_TIMER_PINNED);
	for (int round = 0; round < 10; round++) {
		struct ww_timer *one = round % 2 ? &pinned : &t;
		int before = __atomic_load_n(&entries, __ATOMIC_ACQUIRE);

		bind_to(0);
		ww_mod_timer(one, ww_jiffies());
		wait_for_runs(&entries, before + 1);
		bind_to(1); /* now it runs on the base of CPU 0 */
		CHECK_EQ(ww_mod_timer(one, ww_jiffies()), 0);
		wait_for_runs(&entries, before + 2);
		ww_timer_delete_sync(one);
		CHECK_EQ(inside, 0);
	}
	CHECK_EQ(overlaps, 0);
}

struct object {
	struct ww_timer timer;
	int entered, used;
};

static void uses_its_object(struct ww_timer *t)
{
	struct object *o = (struct object *)(void *)t;

	__atomic_store_n(&o->entered, 1, __ATOMIC_RELEASE);
	sleep_ms(20);
	o->used = 1;
}

TEST(an_object_may_be_freed_after_a_synchronous_delete_although_its_function_was_running)
{
	real_near_wrap();
	for (int round = 0; round < 10; round++) {
		struct object *o = calloc(1, sizeof(*o));

		CHECK(o);
		ww_timer_setup(&o->timer, uses_its_object, 0);
		ww_mod_timer(&o->timer, ww_jiffies());
		wait_for_runs(&o->entered, 1);
		/* It is no longer pending, and a delete that does not wait says 0 at once. */
		CHECK_EQ(ww_timer_delete(&o->timer), 0);
		if (round % 2)
			CHECK_EQ(ww_timer_delete_sync(&o->timer), 0);
		else
			CHECK_EQ(ww_timer_shutdown_sync(&o->timer), 0);
		CHECK_EQ(o->used, 1);
		memset(o, 0xa5, sizeof(*o));
		free(o);
	}
}

/* The timer queues the work, the work arms the timer: a circle that must come to an end. */
static struct ww_timer circle_timer;
static struct ww_work circle_work;
static struct ww_workqueue *circle_wq;
static int torn_down, after_the_end;

static void queue_it(struct ww_timer *t)
{
	(void)t;
	if (__atomic_load_n(&torn_down, __ATOMIC_ACQUIRE))
		__atomic_store_n(&after_the_end, 1, __ATOMIC_RELEASE);
	ww_queue_work(circle_wq, &circle_work);
}

static void arm_it(struct ww_work *work)
{
	(void)work;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
	ww_mod_timer(&circle_timer, ww_jiffies());
}

TEST(a_timer_and_the_work_that_arms_it_end_by_shutdown_sync_and_then_the_queue)
{
	real_near_wrap();
	for (int round = 0; round < 20; round++) {
		int before = ran;

		__atomic_store_n(&torn_down, 0, __ATOMIC_RELEASE);
		circle_wq = ww_alloc_workqueue("circle", 0, 0);
		ww_timer_setup(&circle_timer, queue_it, 0);
		ww_init_work(&circle_work, arm_it);
		ww_mod_timer(&circle_timer, ww_jiffies());
		wait_for_runs(&ran, before + 3);
		ww_timer_shutdown_sync(&circle_timer);
		__atomic_store_n(&torn_down, 1, __ATOMIC_RELEASE);
		/* A work that is still on its way arms in vain, and silently. */
		ww_destroy_workqueue(circle_wq);
		CHECK_EQ(ww_mod_timer(&circle_timer, ww_jiffies()), 0);
		CHECK(!ww_timer_pending(&circle_timer));
		sleep_ms(3);
		CHECK_EQ(after_the_end, 0);
	}
}

/* --- When they fire --- */

static uint64_t fired_at;

static void note_tick(struct ww_timer *t)
{
	(void)t;
	fired_at = ww_jiffies();
	ran++;
}

TEST(a_short_timer_after_a_long_idle_fires_at_its_tick)
{
	struct ww_timer t;
	uint64_t idle = 1;

	virtual_near_wrap();
	ww_timer_setup(&t, note_tick, 0);
	for (int i = 0; i < 60; i++, idle = idle * 2 + 1) {
		uint64_t due;

		ww_clock_advance(idle); /* nothing is pending: whatever was kept of time is old */
		due = ww_jiffies() + 3;
		ww_mod_timer(&t, due - 1);
		ww_clock_advance(2);
		CHECK_EQ(ran, i);
		ww_clock_advance(1);
		CHECK_EQ(ran, i + 1);
		CHECK_EQ(fired_at, due);
	}
}

TEST(a_timer_that_is_deleted_leaves_nothing_to_look_at)
{
	struct ww_timer t;
	struct ww_timer_stats s;
	uint64_t refiled;

	virtual_near_wrap();
	ww_timer_setup(&t, note_tick, 0);
	for (int i = 0; i < 62; i++) {
		ww_mod_timer(&t, ww_jiffies() + (1ull << i));
		CHECK_EQ(ww_timer_delete(&t), 1);
	}
	ww_timer_get_stats(-1, &s);
	refiled = s.refiled;
	ww_clock_advance(1ull << 62);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.refiled, refiled);
	CHECK_EQ(s.pending, 0);
	CHECK_EQ(ran, 0);
}

TEST(timers_of_one_deadline_all_run_in_that_tick_in_any_order)
{
	static struct ww_timer t[1000];
	uint64_t due;

	virtual_near_wrap();
	due = ww_jiffies() + 200; /* behind the wrap */
	for (int i = 0; i < 1000; i++) {
		ww_timer_setup(&t[i], note_tick, 0);
		/* Some come to it by being pushed out, or brought forward. */
		ww_mod_timer(&t[i], due + (uint64_t)(i % 3) * 50 - 50);
		if (i % 3 != 1)
			ww_mod_timer(&t[i], due);
	}
	ww_clock_advance(200);
	CHECK_EQ(ran, 0);
	ww_clock_advance(1);
	CHECK_EQ(ran, 1000);
}

static int order[8], nr_order;

static struct ww_timer around[8];

static void note_order(struct ww_timer *t)
{
	order[nr_order++] = (int)(t - around);
}

TEST(deadlines_on_both_sides_of_the_wrap_fire_in_the_order_of_time)
{
	virtual_near_wrap();
	for (int i = 7; i >= 0; i--) {
		ww_timer_setup(&around[i], note_order, 0);
		ww_mod_timer(&around[i], (uint64_t)0 - 4 + (uint64_t)i);
	}
	ww_clock_advance(300);
	CHECK_EQ(nr_order, 8);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(order[i], i);
}

TEST(a_timer_farther_than_twelve_days_is_not_early)
{
	const uint64_t clamp = 62ull << 24;
	struct ww_timer t;

	virtual_near_wrap();
	ww_timer_setup(&t, note_tick, 0);
	for (uint64_t far = clamp; far < clamp * 1000; far = far * 3 + 7) {
		uint64_t due = ww_jiffies() + far;
		int before = ran;

		ww_mod_timer(&t, due - 1);
		ww_clock_advance(far - 1);
		CHECK_EQ(ran, before);
		ww_clock_advance(1);
		CHECK_EQ(ran, before + 1);
		CHECK_EQ(fired_at, due);
	}
}

enum { MANY = 10000, ARMINGS = 3 };

/* The one thread that arms may stand still for long, so whether a call armed or pushed out is what it
 * returned. Who reads both sides waited for the last run. */
static struct many {
	struct ww_timer timer;
	int armed;		      /* the arming thread's: so often */
	uint64_t not_before[ARMINGS]; /* the last deadline that each arming was given */
	int runs;		      /* its function's */
	uint64_t ran_at[ARMINGS];
} many[MANY];

static void look_at_the_clock(struct ww_timer *t)
{
	struct many *m = (struct many *)(void *)t;

	if (m->runs < ARMINGS)
		m->ran_at[m->runs] = ww_ktime_get_ns();
	m->runs++;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

/* Returns what it adds to the runs that are due. */
static int ask(struct many *m, uint64_t ms)
{
	uint64_t not_before = ww_ktime_get_ns() + ms * 1000000;
	int idle = !ww_mod_timer(&m->timer, ww_jiffies() + ms);

	m->armed += idle;
	m->not_before[m->armed - 1] = not_before;
	return idle;
}

TEST_LIMIT(of_ten_thousand_timers_over_a_second_none_is_early, 60)
{
	int due = 0;

	real_near_wrap();
	for (int i = 0; i < MANY; i++) {
		uint64_t ms = (uint64_t)(i * 7919 % MANY) / 10;

		ww_timer_setup(&many[i].timer, look_at_the_clock, i % 10 ? 0 : WW_TIMER_PINNED);
		due += ask(&many[i], ms);
		if (i % 4 == 0) { /* pushed out: the store path */
			due += ask(&many[i], ms + 100);
			due += ask(&many[i], ms + 200);
		}
	}
	wait_for_runs(&ran, due);
	for (int i = 0; i < MANY; i++) {
		struct many *m = &many[i];

		CHECK_EQ(ww_timer_delete_sync(&m->timer), 0);
		CHECK_EQ(m->runs, m->armed);
		for (int k = 0; k < m->runs; k++)
			CHECK_MSG(m->ran_at[k] >= m->not_before[k],
				  "run %d of timer %d was %" PRIu64 " ns early", k, i,
				  m->not_before[k] - m->ran_at[k]);
	}
}

/* --- Who runs and who sleeps --- */

/* Times that threads of this process other than the caller went to sleep of their own will. */
static long sleeps_of_others(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[64], line[128];
	struct dirent *e;
	long sum = 0, n;

	while (tasks && (e = readdir(tasks))) {
		FILE *f;

		if (e->d_name[0] == '.' || atoi(e->d_name) == gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", e->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				sum += n;
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

TEST_LIMIT(a_million_timers_an_hour_away_wake_nobody, 60)
{
	SKIP_UNDER_TSAN("the sanitizer's own thread sleeps, too");
	const int n = TAP_ASAN ? 100000 : 1000000;
	struct ww_timer *t = calloc((size_t)n, sizeof(*t));
	struct ww_timer_stats s;
	long before;
	int quiet = 0;

	CHECK(t);
	real_near_wrap();
	for (int i = 0; i < n; i++) {
		ww_timer_setup(&t[i], note, 0);
		ww_mod_timer(&t[i], ww_jiffies() + 3600000 + (uint64_t)(i % 1000));
	}
	/* On a busy machine it takes a while until every base has had its turn and sleeps. */
	for (before = sleeps_of_others(); quiet < 25; quiet++) {
		sleep_ms(20);
		if (sleeps_of_others() != before)
			quiet = 0;
		before = sleeps_of_others();
	}
	sleep_ms(2000);
	CHECK_EQ(sleeps_of_others(), before);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.pending, (uint64_t)n);
	CHECK_EQ(s.fired, 0);
	CHECK(s.sleeps > 0);
	CHECK_EQ(ran, 0);
}

TEST(a_base_that_is_woken_for_nothing_sleeps_again)
{
	struct ww_timer_stats s;
	struct ww_timer t;
	uint64_t wakes = 0, first, n;

	real_near_wrap();
	ww_timer_setup(&t, note, 0);
	t.expires = ww_jiffies() + 3600000;
	ww_add_timer_on(&t, 0);
	do {
		sleep_ms(1);
		ww_timer_get_stats(0, &s);
	} while (!s.sleeps);
	first = s.sleeps;
	do { /* one that comes while it does not sleep yet is lost */
		ww_base_wake(ww_base_id_of_cpu(0));
		wakes++;
		sleep_ms(1);
		ww_timer_get_stats(0, &s);
	} while (s.sleeps < first + 20);
	for (int quiet = 0; quiet < 20; quiet++) {
		n = s.sleeps;
		sleep_ms(10);
		ww_timer_get_stats(0, &s);
		if (s.sleeps != n)
			quiet = 0;
	}
	CHECK(s.sleeps - first <= wakes);
	CHECK_EQ(s.fired, 0);
	CHECK_EQ(s.pending, 1);
	CHECK_EQ(ww_mod_timer(&t, ww_jiffies()), 1);
	wait_for_runs(&ran, 1);
}

/* --- Races --- */

static void count_run(struct ww_timer *t)
{
	(void)t;
	__atomic_add_fetch(&entries, 1, __ATOMIC_SEQ_CST);
}

TEST_LIMIT(rearming_to_the_same_deadline_as_it_expires_is_one_run_per_arming, 60)
{
	struct ww_timer t;
	int arms = 0, deletes = 0;

	real_near_wrap();
	ww_timer_setup(&t, count_run, 0);
	for (int round = 0; round < 400; round++) {
		uint64_t at = ww_jiffies() + (uint64_t)(round % 3);

		arms += !ww_mod_timer(&t, at);
		/* Says 1 as long as it is pending; the first 0 has armed it once more. */
		while (ww_mod_timer(&t, at))
			;
		arms++;
		if (round % 2)
			deletes += ww_timer_delete_sync(&t);
	}
	deletes += ww_timer_delete_sync(&t);
	CHECK_EQ(arms, entries + deletes);
}

enum { MOVERS = 3, MOVED = 8 };

static struct ww_timer moved[MOVED];
static int stop_moving, armed, removed;

static void *move(void *arg)
{
	uint64_t seed = tap_seed() + (uint64_t)(uintptr_t)arg;
	int arms = 0, deletes = 0;

	while (!__atomic_load_n(&stop_moving, __ATOMIC_ACQUIRE)) {
		struct ww_timer *t = &moved[tap_random(&seed) % MOVED];
		uint64_t at = ww_jiffies() + tap_random(&seed) % 4;
		cpu_set_t set;

		switch (tap_random(&seed) % 8) {
		case 0:
			CPU_ZERO(&set);
			CPU_SET(tap_random(&seed) % 2, &set);
			sched_setaffinity(0, sizeof(set), &set);
			break;
		case 1:
			deletes += ww_timer_delete(t);
			break;
		case 2:
			deletes += ww_timer_delete_sync(t);
			break;
		case 3:
			arms += !ww_timer_reduce(t, at);
			break;
		default:
			arms += !ww_mod_timer(t, at);
		}
	}
	__atomic_add_fetch(&armed, arms, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&removed, deletes, __ATOMIC_SEQ_CST);
	return NULL;
}

TEST_LIMIT(a_timer_that_many_threads_move_between_bases_is_on_one_of_them, 60)
{
	pthread_t mover[MOVERS];

	need_two_cpus();
	real_near_wrap();
	for (int i = 0; i < MOVED; i++)
		ww_timer_setup(&moved[i], count_run, i % 2 ? WW_TIMER_PINNED : 0);
	for (uintptr_t i = 0; i < MOVERS; i++)
		CHECK_EQ(pthread_create(&mover[i], NULL, move, (void *)i), 0);
	for (int i = 0; i < 40; i++) {
		sleep_ms(25);
		CHECK_EQ(ww_debug_check(), 0);
	}
	__atomic_store_n(&stop_moving, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < MOVERS; i++)
		pthread_join(mover[i], NULL);
	for (int i = 0; i < MOVED; i++)
		removed += ww_timer_delete_sync(&moved[i]);
	CHECK_EQ(armed, entries + removed);
	CHECK_EQ(ww_debug_check(), 0);
}

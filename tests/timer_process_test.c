/* SPDX-License-Identifier: MIT */
/* Timers in real processes: fork, threads that end, machines without the asymmetric barrier. */
#include "timer_common.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/membarrier.h"
#include "timer/barrier.h"

static int ran;

static void note(struct ww_timer *t)
{
	(void)t;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

/* ThreadSanitizer refuses threads in the child of a process that has several. */
static void need_threads_after_fork(void)
{
#ifdef WW_TSAN
	tap_skip("not under ThreadSanitizer");
#endif
}

static void exits_with(pid_t pid, int code)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == code, "child ended with 0x%x",
		  (unsigned)status);
}

TEST(the_child_of_a_fork_has_no_timers_and_can_arm_afresh)
{
	static struct ww_timer t[100];
	pid_t pid;

	need_threads_after_fork();
	real_near_wrap();
	for (int i = 0; i < 100; i++) {
		ww_timer_setup(&t[i], note, 0);
		ww_mod_timer(&t[i], ww_jiffies() + 100);
		ww_mod_timer(&t[i], ww_jiffies() + 150 + (uint64_t)i);
	}
	pid = fork();
	if (!pid) {
		ran = 0; /* the first ones may have run, before a late fork */
		if (ww_timer_pending(&t[0]))
			_exit(10);
		if (ww_mod_timer_pending(&t[0], ww_jiffies() + 5))
			_exit(11);
		if (ww_timer_delete(&t[1]) || ww_timer_delete_sync(&t[2]))
			_exit(12);
		if (ww_mod_timer(&t[3], ww_jiffies() + 5) != 0)
			_exit(13);
		wait_for_runs(&ran, 1);
		sleep_ms(400); /* the parent's deadlines pass: nothing of them runs here */
		if (ran != 1)
			_exit(14);
		if (ww_debug_check())
			_exit(15);
		_exit(0);
	}
	exits_with(pid, 0);
	wait_for_runs(&ran, 100); /* and the parent's all run */
}

static void forks(struct ww_timer *t)
{
	pid_t pid = fork();

	(void)t;
	if (!pid) {
		struct ww_timer mine;

		ww_timer_setup(&mine, note, 0);
		ww_mod_timer(&mine, ww_jiffies() + 5);
		wait_for_runs(&ran, 1);
		_exit(ww_timer_delete_sync(&mine) ? 20 : 0);
	}
	exits_with(pid, 0);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

TEST(a_timer_function_may_fork_and_both_go_on)
{
	struct ww_timer t;

	need_threads_after_fork();
	real_near_wrap();
	ww_timer_setup(&t, forks, 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&ran, 1);
	ww_timer_setup(&t, note, 0);
	ww_mod_timer(&t, ww_jiffies());
	wait_for_runs(&ran, 2);
}

static int stop, arming;

static void *arms_all_the_time(void *arg)
{
	struct ww_timer t;

	(void)arg;
	ww_timer_setup(&t, note, 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	__atomic_add_fetch(&arming, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ww_mod_timer(&t, ww_jiffies() + 1);
		ww_mod_timer(&t, ww_jiffies() + 2);
		ww_timer_delete(&t);
	}
	ww_timer_delete_sync(&t);
	return NULL;
}

TEST_LIMIT(forks_while_others_arm_leave_usable_children, 30)
{
	pthread_t th[2];

	need_threads_after_fork();
	real_near_wrap();
	for (int i = 0; i < 2; i++)
		pthread_create(&th[i], NULL, arms_all_the_time, NULL);
	/* The first use allocates, and the sanitizer's allocator is no better after a fork than then. */
	if (TAP_ASAN)
		wait_for_runs(&arming, 2);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct ww_timer t;
			int before = ran;

			ww_timer_setup(&t, note, 0);
			ww_mod_timer(&t, ww_jiffies() + 1);
			wait_for_runs(&ran, before + 1);
			_exit(0);
		}
		exits_with(pid, 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(th[i], NULL);
}

static struct ww_timer left_behind;

static void *arms_and_ends(void *arg)
{
	(void)arg;
	ww_mod_timer(&left_behind, ww_jiffies() + 30);
	ww_mod_timer(&left_behind, ww_jiffies() + 40);
	return NULL;
}

TEST(a_timer_outlives_the_thread_that_armed_it)
{
	pthread_t th;

	real_near_wrap();
	ww_timer_setup(&left_behind, note, 0);
	pthread_create(&th, NULL, arms_and_ends, NULL);
	pthread_join(th, NULL);
	wait_for_runs(&ran, 1);
	CHECK_EQ(ww_timer_delete_sync(&left_behind), 0);
}

/* Pushed out all the time by two threads, until told to stop; then it must run. */
static struct ww_timer pushed;

static void *pushes(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		ww_mod_timer(&pushed, ww_jiffies() + 3);
	return NULL;
}

static pthread_t pusher[2];

static void push(void)
{
	ww_timer_setup(&pushed, note, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&pusher[i], NULL, pushes, NULL);
}

static void push_no_more(void)
{
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(pusher[i], NULL);
	while (ww_timer_pending(&pushed))
		sleep_ms(1);
	ww_timer_delete_sync(&pushed);
	CHECK(ran > 0);
	CHECK_EQ(ww_debug_check(), 0);
}

TEST(without_the_asymmetric_barrier_rearming_exchanges)
{
	struct ww_timer_stats s;

	real_near_wrap();
	ww_membarrier_forbid();
	push();
	sleep_ms(300);
	push_no_more();
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.barriers, 0);
	CHECK(s.slow_rearms < 10000); /* it is still not the lock that does it */
}

/* Everything from here on is one CPU's, and so one base's. */
static int stay_on_one_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (cpu < 0 || sched_setaffinity(0, sizeof(set), &set))
		tap_skip("can't stay on one CPU");
	return cpu;
}

TEST_LIMIT(where_barriers_cost_too_much_rearming_exchanges_for_a_while, 60)
{
	int cpu = stay_on_one_cpu();
	struct ww_timer_stats s;
	uint64_t at_first;

	CHECK_EQ(ww_clock_configure(20000, UINT64_MAX - 2000), 0);
	ww_barrier_budget = 0;
	push();
	do { /* so many barriers are looked at together, however long they take to come */
		sleep_ms(10);
		ww_timer_get_stats(cpu, &s);
	} while (!s.exchange_spells);
	at_first = s.barriers;
	CHECK(at_first >= 64);
	do { /* in the spell there is none: the next says that it is over */
		sleep_ms(10);
		ww_timer_get_stats(cpu, &s);
	} while (s.barriers == at_first);
	push_no_more();
	tap_note("%" PRIu64 " barriers, %" PRIu64 " spells", s.barriers, s.exchange_spells);
}

/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/membarrier.h"
#include "base/report.h"
#include "base/thread.h"

TEST(a_futex_wait_ends_at_its_absolute_deadline_and_not_before)
{
	uint32_t word = 7;
	uint64_t end = ww_clock_ns() + 20000000;

	CHECK_EQ(ww_futex_wait(&word, 7, end), -ETIMEDOUT);
	CHECK(ww_clock_ns() >= end);
	CHECK_EQ(ww_futex_wait(&word, 8, WW_FOREVER), -EAGAIN);
}

static struct ww_lock lock;
static long counter;

static void count(void *arg)
{
	for (long i = 0; i < *(long *)arg; i++) {
		ww_lock(&lock);
		counter++;
		ww_unlock(&lock);
	}
}

TEST(a_lock_lets_one_thread_in_at_a_time)
{
	struct ww_os_thread t[4];
	long n = 50000;

	for (int i = 0; i < 4; i++)
		CHECK_EQ(ww_os_thread_start(&t[i], "count", -1, count, &n), 0);
	for (int i = 0; i < 4; i++)
		ww_os_thread_join(&t[i]);
	CHECK_EQ(counter, 4 * n);
	CHECK(!ww_lock_held(&lock));
}

static void note_signals_and_cpu(void *arg)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	*(int *)arg = sigismember(&set, SIGINT) && sigismember(&set, SIGTERM) ? sched_getcpu() : -1;
}

TEST(a_thread_blocks_all_signals_and_starts_on_its_cpu)
{
	int cpu = ww_cpu_of_slot(ww_cpu_slots() - 1), got = -2;
	struct ww_os_thread t;

	CHECK_EQ(ww_os_thread_start(&t, "signals", cpu, note_signals_and_cpu, &got), 0);
	ww_os_thread_join(&t);
	CHECK_EQ(got, cpu);
}

TEST(every_cpu_maps_onto_a_slot_and_each_slot_onto_its_cpu)
{
	for (int s = 0; s < ww_cpu_slots(); s++)
		CHECK_EQ(ww_cpu_slot_of(ww_cpu_of_slot(s)), s);
	for (int c = 0; c < 2000; c++)
		CHECK(ww_cpu_slot_of(c) >= 0 && ww_cpu_slot_of(c) < ww_cpu_slots());
	CHECK(ww_cpu_current() < ww_cpu_possible());
}

TEST(the_nth_allocation_fails_once)
{
	ww_alloc_fail_nth(2);
	void *a = ww_alloc(10), *b = ww_alloc(10), *c = ww_alloc_lines(10);

	CHECK(a && !b && c);
	CHECK(((uintptr_t)c & 63) == 0);
	ww_free(a);
	ww_free(c);
}

TEST(a_function_is_reported_by_its_name)
{
	/* dladdr() sees dynamic symbols only: a libc function is one everywhere (of those that no
	 * sanitizer replaces). */
	CHECK_STR(ww_symbol_fn(&getppid), "getppid");
}

TEST(the_asymmetric_barrier_works_where_the_kernel_gives_it)
{
	if (!ww_membarrier_available())
		tap_skip("this kernel gives no private expedited membarrier");
	ww_membarrier();
}

// SPDX-License-Identifier: MIT
/*
 * DPDK's rte_timer without huge pages, on the main lcore, or with several threads on as many worker
 * lcores, each with its own timers, as its users do. rte_timer_reset() takes a delay and always reads
 * the time-stamp counter.
 */
#include <rte_config.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <stdio.h>
#include <string.h>
#include <rte_timer.h>

#include "../bench.h"

static struct rte_timer *timers;
static uint64_t cycles_per_ms;
static bool over;

static void expired(struct rte_timer *t, void *arg)
{
	(void)arg;
	over |= timer_fired(t - timers);
}

/* The lcore that this thread arms for: the main one, number 0, if it is none itself. */
static __thread unsigned home;

static struct {
	void *(*fn)(void *);
	void *arg;
} job[8];

static int do_job(void *arg)
{
	long thread = (intptr_t)arg;

	home = rte_lcore_id();
	job[thread].fn(job[thread].arg);
	return 0;
}

/* Lcore 0 is the caller's. */
static void start_lcore(int thread, void *(*fn)(void *), void *arg)
{
	job[thread].fn = fn;
	job[thread].arg = arg;
	if (rte_eal_remote_launch(do_job, (void *)(intptr_t)thread, (unsigned)thread + 1) != 0)
		bench_cannot("no lcore for thread %d", thread);
}

static void join_lcore(int thread)
{
	rte_eal_wait_lcore((unsigned)thread + 1);
}

static void rival_open(long n)
{
	static char arg0[] = "rte_timer", arg1[] = "--no-huge", arg2[] = "--no-pci",
		    arg3[] = "--no-telemetry", arg4[] = "--no-shconf", arg5[] = "--log-level=1",
		    arg6[] = "-m", arg7[] = "64", arg8[256] = "--lcores=0";
	char *argv[] = {arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, NULL};
	const int threads = bench_current->threads;
	struct bench *b = (struct bench *)(uintptr_t)bench_current;

	if (threads > 8)
		bench_cannot("an lcore for each of %d threads", threads);
	for (int t = 0, at = (int)strlen(arg8); t < threads && threads > 1; t++)
		at += snprintf(arg8 + at, sizeof(arg8) - (size_t)at, ",%d@%d", t + 1, bench_cpu(t));
	if (threads > 1) {
		b->start = start_lcore;
		b->join = join_lcore;
	}
	if (rte_eal_init(9, argv) < 0 || rte_timer_subsystem_init() < 0)
		bench_cannot("rte_eal_init() or rte_timer_subsystem_init() failed");
	cycles_per_ms = rte_get_timer_hz() / 1000;
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		rte_timer_init(&timers[i]);
}

static inline void rival_arm(long i, long ms)
{
	rte_timer_reset(&timers[i], (uint64_t)ms * cycles_per_ms, SINGLE, home, expired, NULL);
}

static inline void rival_arm_now(long i, long ms)
{
	rival_arm(i, ms);
}

static inline void rival_cancel(long i)
{
	rte_timer_stop(&timers[i]);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

/* It has no way to sleep until the next expiry: its users call it every so often, here each ms. */
static void rival_run(void)
{
	over = false;
	while (!over) {
		rte_timer_manage();
		bench_sleep(1000000);
	}
}

#define RIVAL_THREADS
#define RIVAL_PROBES

static void rival_enter(void)
{
	if (rte_thread_register() != 0)
		bench_cannot("rte_thread_register() failed");
}

/* Its loop runs on the main lcore: that is where timers are armed, also from other threads. */
static void rival_cancel_sync(long i)
{
	rte_timer_stop_sync(&timers[i]);
}

static bool rival_refuses(long i, long ms)
{
	return rte_timer_reset(&timers[i], (uint64_t)ms * cycles_per_ms, SINGLE, home, expired,
			       NULL) != 0;
}

#include "../timer_rows.h"

// SPDX-License-Identifier: MIT
/*
 * DPDK's rte_timer on the main lcore, without huge pages. rte_timer_reset() takes a delay and
 * always reads the time-stamp counter.
 */
#include <rte_config.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
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

static void rival_open(long n)
{
	static char arg0[] = "rte_timer", arg1[] = "--no-huge", arg2[] = "--no-pci",
		    arg3[] = "--no-telemetry", arg4[] = "--no-shconf", arg5[] = "--log-level=1",
		    arg6[] = "-m", arg7[] = "64", arg8[] = "--lcores=0";
	char *argv[] = {arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, NULL};

	if (rte_eal_init(9, argv) < 0 || rte_timer_subsystem_init() < 0)
		bench_cannot("rte_eal_init() or rte_timer_subsystem_init() failed");
	cycles_per_ms = rte_get_timer_hz() / 1000;
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		rte_timer_init(&timers[i]);
}

static inline void rival_arm(long i, long ms)
{
	rte_timer_reset(&timers[i], (uint64_t)ms * cycles_per_ms, SINGLE, rte_get_main_lcore(),
			expired, NULL);
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
	return rte_timer_reset(&timers[i], (uint64_t)ms * cycles_per_ms, SINGLE,
			       rte_get_main_lcore(), expired, NULL) != 0;
}

#include "../timer_rows.h"

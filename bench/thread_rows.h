/* SPDX-License-Identifier: MIT */
/*
 * Waking a sleeping thread, around functions that are defined before this file is included:
 *
 *	static void rival_open(void);	make a thread on bench_cpu(1) that sleeps, and calls woken() each time it is
 *					woken
 *	static void rival_wake(void);
 */
#ifndef WW_BENCH_THREAD_ROWS_H
#define WW_BENCH_THREAD_ROWS_H

#include <stdlib.h>

#include "bench.h"

static uint64_t woken_at;

static void woken(void)
{
	__atomic_store_n(&woken_at, bench_now(), __ATOMIC_RELEASE);
}

static void open_wake(struct bench *b)
{
	(void)b;
	bench_pin(0);
	rival_open();
}

static void run_wake(struct bench *b)
{
	size_t count = b->quick ? 100 : 400;
	double *v = bench_alloc(count, sizeof(*v));

	for (size_t k = 0; k < count; k++) {
		bench_sleep(1000000);
		__atomic_store_n(&woken_at, 0, __ATOMIC_RELEASE);
		uint64_t begin = bench_now(), end;

		rival_wake();
		while (!(end = __atomic_load_n(&woken_at, __ATOMIC_ACQUIRE)))
			bench_sleep(50000);
		v[k] = (double)(end - begin) / 1e3;
	}
	bench_figure(b, "p50", "us", bench_quantile(v, count, 0.5));
	bench_figure(b, "p99", "us", bench_quantile(v, count, 0.99));
	free(v);
}
BENCH("thread", "wake", open_wake, run_wake)

#endif

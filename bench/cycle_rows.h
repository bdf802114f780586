/* SPDX-License-Identifier: MIT */
/*
 * Cycles of one call, warm and cold, by the time-stamp counter (which ticks at a fixed rate, not at
 * the core's). Warm: 1000 calls in a row, the empty loop's cost subtracted. Cold: lines flushed
 * before each call, the cost of reading the counter subtracted. Medians, since a hypervisor's
 * interruption is no property of the call.
 */
#ifndef WW_BENCH_CYCLE_ROWS_H
#define WW_BENCH_CYCLE_ROWS_H

#include "bench.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { CALLS = 1000, BATCHES = 101, LINES_MAX = 4 };

static inline void flush_line(const void *p)
{
#if defined(__x86_64__)
	_mm_clflush(p);
	_mm_mfence();
#elif defined(__aarch64__)
	__asm__ volatile("dc civac, %0; dsb sy" : : "r"(p) : "memory");
#endif
}

/* call(arg) in a loop; the caller makes both loops alike by inlining. */
static __attribute__((always_inline)) inline double warm_cycles(void (*call)(void *), void *arg)
{
	double with[BATCHES], without[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		uint64_t begin = bench_cycles();

		for (int k = 0; k < CALLS; k++)
			bench_keep(k);
		without[i] = (double)(bench_cycles() - begin);
		begin = bench_cycles();
		for (int k = 0; k < CALLS; k++) {
			call(arg);
			bench_keep(k);
		}
		with[i] = (double)(bench_cycles() - begin);
	}
	return (bench_quantile(with, BATCHES, 0.5) - bench_quantile(without, BATCHES, 0.5)) / CALLS;
}

/* One call at a time; before(arg) readies it (may be NULL), then the lines are flushed. */
static __attribute__((always_inline)) inline double cold_cycles(void (*before)(void *),
								void (*call)(void *), void *arg,
								const void *const *lines, int n)
{
	double with[CALLS], without[CALLS];

	for (int k = 0; k < CALLS; k++) {
		if (before)
			before(arg);
		for (int i = 0; i < n; i++)
			flush_line(lines[i]);
		uint64_t begin = bench_cycles();
		uint64_t mid = bench_cycles();
		call(arg);
		uint64_t end = bench_cycles();
		without[k] = (double)(mid - begin);
		with[k] = (double)(end - mid);
	}
	return bench_quantile(with, CALLS, 0.5) - bench_quantile(without, CALLS, 0.5);
}

#endif

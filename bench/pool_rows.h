/* SPDX-License-Identifier: MIT */
/*
 * The rows that every worker pool takes part in, around functions that an adapter defines before it
 * includes this file:
 *
 *	static void rival_open(int workers, long n, size_t stride);
 *		Make a pool of that many workers and n items, stride bytes apart where items are
 *		embedded (0: as close as they go). Item i calls pool_item_runs(i).
 *	static void rival_queue(long i);
 *		Hand item i to the pool. Only the thread that opened queues.
 *	static void rival_poll(void);
 *		Called over and over while that thread waits for items to have run.
 */
#ifndef WW_BENCH_POOL_ROWS_H
#define WW_BENCH_POOL_ROWS_H

#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* How often item i ran; written by whoever runs it, which is one at a time. */
static uint32_t *item_ran;
static long ran_total[64 * 8]; /* by worker, a line each */
static int workers_seen;
static __thread long *my_total;
/* Queue-to-run time of sampled items, in ns; 0: not sampled. */
static uint64_t *queued_at;
static double *latency;
static uint64_t block_ns;

bool pool_item_runs(long i)
{
	if (!my_total)
		my_total = &ran_total[8 * (__atomic_fetch_add(&workers_seen, 1, __ATOMIC_RELAXED) %
					   64)];
	if (queued_at && queued_at[i])
		latency[i] = (double)(bench_now() - queued_at[i]);
	if (block_ns && i == 0)
		bench_sleep(block_ns);
	__atomic_store_n(&item_ran[i], item_ran[i] + 1, __ATOMIC_RELEASE);
	__atomic_store_n(my_total, *my_total + 1, __ATOMIC_RELEASE);
	return true;
}

static long all_ran(void)
{
	long sum = 0;

	for (int w = 0; w < 64; w++)
		sum += __atomic_load_n(&ran_total[8 * w], __ATOMIC_ACQUIRE);
	return sum;
}

/* Gently: each look takes the workers' counters away from them, and a busy thread a CPU. */
static void wait_for_all(long n)
{
	while (all_ran() < n) {
		rival_poll();
		bench_sleep(20000);
	}
}

static void open_pool(struct bench *b, size_t stride)
{
	item_ran = (uint32_t *)bench_alloc((size_t)b->n, sizeof(*item_ran));
	/* Pinned afterwards: threads made by a pinned one would all share its CPU. */
	rival_open(b->threads, b->n, stride);
	bench_pin(0);
}

/* queue: 10^6 distinct items, one after the other in memory ------------------------------------ */

static void open_contiguous(struct bench *b)
{
	open_pool(b, 0);
}

static void run_contiguous(struct bench *b)
{
	long before = all_ran();
	uint64_t begin = bench_now();

	for (long i = 0; i < b->n; i++)
		rival_queue(i);
	wait_for_all(before + b->n);
	bench_figure(b, NULL, "items/s", (double)b->n * 1e9 / (double)(bench_now() - begin));
}
BENCH("queue", "contiguous", open_contiguous, run_contiguous)

/* queue: one item per 192 bytes in random order, each queued again only after it ran ------------ */

static long *order;

static void open_scattered(struct bench *b)
{
	uint64_t seed = 1;

	open_pool(b, 192);
	order = (long *)bench_alloc((size_t)b->n, sizeof(*order));
	for (long i = 0; i < b->n; i++) {
		long j = (long)(bench_random(&seed) % (uint64_t)(i + 1));

		order[i] = order[j];
		order[j] = i;
	}
	queued_at = (uint64_t *)bench_alloc((size_t)b->n, sizeof(*queued_at));
	latency = (double *)bench_alloc((size_t)b->n, sizeof(*latency));
}

static void run_scattered(struct bench *b)
{
	enum { SAMPLE = 64 };
	const int rounds = b->quick ? 3 : 8;
	static uint32_t turn;
	static long expected;
	uint64_t begin = bench_now();
	size_t sampled = 0;

	for (int r = 0; r < rounds; r++, turn++)
		for (long k = 0; k < b->n; k++) {
			long i = order[k];

			while (__atomic_load_n(&item_ran[i], __ATOMIC_ACQUIRE) != turn)
				rival_poll();
			if (k % SAMPLE == 0)
				queued_at[i] = bench_now();
			rival_queue(i);
		}
	expected += rounds * b->n;
	wait_for_all(expected);
	bench_figure(b, NULL, "items/s",
		     (double)(rounds * b->n) * 1e9 / (double)(bench_now() - begin));
	double *v = (double *)bench_alloc((size_t)b->n, sizeof(*v));
	for (long k = 0; k < b->n; k += SAMPLE)
		v[sampled++] = latency[order[k]];
	bench_figure(b, "p99", "us", bench_quantile(v, sampled, 0.99) / 1e3);
	free(v);
}
BENCH("queue", "scattered", open_scattered, run_scattered)

/* wake-latency: an item every 10 ms to a worker that sleeps ------------------------------------- */

static void open_waking(struct bench *b)
{
	open_pool(b, 0);
	queued_at = (uint64_t *)bench_alloc((size_t)b->n, sizeof(*queued_at));
	latency = (double *)bench_alloc((size_t)b->n, sizeof(*latency));
}

/* Quantiles are those of all items since the row was opened: of one run's, 99 % are all but one. */
static void run_waking(struct bench *b)
{
	enum { MOST = 10000 };
	static double *v, *sorted;
	static size_t n;
	long count = b->quick ? 30 : 100, before = all_ran();
	uint64_t next, cpu;

	if (!v) {
		v = (double *)bench_alloc(MOST, sizeof(*v));
		sorted = (double *)bench_alloc(MOST, sizeof(*sorted));
	}
	next = bench_now();
	cpu = bench_cpu_process();
	for (long k = 0; k < count; k++) {
		next += 10000000;
		bench_sleep_until(next);
		queued_at[0] = bench_now();
		rival_queue(0);
		while (all_ran() < before + k + 1)
			bench_sleep(100000);
		rival_poll();
		if (n < MOST)
			v[n++] = latency[0] / 1e3;
	}
	cpu = bench_cpu_process() - cpu;
	memcpy(sorted, v, n * sizeof(*v));
	bench_figure(b, "p50", "us", bench_quantile(sorted, n, 0.5));
	bench_figure(b, "p99", "us", bench_quantile(sorted, n, 0.99));
	bench_figure(b, "cpu", "us", (double)cpu / 1e3 / (double)count);
}
BENCH("wake-latency", "idle", open_waking, run_waking)

/* blocked-pool: a second item while the only worker sleeps in the first, and told nobody --------- */

/* Microseconds until the second starts. */
static double blocked(uint64_t ns)
{
	long before = all_ran();

	block_ns = ns;
	queued_at[0] = 0;
	rival_queue(0);
	bench_sleep(20000000);
	queued_at[1] = bench_now();
	rival_queue(1);
	while (all_ran() < before + 2) {
		rival_poll();
		bench_sleep(1000000);
	}
	rival_poll();
	return latency[1] / 1e3;
}

static void run_blocked(struct bench *b)
{
	bench_figure(b, NULL, "us", blocked(b->quick ? 300000000u : 1000000000u));
}
BENCH("blocked-pool", "unannounced", open_waking, run_blocked)

/* The same in words. */
static void run_blocked_probe(struct bench *b)
{
	double us = blocked(1000000000u);

	(void)b;
	if (us > 0.9e6)
		bench_word("how long until a blocked pool moves on", "as long as it is blocked");
	else
		bench_word("how long until a blocked pool moves on", "%.1f ms", us / 1e3);
	bench_end();
}
BENCH("correctness", "pool", open_waking, run_blocked_probe)

#endif

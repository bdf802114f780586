/* SPDX-License-Identifier: MIT */
/*
 * The rows that every timer library takes part in, as loops around five functions that an adapter
 * defines before it includes this file. They are compiled in, so no call through a pointer is
 *added.
 *
 *	static void rival_open(long n);	make the loop and n timers, none armed
 *	static void rival_arm(long i, long ms);	arm or re-arm timer i for ms from the time that the
 *					library goes by without reading a clock: an absolute
 *					deadline where its calls take one, else its loop's cached
 *now static void rival_arm_now(long i, long ms);	for ms from this moment, clock read included
 *	static void rival_cancel(long i);
 *	static void rival_inside(void (*fn)(void *), void *arg);	fn(arg) where its users arm
 *					timers: in a callback of its loop, if it has one
 *	RIVAL_THREADS			defined if several threads may do all this on one loop
 */
#ifndef WW_BENCH_TIMER_ROWS_H
#define WW_BENCH_TIMER_ROWS_H

#include "bench.h"

/* Far enough that none fires. Each re-arm goes later than any before it, as idle timeouts do. */
enum { AWAY = 3600000 };

static long next_ms[64][8]; /* by thread, a line each */

static void open_armed(struct bench *b)
{
	rival_open(b->n * b->threads + b->threads);
	for (long i = 0; i < b->n * b->threads; i++)
		rival_arm(i, AWAY + i % b->n);
	for (int t = 0; t < 64; t++)
		next_ms[t][0] = AWAY + b->n;
}

static void do_rearm(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first, ms = next_ms[thread][0];

	for (long k = 0; k < iters; k++) {
		rival_arm(i, ms++);
		if (++i == end)
			i = first;
	}
	next_ms[thread][0] = ms;
}

static void do_same(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first;

	for (long k = 0; k < iters; k++) {
		rival_arm(i, AWAY);
		if (++i == end)
			i = first;
	}
}

static void do_rearm_now(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first;

	for (long k = 0; k < iters; k++) {
		rival_arm_now(i, AWAY);
		if (++i == end)
			i = first;
	}
}

static void do_cancel_add(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first, ms = next_ms[thread][0];

	for (long k = 0; k < iters; k++) {
		rival_cancel(i);
		rival_arm(i, ms++);
		if (++i == end)
			i = first;
	}
	next_ms[thread][0] = ms;
}

/* The one that is added and cancelled is not among the n that stay. */
static void do_add_cancel(struct bench *b, int thread, long iters)
{
	long i = b->n * b->threads + thread;
	uint64_t seed = (uint64_t)thread + 1;

	for (long k = 0; k < iters; k++) {
		rival_arm(i, AWAY / 2 + (long)(bench_random(&seed) & 0xfffff));
		rival_cancel(i);
	}
}

struct inside {
	struct bench *b;
	bench_loop what;
	double ns;
};

static void measure(void *arg)
{
	struct inside *in = (struct inside *)arg;

	in->ns = bench_ns_per_op(in->b, in->what);
}

static void run_loop(struct bench *b, bench_loop what)
{
	struct inside in = {b, what, 0};

#ifndef RIVAL_THREADS
	if (b->threads > 1)
		bench_cannot("one loop serves one thread only");
#endif
	if (b->threads > 1)
		measure(&in);
	else
		rival_inside(measure, &in);
	bench_figure(b, NULL, "ns", in.ns);
}

static void run_rearm(struct bench *b)
{
	run_loop(b, do_rearm);
}
BENCH("rearm", "absolute", open_armed, run_rearm)

static void run_same(struct bench *b)
{
	run_loop(b, do_same);
}
BENCH("rearm", "same", open_armed, run_same)

static void run_rearm_now(struct bench *b)
{
	run_loop(b, do_rearm_now);
}
BENCH("rearm-relative", "relative", open_armed, run_rearm_now)

static void run_cancel_add(struct bench *b)
{
	run_loop(b, do_cancel_add);
}
BENCH("cancel-add", "pending", open_armed, run_cancel_add)

static void run_add_cancel(struct bench *b)
{
	run_loop(b, do_add_cancel);
}
BENCH("add-cancel", "fresh", open_armed, run_add_cancel)

#endif

// SPDX-License-Identifier: MIT
/*
 * The floor under a generator: the frame's bytes copied into the next of 64 buffers, sequence number
 * and time written into them; and the exchange alone.
 */
#include <string.h>
#include <sys/prctl.h>

#include "../bench.h"

enum { BUFFERS = 64, ROOM = 2048 };

static uint8_t template[ROOM], (*buffers)[ROOM];
static long stamp_every;

static void open_frames(struct bench *b)
{
	bench_pin(0);
	buffers = bench_alloc(BUFFERS, ROOM);
	stamp_every = strcmp(b->variant, "stamp-each") == 0 ? 1
		      : strcmp(b->variant, "no-stamp") == 0 ? 0
							    : 16;
}

static void do_frames(struct bench *b, int thread, long iters)
{
	static uint32_t sequence;
	uint64_t now = 0;

	(void)thread;
	for (long k = 0; k < iters; k++) {
		uint8_t *frame = buffers[k % BUFFERS];

		if (k % stamp_every == 0)
			now = bench_now();
		memcpy(frame, template, (size_t)b->n);
		memcpy(frame + 46, &sequence, 4);
		memcpy(frame + 50, &now, 8);
		sequence++;
		bench_keep(frame);
	}
}

static void do_unstamped(struct bench *b, int thread, long iters)
{
	(void)thread;
	for (long k = 0; k < iters; k++) {
		uint8_t *frame = buffers[k % BUFFERS];

		memcpy(frame, template, (size_t)b->n);
		bench_keep(frame);
	}
}

static void run_frames(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, stamp_every ? do_frames : do_unstamped));
}
BENCH("pktgen-null", "stamp-each", open_frames, run_frames)
BENCH("pktgen-null", "stamp-16", open_frames, run_frames)
BENCH("pktgen-null", "no-stamp", open_frames, run_frames)

/* Pacing: a thread that sleeps to each absolute deadline. */
static void run_paced(struct bench *b)
{
	size_t count = (size_t)(b->n * (b->quick ? 1 : 5));
	double *late = bench_alloc(count, sizeof(*late));
	uint64_t begin = bench_now() + 1000000, cpu = bench_cpu_process();

	prctl(PR_SET_TIMERSLACK, 1);
	if (b->n > 20000)
		bench_cannot("a sleep takes longer than the time between packets");
	for (size_t k = 0; k < count; k++) {
		uint64_t due = begin + k * 1000000000u / (uint64_t)b->n;

		bench_sleep_until(due);
		late[k] = (double)(bench_now() - due) / 1e3;
	}
	bench_figure(b, "cpu-per-s", "us",
		     (double)(bench_cpu_process() - cpu) / 1e3 / (b->quick ? 1 : 5));
	bench_figure(b, "late-p50", "us", bench_quantile(late, count, 0.5));
	bench_figure(b, "late-p99", "us", bench_quantile(late, count, 0.99));
}
BENCH("pktgen-pacing", "null", NULL, run_paced)
BENCH("pktgen-pacing", "packet", NULL, run_paced)

/* The exchange alone, over and over; and what it adds behind eight stores to another line, which it
 * must wait for. */
static uint32_t state __attribute__((aligned(64)));
static volatile uint64_t written[8] __attribute__((aligned(64)));

static void do_exchange(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(__atomic_exchange_n(&state, 0, __ATOMIC_SEQ_CST));
}

static void do_stores(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		for (int i = 0; i < 8; i++)
			written[i] = (uint64_t)k;
}

static void do_both(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++) {
		for (int i = 0; i < 8; i++)
			written[i] = (uint64_t)k;
		bench_keep(__atomic_exchange_n(&state, 0, __ATOMIC_SEQ_CST));
	}
}

static void run_exchange(struct bench *b)
{
	bench_figure(b, "exchange-alone", "ns", bench_ns_per_op(b, do_exchange));
	bench_figure(b, "exchange-after-stores", "ns",
		     bench_ns_per_op(b, do_both) - bench_ns_per_op(b, do_stores));
}
BENCH("loop-barrier", "clone-100000", NULL, run_exchange)

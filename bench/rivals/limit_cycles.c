// SPDX-License-Identifier: MIT
/*
 * The floor under a synchronous delete: a call and a load, with the line at hand or flushed; and two
 * loads of which the second needs the first, both flushed.
 */
#include "../cycle_rows.h"

struct line {
	struct line *next;
	uint64_t rest[7];
};

static struct line lines[2] __attribute__((aligned(64)));

__attribute__((noipa)) static void one_load(void *arg)
{
	bench_keep(__atomic_load_n(&((struct line *)arg)->next, __ATOMIC_ACQUIRE));
}

__attribute__((noipa)) static void two_loads(void *arg)
{
	struct line *next = __atomic_load_n(&((struct line *)arg)->next, __ATOMIC_ACQUIRE);

	bench_keep(__atomic_load_n(&next->next, __ATOMIC_ACQUIRE));
}

static void open_lines(struct bench *b)
{
	(void)b;
	bench_pin(0);
	lines[0].next = &lines[1];
}

static void run_warm(struct bench *b)
{
	bench_figure(b, NULL, "cycles", warm_cycles(one_load, lines));
}
BENCH("delete-sync", "fired-warm", open_lines, run_warm)
BENCH("delete-sync", "idle-warm", open_lines, run_warm)
BENCH("delete-sync", "busy-warm", open_lines, run_warm)

static void run_one_cold(struct bench *b)
{
	const void *flush[] = {&lines[0]};

	bench_figure(b, NULL, "cycles", cold_cycles(NULL, one_load, lines, flush, 1));
}
BENCH("delete-sync", "fired-cold-timer", open_lines, run_one_cold)
BENCH("delete-sync", "busy-cold-timer", open_lines, run_one_cold)

static void run_two_cold(struct bench *b)
{
	const void *flush[] = {&lines[0], &lines[1]};

	bench_figure(b, NULL, "cycles", cold_cycles(NULL, two_loads, lines, flush, 2));
}
BENCH("delete-sync", "fired-cold-both", open_lines, run_two_cold)
BENCH("delete-sync", "busy-cold-both", open_lines, run_two_cold)

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

static void run(struct bench *b)
{
	static const char *const name[][3] = {{"fired-warm", "fired-cold-timer", "fired-cold-both"},
					      {"idle-warm", "idle-cold-timer", "idle-cold-both"}};
	const void *flush[] = {&lines[0], &lines[1]};

	for (int i = 0; i < 2; i++) {
		bench_figure(b, name[i][0], "cycles", warm_cycles(one_load, lines));
		bench_figure(b, name[i][1], "cycles", cold_cycles(NULL, one_load, lines, flush, 1));
		bench_figure(b, name[i][2], "cycles",
			     cold_cycles(NULL, two_loads, lines, flush, 2));
	}
}
BENCH("delete-sync", "bases-idle", open_lines, run)
BENCH("delete-sync", "bases-busy", open_lines, run)

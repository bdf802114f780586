// SPDX-License-Identifier: MIT
/*
 * Updating a delayed work, and the origin's first table: ORG is our own cancel + queue, NEW our
 * update, in its two cases: "long", where time passes between the updates, so that each asks for a
 * new deadline, and "short", where the deadline stays within a tick; on a queue of one's own and on
 * the system's; one entry per thread, each thread on a CPU of its own.
 */
#include <stdio.h>

#include <wheelwork/work.h>

#include "../bench.h"

enum { AWAY = 3600000 };

static struct ww_workqueue *wq;
static struct ww_delayed_work *works;
static uint64_t epoch;
static uint64_t next[64][8];

static void nothing(struct ww_work *w)
{
	(void)w;
}

static void open_on(struct bench *b, struct ww_workqueue *queue)
{
	wq = queue;
	if (!wq)
		bench_cannot("no queue");
	works = bench_alloc((size_t)(b->n * b->threads), sizeof(*works));
	epoch = ww_jiffies() + AWAY;
	for (long i = 0; i < b->n * b->threads; i++) {
		ww_init_delayed_work(&works[i], nothing);
		ww_queue_delayed_work(wq, &works[i], AWAY);
	}
	for (int t = 0; t < 64; t++)
		next[t][0] = AWAY + 10000;
}

static void open_own(struct bench *b)
{
	open_on(b, ww_alloc_workqueue("own", 0, 0));
}

static void open_system(struct bench *b)
{
	open_on(b, ww_system_wq());
}

/* The mean, and each CPU's own where there are several. */
static void report(struct bench *b, double ns)
{
	char suffix[16];

	bench_figure(b, NULL, "ns", ns);
	for (int t = 0; t < b->threads && b->threads > 1; t++) {
		snprintf(suffix, sizeof(suffix), "cpu%d", t);
		bench_figure(b, suffix, "ns", b->thread_ns[t]);
	}
}

/* One loop for each row: what is done to entry d in turn k. */
#define LOOP(name, statement)                                                                      \
	static void name(struct bench *b, int thread, long iters)                                  \
	{                                                                                          \
		struct ww_delayed_work *first = &works[thread * b->n];                             \
		struct ww_delayed_work *d = first + next[thread][1], *end = first + b->n;          \
		uint64_t ms = next[thread][0];                                                     \
                                                                                                   \
		for (long k = 0; k < iters; k++) {                                                 \
			statement;                                                                 \
			ms++;                                                                      \
			if (++d == end)                                                            \
				d = first;                                                         \
		}                                                                                  \
		next[thread][0] = ms;                                                              \
		next[thread][1] = (uint64_t)(d - first);                                           \
	}                                                                                          \
	static void run_##name(struct bench *b)                                                    \
	{                                                                                          \
		report(b, bench_ns_per_op(b, name));                                               \
	}

LOOP(given, ww_queue_update_delayed_work_at(wq, d, epoch + ms))
LOOP(given_same, ww_queue_update_delayed_work_at(wq, d, epoch + AWAY))
LOOP(relative, ww_queue_update_delayed_work(wq, d, AWAY))
LOOP(mod, ww_mod_delayed_work_at(wq, d, epoch + ms))
LOOP(org_long, ww_cancel_delayed_work(d); ww_queue_delayed_work(wq, d, ms))
LOOP(org_short, ww_cancel_delayed_work(d); ww_queue_delayed_work(wq, d, AWAY))
LOOP(org_one_base, ww_cancel_delayed_work(d); ww_queue_delayed_work_on(bench_cpu(0), wq, d, ms))
LOOP(new_long, ww_queue_update_delayed_work(wq, d, ms))
LOOP(new_short, ww_queue_update_delayed_work(wq, d, AWAY))

BENCH("update-delayed-work", "given", open_own, run_given)
BENCH("update-delayed-work", "given-same", open_own, run_given_same)
BENCH("update-delayed-work", "mod-given", open_own, run_mod)
BENCH("update-delayed-work", "relative", open_own, run_relative)
BENCH("update-delayed-work", "long-own-ORG", open_own, run_org_long)
BENCH("update-delayed-work", "long-own-NEW", open_own, run_new_long)
BENCH("update-delayed-work", "short-own-ORG", open_own, run_org_short)
BENCH("update-delayed-work", "short-own-NEW", open_own, run_new_short)
BENCH("update-delayed-work", "long-system-ORG", open_system, run_org_long)
BENCH("update-delayed-work", "long-system-NEW", open_system, run_new_long)
BENCH("update-delayed-work", "short-system-ORG", open_system, run_org_short)
BENCH("update-delayed-work", "short-system-NEW", open_system, run_new_short)
BENCH("update-delayed-work", "one-base-ORG", open_own, run_org_one_base)

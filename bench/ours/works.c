// SPDX-License-Identifier: MIT
/*
 * Our pools. One worker: a per-CPU queue, fed from another CPU, whose pool runs one item at a time
 * unless one blocks. Several workers, and the wake-up row: an unbound queue.
 */
#include <wheelwork/work.h>

#include <string.h>

#include "../bench.h"

struct item {
	struct ww_work work;
	long i;
};

static struct ww_workqueue *wq;
static char *items;
static size_t size;
static int target_cpu;

static void run_item(struct ww_work *w)
{
	pool_item_runs(((struct item *)(void *)w)->i);
}

static struct item *item(long i)
{
	return (struct item *)(void *)(items + (size_t)i * size);
}

/* A pool with as many workers as CPUs in its mask. */
static void limit_workers(int workers)
{
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();

	if (!attrs)
		bench_cannot("no attributes");
	for (int i = 0; i < 16; i++)
		attrs->cpumask[i] = 0;
	for (int w = 0; w < workers; w++)
		attrs->cpumask[bench_cpu(w) / 64] |= 1ull << bench_cpu(w) % 64;
	if (ww_apply_workqueue_attrs(wq, attrs))
		bench_cannot("the attributes are refused");
	ww_free_workqueue_attrs(attrs);
}

static void rival_open(int workers, long n, size_t stride)
{
	bool bound = workers == 1 && strcmp(bench_current->name, "wake-latency") != 0;

	wq = ww_alloc_workqueue("bench", bound ? WW_WQ_PERCPU : WW_WQ_UNBOUND, 0);
	if (!wq)
		bench_cannot("no queue");
	if (workers > 1)
		limit_workers(workers);
	target_cpu = bound ? bench_cpu(1) : -1;
	size = stride ? stride : sizeof(struct item);
	items = bench_alloc((size_t)n, size);
	for (long i = 0; i < n; i++) {
		ww_init_work(&item(i)->work, run_item);
		item(i)->i = i;
	}
}

static inline void rival_queue(long i)
{
	if (target_cpu >= 0)
		ww_queue_work_on(target_cpu, wq, &item(i)->work);
	else
		ww_queue_work(wq, &item(i)->work);
}

static inline void rival_poll(void)
{
}

#include "../pool_rows.h"

/* Items that stay pending, behind one that never returns ---------------------------------------- */

static void block(struct ww_work *w)
{
	(void)w;
	for (;;)
		bench_sleep(1000000000);
}

static void nothing(struct ww_work *w)
{
	(void)w;
}

static void open_blocked(struct bench *b)
{
	static struct ww_work blocker;

	(void)b;
	bench_pin(0);
	wq = ww_alloc_ordered_workqueue("blocked", 0);
	if (!wq)
		bench_cannot("no queue");
	ww_init_work(&blocker, block);
	ww_queue_work(wq, &blocker);
	bench_sleep(20000000);
}

static void open_pending(struct bench *b)
{
	open_blocked(b);
	items = bench_alloc(1, sizeof(struct item));
	ww_init_work(&item(0)->work, nothing);
	ww_queue_work(wq, &item(0)->work);
}

static void do_pending(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		if (ww_queue_work(wq, &item(0)->work))
			bench_cannot("the item was not pending");
}

static void run_pending(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_pending));
}
BENCH("queue", "pending", open_pending, run_pending)

static void run_memory_work(struct bench *b)
{
	static double bytes;
	size_t before = bench_heap();

	if (bytes == 0) {
		struct ww_work *works = bench_alloc((size_t)b->n, sizeof(*works));
		for (long i = 0; i < b->n; i++) {
			ww_init_work(&works[i], nothing);
			ww_queue_work(wq, &works[i]);
		}
		bytes = (double)(bench_heap() - before) / (double)b->n;
	}
	bench_figure(b, NULL, "bytes", bytes);
}
BENCH("memory", "work", open_blocked, run_memory_work)

static void run_memory_delayed(struct bench *b)
{
	static double bytes;
	size_t before = bench_heap();

	if (bytes == 0) {
		struct ww_delayed_work *works = bench_alloc((size_t)b->n, sizeof(*works));
		for (long i = 0; i < b->n; i++) {
			ww_init_delayed_work(&works[i], nothing);
			ww_queue_delayed_work(wq, &works[i], 3600000);
		}
		bytes = (double)(bench_heap() - before) / (double)b->n;
	}
	bench_figure(b, NULL, "bytes", bytes);
}
BENCH("memory", "delayed-work", open_blocked, run_memory_delayed)

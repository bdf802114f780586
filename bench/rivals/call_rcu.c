// SPDX-License-Identifier: MIT
/*
 * liburcu's call_rcu(): items run on its one helper thread, after a grace period, and it looks for
 * them every 10 ms: throughput, not latency, is its strength.
 */
#include <stdlib.h>
#include <urcu/urcu-memb.h>

#include "../bench.h"

static char *items;
static size_t size;

struct item {
	struct rcu_head head;
	long i;
};

static void run_item(struct rcu_head *head)
{
	pool_item_runs(((struct item *)(void *)head)->i);
}

static struct item *item(long i)
{
	return (struct item *)(void *)(items + (size_t)i * size);
}

static void rival_open(int workers, long n, size_t stride)
{
	if (workers > 1)
		bench_cannot("call_rcu() has one helper thread");
	urcu_memb_register_thread();
	size = stride ? stride : sizeof(struct item);
	items = bench_alloc((size_t)n, size);
	for (long i = 0; i < n; i++)
		item(i)->i = i;
}

static inline void rival_queue(long i)
{
	urcu_memb_call_rcu(&item(i)->head, run_item);
}

static inline void rival_poll(void)
{
}

#include "../pool_rows.h"

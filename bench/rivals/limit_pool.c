// SPDX-License-Identifier: MIT
/*
 * The floor under a pool: a ring of indices between two threads, with the one locked instruction on
 * each side that "pending" costs, and a futex where the worker sleeps.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bench.h"
#include "limit_calls.h"

enum { SLOTS = 1 << 20 };

struct item {
	uint32_t pending;
};

static uint32_t ring[SLOTS];
static uint64_t head __attribute__((aligned(64)));
static uint64_t tail __attribute__((aligned(64)));
static uint32_t sleeping __attribute__((aligned(64)));
static char *items;
static size_t size;

static struct item *item(long i)
{
	return (struct item *)(void *)(items + (size_t)i * size);
}

static void *work(void *arg)
{
	uint64_t at = 0;

	for (;;) {
		uint64_t end = __atomic_load_n(&head, __ATOMIC_ACQUIRE);

		if (at == end) {
			__atomic_store_n(&sleeping, 1, __ATOMIC_SEQ_CST);
			if (__atomic_load_n(&head, __ATOMIC_SEQ_CST) == at)
				syscall(SYS_futex, &sleeping, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
			__atomic_store_n(&sleeping, 0, __ATOMIC_SEQ_CST);
			continue;
		}
		for (; at != end; at++) {
			long i = (long)ring[at % SLOTS];

			__atomic_fetch_and(&item(i)->pending, ~1u, __ATOMIC_SEQ_CST);
			pool_item_runs(i);
		}
		__atomic_store_n(&tail, at, __ATOMIC_RELEASE);
	}
	return arg;
}

static void rival_open(int workers, long n, size_t stride)
{
	pthread_t t;

	if (workers > 1)
		bench_cannot("the ring has one reader");
	size = stride ? stride : sizeof(struct item);
	items = bench_alloc((size_t)n, size);
	pthread_create(&t, NULL, work, NULL);
}

static inline void rival_queue(long i)
{
	static uint64_t at, known;

	__atomic_fetch_or(&item(i)->pending, 1u, __ATOMIC_SEQ_CST);
	while (at - known >= SLOTS)
		known = __atomic_load_n(&tail, __ATOMIC_ACQUIRE);
	ring[at % SLOTS] = (uint32_t)i;
	__atomic_store_n(&head, ++at, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sleeping, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&sleeping, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline void rival_poll(void)
{
}

#include "../pool_rows.h"

/* queue of what is pending already: a call and the one locked instruction. */
static uint32_t pending;

static void do_pending(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(limit_fetch_or(&pending, 1u));
}

static void run_pending(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_pending));
}
BENCH("queue", "pending", NULL, run_pending)

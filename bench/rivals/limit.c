// SPDX-License-Identifier: MIT
/*
 * The bare operation, the floor under every row: a call and a store into an object of 64 bytes; for
 * a relative delay a clock read before it.
 */
#include "../bench.h"
#include "limit_calls.h"

struct object {
	uint64_t expires;
	uint64_t rest[7];
};

static struct object *objects;
static long count;

static void rival_open(long n)
{
	count = n;
	objects = bench_alloc((size_t)n, sizeof(*objects));
}

static inline void rival_arm(long i, long ms)
{
	limit_store(&objects[i].expires, (uint64_t)ms);
}

static inline void rival_arm_now(long i, long ms)
{
	limit_store(&objects[i].expires, bench_now() + (uint64_t)ms);
}

static inline void rival_cancel(long i)
{
	limit_store(&objects[i].expires, 0);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

static uint64_t *due;

/* Expiry: a call for each object, nothing else. Lateness: one sleep to each deadline, in order. */
static void rival_run(void)
{
	for (long k = 0, i = 0; k < count; k++, i = (i + 7919) % count) {
		while (due && bench_now() < due[i])
			bench_sleep_until(due[i]);
		timer_fired(i);
	}
}

#define RIVAL_THREADS
#define RIVAL_UPDATES
#define RIVAL_ORG
#include "../timer_rows.h"

static __attribute__((noinline)) void counted(struct object *o)
{
	bench_keep(o);
	fired++;
}

/* Beside the virtual clock: each object touched once, in the order of expiry, and a call for it. */
static void run_virtual(struct bench *b)
{
	uint64_t begin;

	bench_pin(0);
	fired = 0;
	begin = bench_now();
	for (long k = 0, i = 0; k < b->n; k++, i = (i + 7919) % b->n) {
		objects[i].expires++;
		counted(&objects[i]);
	}
	bench_figure(b, NULL, "ns", (double)(bench_now() - begin) / (double)b->n);
}
BENCH("expire", "virtual", open_idle, run_virtual)

/*
 * Beside cancel + queue of a delayed work: a clock read, as it queues by a delay from now, and four
 * locked instructions. Two take a lock that another thread may want, two say whether it is pending,
 * each a full barrier, as both calls promise.
 */
static struct org {
	uint32_t lock, pending;
	uint64_t expires;
} __attribute__((aligned(64))) orgs[64];

static void do_org(struct bench *b, int thread, long iters)
{
	struct org *o = &orgs[thread];

	(void)b;
	for (long k = 0; k < iters; k++) {
		uint64_t now;

		bench_keep(limit_exchange(&o->lock, 1));
		limit_store(&o->expires, 0);
		__atomic_store_n(&o->lock, 0, __ATOMIC_RELEASE);
		bench_keep(limit_exchange(&o->pending, 0));
		bench_keep(limit_fetch_or(&o->pending, 1));
		now = bench_now();
		bench_keep(limit_exchange(&o->lock, 1));
		limit_store(&o->expires, now + (uint64_t)k);
		__atomic_store_n(&o->lock, 0, __ATOMIC_RELEASE);
	}
}

static void run_org(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_org));
}
BENCH("update-delayed-work", "long-own-ORG", NULL, run_org)
BENCH("update-delayed-work", "short-own-ORG", NULL, run_org)

/* SPDX-License-Identifier: MIT */
/*
 * The push onto a pool's inbox. Inline, and as short as it can be: what a CPU may do at once is
 * bounded in instructions, so where each item is a cache miss, every instruction between two of
 * them is time.
 */
#ifndef WW_WORK_PUSH_H
#define WW_WORK_PUSH_H

#include "work/internal.h"

/* A line comes from another CPU and is written soon: one trip for it instead of two. */
static inline void ww_prefetch_to_write(void *p)
{
#if defined(__x86_64__)
	/* The compiler asks for a line to read, as long as it may not assume this instruction. */
	__asm__ volatile("prefetchw %0" : : "m"(*(char *)p));
#else
	__builtin_prefetch(p, 1);
#endif
}

/*
 * The inbox is a chain, and a chain of scattered items costs a cache miss a link. So pushers also
 * leave addresses in a ring, for whoever takes items out to prefetch ahead of the chain. They are
 * hints: nobody follows one, and pushers that race lose some.
 */
static inline void ww_push_hint(struct ww_pool *pool, struct ww_work *work)
{
	struct hint_ring *ring = ww_load_acquire(&pool->ring); /* pairs: WORK-16 */
	uint64_t at = ww_load_relaxed(&pool->hints);

	/* A worker read that line a lap ago: it comes back before it is needed. */
	if (!(at % HINTS_LINE))
		ww_prefetch_to_write(&ring->at[(at + 2 * HINTS_LINE) & ring->mask]);
	ww_store_relaxed(&ring->at[at & ring->mask], work);
	ww_store_relaxed(&pool->hints, at + 1);
}

/*
 * The exchange of the tail is the full barrier between the push and the look at the sleepers
 * (WORK-3). Once it is linked the item belongs to the pool: it may be over and freed at once.
 */
static inline void ww_pool_push(struct ww_pool *pool, struct ww_work *work)
{
	struct ww_work *prev;

	ww_store_relaxed(ww_work_next(work), NULL);
	ww_push_hint(pool, work);
	prev = ww_xchg(&pool->tail, work); /* pairs: WORK-2, WORK-3 */
	if (prev)
		ww_store_release(ww_work_next(prev), work); /* pairs: WORK-2 */
	else
		ww_store_release(&pool->head, work);   /* pairs: WORK-2 */
	if (ww_unlikely(ww_load_seq_cst(&pool->look))) /* pairs: WORK-3 */
		ww_push_look(pool);
}

#endif

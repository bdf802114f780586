/* SPDX-License-Identifier: MIT */
/*
 * The wheel: an index of lower bounds. No lock, no clock, no thread in here.
 *
 * A bucket says "look at these no later than tick T" (its bound); the exact deadline stays with the
 * caller. Level n has buckets of 64^n ticks, so a node goes to the finest level that reaches its
 * tick: on level 0 the bound is the tick itself, above it is the start of the bucket, never after
 * the tick. When the caller takes a bucket it fires what is due and adds the rest again, which then
 * lands on a finer level. Cascading, far deadlines and deadlines that moved meanwhile are that one
 * rule. Ticks wrap: only differences count, and everything in the wheel lies less than 2^63 ahead.
 */
#ifndef WW_TIMER_WHEEL_H
#define WW_TIMER_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

#define WW_WHEEL_BITS	6
#define WW_WHEEL_SIZE	(1u << WW_WHEEL_BITS)
#define WW_WHEEL_LEVELS 11 /* 6 * 11 >= 64; the top level uses 16 of its buckets */

struct ww_wheel {
	uint64_t clk;			/* the next tick to look at: no bound is before it */
	uint64_t next;			/* the earliest bound, where there is one ... */
	bool next_stale;		/* ... but its bucket is empty now: early, never late */
	uint32_t levels;		/* bit n: bits[n] != 0; 0 for an empty wheel */
	uint64_t bits[WW_WHEEL_LEVELS]; /* bit i: the bucket is not empty */
	struct ww_list bucket[WW_WHEEL_LEVELS * WW_WHEEL_SIZE]; /* first filed, first out */
};

/* An empty wheel whose next tick is clk. */
void ww_wheel_init(struct ww_wheel *w, uint64_t clk);

/* File n for a look at tick or before; a tick before clk counts as clk. Returns the bound. */
uint64_t ww_wheel_add(struct ww_wheel *w, struct ww_list *n, uint64_t tick);

/* Unlink n, which is in this wheel or on a list that came from it. */
static inline void ww_wheel_del(struct ww_wheel *w, struct ww_list *n);

/* The earliest bound; false where the wheel is empty. */
bool ww_wheel_next(struct ww_wheel *w, uint64_t *tick);

/*
 * Everything whose bound is tick: what was filed for that very tick goes to the end of due, what a
 * coarser bucket held to the end of rest. clk is then tick + 1. No bound may be before tick (ask
 * ww_wheel_next()).
 */
void ww_wheel_take(struct ww_wheel *w, uint64_t tick, struct ww_list *due, struct ww_list *rest);

/* Let clk be tick, or less where a bound is before it; never back. */
void ww_wheel_forward(struct ww_wheel *w, uint64_t tick);

/* Tests and ww_debug_check(): NULL, or what is wrong. */
const char *ww_wheel_check(const struct ww_wheel *w);

static inline bool ww_wheel_empty(const struct ww_wheel *w)
{
	return !w->levels;
}

static inline void ww_wheel_emptied(struct ww_wheel *w, unsigned bucket)
{
	unsigned level = bucket / WW_WHEEL_SIZE;

	w->bits[level] &= ~(1ull << bucket % WW_WHEEL_SIZE);
	if (!w->bits[level])
		w->levels &= ~(1u << level);
	w->next_stale = true;
}

static inline void ww_wheel_del(struct ww_wheel *w, struct ww_list *n)
{
	struct ww_list *next = n->next, *prev = n->prev;

	prev->next = next;
	next->prev = prev;
	/* The last of a bucket: both neighbours are the same, and one of our heads. */
	if (next == prev) {
		uintptr_t off = (uintptr_t)next - (uintptr_t)w->bucket;

		if (off < sizeof(w->bucket))
			ww_wheel_emptied(w, (unsigned)(off / sizeof(w->bucket[0])));
	}
}

#endif

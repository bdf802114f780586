/* SPDX-License-Identifier: MIT */
/*
 * The wheel: an index of lower bounds. No lock, no clock, no thread in here.
 *
 * A bucket says "look at these no later than tick T" (its bound); the exact deadline stays with the
 * caller. Level n has buckets of 64^n ticks, so a node goes to the finest level that reaches its
 * tick: on level 0 the bound is the tick itself, above it is the start of the bucket, never after
 * the tick. When the caller empties a bucket it fires what is due and adds the rest again, which
 * then lands on a finer level. Cascading, far deadlines and deadlines that moved meanwhile are that
 * one rule. Ticks wrap: only differences count, and everything in the wheel lies less than 2^63
 * ahead.
 *
 * A wheel whose nodes fire at their bounds has 4096 buckets on level 0 and no level 1, so that most
 * nodes are filed once and never looked at before their tick. One whose nodes move on by themselves
 * (a look finds most of them pushed out) has 64: looks at many of them are shared.
 *
 * A bucket is 16 lists, lanes, among which nodes are dealt out: who empties it goes from lane to
 * lane, and each lane's next node has the time of 15 others to come into the cache. Of one list a
 * CPU can fetch one node at a time, and a million nodes are in no cache. On level 0, whose nodes are
 * about to fire, the lanes are filled evenly, in turn. What lies further ahead is mostly unlinked or
 * moved before: there, nodes that lie close together in memory share a lane, so that who unlinks one
 * finds its neighbours in the cache.
 *
 * Unlinking leaves the bits of its bucket set, whatever is left in there: to see whether a bucket is
 * empty costs more than all the rest of it, and mostly something is filed there again. Who looks for
 * the earliest bound takes the bits of empty buckets away, each of which some add has paid for.
 */
#ifndef WW_TIMER_WHEEL_H
#define WW_TIMER_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

#define WW_WHEEL_BITS	    6
#define WW_WHEEL_SIZE	    (1u << WW_WHEEL_BITS)
#define WW_WHEEL_LEVELS	    11 /* 6 * 11 >= 64; the top level uses 16 of its buckets */
#define WW_WHEEL_LANES	    16
#define WW_WHEEL_NEIGHBOURS 16384 /* bytes: nodes in one such piece of memory share coarse lanes */

#define WW_WHEEL_FINE	12 /* for nodes that fire at their bounds: 4096 buckets on level 0 */
#define WW_WHEEL_COARSE 6  /* for nodes that move on */

/* Levels 1 and up come first, then level 0. */
#define WW_WHEEL_NEAR	       ((WW_WHEEL_LEVELS - 1) * WW_WHEEL_SIZE)
#define WW_WHEEL_BUCKETS(fine) (WW_WHEEL_NEAR + (1u << (fine)))

struct ww_bucket {
	struct ww_hnode *lane[WW_WHEEL_LANES];
} ww_aligned_line;

enum {
	WW_WHEEL_STALE = 1, /* next is to be looked for */
	WW_WHEEL_LOOSE = 2, /* something was unlinked: bits of empty buckets may be set */
};

struct ww_wheel {
	uint64_t clk;		   /* the next tick to look at: no bound is before it */
	uint64_t next;		   /* the earliest bound, where there is one ... */
	uint8_t stale;		   /* ... unless something left since: see below */
	uint8_t fine;		   /* level 0 has 2^fine buckets: constant */
	uint32_t levels;	   /* bit n: bits[n] != 0 */
	uint32_t turn;		   /* whose lane is next, on level 0 */
	struct ww_bucket *bucket;  /* WW_WHEEL_BUCKETS(fine) of them */
	struct ww_bucket *drained; /* the one that is being emptied, or NULL */
	/* Bit i: the bucket may hold something, which no bit denies; of level 0: near[i] != 0. */
	uint64_t bits[WW_WHEEL_LEVELS];
	uint64_t near[1u << (WW_WHEEL_FINE - 6)]; /* level 0: a bit each */
} ww_aligned_line;

/* An empty wheel whose next tick is clk, with zeroed buckets. */
void ww_wheel_init(struct ww_wheel *w, uint64_t clk, unsigned fine, struct ww_bucket *buckets);

/* Forget all nodes. */
void ww_wheel_clear(struct ww_wheel *w, uint64_t clk);

/*
 * File n for a look at tick or before; a tick before clk counts as clk. Returns the bound. who says
 * whose it is: any number, with neighbours for those who may come at the same time.
 */
static inline uint64_t ww_wheel_add_of(struct ww_wheel *w, struct ww_hnode *n, uint64_t tick,
				       unsigned who);
static inline uint64_t ww_wheel_add(struct ww_wheel *w, struct ww_hnode *n, uint64_t tick)
{
	return ww_wheel_add_of(w, n, tick, 0);
}

/* Unlink n, which is in this wheel. */
static inline void ww_wheel_del(struct ww_wheel *w, struct ww_hnode *n);

/* The earliest bound; false where the wheel is empty. */
bool ww_wheel_next(struct ww_wheel *w, uint64_t *tick);

/*
 * To look at tick: no bound may be before it (ask ww_wheel_next()). clk is tick then. Empty every
 * coarse bucket that begins there, and after them the one of level 0, whose nodes were filed for
 * that very tick. Nodes may be added and unlinked in between, also in the bucket that is being
 * emptied; what is taken out of a coarse bucket is added again. Then go on with ww_wheel_forward().
 */
void ww_wheel_turn(struct ww_wheel *w, uint64_t tick);
/* Begin to empty the next coarse bucket / the bucket of level 0; NULL for none. */
struct ww_bucket *ww_wheel_drain_coarse(struct ww_wheel *w);
struct ww_bucket *ww_wheel_drain_near(struct ww_wheel *w);
/* It is empty. */
void ww_wheel_drained(struct ww_wheel *w);

/* Let clk be tick, or less where a bound is before it; never back, and not while a bucket is being
 * emptied. */
void ww_wheel_forward(struct ww_wheel *w, uint64_t tick);

/* The first bucket with anything in it whose number is *i or more, and its number; NULL for none. */
struct ww_bucket *ww_wheel_scan(const struct ww_wheel *w, unsigned *i);

/* Tests and ww_debug_check(): NULL, or what is wrong. */
const char *ww_wheel_check(const struct ww_wheel *w);

static inline void ww_bucket_add(struct ww_bucket *b, unsigned lane, struct ww_hnode *n)
{
	struct ww_hnode *first = b->lane[lane];

	n->next = first;
	n->pprev = &b->lane[lane];
	if (first)
		first->pprev = &n->next;
	b->lane[lane] = n;
}

/*
 * The next node of a bucket that is being emptied, or NULL; *lane says where to go on. The node
 * behind it is not touched, only asked for: it keeps a pprev that is wrong, which is why unlinking
 * from such a bucket is ww_bucket_del().
 */
static inline struct ww_hnode *ww_bucket_pop(struct ww_bucket *b, unsigned *lane)
{
	for (unsigned i = 0; i < WW_WHEEL_LANES; i++) {
		unsigned l = (*lane + i) % WW_WHEEL_LANES;
		struct ww_hnode *n = b->lane[l];

		if (!n)
			continue;
		*lane = l + 1;
		b->lane[l] = n->next;
		__builtin_prefetch(n->next);
		return n;
	}
	return NULL;
}

/* Unlink n where the bucket that is being emptied is b, whether n is in there or not. */
void ww_bucket_del(struct ww_bucket *b, struct ww_hnode *n);

static inline bool ww_bucket_empty(const struct ww_bucket *b)
{
	uintptr_t any = 0;

	for (unsigned l = 0; l < WW_WHEEL_LANES; l++)
		any |= (uintptr_t)b->lane[l];
	return !any;
}

/* The level on which tick, behind level 0, is filed. */
static inline unsigned ww_wheel_level(const struct ww_wheel *w, uint64_t tick)
{
	unsigned level = (63u - (unsigned)__builtin_clzll(tick - w->clk)) / WW_WHEEL_BITS;
	unsigned s = level * WW_WHEEL_BITS;

	/* 64 buckets ahead would be the one that clk is in: take it one level coarser. */
	if (level < WW_WHEEL_LEVELS - 1 &&
	    (((tick >> s) - (w->clk >> s)) & (UINT64_MAX >> s)) >= WW_WHEEL_SIZE)
		level++;
	return level;
}

/* Unlink while a bucket is being emptied. */
void ww_wheel_del_slow(struct ww_wheel *w, struct ww_hnode *n);

/* The upper bits of multiples of the golden ratio: even, whatever pattern the factors have. */
static inline unsigned ww_wheel_lane(uint32_t factor)
{
	return factor * 0x9e3779b9u / (1u << 28);
}

/* Further ahead: by memory, and two who take turns have lanes, whose heads lie in different lines. */
static inline unsigned ww_wheel_lane_of(const struct ww_hnode *n, unsigned who)
{
	unsigned lane = ww_wheel_lane((uint32_t)((uintptr_t)n / WW_WHEEL_NEIGHBOURS));

	/* The lowest bit of who chooses the line, the next ones the lane in it. */
	return lane ^ (who % 2 * (WW_WHEEL_LANES / 2) | who / 2 % (WW_WHEEL_LANES / 2));
}

static inline uint64_t ww_wheel_add_of(struct ww_wheel *w, struct ww_hnode *n, uint64_t tick,
				       unsigned who)
{
	unsigned level, index, lane, s;
	uint64_t ahead = tick - w->clk, bound, bit;

	if (ww_unlikely((int64_t)ahead < 0)) {
		tick = w->clk;
		ahead = 0;
	}
	if (ahead >> w->fine == 0) {
		unsigned i = (unsigned)tick & ((1u << w->fine) - 1);

		bound = tick;
		index = WW_WHEEL_NEAR + i;
		bit = 1ull << i % 64;
		if (!(w->near[i / 64] & bit)) {
			w->near[i / 64] |= bit;
			w->bits[0] |= 1ull << i / 64;
			w->levels |= 1u;
		}
		lane = ww_wheel_lane(w->turn++);
	} else {
		level = ww_wheel_level(w, tick);
		s = level * WW_WHEEL_BITS;
		bound = tick >> s << s;
		index = (unsigned)(tick >> s) & (WW_WHEEL_SIZE - 1);
		bit = 1ull << index;
		if (!(w->bits[level] & bit)) {
			w->bits[level] |= bit;
			w->levels |= 1u << level;
		}
		index += (level - 1) * WW_WHEEL_SIZE;
		lane = ww_wheel_lane_of(n, who);
	}
	if (!(w->stale & WW_WHEEL_STALE) && bound - w->clk < w->next - w->clk)
		w->next = bound;
	ww_bucket_add(&w->bucket[index], lane, n);
	return bound;
}

/* The same while no bucket is being emptied. */
static inline void ww_wheel_unlink(struct ww_wheel *w, struct ww_hnode *n)
{
	struct ww_hnode *next = n->next, **pprev = n->pprev;

	*pprev = next;
	if (next)
		next->pprev = pprev;
	/* Mostly it is so already: then threads that take turns here need not fetch its line. */
	if (ww_unlikely(w->stale != (WW_WHEEL_STALE | WW_WHEEL_LOOSE)))
		w->stale = WW_WHEEL_STALE | WW_WHEEL_LOOSE;
}

static inline void ww_wheel_del(struct ww_wheel *w, struct ww_hnode *n)
{
	if (ww_unlikely(w->drained))
		ww_wheel_del_slow(w, n);
	else
		ww_wheel_unlink(w, n);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * See wheel.h. Invariant on which everything rests: seen from clk, every node of level n lies
 * between 0 and 63 buckets of that level ahead (0 only where the bucket begins at clk itself; on
 * level 0 all buckets count), so bucket number and clk together give the bound.
 */
#include "timer/wheel.h"

#include <string.h>

#define TOP_BUCKETS 16u /* 2^64 / 64^10 */

static unsigned shift_of(unsigned level)
{
	return level * WW_WHEEL_BITS;
}

/* The level's bitmap turned so that bit 0 is the bucket in which clk lies. */
static uint64_t turned(uint64_t bits, unsigned level, uint64_t clk)
{
	unsigned digit = (unsigned)(clk >> shift_of(level)) & (WW_WHEEL_SIZE - 1);

	if (level == WW_WHEEL_LEVELS - 1) /* no bit above TOP_BUCKETS: turn within those */
		return ((bits | bits << TOP_BUCKETS) >> digit) & ((1u << TOP_BUCKETS) - 1);
	return digit ? bits >> digit | bits << (WW_WHEEL_SIZE - digit) : bits;
}

void ww_wheel_init(struct ww_wheel *w, uint64_t clk, unsigned fine, struct ww_bucket *buckets)
{
	*w = (struct ww_wheel){
		.clk = clk, .stale = WW_WHEEL_STALE, .fine = (uint8_t)fine, .bucket = buckets};
}

static bool has_bit(const struct ww_wheel *w, unsigned i)
{
	uint64_t bits = i < WW_WHEEL_NEAR ? w->bits[i / WW_WHEEL_SIZE + 1]
					  : w->near[(i - WW_WHEEL_NEAR) / 64];

	return bits >> i % 64 & 1;
}

struct ww_bucket *ww_wheel_scan(const struct ww_wheel *w, unsigned *i)
{
	for (; *i < WW_WHEEL_BUCKETS(w->fine); ++*i)
		if (has_bit(w, *i))
			return &w->bucket[*i];
	return NULL;
}

void ww_wheel_clear(struct ww_wheel *w, uint64_t clk)
{
	struct ww_bucket *b;

	for (unsigned i = 0; (b = ww_wheel_scan(w, &i)); i++)
		*b = (struct ww_bucket){{NULL}};
	ww_wheel_init(w, clk, w->fine, w->bucket);
}

/* How far ahead of clk the first bucket of level 0 is that has something in it. There is one. */
static uint64_t nearest(const struct ww_wheel *w)
{
	unsigned mask = (1u << w->fine) - 1, p = (unsigned)w->clk & mask, i = p / 64;
	uint64_t here = w->near[i] >> p % 64, words;

	if (here)
		return (unsigned)__builtin_ctzll(here);
	words = w->bits[0] & ~(UINT64_MAX >> (63 - i)); /* behind this one, else around the end */
	if (!words)
		words = w->bits[0];
	i = (unsigned)__builtin_ctzll(words);
	return (i * 64 + (unsigned)__builtin_ctzll(w->near[i]) - p) & mask;
}

static void clear_bit(struct ww_wheel *w, unsigned index)
{
	unsigned level = 0, i = index - WW_WHEEL_NEAR, bit = i / 64;

	if (index >= WW_WHEEL_NEAR) {
		w->near[i / 64] &= ~(1ull << i % 64);
		if (w->near[i / 64])
			return;
	} else {
		level = index / WW_WHEEL_SIZE + 1;
		bit = index % WW_WHEEL_SIZE;
	}
	w->bits[level] &= ~(1ull << bit);
	if (!w->bits[level])
		w->levels &= ~(1u << level);
}

/* Whether there is nothing in that bucket: then its bit goes. One that is being emptied counts. */
static bool cleared(struct ww_wheel *w, unsigned index)
{
	struct ww_bucket *b = &w->bucket[index];

	if (!(w->stale & WW_WHEEL_LOOSE) || b == w->drained || !ww_bucket_empty(b))
		return false;
	clear_bit(w, index);
	return true;
}

/* How far ahead of clk the first bucket of this level begins that holds anything. */
static uint64_t first_of_level(struct ww_wheel *w, unsigned level)
{
	unsigned s = shift_of(level), i;
	uint64_t bound;

	while (w->levels >> level & 1) {
		if (level) {
			uint64_t t = turned(w->bits[level], level, w->clk);

			bound = ((w->clk >> s) + (unsigned)__builtin_ctzll(t)) << s;
			i = ((unsigned)(bound >> s) & (WW_WHEEL_SIZE - 1)) +
			    (level - 1) * WW_WHEEL_SIZE;
		} else {
			bound = w->clk + nearest(w);
			i = WW_WHEEL_NEAR + ((unsigned)bound & ((1u << w->fine) - 1));
		}
		if (!cleared(w, i))
			return bound - w->clk;
	}
	return UINT64_MAX;
}

bool ww_wheel_next(struct ww_wheel *w, uint64_t *tick)
{
	if (w->stale & WW_WHEEL_STALE) {
		uint64_t best = UINT64_MAX;

		for (uint32_t levels = w->levels; levels; levels &= levels - 1) {
			uint64_t first = first_of_level(w, (unsigned)__builtin_ctz(levels));

			if (first < best)
				best = first;
		}
		w->next = w->clk + best;
		w->stale = w->levels ? w->stale & WW_WHEEL_LOOSE : WW_WHEEL_STALE;
	}
	*tick = w->next;
	return w->levels != 0;
}

void ww_bucket_del(struct ww_bucket *b, struct ww_hnode *n)
{
	struct ww_hnode *next = n->next, **pprev = n->pprev;

	for (unsigned l = 0; l < WW_WHEEL_LANES; l++)
		if (b->lane[l] == n)
			pprev = &b->lane[l];
	*pprev = next;
	if (next)
		next->pprev = pprev;
	n->pprev = pprev;
}

void ww_wheel_del_slow(struct ww_wheel *w, struct ww_hnode *n)
{
	ww_bucket_del(w->drained, n);
	w->stale = WW_WHEEL_STALE | WW_WHEEL_LOOSE;
}

void ww_wheel_turn(struct ww_wheel *w, uint64_t tick)
{
	w->clk = tick;
}

struct ww_bucket *ww_wheel_drain_coarse(struct ww_wheel *w)
{
	for (uint32_t levels = w->levels & ~1u; levels; levels &= levels - 1) {
		unsigned level = (unsigned)__builtin_ctz(levels), s = shift_of(level);
		unsigned i = (unsigned)(w->clk >> s) & (WW_WHEEL_SIZE - 1);

		if (w->clk >> s << s != w->clk)
			break; /* nor does a coarser bucket begin here */
		if (w->bits[level] >> i & 1)
			return w->drained = &w->bucket[(level - 1) * WW_WHEEL_SIZE + i];
	}
	return NULL;
}

struct ww_bucket *ww_wheel_drain_near(struct ww_wheel *w)
{
	unsigned i = (unsigned)w->clk & ((1u << w->fine) - 1);

	if (w->near[i / 64] >> i % 64 & 1)
		return w->drained = &w->bucket[WW_WHEEL_NEAR + i];
	return NULL;
}

void ww_wheel_drained(struct ww_wheel *w)
{
	clear_bit(w, (unsigned)(w->drained - w->bucket));
	w->drained = NULL;
	w->stale |= WW_WHEEL_STALE;
}

void ww_wheel_forward(struct ww_wheel *w, uint64_t tick)
{
	uint64_t next;

	if ((int64_t)(tick - w->clk) <= 0 || w->drained)
		return;
	if (ww_wheel_next(w, &next) && next - w->clk < tick - w->clk)
		tick = next;
	w->clk = tick;
}

static const char *check_bucket(const struct ww_wheel *w, const struct ww_bucket *b, bool bit)
{
	if (b == w->drained)
		return NULL;
	if (!ww_bucket_empty(b) && !bit)
		return "a bucket holds something that its bit denies";
	for (unsigned l = 0; l < WW_WHEEL_LANES; l++) {
		struct ww_hnode *const *from = &b->lane[l];

		/* A loop would have a node whose back pointer is not where we came from. */
		for (; *from; from = &(*from)->next)
			if ((*from)->pprev != from)
				return "a node's back pointer is wrong";
	}
	return NULL;
}

const char *ww_wheel_check(const struct ww_wheel *w)
{
	const char *fault = NULL;

	for (unsigned i = 0; i < WW_WHEEL_BUCKETS(w->fine) && !fault; i++)
		fault = check_bucket(w, &w->bucket[i], has_bit(w, i));
	for (unsigned i = 0; i < 64 && !fault; i++)
		if (!w->near[i] != !(w->bits[0] >> i & 1))
			fault = "level 0 and its bitmap differ";
	for (unsigned level = 0; level < WW_WHEEL_LEVELS && !fault; level++)
		if (!w->bits[level] != !(w->levels >> level & 1))
			fault = "a level's bit differs from its bitmap";
	return fault;
}

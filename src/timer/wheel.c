/* SPDX-License-Identifier: MIT */
/*
 * See wheel.h. Invariant on which everything rests: seen from clk, every node of level n lies
 * between 0 and 63 buckets of that level ahead (0 only where the bucket begins at clk itself), so
 * bucket number and clk together give the bound.
 */
#include "timer/wheel.h"

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

void ww_wheel_init(struct ww_wheel *w, uint64_t clk)
{
	*w = (struct ww_wheel){.clk = clk};
	for (unsigned b = 0; b < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; b++)
		ww_list_init(&w->bucket[b]);
}

uint64_t ww_wheel_add(struct ww_wheel *w, struct ww_list *n, uint64_t tick)
{
	uint64_t ahead = tick - w->clk;
	unsigned level = 0;

	if (ww_unlikely((int64_t)ahead < 0)) {
		tick = w->clk;
	} else if (ahead >= WW_WHEEL_SIZE) {
		level = (63u - (unsigned)__builtin_clzll(ahead)) / WW_WHEEL_BITS;
		/* 64 buckets ahead would be the one that clk is in: take it one level coarser. */
		unsigned s = shift_of(level);
		if (level < WW_WHEEL_LEVELS - 1 &&
		    (((tick >> s) - (w->clk >> s)) & (UINT64_MAX >> s)) >= WW_WHEEL_SIZE)
			level++;
	}
	unsigned s = shift_of(level);
	unsigned i = (unsigned)(tick >> s) & (WW_WHEEL_SIZE - 1);
	uint64_t bound = tick >> s << s;

	if (!w->levels || (!w->next_stale && bound - w->clk < w->next - w->clk)) {
		w->next = bound;
		w->next_stale = false;
	}
	ww_list_add_tail(n, &w->bucket[level * WW_WHEEL_SIZE + i]);
	w->bits[level] |= 1ull << i;
	w->levels |= 1u << level;
	return bound;
}

bool ww_wheel_next(struct ww_wheel *w, uint64_t *tick)
{
	if (!w->levels)
		return false;
	if (w->next_stale) {
		uint64_t best = UINT64_MAX;

		for (uint32_t levels = w->levels; levels; levels &= levels - 1) {
			unsigned level = (unsigned)__builtin_ctz(levels), s = shift_of(level);
			uint64_t t = turned(w->bits[level], level, w->clk);
			uint64_t bound = ((w->clk >> s) + (unsigned)__builtin_ctzll(t)) << s;

			if (bound - w->clk < best)
				best = bound - w->clk;
		}
		w->next = w->clk + best;
		w->next_stale = false;
	}
	*tick = w->next;
	return true;
}

void ww_wheel_take(struct ww_wheel *w, uint64_t tick, struct ww_list *due, struct ww_list *rest)
{
	for (uint32_t levels = w->levels; levels; levels &= levels - 1) {
		unsigned level = (unsigned)__builtin_ctz(levels), s = shift_of(level);
		unsigned i = (unsigned)(tick >> s) & (WW_WHEEL_SIZE - 1);
		struct ww_list *b = &w->bucket[level * WW_WHEEL_SIZE + i];

		if (tick >> s << s != tick)
			break; /* nor does a coarser bucket begin here */
		if (ww_list_empty(b))
			continue;
		ww_list_splice_tail(b, level ? rest : due);
		ww_wheel_emptied(w, level * WW_WHEEL_SIZE + i);
	}
	w->clk = tick + 1;
}

void ww_wheel_forward(struct ww_wheel *w, uint64_t tick)
{
	uint64_t next;

	if ((int64_t)(tick - w->clk) <= 0)
		return;
	if (ww_wheel_next(w, &next) && next - w->clk < tick - w->clk)
		tick = next;
	w->clk = tick;
}

const char *ww_wheel_check(const struct ww_wheel *w)
{
	for (unsigned b = 0; b < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; b++) {
		unsigned level = b / WW_WHEEL_SIZE, i = b % WW_WHEEL_SIZE;
		const struct ww_list *head = &w->bucket[b];

		if (ww_list_empty(head) != !(w->bits[level] >> i & 1))
			return "a bucket's bit differs from its list";
		/* A loop would have a node whose back pointer is not where we came from. */
		for (const struct ww_list *n = head; n->next != head; n = n->next)
			if (n->next->prev != n)
				return "a node's back pointer is wrong";
	}
	for (unsigned level = 0; level < WW_WHEEL_LEVELS; level++)
		if (!w->bits[level] != !(w->levels >> level & 1))
			return "a level's bit differs from its bitmap";
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Guards: timer.h; (S) share_lock. */
#include "timer/barrier.h"

#include "base/clock.h"
#include "base/lock.h"
#include "timer/timer.h"

#define WINDOW 64u /* barriers between two looks at what they cost */

unsigned ww_barrier_budget = 20;

static struct ww_lock share_lock;
static uint64_t begun; /* (S) written, read by anyone */
static uint64_t over;  /* (S) written, read by anyone */

uint64_t ww_barriers_begun(void)
{
	return ww_load_relaxed(&begun);
}

uint64_t ww_barriers_over(void)
{
	return ww_load_acquire(&over); /* pairs: TIMER-7 */
}

void ww_barrier_shared(void)
{
	/*
	 * Number begun + 1 begins after this look at the count; and the look comes after what was
	 * exchanged before (the mark), which not every machine does of itself.
	 */
	uint64_t mine = ww_load_seq_cst(&begun) + 1;

	ww_lock(&share_lock);
	if (over < mine) {
		ww_store_relaxed(&begun, begun + 1);
		ww_membarrier();
		ww_store_release(&over, begun); /* pairs: TIMER-7 */
	}
	ww_unlock(&share_lock);
}

/* Where barriers take too much of the time, callers of ww_mod_timer() pay for a while. */
static bool too_dear(struct ww_base *b, uint64_t spent_ns, uint64_t now_ns)
{
	bool dear = false;

	b->window_spent_ns += spent_ns;
	if (++b->window_barriers < WINDOW)
		return false;
	if (b->window_ns)
		dear = b->window_spent_ns / ((now_ns - b->window_ns) / 1000 + 1) >=
		       ww_barrier_budget;
	b->window_ns = now_ns;
	b->window_spent_ns = b->window_barriers = 0;
	return dear;
}

void ww_mark_raise(struct ww_base *b, uint64_t now)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	uint32_t mark = ww_load_relaxed(&h->mark);

	if (mark & WW_MARK_EXCHANGE) {
		/* Both sides pass a full barrier of their own. */
		ww_xchg(&h->mark, WW_MARK_EXCHANGE | WW_MARK_SWEEP); /* pairs: TIMER-5 */
		return;
	}
	/* An exchange: the mark must be out before the barrier begins, which another may do. */
	ww_xchg(&h->mark, WW_MARK_SWEEP); /* pairs: TIMER-4 */
	ww_light_unlock(&h->lock);
	uint64_t start = ww_clock_ns();
	ww_barrier_shared();
	uint64_t end = ww_clock_ns();
	ww_light_lock(&h->lock);
	b->stats.barriers++;
	if (!ww_clock_is_virtual() && too_dear(b, end - start, end)) {
		b->exchange_s = b->exchange_s ? b->exchange_s * 2 : 1;
		if (b->exchange_s > 64)
			b->exchange_s = 64;
		b->exchange_until = now + (uint64_t)b->exchange_s * ww_hz();
		b->stats.exchange_spells++;
		ww_xchg(&h->mark, WW_MARK_EXCHANGE | WW_MARK_SWEEP);
		/* The last one: of the stores that saw the mark without it, nothing is under way. */
		ww_light_unlock(&h->lock);
		ww_barrier_shared();
		ww_light_lock(&h->lock);
	}
	ww_membarrier_seen(&h->mark); /* pairs: TIMER-4 */
}

void ww_mark_lower(struct ww_base *b)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	uint32_t keep = ww_load_relaxed(&h->mark) & WW_MARK_EXCHANGE;

	/* Exchanges need no barrier to end with: the next sweep makes one again. */
	if (keep && ww_membarrier_ready() &&
	    ww_time_after_eq(b->wheel[WW_WHEEL_OPEN].clk, b->exchange_until))
		keep = 0;
	ww_store_release(&h->mark, keep); /* pairs: TIMER-6 */
}

void ww_barrier_lock(void)
{
	ww_lock(&share_lock);
}

void ww_barrier_unlock(void)
{
	ww_unlock(&share_lock);
}

void ww_barrier_child(void)
{
	ww_lock_init(&share_lock);
	over = begun;
}

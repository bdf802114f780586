/* SPDX-License-Identifier: MIT */
/*
 * The short ways: where all is as usual, an idle timer is armed and a closed one deleted with one
 * lock, without a call and without another's line. Where anything is not, nothing is done, and the
 * long way (timer.c) looks afresh. Guards: timer.h.
 */
#ifndef WW_TIMER_SHORT_H
#define WW_TIMER_SHORT_H

#include "base/probe.h"
#include "timer/timer.h"

/* The deadline that counts of a timer that is armed now: it fires in no sweep that has begun. */
static inline uint64_t ww_timer_not_past(const struct ww_base *b, uint64_t expires)
{
	return ww_time_before(expires, b->floor - 1) ? b->floor - 1 : expires;
}

/* Whether the base's thread would sleep past tick. */
static inline bool ww_base_sleeps_past(const struct ww_base *b, uint64_t tick)
{
	return b->sleep == WW_BASE_FOREVER ||
	       (b->sleep == WW_BASE_TIMED && ww_time_before(tick, b->wake));
}

/*
 * Arm t, whose word was read before, where it is idle, was last on base id, and that sleeps no
 * longer than wanted. here: the caller's own base. flags: which of them are looked at, and how it
 * must have them. False: nothing was done. Takes the lock, where nobody has it.
 */
static inline __attribute__((always_inline)) bool
ww_timer_arm_idle(struct ww_timer_impl *t, uint64_t word, uint64_t expires, unsigned here,
		  unsigned id, uint64_t look_at, uint64_t flags)
{
	const uint64_t as_usual =
		WW_TW_PENDING | WW_TW_BOUND | WW_TW_DEFERRABLE | WW_TW_SETUP_MASK | WW_TW_BASE_MASK;
	struct ww_base_hot *h = ww_word_hot(word);
	struct ww_base *b;
	uint64_t filed;

	if (ww_unlikely((word & (as_usual | look_at)) !=
			(WW_TW_SETUP | flags | (uint64_t)id << WW_TW_BASE_SHIFT)))
		return false;
	if (ww_unlikely(!ww_light_trylock(&h->lock)))
		return false;
	b = h->base;
	if (ww_unlikely(ww_load_relaxed(&t->word) != word || !b || !t->function ||
			(t->tail & WW_TAIL_MAGIC_MASK) != WW_TAIL_MAGIC ||
			ww_base_sleeps_past(b, expires + 1))) {
		ww_light_unlock(&h->lock);
		return false;
	}
	filed = ww_timer_not_past(b, expires);
	t->bound = ww_wheel_add_of(&b->wheel[WW_WHEEL_NORMAL], &t->node, filed + 1, here);
	ww_store_relaxed(&t->filed, filed);
	ww_store_relaxed(&t->expires, expires);
	/* pairs: TIMER-1 */
	ww_store_release(&t->word, (word | WW_TW_PENDING) + WW_TW_GENERATION);
	h->armed++;
	WW_PROBE3(timer_start, t, expires, 0);
	ww_light_unlock(&h->lock);
	return true;
}

/* Delete t, whose word shows it pending, closed and not yet due. False and the lock as above. */
static inline bool ww_timer_delete_closed(struct ww_timer_impl *t, uint64_t word)
{
	const uint64_t as_usual = WW_TW_STATE | WW_TW_DEFERRABLE | WW_TW_SETUP_MASK;
	struct ww_base_hot *h = ww_word_hot(word);
	struct ww_base *b;

	if (ww_unlikely((word & as_usual) != (WW_TW_SETUP | WW_TW_PENDING)) ||
	    ww_unlikely(!ww_light_trylock(&h->lock)))
		return false;
	b = h->base;
	if (ww_unlikely(ww_load_relaxed(&t->word) != word || h->stale ||
			b->wheel[WW_WHEEL_NORMAL].drained)) {
		ww_light_unlock(&h->lock);
		return false;
	}
	ww_wheel_unlink(&b->wheel[WW_WHEEL_NORMAL], &t->node);
	/* pairs: TIMER-1 */
	ww_store_release(&t->word, (word & ~WW_TW_PENDING) + WW_TW_GENERATION);
	h->cancelled++;
	WW_PROBE2(timer_cancel, t, 1);
	ww_light_unlock(&h->lock);
	return true;
}

#endif

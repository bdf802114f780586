/* SPDX-License-Identifier: MIT */
/*
 * Re-arming is a store. A pending timer that is open and pushed out needs no lock: store the
 * deadline, then check that no sweep of its base has begun, and that the timer's word (pending,
 * base, generation of its filing) is what it was before. A bucket is a lower bound, so a later
 * deadline may stay where it is filed. If a check fails the store decided nothing: the slow path
 * under the base's lock decides afresh.
 *
 * The sweeper raises the mark, passes one asymmetric barrier, and only then reads deadlines: a
 * store whose check saw the mark down has arrived by then. docs/memory-ordering.md, TIMER-4.
 */
#ifndef WW_TIMER_REARM_H
#define WW_TIMER_REARM_H

#include "timer/timer.h"

/* Stores must be exchanges on this base now. */
bool ww_timer_store_exchanged(struct ww_timer_impl *t, uint64_t word, uint64_t expires,
			      struct ww_base_hot *h);
/* t's word has WW_TW_OWN or WW_TW_PINNED: only some threads may. */
bool ww_timer_store_restricted(struct ww_timer_impl *t, uint64_t word, uint64_t expires);

/* word, read with acquire before, has WW_TW_OPEN; expires is not before t->expires, read since. */
static inline bool ww_timer_store(struct ww_timer_impl *t, uint64_t word, uint64_t old,
				  uint64_t expires)
{
	struct ww_base_hot *h = &ww_base_hot[ww_word_base(word)];

	if (expires != old)
		ww_store_release(&t->expires, expires); /* pairs: TIMER-3 */
	ww_membarrier_light(&h->mark);			/* pairs: TIMER-4 */
	uint32_t mark = ww_load_acquire(&h->mark);	/* pairs: TIMER-6 */
	if (ww_likely(!mark))
		return ww_likely(ww_load_relaxed(&t->word) == word);
	return mark == WW_MARK_EXCHANGE && ww_timer_store_exchanged(t, word, expires, h);
}

/*
 * Push a pending timer out to expires with no lock: true where that was done, as if
 * ww_mod_timer() had returned 1; false where nothing is decided and the slow path must.
 */
static inline bool ww_timer_push_out(struct ww_timer_impl *t, uint64_t expires)
{
	uint64_t word = ww_load_acquire(&t->word), old; /* pairs: TIMER-1 */

	if (!(word & WW_TW_STORED))
		return false;
	if (ww_unlikely(word & (WW_TW_OWN | WW_TW_PINNED)))
		return ww_timer_store_restricted(t, word, expires);
	old = ww_load_relaxed(&t->expires);
	return !ww_time_before(expires, old) && ww_timer_store(t, word, old, expires);
}

#endif

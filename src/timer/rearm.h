/* SPDX-License-Identifier: MIT */
/*
 * Re-arming is a store. A pending timer that is open and pushed out needs no lock: store the
 * deadline, then check that no sweep of its base has begun, and that the timer's word (pending,
 * base, generation of its filing) is what it was before. A bucket is a lower bound, so such a
 * deadline may stay where it is filed. If a check fails the store decided nothing: the slow path
 * under the base's lock decides afresh.
 *
 * The sweeper raises the mark, passes one asymmetric barrier, and only then reads deadlines: a
 * store whose check saw the mark down has arrived by then. docs/memory-ordering.md, TIMER-4.
 */
#ifndef WW_TIMER_REARM_H
#define WW_TIMER_REARM_H

#include "timer/timer.h"

/*
 * word, read with acquire before, has WW_TW_FREE (or _OPEN, and the caller looked where it is
 * pinned); at was read from t->expires since. True: done.
 * False: nothing is decided. What is stored is neither before the deadline that is there (a store
 * that fails its checks lies there until the slow path is done: being later, it makes a sweep look
 * once more, and never run the timer) nor before the one that the timer was filed with (a slow
 * caller may have left anything there).
 */
static inline bool ww_timer_store(struct ww_timer_impl *t, uint64_t word, uint64_t at,
				  uint64_t expires)
{
	struct ww_base_hot *h = ww_word_hot(word);

	if (ww_unlikely(ww_time_before(expires, at) ||
			ww_time_before(expires, ww_load_relaxed(&t->filed))))
		return false;
	if (ww_likely(expires != at))
		ww_store_release(&t->expires, expires); /* pairs: TIMER-3 */
	ww_membarrier_light(&h->mark);			/* pairs: TIMER-4 */
	return ww_likely(!ww_load_acquire(&h->mark)) && /* pairs: TIMER-6 */
	       ww_likely(ww_load_relaxed(&t->word) == word);
}

/* The same with every exception: on this base stores are exchanges now; only some threads may. */
bool ww_timer_store_slow(struct ww_timer_impl *t, uint64_t expires);

/*
 * Push a pending timer out to expires with no lock: true where that was done, as if
 * ww_mod_timer() had returned 1; false where nothing is decided and the slow path must.
 */
static inline bool ww_timer_push_out(struct ww_timer_impl *t, uint64_t expires)
{
	uint64_t word = ww_load_acquire(&t->word); /* pairs: TIMER-1 */

	if (ww_unlikely(!(word & WW_TW_FREE)))
		return false;
	return ww_timer_store(t, word, ww_load_relaxed(&t->expires), expires);
}

/*
 * For what is built on timers (delayed work): the same with every exception (pinned, driven,
 * exchanges). True: t was pending and is now due at expires, as if by ww_mod_timer(), and its
 * function will see what the caller did before. False: nothing is decided. Any thread, no lock.
 */
static inline bool ww_timer_try_push_out(struct ww_timer_impl *t, uint64_t expires)
{
	return ww_timer_push_out(t, expires) || ww_timer_store_slow(t, expires);
}

#endif

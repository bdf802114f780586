/* SPDX-License-Identifier: MIT */
/*
 * A mutex in one 32-bit word: 0 free, 1 held, 2 held and somebody may sleep on it. Zero bytes are
 * a valid free lock. Never taken in a signal handler; not recursive; no owner is recorded.
 */
#ifndef WW_BASE_LOCK_H
#define WW_BASE_LOCK_H

#include "base/atomic.h"

struct ww_lock {
	uint32_t word;
};

#define WW_LOCK_INIT                                                                               \
	{                                                                                          \
		0                                                                                  \
	}

void ww_lock_slow(struct ww_lock *l);
void ww_unlock_slow(struct ww_lock *l);

static inline void ww_lock_init(struct ww_lock *l)
{
	ww_store_relaxed(&l->word, 0u);
}

static inline bool ww_trylock(struct ww_lock *l)
{
	uint32_t free = 0;

	return ww_cmpxchg_acquire(&l->word, &free, 1u); /* pairs: LOCK-1 */
}

static inline void ww_lock(struct ww_lock *l)
{
	if (ww_unlikely(!ww_trylock(l)))
		ww_lock_slow(l);
}

static inline void ww_unlock(struct ww_lock *l)
{
	if (ww_unlikely(ww_xchg_release(&l->word, 0u) == 2)) /* pairs: LOCK-1 */
		ww_unlock_slow(l);
}

static inline bool ww_lock_held(struct ww_lock *l)
{
	return ww_load_relaxed(&l->word) != 0;
}

#endif

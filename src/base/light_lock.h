/* SPDX-License-Identifier: MIT */
/*
 * A mutex whose release is a plain store: one locked instruction per critical section instead of
 * two. For locks that are taken very often and fought over seldom (one per CPU): who has to sleep
 * pays for it with an asymmetric barrier.
 *
 * The holder stores held = 0 and then looks at sleepers, with nothing but a compiler barrier in
 * between. A thread that is about to sleep sets sleepers, calls ww_membarrier(), and tries once
 * more: after the barrier either the holder's look at sleepers comes later and sees it, or its
 * store of held came earlier and the try succeeds. Where the kernel has no membarrier the release
 * is an exchange, which is that barrier.
 *
 * Zero bytes are a valid free lock. Not recursive; never taken in a signal handler.
 */
#ifndef WW_BASE_LIGHT_LOCK_H
#define WW_BASE_LIGHT_LOCK_H

#include "base/atomic.h"
#include "base/membarrier.h"

struct ww_light_lock {
	union {
		struct {
			uint8_t held;
			uint8_t sleepers; /* somebody may sleep: set by sleepers, cleared by a waker */
		};
		uint32_t word; /* both, for the futex */
	};
};

void ww_light_lock_slow(struct ww_light_lock *l);
void ww_light_unlock_slow(struct ww_light_lock *l);

static inline bool ww_light_trylock(struct ww_light_lock *l)
{
	return ww_xchg_acquire(&l->held, (uint8_t)1) == 0; /* pairs: LOCK-2 */
}

static inline void ww_light_lock(struct ww_light_lock *l)
{
	if (ww_unlikely(!ww_light_trylock(l)))
		ww_light_lock_slow(l);
}

static inline void ww_light_unlock(struct ww_light_lock *l)
{
	if (ww_likely(ww_membarrier_ready())) {
		ww_store_release(&l->held, (uint8_t)0); /* pairs: LOCK-2 */
		ww_fence_compiler();			/* pairs: LOCK-3 */
	} else {
		ww_xchg(&l->held, (uint8_t)0); /* pairs: LOCK-2 LOCK-3 */
	}
	if (ww_unlikely(ww_load_relaxed(&l->sleepers)))
		ww_light_unlock_slow(l);
}

/* Whether a thread is waiting, as far as the holder can see. */
static inline bool ww_light_contended(const struct ww_light_lock *l)
{
	return ww_load_relaxed(&l->sleepers);
}

#endif

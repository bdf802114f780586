/* SPDX-License-Identifier: MIT */
#include "base/light_lock.h"

#include "base/futex.h"

#ifdef WW_SIM
#define SPINS 1 /* the simulator lets others go first at each turn */
#else
#define SPINS 200 /* about a microsecond: the price of the barrier that sleeping costs */
#endif

void ww_light_lock_slow(struct ww_light_lock *l)
{
	const struct ww_light_lock asleep = {.held = 1, .sleepers = 1};
	bool barrier = ww_membarrier_available();

	for (int i = 0; i < SPINS; i++) {
		if (!ww_load_relaxed(&l->held) && ww_light_trylock(l))
			return;
		ww_cpu_relax();
	}
	for (;;) {
		/* Also by who has slept: others may, and the waker has cleared it. */
		ww_xchg(&l->sleepers, (uint8_t)1); /* pairs: LOCK-3 */
		if (barrier)
			ww_membarrier();
		if (ww_light_trylock(l))
			return;
		ww_futex_wait(&l->word, asleep.word, WW_FOREVER);
	}
}

void ww_light_unlock_slow(struct ww_light_lock *l)
{
	/* The one woken sets it again before it tries, so nobody is forgotten. */
	ww_store_relaxed(&l->sleepers, (uint8_t)0);
	ww_futex_wake(&l->word, 1);
}

/* SPDX-License-Identifier: MIT */
#include "base/light_lock.h"

#include "base/futex.h"

/*
 * What is done under such a lock takes less time than its line takes from one CPU to another, and
 * each look at it takes it from the holder, who will want it again. So look seldom, and ever more
 * so: then each of two threads that fight for a base does a dozen things in a row before the other
 * has its turn, and both are done sooner. All looks together cost about what sleeping does, with
 * its barrier. The simulator lets others go first at each turn.
 */
#ifdef WW_SIM
#define LOOKS	     1
#define PAUSES_FIRST 1
#else
#define LOOKS	     6
#define PAUSES_FIRST 64
#endif
#define PAUSES_MAX 1024

static bool lock_soon(struct ww_light_lock *l)
{
	for (int look = 0, pauses = PAUSES_FIRST; look < LOOKS; look++) {
		for (int i = 0; i < pauses; i++)
			ww_cpu_relax();
		if (!ww_load_relaxed(&l->held) && ww_light_trylock(l))
			return true;
		pauses = pauses < PAUSES_MAX ? pauses * 2 : PAUSES_MAX;
	}
	return false;
}

void ww_light_lock_slow(struct ww_light_lock *l)
{
	const struct ww_light_lock asleep = {.held = 1, .sleepers = 1};
	bool barrier = ww_membarrier_available();

	if (lock_soon(l))
		return;
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

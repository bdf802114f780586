/* SPDX-License-Identifier: MIT */
#include "base/lock.h"

#include "base/futex.h"

/*
 * What is done under a lock takes less time than a sleep and a wake-up, so wait a moment first; and
 * look ever more rarely, for each look takes the line from the holder, who may want it for what he
 * does next. The simulator has no such moment: there a held lock is slept on at once.
 */
#ifdef WW_SIM
#define LOOKS 0
#else
#define LOOKS 9
#endif
#define PAUSES_MAX 32

static bool lock_soon(struct ww_lock *l)
{
	for (int look = 0, pauses = 1; look < LOOKS; look++) {
		for (int i = 0; i < pauses; i++)
			ww_cpu_relax();
		if (!ww_lock_held(l) && ww_trylock(l))
			return true;
		pauses = pauses < PAUSES_MAX ? pauses * 2 : PAUSES_MAX;
	}
	return false;
}

void ww_lock_slow(struct ww_lock *l)
{
	if (lock_soon(l))
		return;
	/*
	 * Once a thread has slept it must assume that others do too, so it always takes the lock as
	 * "2": at worst one needless wake-up, never a lost one.
	 */
	while (ww_xchg_acquire(&l->word, 2u) != 0) /* pairs: LOCK-1 */
		ww_futex_wait(&l->word, 2, WW_FOREVER);
}

void ww_unlock_slow(struct ww_lock *l)
{
	ww_futex_wake(&l->word, 1);
}

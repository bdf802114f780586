/* SPDX-License-Identifier: MIT */
#include "base/lock.h"

#include "base/futex.h"

void ww_lock_slow(struct ww_lock *l)
{
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

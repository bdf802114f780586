/* SPDX-License-Identifier: MIT */
#ifndef WW_TIMER_WALK_H
#define WW_TIMER_WALK_H

#include "wheelwork/timer.h"

/*
 * Calls visit() for every pending timer whose function is fn, with its base's lock held; where it
 * returns true the timer is taken off (as ww_timer_delete() would). Returns how many were. When it
 * returns, callbacks that were running on entry are over, the caller's own aside.
 */
unsigned ww_timer_walk(ww_timer_fn fn, bool (*visit)(struct ww_timer *, void *), void *arg);

#endif

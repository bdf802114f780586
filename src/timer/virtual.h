/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock: time is a counter that ww_clock_advance() moves. It goes from one due tick to
 * the next; at each, the timers of all bases run in the advancing thread, bases in the order of
 * their numbers, and then everybody who registered here is asked to come to rest before time goes
 * on.
 */
#ifndef WW_TIMER_VIRTUAL_H
#define WW_TIMER_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

/* Called under the clock's start lock. */
void ww_virtual_start(uint64_t initial);
uint64_t ww_virtual_jiffies(void);
/* In the child of a fork: nobody advances. */
void ww_virtual_child(void);

/*
 * Other rooms (worker pools, threads): quiesce(arg) is called in the advancing thread, with no lock
 * of the timers held, each time before virtual time moves on, and once more before
 * ww_clock_advance() returns. It returns when everything that the timers of this tick set going has
 * come to rest: it is done, or it sleeps and only a later tick (or the test itself) can wake it. A
 * thread that sleeps on the virtual clock, on an on-stack timer, is at rest. It may arm and delete
 * timers; it returns true if it may have armed some that are due now or earlier than was known, or
 * simply if it waited for anything, and is then called again after those have run.
 * At most 8 are registered, each once, at any time; none is ever removed.
 */
typedef bool (*ww_quiesce_fn)(void *arg);
void ww_virtual_register_quiesce(ww_quiesce_fn quiesce, void *arg);

#endif

/* SPDX-License-Identifier: MIT */
/* Asymmetric barriers of the sweeps: shared between bases, numbered, counted, and given up where
 * they cost too much. */
#ifndef WW_TIMER_BARRIER_H
#define WW_TIMER_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct ww_base;

/*
 * Returns after a barrier that began after the call. What this thread stored before must have left
 * it (a locked instruction came last). Callers at the same time share one.
 */
void ww_barrier_shared(void);

/* How many have begun; never more than one ahead of ... */
uint64_t ww_barriers_begun(void);
/* ... how many are over. */
uint64_t ww_barriers_over(void);

/*
 * The base is locked. Raise its mark so that no store counts any more that the caller will not
 * see; drops the lock where that needs a barrier. Lower it again.
 */
void ww_mark_raise(struct ww_base *b, uint64_t now);
void ww_mark_lower(struct ww_base *b);

/* Tests: what share of the time (in 1/1000) barriers may take; 0: none is tolerated. */
extern unsigned ww_barrier_budget;

/* fork(), child side: nobody else holds anything. */
void ww_barrier_child(void);
void ww_barrier_lock(void);
void ww_barrier_unlock(void);

#endif

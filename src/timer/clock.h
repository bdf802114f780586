/* SPDX-License-Identifier: MIT */
/* Ticks inside the library: where they meet nanoseconds, and which clock drives them. */
#ifndef WW_TIMER_CLOCK_H
#define WW_TIMER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "wheelwork/clock.h"

enum { WW_CLOCK_UNDECIDED, WW_CLOCK_REAL, WW_CLOCK_VIRTUAL };
/* Written once. */
extern uint8_t ww_clock_mode __attribute__((visibility("hidden")));

/* Fixes the configuration; every first use of a clock comes through ww_clock_start(). Returns the mode. */
uint8_t ww_clock_start_slow(void);

static inline uint8_t ww_clock_start(void)
{
	uint8_t mode = ww_load_acquire(&ww_clock_mode); /* pairs: CLOCK-1 */

	return ww_likely(mode) ? mode : ww_clock_start_slow();
}

/*
 * The first CLOCK_MONOTONIC nanosecond at which the counter reads tick or more; UINT64_MAX where
 * that is beyond the clock's range. Real clock only.
 */
uint64_t ww_tick_to_ns(uint64_t tick);

/* Whether time is virtual (decided for good at the first use). */
static inline bool ww_clock_is_virtual(void)
{
	uint8_t mode = ww_load_acquire(&ww_clock_mode); /* pairs: CLOCK-1 */

	return ww_likely(mode == WW_CLOCK_REAL) ? false : ww_clock_start() == WW_CLOCK_VIRTUAL;
}

/* In the child of a fork. */
void ww_clock_child(void);

#endif

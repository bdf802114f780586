/* SPDX-License-Identifier: MIT */
/* Ticks inside the library: where they meet nanoseconds, and which clock drives them. */
#ifndef WW_TIMER_CLOCK_H
#define WW_TIMER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "wheelwork/clock.h"

/* Fixes the configuration; every first use of a clock comes through here. Cheap when done. */
void ww_clock_start(void);

/*
 * The first CLOCK_MONOTONIC nanosecond at which the counter reads tick or more; UINT64_MAX where
 * that is beyond the clock's range. Real clock only.
 */
uint64_t ww_tick_to_ns(uint64_t tick);

/* Whether time is virtual (decided for good at the first use). */
bool ww_clock_is_virtual(void);

/* In the child of a fork. */
void ww_clock_child(void);

#endif

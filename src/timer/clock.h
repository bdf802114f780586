/* SPDX-License-Identifier: MIT */
/* Ticks inside the library: where they meet nanoseconds, and which clock drives them. */
#ifndef WW_TIMER_CLOCK_H
#define WW_TIMER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/clock.h"
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

#define WW_NS_PER_S 1000000000u

/* Written under start_lock before the mode is set, constant afterwards. */
struct ww_clock_rate {
	uint64_t initial;	 /* the counter's first value */
	uint64_t epoch_ns;	 /* CLOCK_MONOTONIC at that moment */
	uint64_t period_ns;	 /* of one tick where it is whole, else 0 */
	uint64_t period_inverse; /* 2^64 / period_ns, rounded down */
	unsigned hz;
};
extern struct ww_clock_rate ww_clock_rate __attribute__((visibility("hidden")));

/* What the counter reads at a nanosecond of CLOCK_MONOTONIC since the epoch. Real clock only. */
static inline uint64_t ww_tick_of_ns(uint64_t at_ns)
{
	uint64_t ns = at_ns - ww_clock_rate.epoch_ns, ticks;

	if (ww_likely(ww_clock_rate.period_ns)) {
		/* The inverse is rounded down, so the quotient is right or one too small. */
		ticks = (uint64_t)(((unsigned __int128)ns * ww_clock_rate.period_inverse) >> 64);
		ticks += ns - ticks * ww_clock_rate.period_ns >= ww_clock_rate.period_ns;
	} else {
		ticks = ns / WW_NS_PER_S * ww_clock_rate.hz +
			ns % WW_NS_PER_S * ww_clock_rate.hz / WW_NS_PER_S;
	}
	return ww_clock_rate.initial + ticks;
}

/* Whether time is virtual (decided for good at the first use). */
static inline bool ww_clock_is_virtual(void)
{
	uint8_t mode = ww_load_acquire(&ww_clock_mode); /* pairs: CLOCK-1 */

	return ww_likely(mode == WW_CLOCK_REAL) ? false : ww_clock_start() == WW_CLOCK_VIRTUAL;
}

/* ww_jiffies() without a call, for the hot paths of the library. */
static inline uint64_t ww_jiffies_now(void)
{
	return ww_unlikely(ww_clock_is_virtual()) ? ww_jiffies() : ww_tick_of_ns(ww_clock_ns());
}

/* In the child of a fork. */
void ww_clock_child(void);

#endif

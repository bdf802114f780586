/* SPDX-License-Identifier: MIT */
/* What the timer tests share. */
#ifndef WW_TESTS_TIMER_COMMON_H
#define WW_TESTS_TIMER_COMMON_H

#include <time.h>

#include "tap.h"
#include "wheelwork/timer.h"

/* The counter wraps soon in every test. */
static inline void virtual_near_wrap(void)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	CHECK_EQ(ww_clock_configure(1000, UINT64_MAX - 150), 0);
}

static inline void real_near_wrap(void)
{
	CHECK_EQ(ww_clock_configure(1000, UINT64_MAX - 20), 0);
}

static inline void sleep_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

/* Until *runs is at least n; the case's time limit ends it otherwise. */
static inline void wait_for_runs(const int *runs, int n)
{
	while (__atomic_load_n(runs, __ATOMIC_ACQUIRE) < n)
		sleep_ms(1);
}

#endif

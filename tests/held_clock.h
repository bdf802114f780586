/* SPDX-License-Identifier: MIT */
/* For one file of a test program: the whole program's clock can be held back, and let go. */
#ifndef TESTS_HELD_CLOCK_H
#define TESTS_HELD_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"

static uint64_t held_at; /* 0: it is not held */

/* The C library's, for everything in this program. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);
	uint64_t held = ww_load_acquire(&held_at);

	if (rc == 0 && id == CLOCK_MONOTONIC && held &&
	    (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec > held) {
		ts->tv_sec = (time_t)(held / 1000000000u);
		ts->tv_nsec = (long)(held % 1000000000u);
	}
	return rc;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Sleeping for a number of ticks. */
#include <errno.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"
#include "thread/thread.h"

#define TICK_NS 1000000u

WW_EXPORT int64_t ww_schedule_timeout(int64_t timeout)
{
	if (timeout == WW_MAX_TIMEOUT) {
		ww_schedule();
		return timeout;
	}
	if (timeout < 0) {
		ww_misuse(__func__, "negative timeout %lld", (long long)timeout);
		ww_set_current_state_plain(WW_TASK_RUNNING);
		return 0;
	}
	/* A far deadline may as well never come, as long as the sum does not wrap. */
	uint64_t ticks = (uint64_t)timeout < UINT64_MAX / TICK_NS / 4 ? (uint64_t)timeout
								      : UINT64_MAX / TICK_NS / 4;
	uint64_t end = ww_clock_ns() + ticks * TICK_NS;
	if (!ww_schedule_until(end))
		return 0;
	uint64_t now = ww_clock_ns();
	return now >= end ? 0 : (int64_t)((end - now + TICK_NS - 1) / TICK_NS);
}

WW_EXPORT int64_t ww_schedule_timeout_interruptible(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_INTERRUPTIBLE);
	return ww_schedule_timeout(timeout);
}

WW_EXPORT int64_t ww_schedule_timeout_killable(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_KILLABLE);
	return ww_schedule_timeout(timeout);
}

WW_EXPORT int64_t ww_schedule_timeout_uninterruptible(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_UNINTERRUPTIBLE);
	return ww_schedule_timeout(timeout);
}

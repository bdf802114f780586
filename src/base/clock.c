/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t ww_clock_os_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t ww_clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t ww_clock_real_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t ww_clock_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int ww_clock_sleep_until(uint64_t deadline_ns)
{
	struct timespec ts = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
			      .tv_nsec = (long)(deadline_ns % 1000000000u)};

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

uint64_t ww_clock_tid_cpu_ns(int tid)
{
	/* The kernel's encoding of a thread's scheduler clock, which pthread_getcpuclockid() hides. */
	clockid_t id = (clockid_t)((~(unsigned)tid << 3) | 6);
	struct timespec ts;

	if (clock_gettime(id, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

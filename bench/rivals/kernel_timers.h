/* SPDX-License-Identifier: MIT */
/*
 * What timerfd and POSIX timers have in common: both are told an absolute time or a delay, and any
 * thread may. Around
 *
 *	static inline int settime(long i, int flags, const struct itimerspec *its);
 *	ABSTIME		the flag for an absolute time
 */
#ifndef WW_BENCH_KERNEL_TIMERS_H
#define WW_BENCH_KERNEL_TIMERS_H

#include <time.h>

#include "../bench.h"

static uint64_t epoch;

static inline void arm_at(long i, uint64_t ns)
{
	struct itimerspec its = {
		.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};

	settime(i, ABSTIME, &its);
}

static inline int arm_after(long i, long ms)
{
	struct itimerspec its = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

	return settime(i, 0, &its);
}

static inline void rival_arm(long i, long ms)
{
	arm_at(i, epoch + (uint64_t)ms * 1000000u);
}

static inline void rival_arm_now(long i, long ms)
{
	arm_after(i, ms);
}

static inline void rival_cancel(long i)
{
	struct itimerspec its = {0};

	settime(i, 0, &its);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

#define RIVAL_THREADS
#define RIVAL_PROBES

static void rival_enter(void)
{
}

/* There is no stronger one. */
static void rival_cancel_sync(long i)
{
	rival_cancel(i);
}

static bool rival_refuses(long i, long ms)
{
	return arm_after(i, ms) != 0;
}

#endif

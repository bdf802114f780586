// SPDX-License-Identifier: MIT
/* POSIX timers: timer_settime() with an absolute time; expiry would be a signal. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "../bench.h"

static timer_t *timers;
static uint64_t epoch;

static void rival_open(long n)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

	signal(SIGUSR1, SIG_IGN);
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		if (timer_create(CLOCK_MONOTONIC, &ev, &timers[i]) != 0)
			bench_cannot("timer_create() number %ld: %s", i, strerror(errno));
	epoch = bench_now();
}

static inline void rival_arm(long i, long ms)
{
	uint64_t ns = epoch + (uint64_t)ms * 1000000u;
	struct itimerspec its = {
		.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};

	timer_settime(timers[i], TIMER_ABSTIME, &its, NULL);
}

static inline void rival_arm_now(long i, long ms)
{
	struct itimerspec its = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

	timer_settime(timers[i], 0, &its, NULL);
}

static inline void rival_cancel(long i)
{
	struct itimerspec its = {0};

	timer_settime(timers[i], 0, &its, NULL);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

#define RIVAL_THREADS
#include "../timer_rows.h"

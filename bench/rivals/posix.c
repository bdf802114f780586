// SPDX-License-Identifier: MIT
/* POSIX timers: timer_settime() with an absolute time; expiry is a signal that is waited for. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "../bench.h"

static timer_t *timers;
static uint64_t epoch;
static sigset_t expiry;

static void rival_open(long n)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

	sigemptyset(&expiry);
	sigaddset(&expiry, SIGUSR1);
	sigprocmask(SIG_BLOCK, &expiry, NULL);
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++) {
		ev.sigev_value.sival_ptr = (void *)(intptr_t)i;
		if (timer_create(CLOCK_MONOTONIC, &ev, &timers[i]) != 0)
			bench_cannot("timer_create() number %ld: %s", i, strerror(errno));
	}
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

static void rival_run(void)
{
	siginfo_t info;

	do
		while (sigwaitinfo(&expiry, &info) < 0)
			;
	while (!timer_fired((long)(intptr_t)info.si_value.sival_ptr));
}

#define RIVAL_THREADS
#define RIVAL_PROBES

static void rival_enter(void)
{
}

static void rival_cancel_sync(long i)
{
	rival_cancel(i);
}

static bool rival_refuses(long i, long ms)
{
	struct itimerspec its = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

	return timer_settime(timers[i], 0, &its, NULL) != 0;
}
#include "../timer_rows.h"

// SPDX-License-Identifier: MIT
/* POSIX timers: timer_settime() with an absolute time; expiry is a signal that is waited for. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "../bench.h"

static timer_t *timers;
static sigset_t expiry;

static inline int settime(long i, int flags, const struct itimerspec *its)
{
	return timer_settime(timers[i], flags, its, NULL);
}

#define ABSTIME TIMER_ABSTIME
#include "kernel_timers.h"

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

static void rival_run(void)
{
	siginfo_t info;

	do
		while (sigwaitinfo(&expiry, &info) < 0)
			;
	while (!timer_fired((long)(intptr_t)info.si_value.sival_ptr));
}

#include "../timer_rows.h"

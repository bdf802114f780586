/* SPDX-License-Identifier: MIT */
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include "base/clock.h"
#include "base/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

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

int ww_clock_fd_create(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void ww_clock_fd_set(int fd, uint64_t deadline_ns)
{
	struct itimerspec its = {.it_value = {0, 0}};

	if (deadline_ns != UINT64_MAX) {
		its.it_value.tv_sec = (time_t)(deadline_ns / 1000000000u);
		its.it_value.tv_nsec = (long)(deadline_ns % 1000000000u);
	}
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL);
}

int ww_clock_fd_renew(int fd)
{
	int fresh = ww_clock_fd_create();

	if (fresh < 0)
		return fresh;
	if (dup3(fresh, fd, O_CLOEXEC) < 0) {
		close(fresh);
		return -errno;
	}
	close(fresh);
	return 0;
}

void ww_clock_fd_close(int fd)
{
	close(fd);
}

bool ww_clock_cycles_steady(void)
{
#if defined(__x86_64__)
	static int known; /* 0 not yet, 1 steady, -1 not; several threads find the same */
	int k = ww_load_relaxed(&known);

	if (k == 0) {
		unsigned a, b, c, d;

		/* "Invariant TSC": one rate in every power state. */
		k = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8 ? 1 : -1;
		ww_store_relaxed(&known, k);
	}
	return k > 0;
#else
	return false;
#endif
}

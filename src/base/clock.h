/* SPDX-License-Identifier: MIT */
/* The one place that reads a clock. Ticks, virtual time and bases are src/timer's. */
#ifndef WW_BASE_CLOCK_H
#define WW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds, by the cheapest way that is exact on this machine. */
static inline uint64_t ww_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* CLOCK_MONOTONIC in nanoseconds from the operating system itself. */
uint64_t ww_clock_os_ns(void);

/* CLOCK_REALTIME in nanoseconds. */
uint64_t ww_clock_real_ns(void);

/*
 * A counter of the CPU that moves at one rate on all CPUs, where ww_clock_cycles_steady(); else 0.
 * For counting on from a reading of a real clock over a short time.
 */
static inline uint64_t ww_clock_cycles(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}
bool ww_clock_cycles_steady(void);

/* CPU time of the calling thread in nanoseconds. */
uint64_t ww_clock_thread_cpu_ns(void);
/* The same of any thread of this process, by its kernel id; 0 where it is gone. */
uint64_t ww_clock_tid_cpu_ns(int tid);

/* Sleep until CLOCK_MONOTONIC reads deadline_ns; returns 0, or -EINTR. */
int ww_clock_sleep_until(uint64_t deadline_ns);

/*
 * A descriptor that is readable from CLOCK_MONOTONIC deadline_ns on (UINT64_MAX: never), until it
 * is set again. Made unset; -errno on failure. renew: after a fork, a new one of the child's own
 * under the same number.
 */
int ww_clock_fd_create(void);
void ww_clock_fd_set(int fd, uint64_t deadline_ns);
int ww_clock_fd_renew(int fd);
void ww_clock_fd_close(int fd);

#endif

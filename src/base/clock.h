/* SPDX-License-Identifier: MIT */
/* The one place that reads a clock. Ticks, virtual time and bases are src/timer's. */
#ifndef WW_BASE_CLOCK_H
#define WW_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, by the cheapest way that is exact on this machine. */
uint64_t ww_clock_ns(void);

/* CLOCK_MONOTONIC in nanoseconds from the operating system itself. */
uint64_t ww_clock_os_ns(void);

/* CLOCK_REALTIME in nanoseconds. */
uint64_t ww_clock_real_ns(void);

/* CPU time of the calling thread in nanoseconds. */
uint64_t ww_clock_thread_cpu_ns(void);
/* The same of any thread of this process, by its kernel id; 0 where it is gone. */
uint64_t ww_clock_tid_cpu_ns(int tid);

/* Sleep until CLOCK_MONOTONIC reads deadline_ns; returns 0, or -EINTR. */
int ww_clock_sleep_until(uint64_t deadline_ns);

#endif

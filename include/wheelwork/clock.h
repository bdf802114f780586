/* SPDX-License-Identifier: MIT */
/*
 * Time as the library counts it: ticks ("jiffies"), ww_hz() a second, 64 bits wide, compared by
 * signed difference so that a wrap is harmless. Context of every call here: any thread.
 */
#ifndef WHEELWORK_CLOCK_H
#define WHEELWORK_CLOCK_H

#include <wheelwork/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A delay that never ends. Kernel: MAX_SCHEDULE_TIMEOUT. */
#define WW_MAX_TIMEOUT INT64_MAX

/*
 * Ticks a second, 1 to 1,000,000 (default 1000), and the counter's first value. Only before the
 * first use of a clock, timer, work or thread: later it changes nothing and is -EBUSY; -EINVAL for
 * a rate out of range. Kernel: CONFIG_HZ, INITIAL_JIFFIES.
 */
int ww_clock_configure(unsigned hz, uint64_t initial_jiffies);

/*
 * Make time virtual: it stands still until ww_clock_advance() moves it, timers run inside that
 * call, and every run is the same. Only before the first use, as above (-EBUSY); for tests.
 */
int ww_clock_use_virtual(void);
/*
 * Move the virtual clock on by ticks. At each tick on the way that has due timers they run, in the
 * calling thread, bases in the order of their numbers; what they set going (works, threads) comes
 * to rest before time moves on. Returns how many timers ran. One thread at a time advances, others
 * wait; not from a callback; at most 2^63 - 1 ticks at once (both reported, and nothing done).
 */
uint64_t ww_clock_advance(uint64_t ticks);

/* Kernel: HZ, jiffies_64. */
unsigned ww_hz(void);
uint64_t ww_jiffies(void);

/* Nanoseconds of the same clock (CLOCK_MONOTONIC, or the virtual clock). Kernel: ktime_get_ns(). */
uint64_t ww_ktime_get_ns(void);

/*
 * The farthest delay that may be added to ww_jiffies() for a deadline: timers are exact up to
 * there. Kernel: MAX_JIFFY_OFFSET.
 */
#define WW_MAX_JIFFY_OFFSET ((INT64_MAX >> 1) - 1)

/* Round up, saturate at WW_MAX_JIFFY_OFFSET. Kernel: msecs_to_jiffies() and its kin. */
uint64_t ww_msecs_to_jiffies(uint64_t ms);
uint64_t ww_usecs_to_jiffies(uint64_t us);
uint64_t ww_nsecs_to_jiffies(uint64_t ns);
/* Saturate at UINT64_MAX. */
uint64_t ww_jiffies_to_msecs(uint64_t j);
uint64_t ww_jiffies_to_usecs(uint64_t j);
uint64_t ww_jiffies_to_nsecs(uint64_t j);

/* Kernel: time_after() and its kin; right while the two are less than 2^63 ticks apart. */
static inline bool ww_time_after(uint64_t a, uint64_t b)
{
	return (int64_t)(b - a) < 0;
}
static inline bool ww_time_before(uint64_t a, uint64_t b)
{
	return ww_time_after(b, a);
}
static inline bool ww_time_after_eq(uint64_t a, uint64_t b)
{
	return !ww_time_before(a, b);
}
static inline bool ww_time_before_eq(uint64_t a, uint64_t b)
{
	return !ww_time_after(a, b);
}

#ifdef __cplusplus
}
#endif
#endif

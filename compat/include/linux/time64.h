/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TIME64_H
#define _LINUX_TIME64_H

#include <linux/types.h>
#include <time.h>

typedef s64 time64_t;
typedef u64 timeu64_t;

struct timespec64 {
	time64_t tv_sec;
	long tv_nsec;
};
struct itimerspec64 {
	struct timespec64 it_interval, it_value;
};

#define MSEC_PER_SEC  1000L
#define USEC_PER_MSEC 1000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define USEC_PER_SEC  1000000L
#define NSEC_PER_SEC  1000000000L
#define PSEC_PER_SEC  1000000000000LL
#define FSEC_PER_SEC  1000000000000000LL

WW_LINUX_INLINE s64 timespec64_to_ns(const struct timespec64 *ts)
{
	return ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}
WW_LINUX_INLINE struct timespec64 ns_to_timespec64(s64 ns)
{
	struct timespec64 ts = {ns / NSEC_PER_SEC, (long)(ns % NSEC_PER_SEC)};

	if (ts.tv_nsec < 0) {
		ts.tv_sec--;
		ts.tv_nsec += NSEC_PER_SEC;
	}
	return ts;
}
WW_LINUX_INLINE struct timespec64 timespec64_sub(struct timespec64 a, struct timespec64 b)
{
	return ns_to_timespec64(timespec64_to_ns(&a) - timespec64_to_ns(&b));
}
WW_LINUX_INLINE struct timespec64 timespec64_add(struct timespec64 a, struct timespec64 b)
{
	return ns_to_timespec64(timespec64_to_ns(&a) + timespec64_to_ns(&b));
}
WW_LINUX_INLINE int timespec64_compare(const struct timespec64 *a, const struct timespec64 *b)
{
	s64 x = timespec64_to_ns(a), y = timespec64_to_ns(b);

	return x < y ? -1 : x > y;
}
WW_LINUX_INLINE void set_normalized_timespec64(struct timespec64 *ts, time64_t sec, s64 nsec)
{
	*ts = ns_to_timespec64(nsec);
	ts->tv_sec += sec;
}
WW_LINUX_INLINE void timespec64_add_ns(struct timespec64 *ts, u64 ns)
{
	*ts = ns_to_timespec64((s64)((u64)timespec64_to_ns(ts) + ns));
}
WW_LINUX_INLINE bool timespec64_valid(const struct timespec64 *ts)
{
	return ts->tv_sec >= 0 && (unsigned long)ts->tv_nsec < NSEC_PER_SEC;
}

#endif

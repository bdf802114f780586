/* SPDX-License-Identifier: MIT */
/*
 * HZ is a constant for the compiler, as in the kernel: 1000, or -DWW_LINUX_HZ=n (the runner's
 * --hz). The first user tells the library, which counts at the same rate.
 */
#ifndef _LINUX_JIFFIES_H
#define _LINUX_JIFFIES_H
#define WW_LINUX_JIFFIES_H

#include <ww-linux/base.h>
#include <wheelwork/clock.h>
#include <linux/types.h>
#include <linux/typecheck.h>

#ifndef WW_LINUX_HZ
#define WW_LINUX_HZ 1000
#endif
#undef HZ
#define HZ	  WW_LINUX_HZ
#define CONFIG_HZ WW_LINUX_HZ
#ifndef USER_HZ
#define USER_HZ 100
#endif

/* Aborts with a line that names both where two rates meet in one process. */
void ww_linux_use_hz(unsigned hz, const char *who);
#ifndef WW_LINUX_SUPPORT /* which has no rate of its own */
__attribute__((constructor(102), unused)) static void ww_linux_use_hz_here(void)
{
	ww_linux_use_hz(HZ, __BASE_FILE__);
}
#endif

#define jiffies		 ((unsigned long)ww_jiffies())
#define jiffies_64	 ((u64)ww_jiffies())
#define get_jiffies_64() ((u64)ww_jiffies())
#define INITIAL_JIFFIES	 ((unsigned long)(unsigned int)(-300 * HZ))
#define MAX_JIFFY_OFFSET ((LONG_MAX >> 1) - 1)
#define TICK_NSEC	 (1000000000UL / HZ)
#define TICK_USEC	 (1000000UL / HZ)

#define time_after(a, b)	     ((long)((b) - (a)) < 0)
#define time_before(a, b)	     time_after(b, a)
#define time_after_eq(a, b)	     ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b)	     time_after_eq(b, a)
#define time_in_range(a, b, c)	     (time_after_eq(a, b) && time_before_eq(a, c))
#define time_in_range_open(a, b, c)  (time_after_eq(a, b) && time_before(a, c))
#define time_after64(a, b)	     ((s64)((b) - (a)) < 0)
#define time_before64(a, b)	     time_after64(b, a)
#define time_after_eq64(a, b)	     ((s64)((a) - (b)) >= 0)
#define time_before_eq64(a, b)	     time_after_eq64(b, a)
#define time_is_before_jiffies(a)    time_after(jiffies, a)
#define time_is_after_jiffies(a)     time_before(jiffies, a)
#define time_is_before_eq_jiffies(a) time_after_eq(jiffies, a)
#define time_is_after_eq_jiffies(a)  time_before_eq(jiffies, a)
#define time_is_before_jiffies64(a)  time_after64(get_jiffies_64(), a)
#define time_is_after_jiffies64(a)   time_before64(get_jiffies_64(), a)
#define jiffies_delta_to_msecs(d)    (jiffies_to_msecs((unsigned long)((long)(d) < 0 ? 0 : (d))))
#define jiffies_delta_to_clock_t(d)  jiffies_to_clock_t((long)(d) < 0 ? 0 : (d))

WW_LINUX_INLINE unsigned long msecs_to_jiffies(const unsigned int ms)
{
	return (int)ms < 0 ? (unsigned long)WW_MAX_JIFFY_OFFSET : ww_msecs_to_jiffies(ms);
}
WW_LINUX_INLINE unsigned long usecs_to_jiffies(const unsigned int us)
{
	return ww_usecs_to_jiffies(us);
}
WW_LINUX_INLINE unsigned long secs_to_jiffies(const unsigned int secs)
{
	return (unsigned long)secs * HZ;
}
#define nsecs_to_jiffies(ns)   ((unsigned long)((u64)(ns) / TICK_NSEC))
#define nsecs_to_jiffies64(ns) ((u64)(ns) / TICK_NSEC)
WW_LINUX_INLINE unsigned int jiffies_to_msecs(const unsigned long j)
{
	return (unsigned int)ww_jiffies_to_msecs(j);
}
WW_LINUX_INLINE unsigned int jiffies_to_usecs(const unsigned long j)
{
	return (unsigned int)ww_jiffies_to_usecs(j);
}
WW_LINUX_INLINE u64 jiffies_to_nsecs(const unsigned long j)
{
	return ww_jiffies_to_nsecs(j);
}
#define jiffies64_to_nsecs(j)	       ((u64)ww_jiffies_to_nsecs(j))
#define jiffies64_to_msecs(j)	       ((u64)ww_jiffies_to_msecs(j))
#define jiffies_to_clock_t(j)	       ((unsigned long)((u64)(j)*USER_HZ / HZ))
#define clock_t_to_jiffies(c)	       ((unsigned long)((u64)(c)*HZ / USER_HZ))
#define time_in_range64(a, b, c)       (time_after_eq64(a, b) && time_before_eq64(a, c))
#define time_is_before_eq_jiffies64(a) time_after_eq64(get_jiffies_64(), a)
#define time_is_after_eq_jiffies64(a)  time_before_eq64(get_jiffies_64(), a)
#define jiffies_64_to_clock_t(j)       ((u64)(j)*USER_HZ / HZ)
#define nsec_to_clock_t(ns)	       ((u64)(ns) / (1000000000 / USER_HZ))
#define jiffies_to_timespec64(j, value)                                                            \
	((void)(*(value) = ns_to_timespec64((s64)jiffies_to_nsecs(j))))
/* Rounded up, as a time to wait must be. */
#define timespec64_to_jiffies(value) ww_ns_to_jiffies_up_((u64)timespec64_to_ns(value))
#define ww_ns_to_jiffies_up_(ns)     ((unsigned long)(((ns) + TICK_NSEC - 1) / TICK_NSEC))

#endif

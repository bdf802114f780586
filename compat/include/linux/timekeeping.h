/* SPDX-License-Identifier: MIT */
/* The library's clock: under virtual time all of these are virtual, the wall clock too. */
#ifndef _LINUX_TIMEKEEPING_H
#define _LINUX_TIMEKEEPING_H

#include <linux/ktime.h>

u64 ww_linux_real_ns(void);

#define ktime_get()		       ((ktime_t)ww_ktime_get_ns())
#define ktime_get_ns()		       ((u64)ww_ktime_get_ns())
#define ktime_get_raw()		       ktime_get()
#define ktime_get_raw_ns()	       ktime_get_ns()
#define ktime_get_boottime()	       ktime_get()
#define ktime_get_boottime_ns()	       ktime_get_ns()
#define ktime_get_coarse()	       ktime_get()
#define ktime_get_coarse_ns()	       ktime_get_ns()
#define ktime_get_mono_fast_ns()       ktime_get_ns()
#define ktime_get_boot_fast_ns()       ktime_get_ns()
#define ktime_get_seconds()	       ((time64_t)(ww_ktime_get_ns() / NSEC_PER_SEC))
#define ktime_get_boottime_seconds()   ktime_get_seconds()
#define ktime_get_real()	       ((ktime_t)ww_linux_real_ns())
#define ktime_get_real_ns()	       ww_linux_real_ns()
#define ktime_get_real_seconds()       ((time64_t)(ww_linux_real_ns() / NSEC_PER_SEC))
#define ktime_get_real_ts64(ts)	       ((void)(*(ts) = ns_to_timespec64((s64)ww_linux_real_ns())))
#define ktime_get_coarse_real_ts64(ts) ktime_get_real_ts64(ts)
#define ktime_get_ts64(ts)	       ((void)(*(ts) = ns_to_timespec64((s64)ww_ktime_get_ns())))
#define ktime_get_boottime_ts64(ts)    ktime_get_ts64(ts)
#define getnstimeofday64(ts)	       ktime_get_real_ts64(ts)
#define get_seconds()		       ((unsigned long)ktime_get_real_seconds())
#define do_gettimeofday(tv)                                                                        \
	do {                                                                                       \
		u64 ww_ns_ = ww_linux_real_ns();                                                   \
		(tv)->tv_sec = (time_t)(ww_ns_ / NSEC_PER_SEC);                                    \
		(tv)->tv_usec = (suseconds_t)(ww_ns_ % NSEC_PER_SEC / NSEC_PER_USEC);              \
	} while (0)
#define getnstimeofday(ts)                                                                         \
	do {                                                                                       \
		u64 ww_ns_ = ww_linux_real_ns();                                                   \
		(ts)->tv_sec = (time_t)(ww_ns_ / NSEC_PER_SEC);                                    \
		(ts)->tv_nsec = (long)(ww_ns_ % NSEC_PER_SEC);                                     \
	} while (0)
#define local_clock()		    ktime_get_ns()
#define sched_clock()		    ktime_get_ns()
#define cpu_clock(cpu)		    ((void)(cpu), ktime_get_ns())
#define ktime_get_raw_fast_ns()	    ktime_get_ns()
#define ktime_get_real_fast_ns()    ktime_get_real_ns()
#define ktime_get_raw_ts64(ts)	    ktime_get_ts64(ts)
#define ktime_get_coarse_ts64(ts)   ktime_get_ts64(ts)
#define ktime_get_coarse_boottime() ktime_get()
#define ktime_get_coarse_real()	    ktime_get_real()
#define ktime_get_coarse_real_ns()  ktime_get_real_ns()
#define ktime_get_resolution_ns()   1u
#define ktime_mono_to_real(k)	    ((ktime_t)((k) + (ktime_get_real() - ktime_get())))

#endif

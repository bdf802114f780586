/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_KTIME_H
#define _LINUX_KTIME_H

#include <wheelwork/clock.h>
#include <linux/types.h>
#include <linux/time64.h>
#include <linux/jiffies.h>

typedef s64 ktime_t;

#define KTIME_MAX     ((s64) ~((u64)1 << 63))
#define KTIME_MIN     (-KTIME_MAX - 1)
#define KTIME_SEC_MAX (KTIME_MAX / NSEC_PER_SEC)

#define ktime_set(s, ns)	((ktime_t)((s64)(s)*NSEC_PER_SEC + (s64)(ns)))
#define ktime_add(a, b)		((ktime_t)((a) + (b)))
#define ktime_sub(a, b)		((ktime_t)((a) - (b)))
#define ktime_add_ns(k, n)	((ktime_t)((k) + (s64)(n)))
#define ktime_sub_ns(k, n)	((ktime_t)((k) - (s64)(n)))
#define ktime_add_us(k, n)	ktime_add_ns(k, (s64)(n)*NSEC_PER_USEC)
#define ktime_sub_us(k, n)	ktime_sub_ns(k, (s64)(n)*NSEC_PER_USEC)
#define ktime_add_ms(k, n)	ktime_add_ns(k, (s64)(n)*NSEC_PER_MSEC)
#define ktime_sub_ms(k, n)	ktime_sub_ns(k, (s64)(n)*NSEC_PER_MSEC)
#define ktime_to_ns(k)		((s64)(k))
#define ktime_to_us(k)		((s64)(k) / NSEC_PER_USEC)
#define ktime_to_ms(k)		((s64)(k) / NSEC_PER_MSEC)
#define ktime_divns(k, d)	((s64)(k) / (s64)(d))
#define ktime_compare(a, b)	((a) < (b) ? -1 : (a) > (b))
#define ktime_after(a, b)	((a) > (b))
#define ktime_before(a, b)	((a) < (b))
#define ktime_equal(a, b)	((a) == (b))
#define ktime_us_delta(a, b)	ktime_to_us(ktime_sub(a, b))
#define ktime_ms_delta(a, b)	ktime_to_ms(ktime_sub(a, b))
#define ns_to_ktime(n)		((ktime_t)(n))
#define us_to_ktime(n)		((ktime_t)((s64)(n)*NSEC_PER_USEC))
#define ms_to_ktime(n)		((ktime_t)((s64)(n)*NSEC_PER_MSEC))
#define ktime_to_timespec64(k)	ns_to_timespec64(k)
#define timespec64_to_ktime(ts) ((ktime_t)timespec64_to_ns(&(ts)))

#include <linux/timekeeping.h>
#define ktime_add_unsafe(a, b) ((ktime_t)((u64)(a) + (u64)(b)))
/* The end of time where it would not fit. */
WW_LINUX_INLINE ktime_t ktime_add_safe(ktime_t a, ktime_t b)
{
	ktime_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum < 0 ? KTIME_MAX : sum;
}
WW_LINUX_INLINE bool ktime_to_timespec64_cond(ktime_t k, struct timespec64 *ts)
{
	if (k)
		*ts = ns_to_timespec64(k);
	return k != 0;
}

#endif

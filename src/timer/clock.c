/* SPDX-License-Identifier: MIT */
/*
 * Ticks. Tick n (counted from the first) begins at the first nanosecond that is >= n * 10^9 / hz
 * after the epoch, so reading the counter and sleeping until a tick agree to the nanosecond for
 * every rate, and nothing can fire early by a rounding.
 *
 * Legend: (S) written under start_lock before the mode is set, constant afterwards;
 *	   (L) start_lock; (A) atomic.
 */
#include "timer/clock.h"

#include <errno.h>

#include "base/clock.h"
#include "base/lock.h"
#include "timer/virtual.h"

struct ww_clock_rate ww_clock_rate; /* (S) */
static bool configured;		    /* (L) the rate was chosen by the caller */
static bool want_virtual;	    /* (L) */
uint8_t ww_clock_mode;		    /* (A) */
static struct ww_lock start_lock;

uint8_t ww_clock_start_slow(void)
{
	uint8_t mode;

	ww_lock(&start_lock);
	if (!ww_clock_mode) {
		if (!configured) {
			ww_clock_rate.hz = 1000;
			/* As the kernel does: code that cuts the counter to 32 bits fails in 5 min.
			 */
			ww_clock_rate.initial = (1ull << 32) - 300ull * ww_clock_rate.hz;
		}
		if (WW_NS_PER_S % ww_clock_rate.hz == 0) {
			ww_clock_rate.period_ns = WW_NS_PER_S / ww_clock_rate.hz;
			ww_clock_rate.period_inverse = UINT64_MAX / ww_clock_rate.period_ns;
		}
		/* Every run on the virtual clock is the same: it begins one second after zero. */
		ww_clock_rate.epoch_ns = want_virtual ? WW_NS_PER_S : ww_clock_ns();
		ww_virtual_start(ww_clock_rate.initial);
		mode = want_virtual ? WW_CLOCK_VIRTUAL : WW_CLOCK_REAL;
		ww_store_release(&ww_clock_mode, mode); /* pairs: CLOCK-1 */
	}
	mode = ww_clock_mode;
	ww_unlock(&start_lock);
	return mode;
}

WW_EXPORT int ww_clock_configure(unsigned hz, uint64_t initial_jiffies)
{
	int err = 0;

	if (hz < 1 || hz > 1000000)
		return -EINVAL;
	ww_lock(&start_lock);
	if (ww_clock_mode) {
		err = -EBUSY;
	} else {
		ww_clock_rate.hz = hz;
		ww_clock_rate.initial = initial_jiffies;
		configured = true;
	}
	ww_unlock(&start_lock);
	return err;
}

WW_EXPORT int ww_clock_use_virtual(void)
{
	int err = 0;

	ww_lock(&start_lock);
	if (ww_clock_mode == WW_CLOCK_REAL)
		err = -EBUSY;
	else
		want_virtual = true;
	ww_unlock(&start_lock);
	return err;
}

/* Nanoseconds after the epoch at which tick n begins; UINT64_MAX for too far. */
static uint64_t tick_begins(uint64_t n)
{
	uint64_t s = n / ww_clock_rate.hz, ns;

	if (__builtin_mul_overflow(s, (uint64_t)WW_NS_PER_S, &ns) ||
	    __builtin_add_overflow(ns,
				   (n % ww_clock_rate.hz * WW_NS_PER_S + ww_clock_rate.hz - 1) /
					   ww_clock_rate.hz,
				   &ns))
		return UINT64_MAX;
	return ns;
}

WW_EXPORT unsigned ww_hz(void)
{
	ww_clock_start();
	return ww_clock_rate.hz;
}

WW_EXPORT uint64_t ww_jiffies(void)
{
	if (ww_unlikely(ww_clock_is_virtual()))
		return ww_virtual_jiffies();
	return ww_tick_of_ns(ww_clock_ns());
}

WW_EXPORT uint64_t ww_ktime_get_ns(void)
{
	if (ww_unlikely(ww_clock_is_virtual()))
		return ww_clock_rate.epoch_ns +
		       tick_begins(ww_virtual_jiffies() - ww_clock_rate.initial);
	return ww_clock_ns();
}

uint64_t ww_tick_to_ns(uint64_t tick)
{
	int64_t n = (int64_t)(tick - ww_clock_rate.initial);
	uint64_t ns;

	if (n <= 0)
		return ww_clock_rate.epoch_ns;
	if (__builtin_add_overflow(tick_begins((uint64_t)n), ww_clock_rate.epoch_ns, &ns))
		return UINT64_MAX;
	return ns;
}

/* v units, per of them in a second, in ticks: rounded up, saturated. */
static uint64_t to_ticks(uint64_t v, uint64_t per)
{
	unsigned hz = ww_hz();
	uint64_t s = v / per, rest = (v % per * hz + per - 1) / per, j;

	if (__builtin_mul_overflow(s, (uint64_t)hz, &j) || __builtin_add_overflow(j, rest, &j) ||
	    j > WW_MAX_JIFFY_OFFSET)
		return WW_MAX_JIFFY_OFFSET;
	return j;
}

/* j ticks in units of which per make a second: rounded up, saturated. */
static uint64_t from_ticks(uint64_t j, uint64_t per)
{
	unsigned hz = ww_hz();
	uint64_t v;

	if (__builtin_mul_overflow(j / hz, per, &v) ||
	    __builtin_add_overflow(v, (j % hz * per + hz - 1) / hz, &v))
		return UINT64_MAX;
	return v;
}

WW_EXPORT uint64_t ww_msecs_to_jiffies(uint64_t ms)
{
	return to_ticks(ms, 1000);
}

WW_EXPORT uint64_t ww_usecs_to_jiffies(uint64_t us)
{
	return to_ticks(us, 1000000);
}

WW_EXPORT uint64_t ww_nsecs_to_jiffies(uint64_t ns)
{
	return to_ticks(ns, WW_NS_PER_S);
}

WW_EXPORT uint64_t ww_jiffies_to_msecs(uint64_t j)
{
	return from_ticks(j, 1000);
}

WW_EXPORT uint64_t ww_jiffies_to_usecs(uint64_t j)
{
	return from_ticks(j, 1000000);
}

WW_EXPORT uint64_t ww_jiffies_to_nsecs(uint64_t j)
{
	return from_ticks(j, WW_NS_PER_S);
}

void ww_clock_child(void)
{
	/* Whoever was just starting it is not in this process; we do it again. */
	ww_lock_init(&start_lock);
}

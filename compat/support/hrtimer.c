/* SPDX-License-Identifier: MIT */
/*
 * hrtimer over the library's timers.
 *
 * (A) relaxed atomic: any thread stores it before it arms; the timer's own hand-over orders it.
 */
#include "support.h"

#include <linux/hrtimer.h>

#define EXPORT WW_LINUX_EXPORT

EXPORT s64 ww_linux_hrtimer_now(const struct hrtimer *timer)
{
	return timer->ww_clock == CLOCK_REALTIME ? (s64)ww_linux_real_ns() : (s64)ww_ktime_get_ns();
}

/* A timer armed for now + d fires after d whole ticks: rounding up is never early. */
static void arm(struct hrtimer *timer)
{
	const s64 tick = NSEC_PER_SEC / (s64)ww_hz();
	s64 left = (s64)ww_load_relaxed(&timer->ww_expires) - ww_linux_hrtimer_now(timer); /* (A) */
	s64 ticks = left <= 0 ? 0 : left / tick + (left % tick != 0);

	if ((u64)ticks > WW_MAX_TIMEOUT / 2)
		ticks = WW_MAX_TIMEOUT / 2;
	ww_mod_timer(&timer->ww_timer, ww_jiffies() + (u64)ticks);
}

/*
 * Those whose functions run now. Not a mark in the timer: a function that does not want to run again
 * may free it. More places than timers' threads; with none free one is only not seen to run.
 */
enum { PLACES = 256 };
static const struct hrtimer *running[PLACES]; /* (A) */

static const struct hrtimer **take_place(const struct hrtimer *timer)
{
	for (int i = 0; i < PLACES; i++) {
		const struct hrtimer *none = NULL;

		if (ww_cmpxchg(&running[i], &none, timer))
			return &running[i];
	}
	return NULL;
}

EXPORT bool ww_linux_hrtimer_running(const struct hrtimer *timer)
{
	for (int i = 0; i < PLACES; i++)
		if (ww_load_acquire(&running[i]) == timer)
			return true;
	return false;
}

/* Who started it anew meanwhile has armed it: then what the function returns changes nothing. */
static void expired(struct ww_timer *t)
{
	struct hrtimer *timer = ww_container_of(t, struct hrtimer, ww_timer);
	const struct hrtimer **place = take_place(timer);

	if (timer->function(timer) == HRTIMER_RESTART && !ww_timer_pending(t))
		arm(timer);
	if (place)
		ww_store_release(place, (const struct hrtimer *)NULL);
}

const void *ww_linux_hrtimer_function(const struct ww_timer *t)
{
	if (t->function != expired)
		return NULL;
	return __extension__(const void *)
		ww_container_of((struct ww_timer *)t, struct hrtimer, ww_timer)
			->function;
}

EXPORT void ww_linux_hrtimer_init(struct hrtimer *timer, int clock, enum hrtimer_mode mode)
{
	(void)mode; /* pinned, soft, hard: all run in the same place */
	memset(timer, 0, sizeof(*timer));
	timer->ww_clock = clock;
	ww_timer_setup(&timer->ww_timer, expired, 0);
}

EXPORT void ww_linux_hrtimer_start(struct hrtimer *timer, s64 time, enum hrtimer_mode mode)
{
	if (mode & HRTIMER_MODE_REL) {
		s64 now = ww_linux_hrtimer_now(timer);

		time = time > KTIME_MAX - now ? KTIME_MAX : now + time;
	}
	ww_store_relaxed(&timer->ww_expires, time);
	arm(timer);
}

EXPORT int ww_linux_hrtimer_cancel(struct hrtimer *timer)
{
	return ww_timer_delete_sync(&timer->ww_timer);
}

EXPORT int ww_linux_hrtimer_try_to_cancel(struct hrtimer *timer)
{
	return ww_timer_delete_sync_try(&timer->ww_timer);
}

EXPORT bool ww_linux_hrtimer_active(const struct hrtimer *timer)
{
	return ww_timer_pending(&timer->ww_timer) || ww_linux_hrtimer_running(timer);
}

EXPORT u64 ww_linux_hrtimer_forward(struct hrtimer *timer, s64 now, s64 interval)
{
	s64 expires = (s64)ww_load_relaxed(&timer->ww_expires), late = now - expires;
	s64 least = NSEC_PER_SEC / (s64)ww_hz();
	u64 overrun = 1;

	if (late < 0 || ww_timer_pending(&timer->ww_timer))
		return 0;
	/* As in the kernel, no period is shorter than the resolution. */
	if (interval < least)
		interval = least;
	if (late >= interval) {
		overrun = (u64)(late / interval);
		expires += (s64)overrun * interval;
		if (expires > now) {
			ww_store_relaxed(&timer->ww_expires, expires);
			return overrun;
		}
		overrun++;
	}
	ww_store_relaxed(&timer->ww_expires, expires + interval);
	return overrun;
}

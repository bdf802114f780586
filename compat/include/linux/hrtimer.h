/* SPDX-License-Identifier: MIT */
/*
 * High-resolution timers by name only: they stand on the library's timers, so they go by the tick.
 * One never fires before its time and at most two ticks after it (2 ms at HZ=1000), plus what the
 * machine adds; hrtimer_resolution says a tick. A period kept with hrtimer_forward() does not drift.
 * The function runs in a thread of the library, where all timers run, in process context.
 */
#ifndef _LINUX_HRTIMER_H
#define _LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/timer.h>

enum hrtimer_restart {
	HRTIMER_NORESTART,
	HRTIMER_RESTART,
};

struct hrtimer {
	struct ww_timer ww_timer;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	s64 ww_expires; /* on the timer's clock, in nanoseconds */
	int ww_clock;	/* CLOCK_REALTIME; all others are CLOCK_MONOTONIC here */
};

#define hrtimer_resolution ((unsigned int)(NSEC_PER_SEC / HZ))

void ww_linux_hrtimer_init(struct hrtimer *timer, int clock, enum hrtimer_mode mode);
void ww_linux_hrtimer_start(struct hrtimer *timer, s64 time, enum hrtimer_mode mode);
int ww_linux_hrtimer_cancel(struct hrtimer *timer);
int ww_linux_hrtimer_try_to_cancel(struct hrtimer *timer);
bool ww_linux_hrtimer_running(const struct hrtimer *timer);
bool ww_linux_hrtimer_active(const struct hrtimer *timer);
s64 ww_linux_hrtimer_now(const struct hrtimer *timer);
u64 ww_linux_hrtimer_forward(struct hrtimer *timer, s64 now, s64 interval);

#define hrtimer_init(t, clock, mode) ww_linux_hrtimer_init(t, clock, mode)
/* since 6.13 */
#define hrtimer_setup(t, fn, clock, mode)                                                          \
	(ww_linux_hrtimer_init(t, clock, mode), (void)((t)->function = (fn)))
#define hrtimer_init_on_stack	       hrtimer_init
#define hrtimer_setup_on_stack	       hrtimer_setup
#define destroy_hrtimer_on_stack(t)    ((void)(t))
#define hrtimer_update_function(t, fn) ((void)((t)->function = (fn)))
#define hrtimer_start(t, time, mode)   ww_linux_hrtimer_start(t, time, mode)
/* The slack is not needed: the tick is wider than most. */
#define hrtimer_start_range_ns(t, time, slack, mode)                                               \
	((void)(slack), ww_linux_hrtimer_start(t, time, mode))
#define hrtimer_start_expires(t, mode)                                                             \
	ww_linux_hrtimer_start(t, hrtimer_get_expires(t),                                          \
			       (enum hrtimer_mode)((mode) & ~HRTIMER_MODE_REL))
#define hrtimer_restart(t)	  hrtimer_start_expires(t, HRTIMER_MODE_ABS)
#define hrtimer_cancel		  ww_linux_hrtimer_cancel
#define hrtimer_try_to_cancel	  ww_linux_hrtimer_try_to_cancel
#define hrtimer_active		  ww_linux_hrtimer_active
#define hrtimer_is_queued(t)	  timer_pending(&(t)->ww_timer)
#define hrtimer_callback_running  ww_linux_hrtimer_running
#define hrtimer_cb_get_time	  ww_linux_hrtimer_now
#define hrtimer_get_expires(t)	  ((ktime_t)__atomic_load_n(&(t)->ww_expires, __ATOMIC_RELAXED))
#define hrtimer_get_expires_ns(t) ((s64)hrtimer_get_expires(t))
#define hrtimer_get_softexpires	  hrtimer_get_expires
#define hrtimer_set_expires(t, time)                                                               \
	__atomic_store_n(&(t)->ww_expires, (s64)(time), __ATOMIC_RELAXED)
#define hrtimer_add_expires_ns(t, ns) hrtimer_set_expires(t, hrtimer_get_expires(t) + (s64)(ns))
#define hrtimer_add_expires(t, time)  hrtimer_add_expires_ns(t, time)
#define hrtimer_get_remaining(t)      ((ktime_t)(hrtimer_get_expires(t) - ww_linux_hrtimer_now(t)))
#define hrtimer_expires_remaining     hrtimer_get_remaining
#define hrtimer_forward		      ww_linux_hrtimer_forward
#define hrtimer_forward_now(t, interval)                                                           \
	ww_linux_hrtimer_forward(t, ww_linux_hrtimer_now(t), interval)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Sleeping for a time. Under the real clock the system call that sleeps knows the deadline, which
 * costs no timer, no base and no second thread; it is the moment at which a timer would fire.
 * Under the virtual clock it is a timer on the stack, so that advancing the clock ends the sleep.
 */
#include <errno.h>

#include "base/futex.h"
#include "base/report.h"
#include "thread/thread.h"
#include "timer/clock.h"
#include "wheelwork/timer.h"

struct sleeper {
	struct ww_timer timer;
	struct ww_thread *thread;
	uint32_t fired;
};

WW_EXPORT void ww_sleep_is_over(struct ww_timer *timer)
{
	struct sleeper *s = ww_container_of(timer, struct sleeper, timer);

	ww_store_relaxed(&s->fired, 1u);
	ww_task_wake(s->thread, ~(WW_TASK_FROZEN | WW_TASK_ASLEEP));
}

/* Until the counter reads expires + 1; false when it has. */
static bool sleep_on_timer(uint64_t expires)
{
	struct sleeper s = {.thread = ww_task_self()};

	ww_timer_setup_on_stack(&s.timer, ww_sleep_is_over, 0);
	ww_mod_timer(&s.timer, expires);
	ww_sleep_until(WW_FOREVER);
	ww_timer_delete_sync(&s.timer);
	ww_timer_destroy_on_stack(&s.timer);
	return !ww_load_relaxed(&s.fired);
}

static bool sleep_until_tick(uint64_t expires)
{
	return ww_clock_is_virtual() ? sleep_on_timer(expires)
				     : ww_sleep_until(ww_tick_to_ns(expires + 1));
}

bool ww_schedule_until(uint64_t deadline_ns)
{
	if (deadline_ns == WW_FOREVER || !ww_clock_is_virtual())
		return ww_sleep_until(deadline_ns);
	/* Virtual time reads whole ticks: the first at which it is that late. */
	uint64_t now = ww_ktime_get_ns();
	uint64_t ticks = deadline_ns > now ? ww_nsecs_to_jiffies(deadline_ns - now) : 1;
	return sleep_on_timer(ww_jiffies() + ticks - 1);
}

WW_EXPORT int ww_schedule_hrtimeout(uint64_t expires_ns)
{
	if (ww_get_current_state() == WW_TASK_RUNNING)
		return -EINTR;
	if (expires_ns != WW_FOREVER && expires_ns <= ww_ktime_get_ns()) {
		ww_set_current_state_plain(WW_TASK_RUNNING);
		return 0;
	}
	return ww_schedule_until(expires_ns) ? -EINTR : 0;
}

WW_EXPORT int64_t ww_schedule_timeout(int64_t timeout)
{
	if (timeout == WW_MAX_TIMEOUT) {
		ww_schedule();
		return timeout;
	}
	if (timeout < 0) {
		ww_misuse(__func__, "negative timeout %lld", (long long)timeout);
		ww_set_current_state_plain(WW_TASK_RUNNING);
		return 0;
	}
	/* So far off that it never comes: what remains is exact all the same. */
	uint64_t ticks = timeout < WW_MAX_JIFFY_OFFSET ? (uint64_t)timeout : WW_MAX_JIFFY_OFFSET;
	uint64_t expires = ww_jiffies() + ticks;
	if (!sleep_until_tick(expires))
		return 0;
	int64_t left = (int64_t)(expires - ww_jiffies());
	return left > 0 ? left : 0;
}

WW_EXPORT int64_t ww_schedule_timeout_interruptible(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_INTERRUPTIBLE);
	return ww_schedule_timeout(timeout);
}

WW_EXPORT int64_t ww_schedule_timeout_killable(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_KILLABLE);
	return ww_schedule_timeout(timeout);
}

WW_EXPORT int64_t ww_schedule_timeout_uninterruptible(int64_t timeout)
{
	ww_set_current_state_plain(WW_TASK_UNINTERRUPTIBLE);
	return ww_schedule_timeout(timeout);
}

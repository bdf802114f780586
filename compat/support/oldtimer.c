/* SPDX-License-Identifier: MIT */
/* Timers of before 4.15: see <ww-linux/oldtimer.h>. */
#include "support.h"

#include <string.h>

#include <ww-linux/oldtimer.h>

static const struct timer_list *old_timer(const struct ww_timer *timer)
{
	return ww_linux_container_of(timer, struct timer_list, ww_timer);
}

/* The timer may be freed, or set up again, by its function. */
WW_LINUX_EXPORT void ww_linux_old_timer_run(struct ww_timer *timer)
{
	const struct timer_list *old = old_timer(timer);

	if (old->function)
		old->function(old->data);
	else
		ww_linux_warn_at("timer", 0, "mod_timer", "timer %p has no function",
				 (const void *)old);
}

const void *ww_linux_old_timer_function(const struct ww_timer *timer)
{
	if (timer->function != ww_linux_old_timer_run)
		return NULL;
	const void *function;

	/* A function's address is no object's to ISO C, and has its size here. */
	memcpy(&function, &old_timer(timer)->function, sizeof(function));
	return function;
}

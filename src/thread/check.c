/* SPDX-License-Identifier: MIT */
/* ww_debug_check() for threads: every record, in use or dead, and who waits for it. */
#include "base/debug.h"
#include "base/report.h"
#include "thread/thread.h"

#define STATES_KNOWN                                                                               \
	(WW_TASK_NORMAL | WW_TASK_PARKED | WW_TASK_WAKEKILL | WW_TASK_NOLOAD | WW_TASK_FREEZABLE | \
	 WW_TASK_DEAD | WW_TASK_FROZEN | WW_TASK_FROZEN_WOKEN | WW_TASK_ASLEEP)

static int fault(const struct ww_thread *t, const char *what)
{
	ww_warn("thread '%s' (%p): %s, flags 0x%x, state 0x%x", t->name, (const void *)t, what,
		ww_load_relaxed(&t->flags), ww_load_relaxed(&t->state));
	return 1;
}

static int check_words(const struct ww_thread *t)
{
	uint32_t flags = ww_load_relaxed(&t->flags), state = ww_load_relaxed(&t->state);
	int faults = 0;

	if ((flags & WW_TF_IS_PARKED) && !(flags & WW_TF_SHOULD_PARK))
		faults += fault(t, "parked, but nobody asked");
	if (state & ~STATES_KNOWN)
		faults += fault(t, "an unknown state");
	if ((state & WW_TASK_FROZEN) && !(flags & WW_TF_FREEZABLE))
		faults += fault(t, "frozen, but not freezable");
	if ((state & WW_TASK_FROZEN_WOKEN) && !(state & WW_TASK_FROZEN))
		faults += fault(t, "woken while frozen, but not frozen");
	return faults;
}

static int check_waiters(struct ww_thread *t)
{
	struct ww_waiter *prev = NULL;
	int faults = 0;

	ww_waitq_lock(&t->waiters);
	for (struct ww_waiter *w = t->waiters.first; w; prev = w, w = w->next)
		if (w->prev != prev || !ww_load_relaxed(&w->queued)) {
			faults += fault(t, "its queue of waiters is broken");
			break;
		}
	if (!faults && t->waiters.last != prev)
		faults += fault(t, "its queue of waiters has a wrong end");
	ww_waitq_unlock(&t->waiters);
	return faults;
}

/* With the pool's lock held. */
int ww_task_check(struct ww_thread *t, bool in_use)
{
	bool is_free = ww_load_relaxed(&t->life) == WW_LIFE_FREE;

	if (t->all.next->prev != &t->all || t->all.prev->next != &t->all)
		return fault(t, "its list is broken");
	if (is_free == in_use)
		return fault(t, in_use ? "in use, but free" : "free, but in use");
	return in_use ? check_words(t) + check_waiters(t) : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Sleeping and waking. One word per thread says what it does; it is RUNNING unless it has said
 * otherwise itself, and it says so only where it decides to sleep. Nothing is lost because both
 * sides change that same word by a read-modify-write:
 *
 *	sleeper					waker
 *	xchg(state, INTERRUPTIBLE)		condition = true
 *	if (!condition)				cmpxchg(state, s, sleeping ? RUNNING : s)
 *		sleep while state unchanged	if it slept in the system: futex wake
 *
 * Of the two, one comes first in the word's order of changes. If the sleeper's does, the waker sees
 * a sleeping state and ends it; if the waker's does, the sleeper's exchange acquires what the waker
 * wrote before, so its test sees the condition. docs/memory-ordering.md has it in full.
 */
#include "thread/thread.h"

#include <errno.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"

static const struct ww_sched_hooks *sched_hooks;

void ww_sched_set_hooks(const struct ww_sched_hooks *hooks)
{
	ww_store_release(&sched_hooks, hooks); /* pairs: THREAD-4 */
}

WW_EXPORT void ww_set_current_state(unsigned state)
{
	ww_xchg(&ww_task_self()->state, state); /* pairs: THREAD-1 */
}

WW_EXPORT void ww_set_current_state_plain(unsigned state)
{
	ww_store_relaxed(&ww_task_self()->state, state);
}

WW_EXPORT unsigned ww_get_current_state(void)
{
	return ww_load_relaxed(&ww_task_self()->state) & ~WW_TASK_ASLEEP;
}

uint32_t ww_task_claim(struct ww_thread *t, uint32_t mask)
{
	uint32_t s = ww_load_relaxed(&t->state), next;

	if (ww_unlikely(ww_load_relaxed(&ww_rest_kept)))
		ww_fetch_add(&ww_rest_wakes, 1u); /* pairs: THREAD-9 */
	/* Also where it does not sleep: the exchange is the waker's full barrier. */
	do {
		if (!(s & mask))
			next = s;
		else if ((s & WW_TASK_FROZEN) && !(mask & WW_TASK_FROZEN))
			next = s | WW_TASK_FROZEN_WOKEN;
		else
			next = WW_TASK_RUNNING;
	} while (!ww_cmpxchg(&t->state, &s, next)); /* pairs: THREAD-1 */
	if (next != WW_TASK_RUNNING)
		s &= ~WW_TASK_ASLEEP;
	return s & mask ? s : 0;
}

void ww_task_kick(struct ww_thread *t, uint32_t was)
{
	if (was & WW_TASK_ASLEEP)
		ww_futex_wake(&t->state, 1);
}

int ww_task_wake(struct ww_thread *t, uint32_t mask)
{
	uint32_t was = ww_task_claim(t, mask);

	ww_task_kick(t, was);
	return was != 0;
}

WW_EXPORT int ww_wake_up_state(struct ww_thread *thread, unsigned mask)
{
	if (!ww_task_valid(thread, __func__))
		return 0;
	uint32_t fresh = WW_LIFE_NEW;
	if (ww_load_relaxed(&thread->life) == fresh)
		ww_cmpxchg(&thread->life, &fresh, WW_LIFE_LIVE);
	return ww_task_wake(thread, mask);
}

WW_EXPORT int ww_wake_up_process(struct ww_thread *thread)
{
	return ww_wake_up_state(thread, WW_TASK_NORMAL);
}

bool ww_task_interrupted(struct ww_thread *t, uint32_t state)
{
	return (state & (WW_TASK_INTERRUPTIBLE | WW_TASK_WAKEKILL)) &&
	       (ww_load_relaxed(&t->flags) & WW_TF_SHOULD_STOP);
}

void ww_might_sleep(const char *call)
{
	struct ww_thread *t = ww_task;
	uint32_t s = ww_load_relaxed(&t->state);

	if (ww_likely(s == WW_TASK_RUNNING))
		return;
	ww_misuse(call,
		  "thread '%s' may sleep here but its state is still 0x%x (set it to RUNNING)",
		  t->name, s);
	ww_store_relaxed(&t->state, WW_TASK_RUNNING);
}

/* The futex part: until the state is RUNNING again (true), or the deadline. */
static bool sleep_on_state(struct ww_thread *t, uint32_t s, uint64_t deadline_ns)
{
	int rc = 0;

	while (s != WW_TASK_RUNNING) {
		/* A frozen one is late by right; its deadline counts again after the thaw. */
		bool frozen = s & WW_TASK_FROZEN;

		/* By exchange: it must not be frozen just when it goes on. */
		if (rc == -ETIMEDOUT && !frozen) {
			if (ww_cmpxchg(&t->state, &s, WW_TASK_RUNNING)) /* pairs: THREAD-1 */
				return false;
			continue;
		}
		rc = ww_futex_wait(&t->state, s, frozen ? WW_FOREVER : deadline_ns);
		s = ww_load_acquire(&t->state); /* pairs: THREAD-1 */
	}
	return true;
}

/*
 * A freezable sleep that begins while the freezer is on begins frozen. Should the freezer have been
 * turned off meanwhile, its thaw has perhaps come by too early: then thaw ourselves, with regard to
 * a wake-up that was kept.
 */
static uint32_t sleep_frozen(struct ww_thread *t, uint32_t s)
{
	if (!ww_cmpxchg(&t->state, &s, s | WW_TASK_FROZEN)) /* pairs: THREAD-8 */
		return s;
	s |= WW_TASK_FROZEN;
	if (ww_freezing_task(t)) {
		ww_freezer_progress();
		return s;
	}
	while (s & WW_TASK_FROZEN) {
		uint32_t next = s & WW_TASK_FROZEN_WOKEN ? WW_TASK_RUNNING : s & ~WW_TASK_FROZEN;

		if (ww_cmpxchg(&t->state, &s, next)) /* pairs: THREAD-8 */
			return next;
	}
	return s;
}

bool ww_sleep_until(uint64_t os_deadline_ns)
{
	const struct ww_sched_hooks *hooks = ww_load_acquire(&sched_hooks); /* pairs: THREAD-4 */
	struct ww_thread *t = ww_task_self();
	uint32_t s = ww_load_acquire(&t->state); /* pairs: THREAD-1 */

	/* Only a waker can come between, and it can only make it RUNNING. */
	if (s == WW_TASK_RUNNING || !ww_cmpxchg(&t->state, &s, s | WW_TASK_ASLEEP))
		return true;
	s |= WW_TASK_ASLEEP;
	if (ww_task_interrupted(t, s)) { /* pairs: THREAD-2 */
		ww_store_relaxed(&t->state, WW_TASK_RUNNING);
		return true;
	}
	if ((s & WW_TASK_FREEZABLE) && ww_unlikely(ww_freezing_task(t)))
		s = sleep_frozen(t, s);
	if (ww_unlikely(ww_load_relaxed(&ww_rest_awaited)))
		ww_rest_reached();
	if (hooks)
		hooks->sleeping(t);
	bool woken = sleep_on_state(t, s, os_deadline_ns);
	if (hooks)
		hooks->running(t);
	return woken;
}

WW_EXPORT void ww_schedule(void)
{
	ww_sleep_until(WW_FOREVER);
}

/* SPDX-License-Identifier: MIT */
/*
 * The life of a thread: create, bind, first wake-up, park, stop, exit. Letters of guards are those
 * of thread.h.
 *
 *	NEW --first wake-up--> LIVE --fn returns--> ENDED --last reference--> FREE
 *
 * The thread holds one reference to its own record until it has ended. ww_thread_stop() takes one
 * for its own use, so a thread that only ever ends on request needs no other.
 */
#include "thread/thread.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/report.h"

enum { REAP_NOBODY, REAP_STOPPER, REAP_ITSELF };

#define waiters_of(t) ((struct ww_wait_queue_head *)(void *)&(t)->waiters)

static void say(struct ww_thread *t, uint32_t *word)
{
	ww_store_release(word, 1u); /* pairs: THREAD-3 */
	ww_wake_up_all(waiters_of(t));
}

/* Says "parked", unless the request has been taken back. In one step, or a late word would stay. */
static bool say_parked(struct ww_thread *t)
{
	uint32_t f = ww_load_relaxed(&t->flags);

	do {
		if (!(f & WW_TF_SHOULD_PARK))
			return false;
	} while (!ww_cmpxchg(&t->flags, &f, f | WW_TF_IS_PARKED)); /* pairs: THREAD-2 */
	if (!(f & WW_TF_IS_PARKED))
		ww_wake_up_all(waiters_of(t));
	return true;
}

static void park_here(struct ww_thread *t)
{
	for (;;) {
		ww_xchg(&t->state, WW_TASK_PARKED); /* pairs: THREAD-1 */
		if (!say_parked(t))
			break;
		if (ww_freezing_task(t))
			ww_freezer_progress();
		ww_schedule();
	}
	ww_store_relaxed(&t->state, WW_TASK_RUNNING);
}

static void finish(struct ww_thread *t, int result)
{
	uint32_t nobody = REAP_NOBODY;

	if (ww_load_relaxed(&t->state) != WW_TASK_RUNNING)
		ww_misuse("ww_thread_fn", "thread '%s' ended with state 0x%x left over", t->name,
			  ww_load_relaxed(&t->state));
	ww_os_thread_run_exit_hooks();
	t->result = result;
	ww_fetch_or(&t->flags, WW_TF_EXITING); /* pairs: THREAD-2 */
	ww_xchg(&t->state, WW_TASK_DEAD);      /* pairs: THREAD-9 */
	if (ww_unlikely(ww_load_relaxed(&ww_rest_awaited)))
		ww_rest_reached();
	ww_task_set_life(t, WW_LIFE_ENDED);
	if (ww_freezing_task(t))
		ww_freezer_progress();
	ww_task = &ww_task_nobody;
	say(t, &t->ended);
	if (ww_cmpxchg(&t->reaper, &nobody, REAP_ITSELF))
		ww_os_thread_detach(&t->os);
	ww_thread_put(t);
}

static void thread_main(void *arg)
{
	struct ww_thread *t = arg;
	volatile int result = -EINTR;
	jmp_buf end;

	ww_task = t;
	t->tid = ww_os_thread_id();
	say(t, &t->up);
	ww_schedule();
	if (!(ww_load_acquire(&t->flags) & WW_TF_SHOULD_STOP)) { /* pairs: THREAD-2 */
		park_here(t);
		ww_store_release(&t->end, &end);
		int value = setjmp(end);
		if (value == 0)
			result = t->fn(t->data);
		else
			result = t->result;
	}
	finish(t, result);
}

WW_EXPORT void ww_thread_exit(int result)
{
	struct ww_thread *t = ww_task;

	if (!t->end) {
		ww_misuse(__func__, "thread '%s' was not made by ww_thread_create()", t->name);
		abort();
	}
	t->result = result;
	ww_store_relaxed(&t->state, WW_TASK_RUNNING);
	longjmp(*t->end, 1);
}

struct ww_thread *ww_thread_create_va(ww_thread_fn fn, void *data, int node, const char *fmt,
				      va_list ap)
{
	struct ww_thread *t = ww_task_alloc();
	uint32_t from = ww_load_relaxed(&ww_task->flags);

	if (!t)
		return NULL;
	t->fn = fn;
	t->data = data;
	vsnprintf(t->name, sizeof(t->name), fmt, ap);
	int err = ww_os_thread_start(&t->os, t->name, -1, thread_main, t);
	if (err) {
		ww_task_free(t);
		errno = -err;
		return NULL;
	}
	ww_wait_event(waiters_of(t), ww_load_acquire(&t->up)); /* pairs: THREAD-3 */
	/* What its creator was made to be is not inherited. */
	if (from & WW_TF_BOUND)
		ww_cpu_unbind(t->tid);
	if (from & WW_TF_RESCHED) {
		ww_os_thread_set_policy(t->tid, SCHED_OTHER, 0);
		ww_os_thread_set_nice(t->tid, 0);
	}
	if (node >= 0)
		ww_thread_bind_node(t, node);
	return t;
}

WW_EXPORT struct ww_thread *ww_thread_create(ww_thread_fn fn, void *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct ww_thread *t = ww_thread_create_va(fn, data, -1, fmt, ap);
	va_end(ap);
	return t;
}

WW_EXPORT struct ww_thread *ww_thread_run(ww_thread_fn fn, void *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct ww_thread *t = ww_thread_create_va(fn, data, -1, fmt, ap);
	va_end(ap);
	if (t)
		ww_wake_up_process(t);
	return t;
}

static void unpark(struct ww_thread *t)
{
	const uint32_t both = WW_TF_SHOULD_PARK | WW_TF_IS_PARKED;

	uint32_t flags = ww_load_relaxed(&t->flags);

	if (!(flags & WW_TF_SHOULD_PARK))
		return;
	/* While it was parked somebody may have moved it. */
	if ((flags & WW_TF_PER_CPU) && (flags & WW_TF_IS_PARKED))
		ww_cpu_bind(t->tid, t->cpu);
	if (!(ww_fetch_and(&t->flags, ~both) & WW_TF_IS_PARKED)) /* pairs: THREAD-2 */
		ww_wake_up_all(waiters_of(t)); /* somebody who still waits for it to park */
	ww_task_wake(t, WW_TASK_PARKED);
}

static bool parking_over(const struct ww_thread *t)
{
	uint32_t f = ww_load_acquire(&t->flags); /* pairs: THREAD-2 */

	return (f & (WW_TF_IS_PARKED | WW_TF_EXITING)) || !(f & WW_TF_SHOULD_PARK);
}

/* Until it has parked; -ENOSYS if it ends instead, -EBUSY if the request is taken back. */
static int wait_parked(struct ww_thread *t)
{
	ww_wait_event(waiters_of(t), parking_over(t));
	uint32_t f = ww_load_relaxed(&t->flags);
	if (f & WW_TF_IS_PARKED)
		return 0;
	return f & WW_TF_EXITING ? -ENOSYS : -EBUSY;
}

WW_EXPORT int ww_thread_park(struct ww_thread *thread)
{
	if (!ww_task_valid(thread, __func__))
		return -ENOSYS;
	if (ww_load_relaxed(&thread->flags) & WW_TF_FOREIGN) {
		ww_misuse(__func__, "thread '%s' was not made by ww_thread_create()", thread->name);
		return -EINVAL;
	}
	uint32_t was = ww_fetch_or(&thread->flags, WW_TF_SHOULD_PARK); /* pairs: THREAD-2 */
	if (was & WW_TF_EXITING)
		return -ENOSYS;
	if (was & WW_TF_SHOULD_PARK) {
		ww_misuse(__func__, "thread '%s' has been asked to park already", thread->name);
		return -EBUSY;
	}
	if (thread == ww_task)
		return 0;
	ww_might_sleep(__func__);
	ww_wake_up_process(thread);
	return wait_parked(thread);
}

WW_EXPORT void ww_thread_unpark(struct ww_thread *thread)
{
	if (ww_task_valid(thread, __func__))
		unpark(thread);
}

WW_EXPORT bool ww_thread_should_stop(void)
{
	uint32_t *flags = &ww_task->flags;

	if (ww_likely(!(ww_load_relaxed(flags) & WW_TF_SHOULD_STOP)))
		return false;
	return ww_load_acquire(flags) != 0; /* pairs: THREAD-2 */
}

WW_EXPORT bool ww_thread_should_park(void)
{
	uint32_t *flags = &ww_task->flags;

	if (ww_likely(!(ww_load_relaxed(flags) & WW_TF_SHOULD_PARK)))
		return false;
	return ww_load_acquire(flags) != 0; /* pairs: THREAD-2 */
}

WW_EXPORT bool ww_thread_should_stop_or_park(void)
{
	uint32_t *flags = &ww_task->flags;

	if (ww_likely(!(ww_load_relaxed(flags) & (WW_TF_SHOULD_STOP | WW_TF_SHOULD_PARK))))
		return false;
	return ww_load_acquire(flags) != 0; /* pairs: THREAD-2 */
}

WW_EXPORT void ww_thread_parkme(void)
{
	struct ww_thread *t = ww_task;

	if (ww_load_relaxed(&t->flags) & WW_TF_FOREIGN) {
		ww_misuse(__func__, "thread '%s' was not made by ww_thread_create()", t->name);
		return;
	}
	park_here(t);
}

static int stop(struct ww_thread *t, const char *call)
{
	uint32_t nobody = REAP_NOBODY;

	if (ww_load_relaxed(&t->flags) & WW_TF_FOREIGN) {
		ww_misuse(call, "thread '%s' was not made by ww_thread_create()", t->name);
		return -EINVAL;
	}
	if (t == ww_task) {
		ww_misuse(call, "thread '%s' would wait for its own end", t->name);
		ww_fetch_or(&t->flags, WW_TF_SHOULD_STOP);
		return -EDEADLK;
	}
	ww_might_sleep(call);
	if (!ww_task_get(t, call))
		return -ESRCH;
	ww_fetch_or(&t->flags, WW_TF_SHOULD_STOP); /* pairs: THREAD-2 */
	unpark(t);
	ww_wake_up_state(t, WW_TASK_NORMAL | WW_TASK_FROZEN);
	bool join = ww_cmpxchg(&t->reaper, &nobody, REAP_STOPPER);
	ww_wait_event(waiters_of(t), ww_load_acquire(&t->ended)); /* pairs: THREAD-3 */
	if (join)
		ww_os_thread_join(&t->os);
	int result = t->result;
	ww_thread_put(t);
	return result;
}

WW_EXPORT int ww_thread_stop(struct ww_thread *thread)
{
	return ww_task_valid(thread, __func__) ? stop(thread, __func__) : -ESRCH;
}

WW_EXPORT int ww_thread_stop_put(struct ww_thread *thread)
{
	if (!ww_task_valid(thread, __func__))
		return -ESRCH;
	int result = stop(thread, __func__);
	ww_thread_put(thread);
	return result;
}

WW_EXPORT void *ww_thread_data(struct ww_thread *thread)
{
	return thread->data;
}

WW_EXPORT ww_thread_fn ww_thread_func(struct ww_thread *thread)
{
	return thread->fn;
}

WW_EXPORT int ww_thread_pid(const struct ww_thread *thread)
{
	return thread->tid;
}

WW_EXPORT const char *ww_thread_name(const struct ww_thread *thread)
{
	return thread->name;
}

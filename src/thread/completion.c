/* SPDX-License-Identifier: MIT */
/* Completions. Legend: (Q) the lock of the wait queue inside. */
#include "base/lock.h"
#include "thread/thread.h"
#include "thread/wait.h"
#include "wheelwork/completion.h"

#define DONE_ALL UINT32_MAX

struct completion {
	struct ww_waitq q;
	uint32_t done; /* (Q) */
};

_Static_assert(sizeof(struct completion) <= sizeof(struct ww_completion), "public size");

#define inside(c) ((struct completion *)(void *)(c))

WW_EXPORT void ww_init_completion(struct ww_completion *done)
{
	*done = (struct ww_completion){{0}};
}

WW_EXPORT void ww_reinit_completion(struct ww_completion *done)
{
	ww_store_relaxed(&inside(done)->done, 0u);
}

WW_EXPORT void ww_complete(struct ww_completion *done)
{
	struct completion *c = inside(done);
	struct ww_wake_batch batch = {.n = 0};

	ww_waitq_lock(&c->q);
	if (c->done != DONE_ALL)
		ww_store_relaxed(&c->done, c->done + 1);
	for (struct ww_waiter *w = c->q.first; w; w = w->next)
		if (ww_waitq_wake_one(&c->q, w, WW_TASK_NORMAL, &batch))
			break;
	ww_waitq_unlock(&c->q);
	ww_wake_batch_flush(&batch);
}

WW_EXPORT void ww_complete_all(struct ww_completion *done)
{
	struct completion *c = inside(done);
	struct ww_wake_batch batch = {.n = 0};
	struct ww_waiter *next;

	ww_waitq_lock(&c->q);
	ww_store_relaxed(&c->done, DONE_ALL);
	for (struct ww_waiter *w = c->q.first; w; w = next) {
		next = w->next;
		ww_waitq_wake_one(&c->q, w, WW_TASK_NORMAL, &batch);
	}
	ww_waitq_unlock(&c->q);
	ww_wake_batch_flush(&batch);
}

static bool take(struct completion *c)
{
	if (!c->done)
		return false;
	if (c->done != DONE_ALL)
		ww_store_relaxed(&c->done, c->done - 1);
	return true;
}

/* First come, first served. With the lock held on entry; free on return. */
static int64_t wait_locked(struct completion *c, int64_t timeout, unsigned state)
{
	struct ww_waiter w = {.thread = ww_task_self()};
	bool mine = take(c);

	while (!mine && timeout) {
		if (ww_task_interrupted(w.thread, state)) {
			timeout = -WW_ERESTARTSYS;
			break;
		}
		ww_waitq_add(&c->q, &w, true);
		ww_set_current_state(state);
		ww_waitq_unlock(&c->q);
		timeout = ww_schedule_timeout(timeout);
		ww_waitq_lock(&c->q);
		mine = take(c);
	}
	ww_waitq_del(&c->q, &w);
	ww_waitq_unlock(&c->q);
	if (mine)
		return timeout ? timeout : 1;
	return timeout;
}

static int64_t wait_common(struct ww_completion *done, int64_t timeout, unsigned state,
			   const char *call)
{
	struct completion *c = inside(done);

	ww_might_sleep(call);
	ww_waitq_lock(&c->q);
	return wait_locked(c, timeout, state);
}

WW_EXPORT void ww_wait_for_completion(struct ww_completion *done)
{
	wait_common(done, WW_MAX_TIMEOUT, WW_TASK_UNINTERRUPTIBLE, __func__);
}

WW_EXPORT int ww_wait_for_completion_interruptible(struct ww_completion *done)
{
	int64_t left = wait_common(done, WW_MAX_TIMEOUT, WW_TASK_INTERRUPTIBLE, __func__);

	return left < 0 ? (int)left : 0;
}

WW_EXPORT int ww_wait_for_completion_killable(struct ww_completion *done)
{
	int64_t left = wait_common(done, WW_MAX_TIMEOUT, WW_TASK_KILLABLE, __func__);

	return left < 0 ? (int)left : 0;
}

WW_EXPORT int64_t ww_wait_for_completion_timeout(struct ww_completion *done, int64_t timeout)
{
	return wait_common(done, timeout, WW_TASK_UNINTERRUPTIBLE, __func__);
}

WW_EXPORT int64_t ww_wait_for_completion_interruptible_timeout(struct ww_completion *done,
							       int64_t timeout)
{
	return wait_common(done, timeout, WW_TASK_INTERRUPTIBLE, __func__);
}

WW_EXPORT int64_t ww_wait_for_completion_killable_timeout(struct ww_completion *done,
							  int64_t timeout)
{
	return wait_common(done, timeout, WW_TASK_KILLABLE, __func__);
}

WW_EXPORT bool ww_try_wait_for_completion(struct ww_completion *done)
{
	struct completion *c = inside(done);

	if (!ww_load_relaxed(&c->done))
		return false;
	ww_waitq_lock(&c->q);
	bool mine = take(c);
	ww_waitq_unlock(&c->q);
	return mine;
}

WW_EXPORT bool ww_completion_done(struct ww_completion *done)
{
	struct completion *c = inside(done);

	if (!ww_load_relaxed(&c->done))
		return false;
	/* A completing call may still hold the lock, and the caller may be about to free. */
	ww_waitq_lock(&c->q);
	ww_waitq_unlock(&c->q);
	return true;
}

WW_EXPORT void ww_thread_complete_and_exit(struct ww_completion *done, int result)
{
	if (done)
		ww_complete(done);
	ww_thread_exit(result);
}

/* SPDX-License-Identifier: MIT */
/*
 * A WW_WQ_MEM_RECLAIM queue's own thread, made with the queue. When a pool needs a worker and none
 * can be made, it comes and runs that queue's items there, so the queue always gets on.
 */
#include "work/internal.h"

#include <errno.h>
#include <stdio.h>

#include "base/futex.h"
#include "base/thread.h"

#define RESCUE_ASKED 1u
#define RESCUE_END   2u

/* False: this is the child of a fork, and the thread no rescuer any more. */
static bool visit_all(struct ww_workqueue *wq)
{
	unsigned n = ww_load_acquire(&wq->npwq);

	for (unsigned i = 0; i < n; i++) {
		struct ww_pwq *pwq = ww_load_acquire(&wq->pwqs)[i];
		bool called;

		ww_pool_lock(pwq->pool);
		called = pwq->mayday_now;
		pwq->mayday_now = false;
		ww_pool_unlock(pwq->pool);
		if (called && !ww_pworker_visit(ww_self_worker, pwq->pool))
			return false;
	}
	return true;
}

static void rescuer_main(void *arg)
{
	struct ww_workqueue *wq = arg;

	ww_self_worker = wq->rescuer;
	ww_store_relaxed(&wq->rescuer->tid, ww_os_thread_id());
	for (;;) {
		uint32_t asked = ww_fetch_and(&wq->rescue, ~RESCUE_ASKED);

		/* What was asked for before the end is still done. */
		if (asked & RESCUE_ASKED) {
			if (!visit_all(wq))
				return;
		} else if (asked & RESCUE_END) {
			break;
		} else {
			ww_futex_wait(&wq->rescue, 0, WW_FOREVER);
		}
	}
	ww_store_relaxed(&wq->rescuer->tid, 0);
}

static int start_thread(struct ww_workqueue *wq)
{
	char name[16];

	snprintf(name, sizeof(name), "ww/R-%.10s", wq->name);
	return ww_os_thread_start(&wq->rescuer_thread, name, -1, rescuer_main, wq);
}

/* G. */
int ww_rescuer_start(struct ww_workqueue *wq)
{
	struct ww_pworker *w = ww_rescuer_worker(wq);
	int err;

	if (!w)
		return -ENOMEM;
	/* The manager may look at the queue's pwqs already. */
	ww_store_relaxed(&wq->rescuer, w);
	err = start_thread(wq);
	if (err) {
		ww_store_relaxed(&wq->rescuer, NULL);
		ww_rescuer_worker_put(w);
	}
	return err;
}

/* After a fork the queues are here and their rescuers' threads are not. */
void ww_rescuers_adopt(void)
{
	struct ww_list *l;

	ww_lock(&ww_wq_lock);
	ww_list_for_each (l, &ww_all_wqs) {
		struct ww_workqueue *wq = ww_list_entry(l, struct ww_workqueue, node);

		if (!wq->orphan || !(wq->flags & WW_WQ_MEM_RECLAIM))
			continue;
		if (!wq->rescuer) /* it made the fork, and goes on as a plain thread */
			ww_store_relaxed(&wq->rescuer, ww_rescuer_worker(wq));
		if (wq->rescuer && !start_thread(wq))
			wq->orphan = false;
	}
	ww_unlock(&ww_wq_lock);
}

/* The queue is empty and nothing comes any more. */
void ww_rescuer_stop(struct ww_workqueue *wq)
{
	bool runs;

	ww_lock(&ww_wq_lock);
	runs = wq->rescuer && !wq->orphan;
	wq->orphan = false; /* nobody adopts it any more */
	ww_unlock(&ww_wq_lock);
	if (!wq->rescuer)
		return;
	if (runs) {
		ww_fetch_or(&wq->rescue, RESCUE_END);
		ww_futex_wake(&wq->rescue, 1);
		ww_os_thread_join(&wq->rescuer_thread);
	}
	ww_lock(&ww_wq_lock);
	ww_rescuer_worker_put(wq->rescuer);
	ww_store_relaxed(&wq->rescuer, NULL);
	ww_unlock(&ww_wq_lock);
}

/* No worker can be made for this pool: whoever has a rescuer and something to do here sends it. */
void ww_rescuer_call_l(struct ww_pool *pool)
{
	struct ww_list *l;

	while (ww_pool_drain_l(pool, DRAIN_STEP))
		;
	ww_list_for_each (l, &pool->pwqs) {
		struct ww_pwq *pwq = ww_list_entry(l, struct ww_pwq, node);

		if (!ww_load_relaxed(&pwq->wq->rescuer) || ww_pwq_idle_l(pwq))
			continue;
		pwq->mayday_now = true;
		pwq->mayday++;
		ww_fetch_or(&pwq->wq->rescue, RESCUE_ASKED);
		ww_futex_wake(&pwq->wq->rescue, 1);
	}
}

WW_EXPORT bool ww_current_is_workqueue_rescuer(void)
{
	return ww_self_worker && ww_self_worker->rescuer;
}

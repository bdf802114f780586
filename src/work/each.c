/* SPDX-License-Identifier: MIT */
/* A walk over all queues and items, for who wants to say what is left. */
#include "work/internal.h"

struct visit {
	ww_work_view_fn fn;
	void *arg;
};

static void item_l(const struct visit *v, uint64_t pwq_word, struct ww_work *work)
{
	struct ww_pwq *pwq = (struct ww_pwq *)(uintptr_t)(pwq_word & ~PWQ_TAGS);
	struct ww_work_view view = {.func = work->func};

	if ((pwq_word & PWQ_MARKER) || !pwq)
		return;
	view.queue = pwq->wq->name;
	v->fn(&view, v->arg);
}

static void items_l(const struct visit *v, struct item_link *head)
{
	for (struct item_link *l = head->next; l != head; l = l->next)
		item_l(v, *ww_work_queue(ww_link_work(l)), ww_link_work(l));
}

static void worker_l(const struct visit *v, struct ww_pworker *w)
{
	const struct ww_workqueue *wq = ww_pool_queue_l(w->pool, ww_load_relaxed(&w->current_pwq));
	struct ww_work_view view = {.func = ww_load_relaxed(&w->current_func), .running = true};

	if (wq && view.func) {
		view.queue = wq->name;
		v->fn(&view, v->arg);
	}
	items_l(v, &w->own);
}

static void pool_l(const struct visit *v, struct ww_pool *pool)
{
	struct ww_list *l;

	while (ww_pool_drain_l(pool, DRAIN_STEP) == DRAIN_STEP)
		;
	/* What has not begun comes back to the list: in a worker's hands it may begin, and be freed,
	 * while we look at it. */
	ww_list_for_each (l, &pool->workers)
		ww_pworker_unbatch_l(ww_list_entry(l, struct ww_pworker, node), false);
	ww_list_for_each (l, &pool->workers)
		worker_l(v, ww_list_entry(l, struct ww_pworker, node));
	items_l(v, &pool->list);
	ww_list_for_each (l, &pool->pwqs)
		items_l(v, &ww_list_entry(l, struct ww_pwq, node)->inactive);
}

WW_EXPORT void ww_work_for_each(ww_work_view_fn fn, void *arg)
{
	struct visit v = {fn, arg};
	struct ww_pool *pool;
	struct ww_list *l;

	ww_lock(&ww_wq_lock);
	ww_list_for_each (l, &ww_all_wqs) {
		struct ww_workqueue *wq = ww_list_entry(l, struct ww_workqueue, node);
		struct ww_work_view view = {.queue = wq->name, .system = wq->system};

		fn(&view, arg);
	}
	ww_unlock(&ww_wq_lock);
	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++) {
		ww_pool_lock(pool);
		pool_l(&v, pool);
		ww_pool_kick_l(pool);
		ww_pool_unlock(pool);
	}
}

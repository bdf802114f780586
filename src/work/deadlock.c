/* SPDX-License-Identifier: MIT */
/*
 * Handlers that wait for each other for ever. A handler that waits is an edge: to the worker that
 * runs what it waits for, or, where that is queued one at a time, to the worker that runs an item
 * of that queue now. Before a wait begins its chain is followed; if it comes back to the caller
 * the wait would never end, and is refused.
 */
#include "work/internal.h"

#include "base/report.h"

#define CHAIN_MAX 64

static struct ww_lock lock; /* above the pool locks */

static bool one_at_a_time(const struct ww_pwq *pwq)
{
	return pwq->wq->ordered || (pwq->max_active == 1 && !pwq->frozen);
}

/* Where the wait for work leads: into *edge. False: it stands nowhere that could block it. */
static bool find_edge(struct ww_work *work, struct ww_pworker *edge, bool *no_reclaim)
{
	uint64_t data = ww_load_seq_cst(ww_work_data(work)), where;
	struct ww_pool *pool = ww_data_pool(data);
	const struct ww_workqueue *wq;
	struct ww_pworker *w;
	bool found = false;

	if (!pool)
		return false;
	ww_pool_lock(pool);
	while (ww_pool_drain_l(pool, DRAIN_STEP))
		;
	data = ww_load_seq_cst(ww_work_data(work));
	where = ww_load_relaxed(ww_work_where(work));
	w = ww_pool_running_l(pool, work);
	if (w && !(data & WORK_PENDING)) {
		edge->waits_pwq = ww_load_relaxed(&w->current_pwq);
		edge->waits_worker = w;
		edge->waits_seq = ww_load_relaxed(&w->seq);
		found = true;
	} else if ((data & WORK_PENDING) && ww_data_tag(data) == pool->tag && where &&
		   !ww_where_worker(where)) {
		struct ww_pwq *pwq = ww_tagged_pwq(*ww_work_queue(work));

		edge->waits_pool = pool;
		edge->waits_pwq = pwq;
		found = one_at_a_time(pwq);
	}
	wq = ww_pool_queue_l(pool, edge->waits_pwq);
	*no_reclaim = wq && !(wq->flags & WW_WQ_MEM_RECLAIM);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
	return found;
}

static struct ww_pworker *follow(const struct ww_pworker *edge)
{
	struct ww_pworker *v = edge->waits_worker, *found = NULL;
	struct ww_list *l;

	if (v)
		return ww_load_relaxed(&v->seq) == edge->waits_seq && ww_load_acquire(&v->current)
			       ? v
			       : NULL;
	if (!edge->waits_pool)
		return NULL;
	ww_pool_lock(edge->waits_pool);
	ww_list_for_each (l, &edge->waits_pool->workers) {
		v = ww_list_entry(l, struct ww_pworker, node);
		if (ww_load_relaxed(&v->current_pwq) == edge->waits_pwq)
			found = v;
	}
	ww_pool_unlock(edge->waits_pool);
	return found;
}

bool ww_wait_begin(struct ww_work *work, const char *call, bool flush)
{
	struct ww_pworker *self = ww_self_worker, *v, edge = {0};
	bool cycle = false, found, no_reclaim = false;

	if (!self || !self->current_pwq)
		return true;
	found = find_edge(work, &edge, &no_reclaim);
	/* A cancelling caller doesn't depend on the other queue's progress, only on this one run. */
	if (no_reclaim && flush && (self->current_pwq->wq->flags & WW_WQ_MEM_RECLAIM))
		ww_misuse(call,
			  "%s of the WW_WQ_MEM_RECLAIM queue \"%s\" waits for %s, whose queue "
			  "is not one",
			  ww_symbol_fn(ww_load_relaxed(&self->current_func)),
			  self->current_pwq->wq->name, ww_symbol_fn(work->func));
	if (!found)
		return true;
	ww_lock(&lock);
	v = follow(&edge);
	for (unsigned i = 0; v && v != self && i < CHAIN_MAX; i++)
		v = follow(v);
	cycle = v == self;
	if (!cycle) {
		self->waits_worker = edge.waits_worker;
		self->waits_seq = edge.waits_seq;
		self->waits_pool = edge.waits_pool;
		self->waits_pwq = edge.waits_pwq;
	}
	ww_unlock(&lock);
	if (cycle)
		ww_misuse(call,
			  "%s waits for %s, which can't run before it: neither would ever end",
			  ww_symbol_fn(ww_load_relaxed(&self->current_func)),
			  ww_symbol_fn(work->func));
	return !cycle;
}

void ww_wait_end(void)
{
	struct ww_pworker *self = ww_self_worker;

	if (!self || (!self->waits_worker && !self->waits_pool))
		return;
	ww_lock(&lock);
	self->waits_worker = NULL;
	self->waits_pool = NULL;
	self->waits_pwq = NULL;
	ww_unlock(&lock);
}

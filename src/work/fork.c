/* SPDX-License-Identifier: MIT */
/*
 * Around fork(): all locks are taken, so that the child's copy is consistent. The child has none of
 * the parent's workers and none of its queued items; its queues are empty and usable, and make
 * workers again when something is queued. An item that was pending in the parent stays so, since it
 * may lie in memory that is not the child's; its pool's tag is none of the child's, and who takes it
 * back there or waits for it is told to initialise it again. After sixteen forks in a row the tags
 * begin again.
 */
#include "work/internal.h"

#include <string.h>

#include "base/fork.h"

static void prepare(void)
{
	ww_lock(&ww_wq_lock);
	for (unsigned i = 1; i < ww_nr_pools; i++)
		ww_lock(&ww_pools[i]->lock);
}

static void parent(void)
{
	for (unsigned i = ww_nr_pools; i-- > 1;)
		ww_unlock(&ww_pools[i]->lock);
	ww_unlock(&ww_wq_lock);
}

static void forget_worker(struct ww_pworker *w)
{
	w->current = NULL;
	w->current_pwq = w->last_pwq = NULL;
	w->n = w->pos = w->settled = 0;
	w->tid = 0;
	w->thread = NULL;
	w->state = w->rescuer ? WORKER_IDLE : WORKER_DEAD;
	w->licensed = w->blocked = false;
	w->block_nest = 0;
	w->waiting = w->attention = 0;
	w->waits_worker = NULL;
	w->waits_pool = NULL;
	w->waits_pwq = NULL;
	for (unsigned i = 0; i < BATCH; i++)
		w->slot[i] = NULL;
	ww_list_init(&w->node);
	ww_list_init(&w->reserve);
	ww_list_init(&w->waiters);
	ww_items_init(&w->own);
}

/*
 * The forking thread may be a handler: it goes on in the child as a plain thread, and ends where the
 * handler returns (worker_main()). What it was a worker by is nobody else's then.
 */
static struct ww_pworker *was_self;

static void forget_workers(struct ww_pool *pool)
{
	while (!ww_list_empty(&pool->workers)) {
		struct ww_pworker *w = ww_list_first(&pool->workers, struct ww_pworker, node);

		ww_list_del(&w->node);
		forget_worker(w);
		if (!w->rescuer && w != was_self)
			ww_list_add_tail(&w->node, &pool->dead);
	}
}

static void forget_items(struct ww_pool *pool)
{
	struct ww_list *l;

	pool->head = pool->tail = NULL;
	pool->chain = pool->chain_last = NULL;
	ww_items_init(&pool->list);
	ww_list_init(&pool->reserve);
	ww_list_init(&pool->dozers);
	pool->look = LOOK_SHORTAGE | LOOK_UNARMED;
	pool->seats = 0;
	pool->licensed = pool->nr_workers = pool->want = 0;
	pool->feed = NULL;
	pool->urgent = pool->nr_urgent = 0;
	ww_list_for_each (l, &pool->pwqs) {
		struct ww_pwq *pwq = ww_list_entry(l, struct ww_pwq, node);

		pwq->nr_active = 0;
		pwq->urgent = false;
		pwq->starved = pwq->stuck_colour = pwq->mayday_now = false;
		for (unsigned c = 0; c < COLOURS; c++)
			pwq->in_flight[c] = 0;
		ww_items_init(&pwq->inactive);
		ww_list_init(&pwq->flushers);
	}
}

unsigned ww_work_forks;

static void child(void)
{
	struct ww_list *l;

	ww_work_forks++;
	was_self = ww_self_worker;
	ww_self_worker = NULL;
	ww_workers_forget();
	ww_manager_forget();
	ww_waiters_reset();
	for (unsigned i = 1; i < ww_nr_pools; i++) {
		forget_workers(ww_pools[i]);
		forget_items(ww_pools[i]);
		ww_pool_new_tag(ww_pools[i]);
		ww_lock_init(&ww_pools[i]->lock);
	}
	ww_lock_init(&ww_wq_lock);
	ww_list_for_each (l, &ww_all_wqs) {
		struct ww_workqueue *wq = ww_list_entry(l, struct ww_workqueue, node);

		wq->shared_active = 0;
		memset(wq->node_active, 0, sizeof(wq->node_active));
		wq->starved = wq->feeders = wq->feed_queued = 0;
		wq->flushers = 0;
		wq->drainers = 0;
		wq->state = 0;
		ww_lock_init(&wq->mutex);
		wq->rescue = 0;
		wq->orphan = true; /* its rescuer, if any, comes with the manager */
		if (wq->rescuer)
			forget_worker(wq->rescuer);
		if (wq->rescuer == was_self)
			wq->rescuer = NULL;
	}
}

void ww_work_fork_init(void)
{
	ww_fork_register(prepare, parent, child);
}

/* SPDX-License-Identifier: MIT */
/* Walking pools and queues: what ww_debug_check() does here. */
#include "work/internal.h"

#include "base/debug.h"
#include "base/report.h"

static int fault(const struct ww_pool *pool, const char *what, unsigned long a, unsigned long b)
{
	ww_warn("pool %u: %s (%lu and %lu)", pool->id, what, a, b);
	return 1;
}

static int check_list(struct ww_pool *pool, const struct item_link *head, unsigned *count)
{
	for (const struct item_link *l = head->next; l != head; l = l->next) {
		struct ww_work *work = ww_link_work((struct item_link *)(uintptr_t)l);
		uint64_t data = ww_load_relaxed(ww_work_data(work));

		if (l->next->prev != l)
			return fault(pool, "an item's neighbours disagree", (uintptr_t)work, 0);
		if ((data & WORK_MAGIC_MASK) != WW_WORK_MAGIC_ || !(data & WORK_PENDING))
			return fault(pool, "an item on a list is not pending", (uintptr_t)work,
				     data);
		if (ww_data_tag(data) != pool->tag)
			return fault(pool, "an item is on another pool's list", ww_data_tag(data),
				     pool->tag);
		++*count;
	}
	return 0;
}

static int check_pwq(struct ww_pool *pool, struct ww_pwq *pwq, unsigned *inactive,
		     unsigned *in_flight)
{
	unsigned n = 0, flight = 0;
	int faults = check_list(pool, &pwq->inactive, &n);

	for (unsigned c = 0; c < COLOURS; c++)
		flight += pwq->in_flight[c];
	if (pwq->nr_active < 0 || (unsigned)pwq->nr_active + n != flight)
		faults += fault(pool, "active and inactive items are not those in flight",
				(unsigned long)pwq->nr_active + n, flight);
	if (n && !pwq->urgent)
		faults += fault(pool, "items wait for their turn and nobody is told", n, 0);
	*inactive += n;
	*in_flight += flight;
	return faults;
}

static int check_workers(struct ww_pool *pool, unsigned *queued, unsigned *running)
{
	unsigned licensed = 0, threads = 0;
	int faults = 0;
	struct ww_list *l;

	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		licensed += w->licensed;
		threads += !w->rescuer;
		faults += check_list(pool, &w->own, queued);
		*running += w->settled < w->n;
		for (unsigned i = 0; i < w->n; i++)
			*queued += ww_load_relaxed(&w->slot[i]) != NULL;
		if (w->settled > w->n || w->pool != pool)
			faults += fault(pool, "a worker's batch", w->settled, w->n);
	}
	if (threads != pool->nr_workers)
		faults += fault(pool, "workers listed and counted", threads, pool->nr_workers);
	if (licensed + pool->want != pool->licensed)
		faults += fault(pool, "licences held or asked for, and counted",
				licensed + pool->want, pool->licensed);
	if (!(ww_load_relaxed(&pool->look) & LOOK_SHORTAGE) != (pool->licensed >= pool->target))
		faults += fault(pool, "shortage", pool->licensed, pool->target);
	return faults;
}

static int check_pool(struct ww_pool *pool)
{
	unsigned queued = 0, running = 0, in_flight = 0;
	struct ww_list *l;
	int faults;

	ww_pool_lock(pool);
	ww_pool_settle_all_l(pool);
	faults = check_list(pool, &pool->list, &queued);
	faults += check_workers(pool, &queued, &running);
	ww_list_for_each (l, &pool->pwqs)
		faults +=
			check_pwq(pool, ww_list_entry(l, struct ww_pwq, node), &queued, &in_flight);
	/* A worker's current item stands in no slot any more; a batch may end while we look. */
	if (in_flight < queued || in_flight > queued + running * BATCH)
		faults += fault(pool, "items found and in flight", queued, in_flight);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
	return faults;
}

static int check(void)
{
	struct ww_pool *pool;
	int faults = 0;

	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
		faults += check_pool(pool);
	return faults;
}

void ww_work_check_init(void)
{
	ww_debug_register(check);
}

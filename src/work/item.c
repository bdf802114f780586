/* SPDX-License-Identifier: MIT */
/* Work items: making them, and queueing them. */
#include "work/internal.h"

#include "base/cpu.h"
#include "base/probe.h"
#include "base/report.h"
#include "timer/walk.h"
#include "work/push.h"

_Static_assert(sizeof(struct ww_work) == 40, "public size");
_Static_assert(sizeof(struct ww_delayed_work) == 128, "public size");

/* ---- making ---- */

static bool is_that_timer(struct ww_timer *timer, void *arg)
{
	struct ww_work **found = arg;

	if (&ww_container_of(timer, struct ww_delayed_work, timer)->work == found[0])
		found[1] = found[0];
	return false;
}

static bool really_armed(struct ww_work *work)
{
	struct ww_work *found[2] = {work, NULL};

	ww_timer_walk(ww_delayed_work_expired, is_that_timer, found);
	return found[1] != NULL;
}

/* Whether a word that may be garbage is that of an item which a pool really holds. */
static bool really_queued(struct ww_work *work)
{
	uint64_t data = ww_load_relaxed(ww_work_data(work));
	struct ww_pool *pool = ww_data_pool(data);
	bool found = false;

	if ((data & WORK_MAGIC_MASK) != WW_WORK_MAGIC_ || !(data & WORK_PENDING))
		return false;
	if ((data & WORK_DELAYED) && really_armed(work))
		return true;
	if (!pool)
		return false;
	ww_pool_lock(pool);
	while (ww_pool_drain_l(pool, DRAIN_STEP))
		;
	found = ww_pool_holds_l(pool, work);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
	return found;
}

static bool init_item(struct ww_work *work, ww_work_fn func, uint64_t flags, const char *call)
{
	if (ww_unlikely(ww_load_relaxed(ww_work_data(work)) & WORK_PENDING) &&
	    really_queued(work)) {
		ww_misuse(call, "the item %p (%s) is queued; it stays as it is", (void *)work,
			  ww_symbol_fn(work->func));
		return false;
	}
	work->func = func;
	ww_store_relaxed(ww_work_data(work), WW_WORK_MAGIC_ | flags);
	ww_store_relaxed(ww_work_next(work), NULL);
	ww_store_relaxed(ww_work_where(work), 0);
	*ww_work_queue(work) = 0;
	return true;
}

WW_EXPORT void ww_init_work(struct ww_work *work, ww_work_fn func)
{
	init_item(work, func, 0, "ww_init_work");
}

WW_EXPORT void ww_init_work_onstack(struct ww_work *work, ww_work_fn func)
{
	init_item(work, func, WORK_ONSTACK, "ww_init_work_onstack");
}

WW_EXPORT void ww_destroy_work_on_stack(struct ww_work *work)
{
	if (ww_load_relaxed(ww_work_data(work)) & WORK_PENDING)
		ww_misuse("ww_destroy_work_on_stack", "the item %p (%s) is still queued",
			  (void *)work, ww_symbol_fn(work->func));
}

bool ww_init_item(struct ww_work *work, ww_work_fn func, uint64_t flags, const char *call)
{
	return init_item(work, func, flags, call);
}

/* ---- queueing ---- */

bool ww_work_may_not_queue(struct ww_work *work, bool was, const char *call)
{
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	if ((data & WORK_MAGIC_MASK) != WW_WORK_MAGIC_) {
		ww_misuse(call, "the item %p was never initialised (ww_init_work)", (void *)work);
		if (!was)
			ww_fetch_and(ww_work_data(work), ~WORK_PENDING);
	} else if (!was) {
		ww_work_release(work);
	}
	return false;
}

/* Only what runs on a queue that drains may add to it. */
bool ww_refused_by_drain(struct ww_workqueue *wq)
{
	struct ww_pworker *w = ww_self_worker;

	return !(w && w->current_pwq && w->current_pwq->wq == wq);
}

static unsigned slot_for(int cpu)
{
	if (cpu < 0)
		return ww_work_virtual ? 0 : (unsigned)ww_cpu_current_slot();
	return (unsigned)ww_cpu_slot_of(cpu);
}

/*
 * An item that runs in another pool for this queue is queued there: it must not run twice at once.
 * Nothing can start it anew while we own PENDING, so a look without the lock is enough.
 */
static __attribute__((noinline)) struct ww_pwq *where_it_runs(struct ww_workqueue *wq,
							      struct ww_work *work,
							      struct ww_pworker *last,
							      struct ww_pwq *pwq)
{
	struct ww_pwq *at, **pwqs;
	unsigned n = ww_load_acquire(&wq->npwq);

	if (ww_load_acquire(&last->current) != work)
		return pwq;
	at = ww_load_relaxed(&last->current_pwq);
	pwqs = ww_load_acquire(&wq->pwqs);
	for (unsigned i = 0; i < n; i++)
		if (pwqs[i] == at) /* compared, not followed: it may be another queue's, and gone */
			return at;
	return pwq;
}

static inline void push(struct ww_pwq *pwq, struct ww_work *work)
{
	*ww_work_queue(work) = (uint64_t)(uintptr_t)pwq;
	WW_PROBE3(workqueue_queue_work, work, work->func, pwq->wq->name);
	ww_pool_push(pwq->pool, work);
}

/* PENDING is ours: hand the item to a pool. False: refused, PENDING is clear again. */
bool ww_queue_owned(int cpu, struct ww_workqueue *wq, struct ww_work *work)
{
	struct ww_pworker *last;
	struct ww_pwq *pwq;
	uint64_t data;

	if (ww_unlikely(ww_load_relaxed(&wq->state)) && ww_refused_by_drain(wq)) {
		ww_work_release(work);
		return false;
	}
	pwq = ww_load_acquire(&wq->by_slot)[slot_for(cpu)]; /* pairs: WORK-10 */
	last = ww_where_worker(ww_load_relaxed(ww_work_where(work)));
	if (last && ww_unlikely(ww_load_relaxed(&last->pool) != pwq->pool))
		pwq = where_it_runs(wq, work, last, pwq);
	data = ww_load_relaxed(ww_work_data(work));
	while (ww_unlikely(ww_data_tag(data) != pwq->pool->tag))
		if (ww_cmpxchg(ww_work_data(work), &data,
			       (data & ~WORK_POOL_MASK) |
				       ((uint64_t)pwq->pool->tag << WORK_POOL_SHIFT)))
			break;
	push(pwq, work);
	return true;
}

/* PENDING was taken, and something is not as usual. */
static __attribute__((noinline)) bool queue_unusual(int cpu, struct ww_workqueue *wq,
						    struct ww_work *work, const char *call)
{
	if ((ww_load_relaxed(ww_work_data(work)) & WORK_CHECKED) != WW_WORK_MAGIC_)
		return ww_work_may_not_queue(work, false, call);
	return ww_queue_owned(cpu, wq, work);
}

static __attribute__((noinline)) bool pending_unusual(struct ww_work *work, const char *call)
{
	return ww_work_may_not_queue(work, true, call);
}

/*
 * ww_work_take() and ww_queue_owned() in one, for an item that was last queued on this pool: short,
 * so that many of them are under way in a CPU at once (see push.h).
 */
static inline bool queue_usual(int cpu, int slot, struct ww_workqueue *wq, struct ww_work *work,
			       const char *call)
{
	struct ww_pwq *pwq;
	uint64_t data, where;

	if (ww_fetch_or(ww_work_data(work), WORK_PENDING) & WORK_PENDING) { /* pairs: WORK-8 */
		data = ww_load_relaxed(ww_work_data(work));
		if (ww_unlikely((data & WORK_CHECKED) != WW_WORK_MAGIC_))
			return pending_unusual(work, call);
		return false;
	}
	if (slot < 0)
		slot = (int)slot_for(cpu);
	pwq = ww_load_acquire(&wq->by_slot)[slot]; /* pairs: WORK-10 */
	data = ww_load_relaxed(ww_work_data(work));
	where = ww_load_relaxed(ww_work_where(work));
	if (ww_unlikely((data & WORK_USUAL_MASK) != pwq->usual || !(where & 1) ||
			ww_load_relaxed(&ww_where_worker(where)->pool) != pwq->pool ||
			ww_load_relaxed(&wq->state)))
		return queue_unusual(cpu, wq, work, call);
	push(pwq, work);
	return true;
}

static bool bad_cpu(int cpu, const char *call)
{
	if (ww_likely(cpu >= WW_WORK_CPU_UNBOUND && cpu < ww_cpu_possible()))
		return false;
	ww_misuse(call, "there is no CPU %d here (0 to %d); it runs on any", cpu,
		  ww_cpu_possible() - 1);
	return true;
}

WW_EXPORT bool ww_queue_work(struct ww_workqueue *wq, struct ww_work *work)
{
	return queue_usual(WW_WORK_CPU_UNBOUND, -1, wq, work, "ww_queue_work");
}

WW_EXPORT bool ww_queue_work_on(int cpu, struct ww_workqueue *wq, struct ww_work *work)
{
	int slot = ww_cpu_slot_known(cpu);

	if (ww_unlikely(slot < 0) && bad_cpu(cpu, "ww_queue_work_on"))
		cpu = WW_WORK_CPU_UNBOUND;
	return queue_usual(cpu, slot, wq, work, "ww_queue_work_on");
}

WW_EXPORT bool ww_queue_work_node(int node, struct ww_workqueue *wq, struct ww_work *work)
{
	int cpu = WW_WORK_CPU_UNBOUND;

	if (!(wq->flags & WW_WQ_UNBOUND))
		ww_misuse("ww_queue_work_node", "the queue \"%s\" is not unbound", wq->name);
	for (int slot = 0; node >= 0 && slot < ww_cpu_slots() && cpu < 0; slot++)
		if (ww_cpu_node(ww_cpu_of_slot(slot)) == node)
			cpu = ww_cpu_of_slot(slot);
	return ww_work_take(work, "ww_queue_work_node") && ww_queue_owned(cpu, wq, work);
}

/* ---- asking ---- */

WW_EXPORT bool ww_work_pending(const struct ww_work *work)
{
	return ww_load_acquire(ww_work_data((struct ww_work *)(uintptr_t)work)) & WORK_PENDING;
}

WW_EXPORT unsigned ww_work_busy(struct ww_work *work)
{
	uint64_t data = ww_load_acquire(ww_work_data(work));
	struct ww_pool *pool = ww_data_pool(data);
	unsigned busy = data & WORK_PENDING ? WW_WORK_BUSY_PENDING : 0;

	if (pool) {
		ww_pool_lock(pool);
		if (ww_pool_running_l(pool, work))
			busy |= WW_WORK_BUSY_RUNNING;
		ww_pool_unlock(pool);
	}
	return busy;
}

WW_EXPORT struct ww_work *ww_current_work(void)
{
	struct ww_pworker *w = ww_self_worker;

	return w && w->current_pwq ? ww_load_relaxed(&w->current) : NULL;
}

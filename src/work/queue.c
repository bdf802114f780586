/* SPDX-License-Identifier: MIT */
/* Workqueues: making them, their limits, and their end. */
#include "work/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/thread.h"

#define MAX_ACTIVE     2048
#define DEFAULT_ACTIVE 1024
#define DEFAULT_MIN    8
#define NICE_HIGHPRI   (-20)

struct ww_lock ww_wq_lock;
struct ww_list ww_all_wqs = WW_LIST_INIT(ww_all_wqs);
bool ww_work_virtual;

static int clamp_active(const char *what, int v, int low, int high, const char *name)
{
	int c = v < low ? low : v > high ? high : v;

	if (c != v)
		ww_warn("%s %d of the queue \"%s\" is out of range, %d to %d: %d is used", what, v,
			name, low, high, c);
	return c;
}

/* ---- pools for it ---- */

/* G. */
static void pwq_init(struct ww_pwq *pwq, struct ww_workqueue *wq, struct ww_pool *pool, int max)
{
	pwq->wq = wq;
	pwq->pool = pool;
	pwq->max_active = max;
	pwq->usual = WW_WORK_MAGIC_ | (uint64_t)pool->tag << WORK_POOL_SHIFT;
	pwq->intensive_items = wq->flags & WW_WQ_CPU_INTENSIVE;
	ww_items_init(&pwq->inactive);
	ww_list_init(&pwq->flushers);
	ww_pool_lock(pool);
	ww_list_add_tail(&pwq->node, &pool->pwqs);
	pwq->frozen = ww_wq_begins_frozen(wq);
	ww_pwq_urgent_l(pwq);
	ww_pool_unlock(pool);
}

/* G. */
static void pwq_leave(struct ww_pwq *pwq)
{
	struct ww_list *l;

	ww_pool_lock(pwq->pool);
	ww_list_del(&pwq->node);
	ww_pwq_set_urgent_l(pwq, false);
	ww_list_for_each (l, &pwq->pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		if (w->last_pwq == pwq)
			w->last_pwq = NULL;
	}
	ww_pool_unlock(pwq->pool);
	ww_pool_put(pwq->pool);
}

static void *pwq_memory(unsigned n, struct ww_pwq **first)
{
	char *mem = ww_alloc(n * sizeof(struct ww_pwq) + PWQ_ALIGN);

	if (mem)
		*first = (struct ww_pwq *)(void *)(((uintptr_t)mem + PWQ_ALIGN - 1) &
						   ~(uintptr_t)(PWQ_ALIGN - 1));
	return mem;
}

/* The pool of one slot for this queue. G. */
static struct ww_pool *pool_for(struct ww_workqueue *wq, unsigned slot,
				const struct ww_wq_layout *lay)
{
	int nice = wq->flags & WW_WQ_HIGHPRI ? NICE_HIGHPRI : 0;

	if (!(wq->flags & WW_WQ_UNBOUND))
		return ww_pool_get(ww_cpu_of_slot((int)slot), nice, false, NULL, 1);
	return ww_pool_get(-1, lay->nice, true, lay->mask[lay->unit[slot]],
			   lay->workers[lay->unit[slot]]);
}

static unsigned node_of_slot(unsigned slot)
{
	return (unsigned)ww_cpu_node(ww_cpu_of_slot((int)slot));
}

/* Whether the layout keeps the machine's nodes apart: each then has a share of its own. */
static bool several_nodes(const struct ww_wq_layout *lay)
{
	bool several = false;

	for (int s = 1; s < ww_cpu_slots() && lay->units > 1; s++)
		several |= node_of_slot((unsigned)s) != node_of_slot(0);
	return several;
}

static void publish(struct ww_workqueue *wq, struct ww_pwq **all, unsigned n, struct ww_pwq **table,
		    void *mem)
{
	if (n == wq->npwq) {
		ww_free(mem);
		ww_free(all);
	} else {
		ww_garbage_add(wq, mem);
		ww_garbage_add(wq, wq->pwqs);
		ww_store_release(&wq->pwqs, all);
		ww_store_release(&wq->npwq, n);
	}
	ww_garbage_add(wq, wq->by_slot);
	ww_store_release(&wq->by_slot, table); /* pairs: WORK-10 */
}

/* The one that the queue has there already, from attributes that it had before. */
static struct ww_pwq *pwq_there(struct ww_workqueue *wq, const struct ww_pool *pool,
				const int *node_active)
{
	for (unsigned i = 0; i < wq->npwq; i++)
		if (wq->pwqs[i]->pool == pool && wq->pwqs[i]->node_active == node_active)
			return wq->pwqs[i];
	return NULL;
}

/* What a unit of a layout comes to: a new pwq where of is NULL. */
struct unit {
	struct ww_pool *pool;
	struct ww_pwq *of;
	int *node_active;
};

/* Each unit's pool, with a reference for those that are new to the queue; how many, or -errno. G. */
static int get_pools(struct ww_workqueue *wq, const struct ww_wq_layout *lay, struct unit *unit)
{
	bool nodes = several_nodes(lay);
	int fresh = 0;

	for (unsigned u = 0; u < lay->units; u++) {
		struct unit *at = &unit[u];
		unsigned slot = 0;

		while (lay->unit[slot] != u)
			slot++;
		at->pool = pool_for(wq, slot, lay);
		if (!at->pool) {
			int err = errno;

			while (u-- > 0)
				if (!unit[u].of)
					ww_pool_put(unit[u].pool);
			return -err;
		}
		at->node_active = nodes ? &wq->node_active[node_of_slot(slot) % NODES] : NULL;
		at->of = pwq_there(wq, at->pool, at->node_active);
		if (at->of)
			ww_pool_put(at->pool); /* it has a reference */
		else
			fresh++;
	}
	return fresh;
}

/*
 * Make the pwqs of a layout: one for each unit, and the table from slots to them. They are added
 * to what the queue has, and what it has is used again. 0 or -errno, nothing changed. Q and G.
 */
int ww_wq_lay_out(struct ww_workqueue *wq, const struct ww_wq_layout *lay, bool shared)
{
	unsigned slots = (unsigned)ww_cpu_slots(), n = wq->npwq;
	struct ww_pwq **all, **table = ww_alloc(slots * sizeof(*table)), *next = NULL;
	struct unit *unit = ww_alloc(lay->units * sizeof(*unit));
	int fresh = table && unit ? get_pools(wq, lay, unit) : -ENOMEM;
	void *mem;

	if (fresh < 0) {
		ww_free(table);
		ww_free(unit);
		return fresh;
	}
	all = ww_alloc((n + (unsigned)fresh) * sizeof(*all));
	mem = pwq_memory((unsigned)fresh, &next);
	if (!all || !mem) {
		for (unsigned u = 0; u < lay->units; u++)
			if (!unit[u].of)
				ww_pool_put(unit[u].pool);
		ww_free(table);
		ww_free(unit);
		ww_free(all);
		ww_free(mem);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		all[i] = wq->pwqs[i];
	for (unsigned u = 0; u < lay->units; u++) {
		if (unit[u].of)
			continue;
		unit[u].of = all[n++] = next++;
		unit[u].of->shared = shared;
		unit[u].of->node_active = unit[u].node_active;
		pwq_init(unit[u].of, wq, unit[u].pool, wq->max_active);
	}
	for (unsigned s = 0; s < slots; s++)
		table[s] = unit[lay->unit[s]].of;
	ww_free(unit);
	publish(wq, all, n, table, mem);
	return 0;
}

/* ---- making ---- */

#define KNOWN_FLAGS                                                                                \
	(WW_WQ_UNBOUND | WW_WQ_FREEZABLE | WW_WQ_MEM_RECLAIM | WW_WQ_HIGHPRI |                     \
	 WW_WQ_CPU_INTENSIVE | WW_WQ_POWER_EFFICIENT | WW_WQ_PERCPU)

static int check_flags(unsigned flags)
{
	if (flags & (WW_WQ_BH | WW_WQ_SYSFS))
		return -EOPNOTSUPP; /* no soft interrupts and no sysfs in user space */
	if (flags & ~KNOWN_FLAGS)
		return -EINVAL;
	if ((flags & WW_WQ_UNBOUND) && (flags & WW_WQ_PERCPU))
		return -EINVAL;
	return 0;
}

static struct ww_workqueue *wq_new(const char *name, unsigned flags)
{
	struct ww_workqueue *wq = ww_alloc_lines(sizeof(*wq));

	if (!wq)
		return NULL;
	if (strlen(name) >= WQ_NAME_LEN) {
		static uint32_t told;

		if (!ww_xchg(&told, 1u))
			ww_warn("the queue name \"%s\" is cut to %d bytes", name, WQ_NAME_LEN - 1);
	}
	snprintf(wq->name, sizeof(wq->name), "%s", name);
	wq->flags = flags;
	ww_list_init(&wq->node);
	return wq;
}

static struct ww_workqueue *make(const char *name, unsigned flags, int max_active, bool ordered)
{
	struct ww_wq_layout lay = {0};
	struct ww_workqueue *wq;
	int err;

	wq = wq_new(name, flags);
	if (!wq)
		return NULL;
	wq->ordered = ordered;
	wq->max_active = max_active
				 ? clamp_active("max_active", max_active, 1, MAX_ACTIVE, wq->name)
				 : DEFAULT_ACTIVE;
	wq->min_active = wq->max_active < DEFAULT_MIN ? wq->max_active : DEFAULT_MIN;
	wq->shared_max = wq->max_active;
	wq->shared_min = wq->min_active;
	err = ww_work_start();
	if (!err)
		err = ww_wq_default_layout(wq, &lay);
	ww_lock(&ww_wq_lock);
	if (!err)
		err = ww_wq_lay_out(wq, &lay, (flags & WW_WQ_UNBOUND) && lay.units > 1);
	if (!err && (flags & WW_WQ_MEM_RECLAIM))
		err = ww_rescuer_start(wq);
	if (!err)
		ww_list_add_tail(&wq->node, &ww_all_wqs);
	ww_unlock(&ww_wq_lock);
	ww_layout_free(&lay);
	if (err) {
		ww_wq_free(wq);
		errno = -err;
		return NULL;
	}
	return wq;
}

WW_EXPORT struct ww_workqueue *ww_alloc_workqueue(const char *name, unsigned flags, int max_active)
{
	int err = check_flags(flags);

	if (err) {
		errno = -err;
		return NULL;
	}
	if ((flags & WW_WQ_POWER_EFFICIENT) && ww_load_relaxed(&ww_param_power_efficient) &&
	    !(flags & WW_WQ_PERCPU))
		flags |= WW_WQ_UNBOUND;
	return make(name, flags, max_active, false);
}

WW_EXPORT struct ww_workqueue *ww_alloc_ordered_workqueue(const char *name, unsigned flags)
{
	int err = check_flags(flags);

	if (!err && (flags & (WW_WQ_PERCPU | WW_WQ_CPU_INTENSIVE)))
		err = -EINVAL;
	if (err) {
		errno = -err;
		return NULL;
	}
	return make(name, flags | WW_WQ_UNBOUND, 1, true);
}

/* ---- limits ---- */

static void set_limits_l(struct ww_workqueue *wq)
{
	ww_store_seq_cst(&wq->shared_max, wq->max_active);
	ww_store_seq_cst(&wq->shared_min, wq->min_active);
	for (unsigned i = 0; i < wq->npwq; i++) {
		struct ww_pwq *pwq = wq->pwqs[i];

		ww_pool_lock(pwq->pool);
		pwq->max_active = wq->max_active;
		ww_pwq_activate_l(pwq);
		ww_pool_kick_l(pwq->pool);
		ww_pool_unlock(pwq->pool);
	}
}

WW_EXPORT void ww_workqueue_set_max_active(struct ww_workqueue *wq, int max_active)
{
	if (wq->ordered) {
		ww_misuse("ww_workqueue_set_max_active",
			  "the queue \"%s\" is ordered: one at a time", wq->name);
		return;
	}
	ww_lock(&wq->mutex);
	wq->max_active = clamp_active("max_active", max_active, 1, MAX_ACTIVE, wq->name);
	if (wq->min_active > wq->max_active)
		wq->min_active = wq->max_active;
	set_limits_l(wq);
	ww_unlock(&wq->mutex);
}

WW_EXPORT void ww_workqueue_set_min_active(struct ww_workqueue *wq, int min_active)
{
	if (wq->ordered || !(wq->flags & WW_WQ_UNBOUND)) {
		ww_misuse("ww_workqueue_set_min_active", "the queue \"%s\" is %s", wq->name,
			  wq->ordered ? "ordered" : "not unbound");
		return;
	}
	ww_lock(&wq->mutex);
	wq->min_active = clamp_active("min_active", min_active, 0, wq->max_active, wq->name);
	set_limits_l(wq);
	ww_unlock(&wq->mutex);
}

/* ---- the end ---- */

struct garbage {
	struct garbage *next;
	void *p;
};

/* What readers may still look at without a lock is freed with the queue. */
void ww_garbage_add(struct ww_workqueue *wq, void *p)
{
	struct garbage *g = p ? ww_alloc(sizeof(*g)) : NULL;

	if (!g)
		return; /* without memory for the note it is leaked, not freed too early */
	g->p = p;
	g->next = wq->garbage;
	wq->garbage = g;
}

void ww_wq_free(struct ww_workqueue *wq)
{
	struct garbage *g, *next;

	while (ww_load_acquire(&wq->feeders))
		ww_os_yield();
	ww_lock(&ww_wq_lock);
	for (unsigned i = 0; i < wq->npwq; i++)
		pwq_leave(wq->pwqs[i]);
	ww_list_del(&wq->node);
	ww_unlock(&ww_wq_lock);
	for (g = wq->garbage; g; g = next) {
		next = g->next;
		ww_free(g->p);
		ww_free(g);
	}
	ww_free(wq->pwqs);
	ww_free(wq->by_slot);
	ww_free(wq);
}

WW_EXPORT void ww_destroy_workqueue(struct ww_workqueue *wq)
{
	struct ww_pworker *w = ww_self_worker;

	if (!wq)
		return;
	if (wq->system) {
		ww_misuse("ww_destroy_workqueue", "the queue \"%s\" is the library's own; it stays",
			  wq->name);
		return;
	}
	if (w && w->current_pwq && w->current_pwq->wq == wq) {
		ww_misuse("ww_destroy_workqueue", "%s runs on the queue \"%s\"; it stays",
			  ww_symbol_fn(ww_load_relaxed(&w->current_func)), wq->name);
		return;
	}
	if (ww_load_relaxed(&wq->rcu_used))
		ww_rcu_barrier();
	if (ww_fetch_or(&wq->state, WQ_DRAINING | WQ_DESTROYING) & WQ_DESTROYING) {
		ww_misuse("ww_destroy_workqueue", "the queue \"%s\" is being destroyed already",
			  wq->name);
		return;
	}
	if (ww_load_seq_cst(&wq->flushers))
		ww_misuse("ww_destroy_workqueue",
			  "others still flush or drain the queue \"%s\"; waiting for them",
			  wq->name);
	ww_wait_enter();
	if (ww_load_relaxed(&wq->rcu_used))
		ww_rcu_barrier();
	ww_delayed_cancel_all(wq);
	ww_drain_all(wq);
	/* Items that ran meanwhile may have armed themselves again. */
	ww_delayed_cancel_all(wq);
	while (ww_load_seq_cst(&wq->flushers))
		ww_clock_sleep_until(ww_clock_os_ns() + 1000000);
	ww_rescuer_stop(wq);
	ww_wait_leave();
	ww_wq_free(wq);
}

bool ww_wqs_hold_l(struct ww_pool *pool, struct ww_work *work)
{
	/* The lock order forbids G here; a queue can't go away while the caller's item is on it. */
	struct item_link *it;
	struct ww_list *l;

	ww_list_for_each (l, &pool->pwqs) {
		struct ww_pwq *pwq = ww_list_entry(l, struct ww_pwq, node);

		for (it = pwq->inactive.next; it != &pwq->inactive; it = it->next)
			if (ww_link_work(it) == work)
				return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
/* Pools: the inbox, admission under max_active, licences to run, and the wake-up of sleepers. */
#include "work/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/probe.h"
#include "base/report.h"
#include "base/thread.h"
#include "work/push.h"

struct ww_pool *ww_pools[POOLS_MAX];
unsigned ww_nr_pools = 1;

struct ww_pool *ww_pool_of(unsigned id)
{
	return id < POOLS_MAX ? ww_load_acquire(&ww_pools[id]) : NULL; /* pairs: WORK-1 */
}

/*
 * An item keeps the tag of its last pool. What was queued in the parent of a fork is on no list of the
 * child's, and nothing can be done with it there: other tags tell the child so, without a look at
 * each item, which may lie in memory that is not the child's.
 */
struct ww_pool *ww_data_pool(uint64_t data)
{
	unsigned tag = ww_data_tag(data);

	return tag / POOLS_MAX == ww_work_forks % POOL_FORKS ? ww_pool_of(tag % POOLS_MAX) : NULL;
}

void ww_pool_new_tag(struct ww_pool *pool)
{
	struct ww_list *l;

	pool->tag = pool->id + ww_work_forks % POOL_FORKS * POOLS_MAX;
	ww_list_for_each (l, &pool->pwqs)
		ww_list_entry(l, struct ww_pwq, node)->usual =
			WW_WORK_MAGIC_ | (uint64_t)pool->tag << WORK_POOL_SHIFT;
}

/* ---- the inbox: an exchange queue without a stub ---- */

static bool wake_one(struct ww_pool *pool)
{
	uint64_t look = ww_load_seq_cst(&pool->look), seat;
	struct ww_pworker *w;

	do {
		seat = look & LOOK_SEATS & -look;
		if (!seat)
			return false;
	} while (!ww_cmpxchg(&pool->look, &look, look & ~seat)); /* pairs: WORK-3 */
	w = ww_load_relaxed(&pool->seat[__builtin_ctzll(seat)]);
	ww_store_release(&w->wake, 1u); /* pairs: WORK-7 */
	ww_futex_wake(&w->wake, 1);
	return true;
}

static inline void prefetch_ahead_l(struct ww_pool *pool)
{
	uint64_t at = pool->hint_pos++ + HINT_AHEAD;

	if (at >= pool->hint_known || pool->hint_known - at > pool->ring->mask)
		return;
	if (!(at % HINTS_LINE))
		__builtin_prefetch(&pool->ring->at[(at + 2 * HINTS_LINE) & pool->ring->mask]);
	ww_prefetch_to_write(ww_load_relaxed(&pool->ring->at[at & pool->ring->mask]));
}

/* About how many items stand in the inbox; no lock. */
uint64_t ww_pool_backlog(const struct ww_pool *pool)
{
	uint64_t n = ww_load_relaxed(&pool->hints) - ww_load_relaxed(&pool->hint_pos);

	return n >> 63 ? 0 : n;
}

/* The old ring stays, because pushers may be about to write to it; the sizes add up to two. */
static __attribute__((noinline)) void grow_ring_l(struct ww_pool *pool)
{
	uint64_t size = (pool->ring->mask + 1) * 8;
	struct hint_ring *ring = ww_alloc_lines(sizeof(*ring) + size * sizeof(ring->at[0]));

	if (!ring)
		return;
	ring->mask = size - 1;
	ring->older = pool->ring;
	ww_store_release(&pool->ring, ring); /* pairs: WORK-16 */
}

/* A new chain: what was hinted at until now is in it, more or less. */
static inline void new_chain_l(struct ww_pool *pool)
{
	uint64_t depth;

	pool->hint_known = ww_load_relaxed(&pool->hints);
	depth = pool->hint_known - pool->hint_pos;
	if (ww_unlikely(depth > pool->ring->mask && pool->ring->mask < HINTS_MAX - 1))
		grow_ring_l(pool);
}

/*
 * Somebody sleeps who may run it; else more workers may be due, and the manager must look whether
 * those that there are are blocked.
 */
void ww_push_look(struct ww_pool *pool)
{
	if (wake_one(pool))
		return;
	if (ww_load_relaxed(&pool->look) & LOOK_SHORTAGE) {
		ww_pool_lock(pool);
		ww_pool_kick_l(pool);
		ww_pool_unlock(pool);
	}
	if (!ww_pool_armed(pool))
		ww_pool_arm(pool);
}

/*
 * Debug builds: what is queued must look like it. Its links can't be trusted otherwise, so there is
 * no going on.
 */
static inline void check_queued(struct ww_pool *pool, struct ww_work *work)
{
#ifndef NDEBUG
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	if (ww_likely((!data && (*ww_work_queue(work) & PWQ_MARKER)) ||
		      ((data & WORK_MAGIC_MASK) == WW_WORK_MAGIC_ && (data & WORK_PENDING))))
		return;
	ww_misuse("ww_queue_work",
		  "the item %p was freed or overwritten while it was queued on "
		  "pool %u",
		  (void *)work, pool->id);
	abort();
#else
	(void)pool;
	(void)work;
#endif
}

/*
 * The next item of the inbox, or NULL where it is empty or a pusher is between its exchange and its
 * link. A link is followed before its item is given away, so a pusher's predecessor still exists.
 */
struct ww_work *ww_inbox_pop_l(struct ww_pool *pool)
{
	struct ww_work *item = pool->chain, *next;

	if (!item) {
		item = ww_load_acquire(&pool->head); /* pairs: WORK-2 */
		if (!item)
			return NULL;
		ww_store_relaxed(&pool->head, NULL);
		pool->chain_last = ww_xchg(&pool->tail, NULL); /* pairs: WORK-2 */
		new_chain_l(pool);
	}
	check_queued(pool, item);
	if (item == pool->chain_last) {
		pool->hint_pos++;
		pool->chain = NULL;
		return item;
	}
	next = ww_load_acquire(ww_work_next(item)); /* pairs: WORK-2 */
	if (!next) {
		pool->chain = item;
		return NULL;
	}
	prefetch_ahead_l(pool);
	pool->chain = next;
	return item;
}

/* Whether something was pushed that a pop can't give yet, or was not asked for. */
bool ww_inbox_gap_l(const struct ww_pool *pool)
{
	return pool->chain || ww_load_seq_cst(&pool->tail); /* pairs: WORK-3 */
}

/* Whether work stands on a list or in a slot of this pool; nothing of the item is read. */
bool ww_pool_holds_l(struct ww_pool *pool, struct ww_work *work)
{
	struct item_link *it;
	struct ww_list *l;

	for (it = pool->list.next; it != &pool->list; it = it->next)
		if (ww_link_work(it) == work)
			return true;
	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		for (unsigned i = 0; i < w->n; i++)
			if (ww_load_relaxed(&w->slot[i]) == work)
				return true;
		for (it = w->own.next; it != &w->own; it = it->next)
			if (ww_link_work(it) == work)
				return true;
	}
	return ww_wqs_hold_l(pool, work);
}

/* ---- admission ---- */

static bool count_up_to(int *count, const int *max)
{
	int n = ww_load_seq_cst(count); /* pairs: WORK-9 */

	do {
		if (n >= ww_load_relaxed(max))
			return false;
	} while (!ww_cmpxchg(count, &n, n + 1));
	return true;
}

/* One of the queue's; where others have them all, of the least that each node may always have. */
static bool take_shared_room(struct ww_pwq *pwq)
{
	struct ww_workqueue *wq = pwq->wq;

	if (count_up_to(&wq->shared_active, &wq->shared_max)) {
		if (pwq->node_active)
			ww_fetch_add(pwq->node_active, 1);
		return true;
	}
	if (!pwq->node_active || !count_up_to(pwq->node_active, &wq->shared_min))
		return false;
	ww_fetch_add(&wq->shared_active, 1);
	return true;
}

static void set_starved_l(struct ww_pwq *pwq, bool starved)
{
	if (pwq->starved == starved)
		return;
	pwq->starved = starved;
	if (starved)
		ww_fetch_add(&pwq->wq->starved, 1); /* pairs: WORK-9 */
	else
		ww_fetch_sub(&pwq->wq->starved, 1);
}

static bool take_room_l(struct ww_pwq *pwq)
{
	if (pwq->frozen || pwq->nr_active >= pwq->max_active)
		return false;
	if (pwq->shared && !take_shared_room(pwq)) {
		/* Say that we starve, then look again: whoever gives room looks after giving. */
		set_starved_l(pwq, true);
		if (!take_shared_room(pwq))
			return false;
	}
	pwq->nr_active++;
	return true;
}

static void give_room_l(struct ww_pwq *pwq, unsigned n)
{
	struct ww_workqueue *wq = pwq->wq;

	pwq->nr_active -= (int)n;
	if (!pwq->shared)
		return;
	ww_fetch_sub(&wq->shared_active, (int)n);
	if (pwq->node_active)
		ww_fetch_sub(pwq->node_active, (int)n);
	if (ww_load_seq_cst(&wq->starved) && !ww_xchg(&wq->feed_queued, 1u)) { /* pairs: WORK-9 */
		ww_fetch_add(&wq->feeders, 1);
		wq->feed_next = pwq->pool->feed;
		pwq->pool->feed = wq;
	}
}

/*
 * Workers are told by their pool, since after an item they may not look at its pwq any more: with
 * the last item settled, by whomever, the queue can be gone.
 */
void ww_pwq_set_urgent_l(struct ww_pwq *pwq, bool on)
{
	struct ww_pool *pool = pwq->pool;
	uintptr_t what = URGENT_SOME;

	if (on == pwq->urgent)
		return;
	pwq->urgent = on;
	pool->nr_urgent += on ? 1u : -1u;
	if (!pool->nr_urgent)
		what = 0;
	else if (on && pool->nr_urgent == 1)
		what = (uintptr_t)pwq;
	(void)ww_xchg(&pool->urgent, what); /* pairs: WORK-6 */
}

void ww_pwq_urgent_l(struct ww_pwq *pwq)
{
	bool on = !ww_items_empty(&pwq->inactive) || !ww_list_empty(&pwq->flushers) || pwq->frozen;

	ww_pwq_set_urgent_l(pwq, on);
}

/* Move inactive items to the pool's list while there is room for them. */
void ww_pwq_activate_l(struct ww_pwq *pwq)
{
	while (!ww_items_empty(&pwq->inactive) && take_room_l(pwq)) {
		struct item_link *l = pwq->inactive.next;

		check_queued(pwq->pool, ww_link_work(l));
		ww_items_del(l);
		*ww_work_queue(ww_link_work(l)) &= ~PWQ_INACTIVE;
		WW_PROBE2(workqueue_activate_work, ww_link_work(l), ww_link_work(l)->func);
		ww_items_add_tail(l, &pwq->pool->list);
	}
	if (ww_items_empty(&pwq->inactive)) {
		set_starved_l(pwq, false);
		ww_pwq_urgent_l(pwq);
	}
}

/* n admitted items with the same tag are over: they ran, or were cancelled while they waited. */
void ww_pwq_over_l(uint64_t tagged, unsigned n, bool ran)
{
	struct ww_pwq *pwq = ww_tagged_pwq(tagged);
	unsigned colour = (unsigned)(tagged & PWQ_COLOUR);

	if (ran)
		pwq->completed += n;
	else
		pwq->cancelled += n;
	if (!(tagged & PWQ_INACTIVE))
		give_room_l(pwq, n);
	ww_freeze_progress_l(pwq);
	if ((pwq->in_flight[colour] -= n) == 0)
		ww_flush_colour_over_l(pwq, colour);
	if (!ww_items_empty(&pwq->inactive))
		ww_pwq_activate_l(pwq);
	else if (ww_unlikely(pwq->urgent))
		ww_pwq_urgent_l(pwq);
}

bool ww_pwq_idle_l(const struct ww_pwq *pwq)
{
	for (unsigned c = 0; c < COLOURS; c++)
		if (pwq->in_flight[c])
			return false;
	return true;
}

/*
 * The queue of what a worker shows as its current pwq, which may be that of an item which is over:
 * with the last one settled its queue can be gone. NULL then; found by comparing, not followed.
 */
const struct ww_workqueue *ww_pool_queue_l(struct ww_pool *pool, const struct ww_pwq *pwq)
{
	struct ww_list *l;

	ww_list_for_each (l, &pool->pwqs)
		if (ww_list_entry(l, struct ww_pwq, node) == pwq)
			return pwq->wq;
	return NULL;
}

/*
 * What just left the inbox: counted, coloured, and checked against a run of the same item that is
 * not over. True: it may go to a slot now; else it was put away.
 */
static bool admit_l(struct ww_pool *pool, struct ww_work *work)
{
	uint64_t queue = *ww_work_queue(work), where;
	struct ww_pwq *pwq = ww_tagged_pwq(queue);
	struct ww_pworker *last;

	if (ww_unlikely(queue & PWQ_MARKER)) {
		ww_flush_marker_l(pool, work, pwq);
		return false;
	}
	where = ww_load_relaxed(ww_work_where(work));
	last = ww_where_worker(where);
	queue = (uint64_t)(uintptr_t)pwq | pwq->colour;
	pwq->admitted++;
	pwq->in_flight[pwq->colour]++;
	if (ww_unlikely(last && ww_load_acquire(&last->current) == work)) { /* pairs: WORK-5 */
		ww_work_fn fn = ww_load_relaxed(&last->current_func);

		if (!fn || fn == work->func)
			queue |= PWQ_COLLIDE;
	}
	if (ww_unlikely(!ww_items_empty(&pwq->inactive) || !take_room_l(pwq))) {
		*ww_work_queue(work) = queue | PWQ_INACTIVE;
		ww_items_add_tail(ww_work_link(work), &pwq->inactive);
		if (!pwq->urgent) {
			/* Workers settle in batches; what is over already may have made room. */
			ww_pwq_urgent_l(pwq);
			ww_pool_settle_all_l(pool);
		}
		return false;
	}
	*ww_work_queue(work) = queue;
	WW_PROBE2(workqueue_activate_work, work, work->func);
	return true;
}

/* Move at most max items from the inbox to the lists; returns how many. */
unsigned ww_pool_drain_l(struct ww_pool *pool, unsigned max)
{
	unsigned n = 0;

	for (struct ww_work *work; n < max && (work = ww_inbox_pop_l(pool)); n++)
		if (admit_l(pool, work))
			ww_items_add_tail(ww_work_link(work), &pool->list);
	return n;
}

/* ---- a worker's batch ---- */

/* Who runs an item that collided: a worker of this pool, or, remembered in MOVED, of another. */
struct ww_pworker *ww_pool_runner_l(struct ww_pool *pool, struct ww_work *work)
{
	struct ww_pworker *w = ww_pool_running_l(pool, work);
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	if (!w)
		while (!(data & WORK_MOVED) &&
		       !ww_cmpxchg(ww_work_data(work), &data, data | WORK_MOVED))
			;
	return w;
}

static void to_slot_l(struct ww_pworker *w, struct ww_work *work)
{
	unsigned i = w->n++;

	w->slot_pwq[i] = *ww_work_queue(work);
	ww_store_relaxed(ww_work_where(work), (uint64_t)(uintptr_t)w | 1);
	ww_store_release(&w->slot[i], work); /* pairs: WORK-4 */
}

/* One item for w, which is admitted and on no list. A running one waits for its own worker. */
static void give_l(struct ww_pworker *w, struct ww_work *work)
{
	if (ww_unlikely(*ww_work_queue(work) & PWQ_COLLIDE)) {
		struct ww_pworker *runs = ww_pool_runner_l(w->pool, work);

		*ww_work_queue(work) &= ~PWQ_COLLIDE;
		if (runs && runs != w) {
			*ww_work_queue(work) |= PWQ_COLLIDE;
			ww_items_add_tail(ww_work_link(work), &runs->own);
			(void)ww_xchg(&runs->attention, 1u); /* pairs: WORK-6 */
			/* If it ended meanwhile, its worker may not look again before it sleeps. */
			if (ww_load_seq_cst(&runs->current) == work)
				return;
			ww_items_del(ww_work_link(work));
			*ww_work_queue(work) &= ~PWQ_COLLIDE;
		}
	}
	to_slot_l(w, work);
}

static void steal_l(struct ww_pworker *w)
{
	struct ww_list *l;

	ww_list_for_each (l, &w->pool->workers) {
		struct ww_pworker *v = ww_list_entry(l, struct ww_pworker, node);

		if (v == w)
			continue;
		/* The newer half of what waits behind its current item. */
		unsigned left = v->n - ww_load_relaxed(&v->pos), n = (left + 1) / 2;

		for (unsigned i = v->n; n && i-- > 0;) {
			struct ww_work *work = ww_load_relaxed(&v->slot[i]);

			if (!work)
				continue;
			if (!ww_cmpxchg(&v->slot[i], &work, NULL)) /* pairs: WORK-4 */
				break;
			n--;
			ww_items_add(ww_work_link(work), &w->pool->list);
			/* By the item: the slot's word is its worker's. */
			ww_tagged_pwq(*ww_work_queue(work))->moved++;
		}
		if (!ww_items_empty(&w->pool->list))
			return;
	}
}

static bool rescuer_wants(const struct ww_pworker *w, struct ww_work *work)
{
	return ww_tagged_pwq(*ww_work_queue(work))->wq == w->rescues;
}

static void take_list_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;
	struct item_link *l = pool->list.next, *next;

	for (; l != &pool->list && w->n < BATCH; l = next) {
		struct ww_work *work = ww_link_work(l);

		check_queued(pool, work);
		next = l->next;
		if (ww_unlikely(w->rescuer) && !rescuer_wants(w, work))
			continue;
		ww_items_del(l);
		give_l(w, work);
	}
}

/* Fill w's slots; what it had there is over and settled. Returns how many. */
unsigned ww_pworker_take_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;
	struct ww_work *work;

	w->n = w->settled = 0;
	ww_store_relaxed(&w->pos, 0u);
	take_list_l(w);
	if (ww_unlikely(w->rescuer)) {
		while (w->n < BATCH && ww_pool_drain_l(pool, BATCH))
			take_list_l(w);
		return w->n;
	}
	while (w->n < BATCH && (work = ww_inbox_pop_l(pool)))
		if (admit_l(pool, work))
			give_l(w, work);
	/* Admitting may have settled others, and so made room. */
	if (w->n < BATCH && ww_unlikely(!ww_items_empty(&pool->list)))
		take_list_l(w);
	/* Also from a rescuer, which may block in front of what it took. */
	if (!w->n && pool->workers.next->next != &pool->workers) {
		steal_l(w);
		take_list_l(w);
	}
	pool->progress += w->n;
	w->ran += w->n;
	if (w->n)
		w->last_pwq = ww_tagged_pwq(w->slot_pwq[w->n - 1]);
	return w->n;
}

/* ---- licences ---- */

bool ww_pool_waiting_l(struct ww_pool *pool)
{
	struct ww_list *l;

	if (!ww_items_empty(&pool->list) || ww_inbox_gap_l(pool))
		return true;
	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		for (unsigned i = ww_load_relaxed(&w->pos); i < w->n; i++)
			if (ww_load_relaxed(&w->slot[i]))
				return true;
	}
	return false;
}

void ww_pool_shortage_l(struct ww_pool *pool)
{
	bool is = ww_load_relaxed(&pool->look) & LOOK_SHORTAGE;

	if (pool->licensed < pool->target && !is)
		ww_fetch_or(&pool->look, LOOK_SHORTAGE);
	else if (pool->licensed >= pool->target && is)
		ww_fetch_and(&pool->look, ~LOOK_SHORTAGE);
}

/* Wake one of the reserve, who has its licence now, or one that dozes. */
static void rouse_l(struct ww_pworker *w)
{
	ww_list_del(&w->reserve);
	ww_pworker_state_l(w, WORKER_RUN);
	ww_store_release(&w->wake, 1u); /* pairs: WORK-7 */
	ww_futex_wake(&w->wake, 1);
}

/* Items wait: let somebody come who may run them; a sleeper, one of the reserve, a new thread. */
void ww_pool_kick_l(struct ww_pool *pool)
{
	if (!ww_pool_waiting_l(pool))
		return;
	if (wake_one(pool))
		return;
	if (!ww_list_empty(&pool->dozers)) {
		rouse_l(ww_list_first(&pool->dozers, struct ww_pworker, reserve));
		return;
	}
	if (pool->licensed < pool->target) {
		pool->licensed++;
		if (!ww_list_empty(&pool->reserve)) {
			struct ww_pworker *w =
				ww_list_first(&pool->reserve, struct ww_pworker, reserve);

			w->licensed = true;
			rouse_l(w);
		} else {
			ww_store_relaxed(&pool->want, pool->want + 1);
			ww_manager_kick();
		}
		ww_pool_shortage_l(pool);
	}
}

void ww_pool_settle_all_l(struct ww_pool *pool)
{
	struct ww_list *l;

	ww_list_for_each (l, &pool->workers)
		ww_pworker_settle_l(ww_list_entry(l, struct ww_pworker, node));
}

/* Room was given that pwqs of other pools starve for: feed them without holding two locks. */
void ww_pool_unlock_feed(struct ww_pool *pool)
{
	struct ww_workqueue *wq = pool->feed, *next;

	pool->feed = NULL;
	ww_unlock(&pool->lock);
	for (; wq; wq = next) {
		unsigned n = ww_load_acquire(&wq->npwq);

		next = wq->feed_next;
		(void)ww_xchg(&wq->feed_queued, 0u);
		for (unsigned i = 0; i < n; i++) {
			struct ww_pwq *pwq = ww_load_acquire(&wq->pwqs)[i];

			ww_lock(&pwq->pool->lock);
			if (pwq->starved) {
				ww_pwq_activate_l(pwq);
				ww_pool_kick_l(pwq->pool);
			}
			ww_unlock(&pwq->pool->lock);
		}
		ww_fetch_sub(&wq->feeders, 1);
	}
}

/* ---- making and sharing pools (G) ---- */

static bool same(const struct ww_pool *p, int cpu, int nice, bool unbound, const uint64_t *mask,
		 unsigned target)
{
	return p->cpu == cpu && p->nice == nice && p->unbound == unbound && p->target == target &&
	       (!unbound || !memcmp(p->mask, mask, sizeof(p->mask)));
}

static struct ww_pool *pool_new(int cpu, int nice, bool unbound, const uint64_t *mask,
				unsigned target)
{
	struct ww_pool *pool;

	if (ww_nr_pools == POOLS_MAX) {
		errno = ENOSPC;
		return NULL;
	}
	pool = ww_alloc_lines(sizeof(*pool));
	if (!pool)
		return NULL;
	ww_items_init(&pool->list);
	ww_list_init(&pool->workers);
	ww_list_init(&pool->reserve);
	ww_list_init(&pool->dozers);
	ww_list_init(&pool->dead);
	ww_list_init(&pool->pwqs);
	pool->cpu = cpu;
	pool->nice = nice;
	pool->unbound = unbound;
	if (mask)
		memcpy(pool->mask, mask, sizeof(pool->mask));
	pool->target = target;
	pool->look = LOOK_SHORTAGE | LOOK_UNARMED;
	pool->first_hints.mask = HINTS_MIN - 1;
	pool->ring = &pool->first_hints;
	pool->id = ww_nr_pools;
	ww_pool_new_tag(pool);
	ww_store_release(&ww_pools[pool->id], pool); /* pairs: WORK-1 */
	ww_store_release(&ww_nr_pools, pool->id + 1);
	return pool;
}

/* A pool with these attributes, shared with all who ask for the same. G. NULL + errno. */
struct ww_pool *ww_pool_get(int cpu, int nice, bool unbound, const uint64_t *mask, unsigned target)
{
	struct ww_pool *pool = NULL;
	int err = 0;

	for (unsigned i = 1; i < ww_nr_pools && !pool; i++)
		if (same(ww_pools[i], cpu, nice, unbound, mask, target))
			pool = ww_pools[i];
	if (!pool)
		pool = pool_new(cpu, nice, unbound, mask, target);
	if (!pool)
		return NULL;
	ww_pool_lock(pool);
	pool->refs++;
	pool->keep = 1;
	if (!pool->nr_workers && !pool->want) {
		pool->licensed++;
		err = ww_pworker_create(pool);
		if (err)
			pool->licensed--;
		ww_pool_shortage_l(pool);
	}
	ww_pool_unlock(pool);
	if (err) {
		ww_pool_put(pool);
		errno = -err;
		return NULL;
	}
	return pool;
}

/* The last user is gone: its threads leave when they next look, which is now. G. */
void ww_pool_put(struct ww_pool *pool)
{
	struct ww_list *l;

	ww_pool_lock(pool);
	if (--pool->refs == 0) {
		pool->keep = 0;
		while (wake_one(pool))
			;
		ww_list_for_each (l, &pool->reserve) {
			struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, reserve);

			ww_store_release(&w->wake, 2u); /* pairs: WORK-7 */
			ww_futex_wake(&w->wake, 1);
		}
	}
	ww_pool_unlock(pool);
}

/* SPDX-License-Identifier: MIT */
/* Workers: taking, running, settling, sleeping, and leaving when there is nothing to do. */
#include "work/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/probe.h"
#include "base/report.h"
#include "base/thread.h"
#include "thread/thread.h"

#define COME_PAUSES 16 /* see let_some_come() */
/* See may_doze_l(). */
#define BRIEF_NS      50000
#define BRIEF_WAKE_NS 10000
#define BRIEF_ITEM_NS 1000
#define BRIEF_MANY    2
#define DOZE_NS	      250000
#define DOZE_MAX_NS   1000000
#define DOZE_PROGRESS 16   /* items that the others took: they get on */
#define DOZE_BACKLOG  4096 /* more than one of them may be worth it */

__thread struct ww_pworker *ww_self_worker;
static unsigned alive;						 /* A: worker threads that live */
static unsigned nr_ids;						 /* A: names */
static struct ww_list old_rescuers = WW_LIST_INIT(old_rescuers); /* G */

void ww_workers_forget(void)
{
	alive = 0;
}

unsigned ww_workers_alive(void)
{
	return ww_load_relaxed(&alive);
}

/* From each state, those that may follow; a rescuer goes between idle and run as well. */
static const uint8_t may_follow[] = {
	[WORKER_NEW] = 1u << WORKER_NEW | 1u << WORKER_RUN | 1u << WORKER_DEAD | 1u << WORKER_IDLE,
	[WORKER_RUN] = 1u << WORKER_IDLE | 1u << WORKER_RESERVE | 1u << WORKER_DEAD,
	[WORKER_IDLE] = 1u << WORKER_RUN | 1u << WORKER_IDLE,
	[WORKER_RESERVE] = 1u << WORKER_RUN | 1u << WORKER_DEAD,
	[WORKER_DEAD] = 1u << WORKER_NEW,
};

void ww_pworker_state_l(struct ww_pworker *w, enum worker_state to)
{
#ifndef NDEBUG
	if (ww_unlikely(!(may_follow[w->state] >> to & 1))) {
		ww_warn("worker %u goes from state %u to %u", w->id, w->state, (unsigned)to);
		abort();
	}
#else
	(void)may_follow;
#endif
	w->state = (uint8_t)to;
}

/* ---- what is asked of a worker, and of its batch, under the lock ---- */

/* Account for the slots that are over. Anybody who holds the lock may: a batch hides nothing. */
void ww_pworker_settle_l(struct ww_pworker *w)
{
	uint32_t pos = ww_load_acquire(&w->pos); /* pairs: WORK-6 */

	for (uint32_t i = w->settled, end; i < pos; i = end) {
		for (end = i + 1; end < pos && w->slot_pwq[end] == w->slot_pwq[i];)
			end++;
		/* First, for activation may ask everybody to settle. */
		w->settled = end;
		if (!w->slot_pwq[i])
			continue;
		if (ww_unlikely(w->rescuer))
			ww_tagged_pwq(w->slot_pwq[i])->rescued += end - i;
		ww_pwq_over_l(w->slot_pwq[i], end - i, true);
	}
}

/* Put back what has not begun, in order, so that others can have it; counted as moved where they shall. */
void ww_pworker_unbatch_l(struct ww_pworker *w, bool for_others)
{
	for (unsigned i = w->n; i-- > 0;) {
		struct ww_work *work = ww_load_relaxed(&w->slot[i]);

		if (work && ww_cmpxchg(&w->slot[i], &work, NULL)) { /* pairs: WORK-4 */
			ww_items_add(ww_work_link(work), &w->pool->list);
			/* By the item: w may clear the slot's word by now. */
			ww_tagged_pwq(*ww_work_queue(work))->moved += for_others;
		}
	}
}

static void wake_waiters_l(struct ww_pworker *w)
{
	struct ww_list *l, *n;
	bool runs = ww_load_relaxed(&w->current) != NULL;

	ww_list_for_each_safe (l, n, &w->waiters) {
		struct ww_run_waiter *waiter = ww_list_entry(l, struct ww_run_waiter, node);

		if (runs && waiter->seq == w->seq)
			continue;
		ww_list_del(l);
		ww_waiter_wake(waiter);
	}
}

/* The run before the one published now is over: do what was asked for its end. Own thread. */
void ww_pworker_attend_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;

	ww_store_relaxed(&w->attention, 0u);
	ww_pworker_settle_l(w);
	if (!ww_list_empty(&w->waiters)) {
		wake_waiters_l(w);
		if (!ww_list_empty(&w->waiters))
			ww_store_relaxed(&w->attention, 1u);
	}
	if (!ww_items_empty(&w->own)) {
		while (!ww_items_empty(&w->own)) {
			struct item_link *l = w->own.prev;

			ww_items_del(l);
			ww_items_add(l, &pool->list);
		}
		ww_pool_kick_l(pool);
	}
	if (w->blocked && !w->block_nest) {
		w->blocked = false;
		w->licensed = true;
		pool->licensed++;
		ww_pool_shortage_l(pool);
	}
}

/* w's licence goes to another: w blocks, or has become a CPU hog. */
void ww_pworker_block_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;

	if (!w->licensed)
		return;
	w->licensed = false;
	w->blocked = true;
	pool->licensed--;
	(void)ww_xchg(&w->attention, 1u); /* pairs: WORK-6 */
	ww_pworker_settle_l(w);
	ww_pworker_unbatch_l(w, true);
	ww_pool_shortage_l(pool);
	ww_pool_kick_l(pool);
}

/* Which worker of the pool runs work now, if any. */
struct ww_pworker *ww_pool_running_l(struct ww_pool *pool, struct ww_work *work)
{
	struct ww_pworker *maybe = NULL;
	struct ww_list *l;

	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);
		ww_work_fn fn;

		if (ww_load_seq_cst(&w->current) != work) /* pairs: WORK-5 */
			continue;
		fn = ww_load_relaxed(&w->current_func);
		if (fn == work->func)
			return w;
		if (!fn)
			maybe = w; /* before its claim: perhaps it loses it */
	}
	return maybe;
}

/* ---- the run ---- */

static __attribute__((noinline)) void attend(struct ww_pworker *w)
{
	ww_pool_lock(w->pool);
	ww_pworker_attend_l(w);
	ww_pool_kick_l(w->pool);
	ww_pool_unlock(w->pool);
}

/* A queue of CPU_INTENSIVE items: they don't count as running in their CPU's pool. */
static __attribute__((noinline)) void give_up_licence(struct ww_pworker *w)
{
	ww_pool_lock(w->pool);
	if (w->licensed && !w->pool->unbound) {
		ww_pworker_block_l(w);
		w->current_pwq->intensive++;
	}
	ww_pool_unlock(w->pool);
}

static bool clear_pending(struct ww_pworker *w, struct ww_work *work)
{
	uint64_t *data = ww_work_data(work), old = ww_load_relaxed(data);

	do {
		if (ww_unlikely(old & WORK_WAITED))
			return ww_claim_waited(w, work);
	} while (!ww_cmpxchg(data, &old, old & ~WORK_PENDING)); /* pairs: WORK-8 */
	return true;
}

static void run_one(struct ww_pworker *w, unsigned i, struct ww_work *work)
{
	struct ww_pwq *pwq = ww_tagged_pwq(w->slot_pwq[i]);
	ww_work_fn fn;

	ww_store_relaxed(&w->current_pwq, pwq);
	/* A full barrier: what the function reads is no older than PENDING's end. */
	clear_pending(w, work);
	fn = ww_load_relaxed(&work->func);
	ww_store_relaxed(&w->current_func, fn);
	if (ww_unlikely(pwq->intensive_items))
		give_up_licence(w);
	WW_PROBE2(workqueue_execute_start, work, fn);
	fn(work);
	WW_PROBE2(workqueue_execute_end, work, fn);
	if (ww_unlikely(w->block_nest)) {
		ww_misuse("ww_block_enter", "%s returned without its ww_block_leave()",
			  ww_symbol_fn(fn));
		w->block_nest = 0;
		ww_store_relaxed(&w->attention, 1u);
	}
}

/* No item runs here. Between two that run it is left out: the next one is shown at once. */
static inline void show_none(struct ww_pworker *w)
{
	ww_store_relaxed(&w->current_pwq, NULL);
	ww_store_release(&w->current, NULL); /* pairs: WORK-5 */
}

/*
 * The batch, without the lock. Whoever wants something of a run (its end, its worker's licence)
 * says so under the lock and then looks at what is published; we publish, do the next
 * read-modify-write, and then look (WORK-6).
 */
static void run_batch(struct ww_pworker *w)
{
	uintptr_t before = 0, urgent;

	for (unsigned i = 0; i < w->n; i++) {
		struct ww_work *work = ww_load_relaxed(&w->slot[i]);

		if (work) {
			ww_store_relaxed(&w->current_func, NULL);
			ww_store_relaxed(&w->seq, w->seq + 1);
			ww_store_release(&w->current, work);
			work = ww_xchg(&w->slot[i], NULL);	    /* pairs: WORK-4, WORK-6 */
			urgent = ww_load_seq_cst(&w->pool->urgent); /* pairs: WORK-6 */
			if (ww_unlikely(urgent && (urgent == before || urgent == URGENT_SOME)) ||
			    ww_unlikely(ww_load_seq_cst(&w->attention))) /* pairs: WORK-6 */
				attend(w);
		}
		if (ww_likely(work != NULL)) {
			before = (uintptr_t)ww_tagged_pwq(w->slot_pwq[i]);
			run_one(w, i, work);
		} else {
			w->slot_pwq[i] = 0;
			show_none(w);
		}
		ww_store_release(&w->pos, i + 1); /* pairs: WORK-6 */
	}
	show_none(w);
}

/* ---- sleeping ---- */

/* Who sleeps in the first seat is the one that stays, and needs no timer. */
static uint64_t idle_deadline(const struct ww_pool *pool, unsigned seat)
{
	if ((seat == 0 && pool->keep) || pool->nr_workers <= pool->keep)
		return WW_FOREVER;
	return ww_clock_os_ns() + ww_load_relaxed(&ww_param_idle_ms) * 1000000;
}

/* Nobody took us: leave the seat. False: somebody did, and is about to say so. */
static bool stand_up(struct ww_pool *pool, unsigned seat)
{
	return ww_fetch_and(&pool->look, ~(1ull << seat)) >> seat & 1;
}

static void wait_for_word(struct ww_pworker *w)
{
	while (!ww_load_acquire(&w->wake)) /* pairs: WORK-7 */
		ww_futex_wait(&w->wake, 0, WW_FOREVER);
}

/*
 * What ran since the worker woke had a CPU for too long, and the manager, which comes only while
 * items wait, has not seen it. Of several items it was the last one, since the others waited.
 */
static bool is_hog_l(const struct ww_pworker *w, uint64_t spent)
{
	uint64_t limit = ww_load_relaxed(&ww_param_intensive_us) * 1000;

	return w->ran && spent > w->ran * limit && w->last_pwq && !w->rescuer &&
	       !w->pool->unbound && !ww_work_virtual && ww_load_relaxed(&w->current_func) &&
	       !(w->last_pwq->wq->flags & WW_WQ_CPU_INTENSIVE) &&
	       !(w->hog && w->seen_seq == w->seq);
}

/*
 * The CPU time since the last look goes to the queue whose item ran last: exact for a worker that
 * served one queue while it was awake, and read only where it is about to sleep.
 */
static void charge_cpu_l(struct ww_pworker *w)
{
	uint64_t now = ww_clock_thread_cpu_ns();

	uint64_t spent = now - w->cpu_mark;

	if (w->last_pwq)
		w->last_pwq->cpu_ns += spent;
	if (ww_unlikely(is_hog_l(w, spent))) {
		w->hogged = ww_load_relaxed(&w->current_func);
		w->last_pwq->intensive++;
	}
	/* What a sleep and a wake-up cost, and next to nothing for each item. */
	if (spent < BRIEF_NS && spent < BRIEF_WAKE_NS + w->ran * BRIEF_ITEM_NS)
		w->brief += w->brief < UINT8_MAX;
	else
		w->brief = 0;
	w->cpu_mark = now;
	w->ran = 0;
}

/*
 * Of several workers that share a stream of short items, the one that runs dry first would be woken
 * again by the next push, for an item that the others have run before it arrives; and the pusher
 * would pay for that. So a worker for which this was so a few times in a row dozes, as long as
 * another is at work: it is not among those whom a push may wake, and looks by itself, soon, and a
 * little less often as long as the others get on, whether it is needed.
 */
static bool may_doze_l(const struct ww_pworker *w)
{
	struct ww_list *l;

	if (w->brief < BRIEF_MANY || ww_work_virtual)
		return false;
	ww_list_for_each (l, &w->pool->workers) {
		struct ww_pworker *v = ww_list_entry(l, struct ww_pworker, node);

		if (v != w && v->state == WORKER_RUN && v->licensed && !v->rescuer)
			return true;
	}
	return false;
}

static void doze_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;
	uint64_t length = DOZE_NS, seen = pool->progress;

	ww_pworker_state_l(w, WORKER_IDLE);
	ww_store_relaxed(&w->wake, 0u);
	ww_list_add(&w->reserve, &pool->dozers);
	for (;;) {
		ww_pool_unlock(pool);
		ww_futex_wait(&w->wake, 0, ww_clock_os_ns() + length);
		ww_pool_lock(pool);
		if (ww_load_acquire(&w->wake)) /* pairs: WORK-7 */
			break;
		if (pool->progress - seen < DOZE_PROGRESS || ww_pool_backlog(pool) > DOZE_BACKLOG) {
			ww_list_del(&w->reserve);
			ww_pworker_state_l(w, WORKER_RUN);
			break;
		}
		seen = pool->progress;
		length = length < DOZE_MAX_NS ? length * 2 : length;
	}
	w->brief = 0;
}

/* In the seat, without the lock, until somebody wakes us (true) or it is time to leave (false). */
static bool sleep_in_seat(struct ww_pworker *w, unsigned seat, uint64_t deadline)
{
	while (!ww_load_acquire(&w->wake)) { /* pairs: WORK-7 */
		if (ww_futex_wait(&w->wake, 0, deadline) != -ETIMEDOUT)
			continue;
		if (stand_up(w->pool, seat))
			return false;
		deadline = WW_FOREVER; /* somebody took us: the word comes */
	}
	return true;
}

/*
 * The lock is held on entry and on return; there is a free seat. False: nothing came for so long
 * that it may leave.
 */
static bool sleep_idle_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;
	unsigned seat = (unsigned)__builtin_ctzll(~pool->seats);
	bool woken = true;

	pool->seats |= 1ull << seat;
	ww_store_relaxed(&pool->seat[seat], w);
	ww_store_relaxed(&w->wake, 0u);
	ww_fetch_or(&pool->look, 1ull << seat); /* pairs: WORK-3 */
	if (ww_inbox_gap_l(pool) || !ww_items_empty(&pool->list)) {
		if (!stand_up(pool, seat))
			wait_for_word(w);
		ww_pool_unlock(pool);
		ww_os_yield(); /* a pusher is between its exchange and its link */
		ww_pool_lock(pool);
	} else {
		uint64_t deadline = idle_deadline(pool, seat);

		ww_pworker_state_l(w, WORKER_IDLE);
		ww_pool_unlock(pool);
		woken = sleep_in_seat(w, seat, deadline);
		ww_pool_lock(pool);
		ww_pworker_state_l(w, WORKER_RUN);
	}
	pool->seats &= ~(1ull << seat);
	return woken;
}

/* More workers have a licence than may: give ours back and sleep until one is free. */
static bool sleep_reserve_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;
	uint64_t deadline = idle_deadline(pool, SEATS);

	charge_cpu_l(w);
	w->licensed = false;
	ww_pworker_state_l(w, WORKER_RESERVE);
	ww_store_relaxed(&w->wake, 0u);
	pool->licensed--;
	ww_list_add(&w->reserve, &pool->reserve);
	ww_pool_shortage_l(pool);
	/* What our last settling let through is for others. */
	ww_pool_kick_l(pool);
	while (!w->licensed) {
		ww_pool_unlock(pool);
		int err = ww_futex_wait(&w->wake, 0, deadline);
		bool woken = ww_load_acquire(&w->wake) != 0; /* pairs: WORK-7 */
		ww_pool_lock(pool);
		if (w->licensed)
			break;
		if (woken)
			ww_store_relaxed(&w->wake, 0u);
		if (pool->nr_workers > pool->keep && (err == -ETIMEDOUT || !pool->keep)) {
			ww_list_del(&w->reserve);
			return false;
		}
		if (err == -ETIMEDOUT)
			deadline = idle_deadline(pool, SEATS);
	}
	/* Whoever gave us the licence also set our state. */
	return true;
}

/* Nothing of a user runs under the lock, and a report may go to one. */
static __attribute__((noinline)) void report_hog(struct ww_pworker *w)
{
	ww_pool_unlock(w->pool);
	ww_report_hog(w->hogged);
	w->hogged = NULL;
	ww_pool_lock(w->pool);
}

/* A batch for w; false: it shall leave. The lock is held on entry and not on return. */
static bool next_batch_l(struct ww_pworker *w)
{
	struct ww_pool *pool = w->pool;

	for (;;) {
		ww_pworker_attend_l(w);
		if (pool->licensed > pool->target) {
			if (!sleep_reserve_l(w))
				break;
			continue;
		}
		if (ww_pworker_take_l(w)) {
			if (!ww_items_empty(&pool->list))
				ww_pool_kick_l(pool);
			ww_pool_unlock(pool);
			return true;
		}
		charge_cpu_l(w);
		if (ww_unlikely(w->hogged != NULL)) {
			report_hog(w);
			continue;
		}
		if (may_doze_l(w)) {
			doze_l(w);
			continue;
		}
		if (ww_unlikely(pool->seats == LOOK_SEATS)) {
			/* More sleep than there are seats: who comes now gives its licence back. */
			if (!sleep_reserve_l(w))
				break;
			continue;
		}
		if ((!sleep_idle_l(w) || !pool->keep) && pool->nr_workers > pool->keep &&
		    !ww_pool_waiting_l(pool))
			break;
	}
	if (w->licensed) {
		w->licensed = false;
		pool->licensed--;
		ww_pool_shortage_l(pool);
	}
	return false;
}

static void set_nice(int nice)
{
	static uint32_t told;

	if (!nice || ww_os_thread_set_nice(ww_os_thread_id(), nice) == 0 || ww_xchg(&told, 1u))
		return;
	ww_warn("workers at nice %d are not permitted here (RLIMIT_NICE): they run at the nearest "
		"that is",
		nice);
}

/*
 * A worker that keeps up with a stream of items takes them one by one, and each time the inbox's
 * line travels from the pusher and back. Half a microsecond brings a dozen.
 */
static void let_some_come(void)
{
	for (unsigned i = 0; i < COME_PAUSES; i++)
		ww_cpu_relax();
}

static void forget_batch_l(struct ww_pworker *w)
{
	w->n = w->settled = 0;
	ww_store_relaxed(&w->pos, 0u);
	w->last_pwq = NULL;
}

static void worker_main(void *arg)
{
	struct ww_pworker *w = arg;
	struct ww_pool *pool = w->pool;

	ww_self_worker = w;
	set_nice(pool->nice);
	if (pool->unbound)
		ww_cpu_bind_mask(ww_os_thread_id(), (const unsigned long *)pool->mask,
				 8 * sizeof(pool->mask));
	ww_store_release(&w->thread, ww_task_self());
	w->cpu_mark = ww_clock_thread_cpu_ns();
	ww_pool_lock(pool);
	ww_store_relaxed(&w->tid, ww_os_thread_id());
	ww_pworker_state_l(w, WORKER_RUN);
	while (next_batch_l(w)) {
		run_batch(w);
		if (ww_unlikely(ww_self_worker != w))
			return; /* the child of a fork, whose only thread this is */
		/* Not where they have come, and wait for room. */
		if (w->n < BATCH && w->ran > BATCH && !ww_load_relaxed(&pool->urgent))
			let_some_come();
		ww_pool_lock(pool);
	}
	ww_store_relaxed(&w->tid, 0);
	ww_store_relaxed(&w->thread, NULL);
	ww_pworker_state_l(w, WORKER_DEAD);
	forget_batch_l(w); /* its queue may go before this structure is used again */
	ww_list_del(&w->node);
	ww_list_add(&w->node, &pool->dead);
	pool->nr_workers--;
	ww_fetch_sub(&alive, 1);
	ww_self_worker = NULL;
	ww_pool_unlock(pool);
}

static struct ww_pworker *worker_new(struct ww_pool *pool)
{
	struct ww_pworker *w = ww_alloc_lines(sizeof(*w));

	if (!w)
		return NULL;
	w->id = ww_fetch_add(&nr_ids, 1);
	ww_list_init(&w->node);
	ww_list_init(&w->reserve);
	ww_list_init(&w->waiters);
	ww_items_init(&w->own);
	w->pool = pool;
	return w;
}

/* A thread more for the pool, whose licence the caller has counted. The lock is held. 0, -errno. */
int ww_pworker_create(struct ww_pool *pool)
{
	struct ww_pworker *w;
	struct ww_os_thread thread;
	char name[16];
	int err;

	if (ww_fetch_add(&alive, 1) >= ww_load_relaxed(&ww_param_threads_max)) {
		ww_fetch_sub(&alive, 1);
		return -EAGAIN;
	}
	if (!ww_list_empty(&pool->dead)) {
		w = ww_list_first(&pool->dead, struct ww_pworker, node);
		ww_list_del(&w->node);
	} else {
		w = worker_new(pool);
		if (!w) {
			ww_fetch_sub(&alive, 1);
			return -ENOMEM;
		}
	}
	ww_pworker_state_l(w, WORKER_NEW);
	w->licensed = true;
	w->blocked = false;
	if (pool->unbound)
		snprintf(name, sizeof(name), "ww/u%u:%u", pool->id, w->id);
	else
		snprintf(name, sizeof(name), "ww/%d:%u%s", pool->cpu, w->id,
			 pool->nice < 0 ? "H" : "");
	err = ww_os_thread_start(&thread, name, pool->cpu, worker_main, w);
	if (err) {
		ww_pworker_state_l(w, WORKER_DEAD);
		w->licensed = false;
		ww_list_add(&w->node, &pool->dead);
		ww_fetch_sub(&alive, 1);
		return err;
	}
	ww_os_thread_detach(&thread);
	ww_list_add_tail(&w->node, &pool->workers);
	pool->nr_workers++;
	return 0;
}

/* ---- a rescuer's visit ---- */

/* Run what waits in this pool for the rescuer's own queue. False: in the child of a fork now. */
bool ww_pworker_visit(struct ww_pworker *w, struct ww_pool *pool)
{
	ww_pool_lock(pool);
	ww_store_relaxed(&w->pool, pool);
	ww_pworker_state_l(w, WORKER_RUN);
	ww_list_add_tail(&w->node, &pool->workers);
	while (ww_pworker_take_l(w)) {
		ww_pool_unlock(pool);
		run_batch(w);
		if (ww_unlikely(ww_self_worker != w))
			return false;
		ww_pool_lock(pool);
		ww_pworker_attend_l(w);
	}
	ww_pworker_state_l(w, WORKER_IDLE);
	forget_batch_l(w);
	ww_store_relaxed(&w->pool, NULL);
	ww_list_del(&w->node);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
	return true;
}

/* A worker's structure for a rescuer: from the ones that earlier rescuers left, or new. G. */
struct ww_pworker *ww_rescuer_worker(struct ww_workqueue *wq)
{
	struct ww_pworker *w;

	if (!ww_list_empty(&old_rescuers)) {
		w = ww_list_first(&old_rescuers, struct ww_pworker, node);
		ww_list_del(&w->node);
	} else {
		w = worker_new(NULL);
	}
	if (w) {
		w->rescuer = true;
		w->rescues = wq;
		ww_pworker_state_l(w, WORKER_IDLE);
	}
	return w;
}

void ww_rescuer_worker_put(struct ww_pworker *w)
{
	w->rescues = NULL;
	ww_list_add(&w->node, &old_rescuers);
}

/* ---- told by the handler ---- */

WW_EXPORT void ww_block_enter(void)
{
	struct ww_pworker *w = ww_self_worker;

	if (!w || w->block_nest++)
		return;
	ww_pool_lock(w->pool);
	ww_pworker_block_l(w);
	ww_pool_unlock(w->pool);
}

WW_EXPORT void ww_block_leave(void)
{
	struct ww_pworker *w = ww_self_worker;

	if (!w)
		return;
	if (!w->block_nest) {
		ww_misuse("ww_block_leave", "without ww_block_enter()");
		return;
	}
	if (--w->block_nest)
		return;
	ww_pool_lock(w->pool);
	if (w->blocked) {
		w->blocked = false;
		w->licensed = true;
		w->pool->licensed++;
		ww_pool_shortage_l(w->pool);
	}
	ww_pool_unlock(w->pool);
}

void ww_wait_enter(void)
{
	ww_block_enter();
	if (ww_self_worker)
		ww_store_release(&ww_self_worker->waiting, 1u);
}

void ww_wait_leave(void)
{
	if (ww_self_worker)
		ww_store_release(&ww_self_worker->waiting, 0u);
	ww_block_leave();
}

/* SPDX-License-Identifier: MIT */
/*
 * Taking a pending item back, for certain, and waiting for the end of a run.
 *
 * Waiters for a queued instance stand in a table by the item's address; WAITED in the data word
 * says that there are some, and changes only under the bucket's lock. The worker that clears
 * PENDING sees it in the same word and takes them along, to its own list, before the function runs.
 */
#include "work/internal.h"

#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/thread.h"
#include "thread/thread.h"
#include "timer/short.h"

#define BUCKETS 64

static struct bucket {
	struct ww_lock lock;
	struct ww_list waiters; /* lock; next NULL before first use */
} ww_aligned_line buckets[BUCKETS];

static struct bucket *bucket_of(struct ww_work *work)
{
	struct bucket *b = &buckets[((uintptr_t)work >> 4) * 0x9e3779b97f4a7c15ull >> 58];

	ww_lock(&b->lock);
	if (!b->waiters.next)
		ww_list_init(&b->waiters);
	return b;
}

void ww_waiters_reset(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = (struct bucket){.lock = WW_LOCK_INIT};
}

void ww_waiter_wake(struct ww_run_waiter *waiter)
{
	ww_store_release(&waiter->done, 1u); /* pairs: WORK-11 */
	/* The waiter may be gone by now: then this wakes nobody, or somebody who looks again. */
	ww_futex_wake(&waiter->done, 1);
}

void ww_waiter_sleep(struct ww_run_waiter *waiter)
{
	if (ww_load_acquire(&waiter->done)) /* pairs: WORK-11 */
		return;
	ww_wait_enter();
	while (!ww_load_acquire(&waiter->done)) /* pairs: WORK-11 */
		ww_rest_wait(&waiter->done, 0);
	ww_wait_leave();
}

static void detach(struct bucket *b, struct ww_work *work, struct ww_list *out)
{
	struct ww_list *l, *n;

	ww_list_for_each_safe (l, n, &b->waiters) {
		if (ww_list_entry(l, struct ww_run_waiter, node)->work != work)
			continue;
		ww_list_del(l);
		ww_list_add_tail(l, out);
	}
}

static void to_runner_l(struct ww_pworker *w, struct ww_list *waiters)
{
	struct ww_list *l, *n;

	ww_list_for_each_safe (l, n, waiters) {
		ww_list_entry(l, struct ww_run_waiter, node)->seq = w->seq;
		ww_list_del(l);
		ww_list_add_tail(l, &w->waiters);
	}
}

/* The worker's claim of an item that is waited for: PENDING ends, the waiters come along. */
bool ww_claim_waited(struct ww_pworker *w, struct ww_work *work)
{
	struct ww_list waiters = WW_LIST_INIT(waiters);
	struct bucket *b = bucket_of(work);

	detach(b, work, &waiters);
	ww_fetch_and(ww_work_data(work), ~(WORK_PENDING | WORK_WAITED)); /* pairs: WORK-8 */
	ww_unlock(&b->lock);
	ww_pool_lock(w->pool);
	to_runner_l(w, &waiters);
	(void)ww_xchg(&w->attention, 1u);
	ww_pool_unlock(w->pool);
	return true;
}

/* Register on the worker that runs work now; false where none does. Flush and cancel share it. */
static bool wait_for_run_l(struct ww_pool *pool, struct ww_work *work, struct ww_run_waiter *waiter)
{
	struct ww_pworker *w = ww_pool_running_l(pool, work);

	if (!w)
		return false;
	waiter->seq = ww_load_relaxed(&w->seq);
	ww_list_add_tail(&waiter->node, &w->waiters);
	(void)ww_xchg(&w->attention, 1u); /* pairs: WORK-6 */
	if (ww_load_seq_cst(&w->current) == work)
		return true; /* the run's end comes after our mark, and sees it */
	ww_list_del(&waiter->node);
	return false;
}

/* The queued instance is not going to run: its waiters wait for a run in progress, or no more. */
static void release_waiters(struct ww_work *work, uint64_t clear)
{
	struct ww_list waiters = WW_LIST_INIT(waiters), *l, *n;
	struct bucket *b = bucket_of(work);
	struct ww_pool *pool;

	detach(b, work, &waiters);
	uint64_t old = ww_fetch_and(ww_work_data(work), ~(WORK_WAITED | clear));
	ww_unlock(&b->lock);
	pool = ww_data_pool(old);
	ww_list_for_each_safe (l, n, &waiters) {
		struct ww_run_waiter *waiter = ww_list_entry(l, struct ww_run_waiter, node);
		bool runs = false;

		ww_list_del(l);
		if (pool) {
			ww_pool_lock(pool);
			runs = wait_for_run_l(pool, work, waiter);
			ww_pool_unlock(pool);
		}
		if (!runs)
			ww_waiter_wake(waiter);
	}
}

/* Give PENDING back without queueing. */
void ww_work_release(struct ww_work *work)
{
	uint64_t old = ww_load_relaxed(ww_work_data(work));

	do {
		if (ww_unlikely(old & WORK_WAITED)) {
			release_waiters(work, WORK_PENDING);
			return;
		}
	} while (!ww_cmpxchg(ww_work_data(work), &old, old & ~WORK_PENDING));
}

/* ---- taking it back ---- */

/* It was unlinked from a list; remember its runner if it has one. */
static void forget_place_l(struct ww_pool *pool, struct ww_work *work)
{
	struct ww_pworker *w = NULL;

	if (*ww_work_queue(work) & PWQ_COLLIDE)
		w = ww_pool_runner_l(pool, work);
	ww_store_relaxed(ww_work_where(work), w ? (uint64_t)(uintptr_t)w | 1 : 0);
}

/* w ran it last; that may have been in another pool, which is not locked. */
static bool unslot_l(struct ww_pool *pool, struct ww_pworker *w, struct ww_work *work)
{
	if (ww_load_relaxed(&w->pool) != pool)
		return false;
	for (unsigned i = 0; i < w->n; i++) {
		struct ww_work *it = ww_load_relaxed(&w->slot[i]);

		if (it == work)
			return ww_cmpxchg(&w->slot[i], &it, NULL); /* pairs: WORK-4 */
	}
	return false;
}

enum place { NOWHERE, FOUND, LATER };

static enum place unlink_l(struct ww_pool *pool, struct ww_work *work)
{
	uint64_t data = ww_load_seq_cst(ww_work_data(work)), where;
	struct ww_pworker *w;

	if (!(data & WORK_PENDING) || ww_data_tag(data) != pool->tag)
		return NOWHERE;
	where = ww_load_relaxed(ww_work_where(work));
	w = ww_where_worker(where);
	if (where && !w) {
		ww_items_del(ww_work_link(work));
		forget_place_l(pool, work);
	} else if (!w || !unslot_l(pool, w, work)) {
		/* In the inbox, or on its way there, or just claimed. */
		return ww_pool_drain_l(pool, DRAIN_STEP) ? LATER : NOWHERE;
	}
	ww_pwq_over_l(*ww_work_queue(work), 1, false);
	return FOUND;
}

static bool unlink_from(struct ww_pool *pool, struct ww_work *work)
{
	enum place place;

	do {
		ww_pool_lock(pool);
		place = unlink_l(pool, work);
		ww_pool_kick_l(pool);
		ww_pool_unlock(pool);
	} while (place == LATER);
	return place == FOUND;
}

static void pause_longer(unsigned *round)
{
	if (++*round < 32)
		ww_cpu_relax();
	else if (*round < 256)
		ww_os_yield();
	else
		ww_clock_sleep_until(ww_clock_os_ns() + 50000);
}

#define LEFT_NS 1000000000ull

/*
 * In the child of a fork nobody comes for an item that was pending in the parent, and nobody can tell
 * it from one that is just being queued but by the time: what is queued does not stand still.
 */
bool ww_left_by_fork(struct ww_work *work, const char *call)
{
	uint64_t end = ww_clock_os_ns() + LEFT_NS;

	while (ww_clock_os_ns() < end) {
		uint64_t data = ww_load_seq_cst(ww_work_data(work));

		if (!(data & WORK_PENDING) || (data & WORK_RCU) || ww_data_pool(data) ||
		    ww_delayed_armed(work))
			return false;
		ww_clock_sleep_until(ww_clock_os_ns() + 1000000);
	}
	ww_misuse(
		call,
		"%s was pending when the process forked: in the child it must be initialised again",
		ww_symbol_fn(work->func));
	return true;
}

/*
 * Own PENDING: 1 where it was pending and is taken back (from its timer, a list or a slot), 0 where
 * it was idle. An item in transit is found in the end: transit is a bounded window. -1: not owned, as
 * it was left by a fork, which is reported.
 */
int ww_work_grab(struct ww_work *work, const char *call)
{
	for (unsigned round = 0;; pause_longer(&round)) {
		struct ww_pool *pool;
		uint64_t old;

		if (ww_delayed_steal(work))
			break;
		old = ww_fetch_or(ww_work_data(work), WORK_PENDING); /* pairs: WORK-8 */
		if (!(old & WORK_PENDING))
			return 0;
		pool = ww_data_pool(old);
		if (pool && unlink_from(pool, work))
			break;
		if (ww_unlikely(ww_work_forks && round > 256) && ww_left_by_fork(work, call))
			return -1;
	}
	if (ww_unlikely(ww_load_relaxed(ww_work_data(work)) & WORK_WAITED))
		release_waiters(work, 0);
	return 1;
}

static bool usable(struct ww_work *work, const char *call, uint64_t not_these)
{
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	if ((data & WORK_MAGIC_MASK) != WW_WORK_MAGIC_) {
		ww_misuse(call, "the item %p was never initialised (ww_init_work)", (void *)work);
		return false;
	}
	if (data & not_these & WORK_RCU) {
		ww_misuse(call, "%s is an rcu work, which can't be taken back",
			  ww_symbol_fn(work->func));
		return false;
	}
	if (data & not_these & WORK_DELAYED) {
		ww_misuse(call,
			  "%s is a delayed work: ww_cancel_delayed_work_sync() and its kin "
			  "also stop its timer",
			  ww_symbol_fn(work->func));
		return true; /* what it asks for is clear: the grab knows of the timer */
	}
	return true;
}

/* ---- waiting for a run ---- */

static bool self_wait(struct ww_work *work, const char *call)
{
	if (ww_current_work() != work)
		return false;
	ww_misuse(call, "%s waits for its own end", ww_symbol_fn(work->func));
	return true;
}

static bool run_in(struct ww_pool *pool, struct ww_work *work)
{
	struct ww_run_waiter waiter = {.work = work};
	bool runs;

	ww_list_init(&waiter.node);
	ww_pool_lock(pool);
	runs = wait_for_run_l(pool, work, &waiter);
	ww_pool_unlock(pool);
	if (runs)
		ww_waiter_sleep(&waiter);
	return runs;
}

/* Wait until no run of an item that nobody can start is in progress; true where there was one. */
bool ww_wait_idle(struct ww_work *work)
{
	uint64_t data = ww_load_seq_cst(ww_work_data(work));
	struct ww_pworker *last;
	struct ww_pool *pool;
	bool waited = false;

	last = ww_where_worker(ww_load_relaxed(ww_work_where(work)));
	/* A look at its last worker is enough: nobody else can run it (WORK-5). */
	if (last && !(data & WORK_MOVED) && ww_load_seq_cst(&last->current) != work)
		return false;
	pool = ww_data_pool(data);
	while (pool && run_in(pool, work))
		waited = true;
	if (ww_unlikely(data & WORK_MOVED)) {
		for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
			while (run_in(pool, work))
				waited = true;
		ww_fetch_and(ww_work_data(work), ~WORK_MOVED);
	}
	return waited;
}

static bool stands_in(struct bucket *b, struct ww_run_waiter *waiter)
{
	struct ww_list *l;

	ww_list_for_each (l, &b->waiters)
		if (l == &waiter->node)
			return true;
	return false;
}

static bool flush_queued(struct ww_work *work, bool *on_timer)
{
	struct ww_run_waiter waiter = {.work = work};
	struct bucket *b = bucket_of(work);
	uint64_t data = ww_load_seq_cst(ww_work_data(work));

	while (data & WORK_PENDING)
		if (ww_cmpxchg(ww_work_data(work), &data, data | WORK_WAITED))
			break;
	if (!(data & WORK_PENDING)) {
		ww_unlock(&b->lock);
		return false;
	}
	ww_list_add_tail(&waiter.node, &b->waiters);
	ww_unlock(&b->lock);
	/* Armed anew behind our back: that may take for ever, and counts as idle. */
	if (ww_delayed_armed(work)) {
		b = bucket_of(work);
		*on_timer = ww_delayed_armed(work) && stands_in(b, &waiter);
		if (*on_timer)
			ww_list_del(&waiter.node);
		ww_unlock(&b->lock);
		if (*on_timer)
			return true;
	}
	ww_waiter_sleep(&waiter);
	return true;
}

WW_EXPORT bool ww_flush_work(struct ww_work *work)
{
	uint64_t data = ww_load_seq_cst(ww_work_data(work));
	struct ww_pool *pool;
	bool on_timer = false, waited;

	if (!usable(work, "ww_flush_work", 0) || self_wait(work, "ww_flush_work"))
		return false;
	if ((data & WORK_PENDING) && ww_delayed_armed(work))
		return false;
	if (ww_unlikely(ww_work_forks) && (data & WORK_PENDING) && !ww_data_pool(data) &&
	    ww_left_by_fork(work, "ww_flush_work"))
		return false;
	if (!ww_wait_begin(work, "ww_flush_work", true))
		return true;
	if ((data & WORK_PENDING) && flush_queued(work, &on_timer)) {
		waited = !on_timer;
	} else {
		pool = ww_data_pool(ww_load_relaxed(ww_work_data(work)));
		waited = pool && run_in(pool, work);
	}
	ww_wait_end();
	return waited;
}

/* ---- cancel, disable, enable ---- */

static bool cancel(struct ww_work *work, const char *call, uint64_t not_these)
{
	if (!usable(work, call, WORK_RCU | not_these))
		return false;
	int was = ww_work_grab(work, call);
	if (was >= 0)
		ww_work_release(work);
	return was > 0;
}

/* *counted: it is one deeper now. */
static bool disable(struct ww_work *work, const char *call, uint64_t not_these, bool *counted)
{
	uint64_t data;
	int was;

	*counted = false;
	if (!usable(work, call, WORK_RCU | not_these))
		return false;
	was = ww_work_grab(work, call);
	*counted = true;
	data = ww_load_relaxed(ww_work_data(work));
	do {
		if ((data & WORK_DEPTH_MASK) == WORK_DEPTH_MASK) {
			ww_misuse(call, "%s is disabled 65535 times already",
				  ww_symbol_fn(work->func));
			*counted = false;
			break;
		}
	} while (!ww_cmpxchg(ww_work_data(work), &data, data + WORK_DEPTH_ONE));
	if (was >= 0)
		ww_work_release(work);
	return was > 0;
}

/* *last: the depth became 0. False: it was not disabled. */
static bool enable(struct ww_work *work, const char *call, bool *last)
{
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	do {
		if (!(data & WORK_DEPTH_MASK)) {
			ww_misuse(call, "%s is not disabled", ww_symbol_fn(work->func));
			return false;
		}
	} while (!ww_cmpxchg(ww_work_data(work), &data, data - WORK_DEPTH_ONE));
	*last = (data & WORK_DEPTH_MASK) == WORK_DEPTH_ONE;
	return true;
}

/* While we wait nobody can queue it, its own function included; so it ends for certain. */
static bool disable_sync(struct ww_work *work, const char *call, uint64_t not_these)
{
	bool counted, was = disable(work, call, not_these, &counted);

	if (!self_wait(work, call) && ww_wait_begin(work, call, false)) {
		ww_wait_idle(work);
		ww_wait_end();
	}
	return was;
}

static bool cancel_sync(struct ww_work *work, const char *call, uint64_t not_these)
{
	bool was, last, counted;

	if (!usable(work, call, WORK_RCU | not_these))
		return false;
	was = disable(work, call, 0, &counted);
	if (!self_wait(work, call) && ww_wait_begin(work, call, false)) {
		ww_wait_idle(work);
		ww_wait_end();
	}
	if (counted)
		enable(work, call, &last);
	return was;
}

WW_EXPORT bool ww_cancel_work(struct ww_work *work)
{
	return cancel(work, "ww_cancel_work", WORK_DELAYED);
}

WW_EXPORT bool ww_cancel_work_sync(struct ww_work *work)
{
	return cancel_sync(work, "ww_cancel_work_sync", WORK_DELAYED);
}

/*
 * It waits on its timer, as usual: off the wheel under the base's lock, so that PENDING is ours, and
 * then that ends as always. False: nothing was done.
 */
static inline bool cancel_on_timer(struct ww_delayed_work *dwork)
{
	const uint64_t usual = WORK_MAGIC_MASK | WORK_DELAYED | WORK_RCU;
	uint64_t *data = ww_work_data(&dwork->work), old = ww_load_relaxed(data);
	struct ww_timer_impl *t = ww_timer_impl(&dwork->timer);

	if (ww_unlikely((old & usual) != (WW_WORK_MAGIC_ | WORK_DELAYED)) ||
	    ww_unlikely(!ww_timer_delete_closed(t, ww_load_relaxed(&t->word))))
		return false;
	if (ww_likely(!(old & WORK_WAITED)) &&
	    ww_likely(ww_cmpxchg(data, &old, old & ~WORK_PENDING)))
		return true;
	ww_work_release(&dwork->work);
	return true;
}

WW_EXPORT bool ww_cancel_delayed_work(struct ww_delayed_work *dwork)
{
	if (ww_likely(cancel_on_timer(dwork)))
		return true;
	return cancel(&dwork->work, "ww_cancel_delayed_work", 0);
}

WW_EXPORT bool ww_cancel_delayed_work_sync(struct ww_delayed_work *dwork)
{
	return cancel_sync(&dwork->work, "ww_cancel_delayed_work_sync", 0);
}

WW_EXPORT bool ww_disable_work(struct ww_work *work)
{
	bool counted;

	return disable(work, "ww_disable_work", WORK_DELAYED, &counted);
}

WW_EXPORT bool ww_disable_work_sync(struct ww_work *work)
{
	return disable_sync(work, "ww_disable_work_sync", WORK_DELAYED);
}

WW_EXPORT bool ww_disable_delayed_work(struct ww_delayed_work *dwork)
{
	bool counted;

	return disable(&dwork->work, "ww_disable_delayed_work", 0, &counted);
}

WW_EXPORT bool ww_disable_delayed_work_sync(struct ww_delayed_work *dwork)
{
	return disable_sync(&dwork->work, "ww_disable_delayed_work_sync", 0);
}

WW_EXPORT bool ww_enable_work(struct ww_work *work)
{
	bool last = false;

	return usable(work, "ww_enable_work", 0) && enable(work, "ww_enable_work", &last) && last;
}

WW_EXPORT bool ww_enable_delayed_work(struct ww_delayed_work *dwork)
{
	return ww_enable_work(&dwork->work);
}

WW_EXPORT bool ww_enable_and_queue_work(struct ww_workqueue *wq, struct ww_work *work)
{
	if (!ww_enable_work(work))
		return false;
	ww_queue_work(wq, work);
	return true;
}

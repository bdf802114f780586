/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a whole queue. A flush pushes a marker into the inbox of each of the queue's pools:
 * what was pushed before it leaves the inbox before it. When the marker leaves, the items in flight
 * are those that the flush waits for; what leaves later gets another colour, so newcomers delay
 * nobody. A flush waits for every colour that was in flight at its marker. Where all sixteen
 * colours are in use the marker's own colour goes on being given until one becomes free.
 */
#include "work/internal.h"
#include "work/push.h"

#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/thread.h"
#include "thread/thread.h"

struct ww_flusher {
	struct ww_work marker;
	struct ww_list node; /* L */
	uint32_t left;	     /* L: colours it waits for */
	uint32_t out;	     /* L: the marker left the inbox */
	uint32_t done;	     /* A: futex */
};

#define FLUSH_AT_ONCE 8

static bool advance_colour_l(struct ww_pwq *pwq)
{
	for (unsigned i = 1; i < COLOURS; i++) {
		unsigned c = (pwq->colour + i) % COLOURS;

		if (pwq->in_flight[c])
			continue;
		pwq->colour = c;
		return true;
	}
	return false;
}

static void done_l(struct ww_flusher *f)
{
	ww_store_release(&f->done, 1u); /* pairs: WORK-12 */
	ww_futex_wake(&f->done, 1);
}

void ww_flush_marker_l(struct ww_pool *pool, struct ww_work *marker, struct ww_pwq *pwq)
{
	struct ww_flusher *f = ww_container_of(marker, struct ww_flusher, marker);

	(void)pool;
	f->out = 1;
	for (unsigned c = 0; c < COLOURS; c++)
		if (pwq->in_flight[c])
			f->left |= 1u << c;
	if (!f->left) {
		done_l(f);
		return;
	}
	ww_list_add_tail(&f->node, &pwq->flushers);
	if (f->left & (1u << pwq->colour))
		pwq->stuck_colour = !advance_colour_l(pwq);
	ww_pwq_set_urgent_l(pwq, true);
	ww_pool_settle_all_l(pwq->pool);
}

void ww_flush_colour_over_l(struct ww_pwq *pwq, unsigned colour)
{
	struct ww_list *l, *n;

	if (pwq->stuck_colour)
		pwq->stuck_colour = !advance_colour_l(pwq);
	ww_list_for_each_safe (l, n, &pwq->flushers) {
		struct ww_flusher *f = ww_list_entry(l, struct ww_flusher, node);

		f->left &= ~(1u << colour);
		if (f->left)
			continue;
		ww_list_del(l);
		done_l(f);
	}
}

static void begin(struct ww_flusher *f, struct ww_pwq *pwq)
{
	*f = (struct ww_flusher){0};
	*ww_work_queue(&f->marker) = (uint64_t)(uintptr_t)pwq | PWQ_MARKER;
	ww_pool_push(pwq->pool, &f->marker);
}

/* Help the marker out of the inbox in bounded steps, then wait for the colours. */
static void finish(struct ww_flusher *f, struct ww_pwq *pwq)
{
	struct ww_pool *pool = pwq->pool;

	for (bool out = false; !out;) {
		unsigned n;

		ww_pool_lock(pool);
		n = ww_pool_drain_l(pool, DRAIN_STEP);
		out = f->out;
		ww_pool_kick_l(pool);
		ww_pool_unlock(pool);
		if (!out && !n)
			ww_os_yield();
	}
	while (!ww_load_acquire(&f->done)) /* pairs: WORK-12 */
		ww_rest_wait(&f->done, 0);
	/* Whoever set done holds the lock, and still touches the pwq, which we may be about to
	 * free. */
	ww_pool_lock(pool);
	ww_pool_unlock(pool);
}

void ww_flush_all(struct ww_workqueue *wq)
{
	struct ww_flusher f[FLUSH_AT_ONCE];
	unsigned n = ww_load_acquire(&wq->npwq);
	struct ww_pwq **pwqs = ww_load_acquire(&wq->pwqs);

	for (unsigned base = 0; base < n; base += FLUSH_AT_ONCE) {
		unsigned m = n - base < FLUSH_AT_ONCE ? n - base : FLUSH_AT_ONCE;

		for (unsigned i = 0; i < m; i++)
			begin(&f[i], pwqs[base + i]);
		for (unsigned i = 0; i < m; i++)
			finish(&f[i], pwqs[base + i]);
	}
}

static bool from_itself(struct ww_workqueue *wq, const char *call)
{
	struct ww_pworker *w = ww_self_worker;

	if (!w || !w->current_pwq || w->current_pwq->wq != wq)
		return false;
	ww_misuse(call, "%s runs on the queue \"%s\" and waits for all of it, itself included",
		  ww_symbol_fn(ww_load_relaxed(&w->current_func)), wq->name);
	return true;
}

/* A worker of a queue that must make progress under memory pressure waits for one that need not. */
static void check_reclaim(struct ww_workqueue *wq, const char *call)
{
	struct ww_pworker *w = ww_self_worker;

	if (w && w->current_pwq && (w->current_pwq->wq->flags & WW_WQ_MEM_RECLAIM) &&
	    !(wq->flags & WW_WQ_MEM_RECLAIM))
		ww_misuse(call,
			  "%s of the WW_WQ_MEM_RECLAIM queue \"%s\" waits for \"%s\", which is "
			  "not one",
			  ww_symbol_fn(ww_load_relaxed(&w->current_func)), w->current_pwq->wq->name,
			  wq->name);
}

WW_EXPORT void ww_flush_workqueue(struct ww_workqueue *wq)
{
	if (from_itself(wq, "ww_flush_workqueue"))
		return;
	check_reclaim(wq, "ww_flush_workqueue");
	ww_fetch_add(&wq->flushers, 1);
	ww_wait_enter();
	ww_flush_all(wq);
	ww_wait_leave();
	ww_fetch_sub(&wq->flushers, 1);
}

static bool look(struct ww_workqueue *wq, uint64_t *admitted)
{
	unsigned n = ww_load_acquire(&wq->npwq);
	bool idle = true;

	*admitted = 0;
	for (unsigned i = 0; i < n && idle; i++) {
		struct ww_pwq *pwq = ww_load_acquire(&wq->pwqs)[i];

		ww_pool_lock(pwq->pool);
		ww_pool_settle_all_l(pwq->pool);
		ww_pool_drain_l(pwq->pool, DRAIN_STEP);
		idle = ww_pwq_idle_l(pwq) && !ww_inbox_gap_l(pwq->pool);
		*admitted += pwq->admitted;
		ww_pool_kick_l(pwq->pool);
		ww_pool_unlock(pwq->pool);
	}
	return idle;
}

/*
 * Idle pools one after the other prove nothing, because an item of the last may have queued on the
 * first; idle twice, with nothing admitted in between, does.
 */
static bool wq_is_idle(struct ww_workqueue *wq)
{
	uint64_t first, second;

	return look(wq, &first) && look(wq, &second) && first == second;
}

/* The queue is marked as draining: flush until nothing chains on. */
void ww_drain_all(struct ww_workqueue *wq)
{
	unsigned rounds = 0;

	for (;;) {
		ww_flush_all(wq);
		if (wq_is_idle(wq))
			return;
		if (++rounds == 10 || (rounds % 100 == 0 && rounds <= 1000))
			ww_warn("draining the queue \"%s\" isn't over after %u flushes: its items "
				"go on queueing",
				wq->name, rounds);
	}
}

WW_EXPORT void ww_drain_workqueue(struct ww_workqueue *wq)
{
	if (from_itself(wq, "ww_drain_workqueue"))
		return;
	ww_fetch_add(&wq->flushers, 1);
	ww_lock(&wq->mutex);
	if (!wq->drainers++)
		ww_fetch_or(&wq->state, WQ_DRAINING);
	ww_unlock(&wq->mutex);
	ww_wait_enter();
	ww_drain_all(wq);
	ww_wait_leave();
	ww_lock(&wq->mutex);
	if (!--wq->drainers)
		ww_fetch_and(&wq->state, ~WQ_DRAINING);
	ww_unlock(&wq->mutex);
	ww_fetch_sub(&wq->flushers, 1);
}

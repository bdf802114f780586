/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the end of a callback, and refusing to where that would be for ever.
 * Guards: timer.h; (G) graph_lock.
 */
#include "timer/base.h"

#include <string.h>

#include "base/futex.h"
#include "base/lock.h"
#include "base/report.h"

/*
 * waits_on[i] = k: the callback that base i runs waits for the one that base k runs. An edge goes
 * when its wait is answered, by the answering base, so a circle of edges is a real one.
 */
static struct ww_lock graph_lock;
static uint16_t waits_on[WW_BASES_MAX]; /* (G) */

/* Whether a wait of base from for base to would never end; notes it where it would. */
static bool would_deadlock(unsigned from, unsigned to)
{
	bool circle = false;

	ww_lock(&graph_lock);
	for (unsigned at = to; at && !circle; at = waits_on[at])
		circle = at == from;
	if (!circle)
		waits_on[from] = (uint16_t)to;
	ww_unlock(&graph_lock);
	return circle;
}

/* The base is locked and runs w->timer: sleep until it is answered. */
static void enlist(struct ww_timer_waiter *w, struct ww_base_hot *h)
{
	ww_list_add_tail(&w->link, &h->base->waiters);
	for (;;) {
		uint32_t seq = ww_load_relaxed(&h->done_seq);

		ww_light_unlock(&h->lock);
		ww_futex_wait(&h->done_seq, seq, WW_FOREVER);
		if (ww_load_acquire(&w->done)) /* pairs: TIMER-2 */
			return;
		ww_light_lock(&h->lock);
		if (w->done) { /* since the look above */
			ww_light_unlock(&h->lock);
			return;
		}
	}
}

int ww_timer_wait(const char *call, struct ww_timer_impl *t, struct ww_base_hot *h, bool shutdown)
{
	struct ww_base *from = ww_timer_context.base;
	struct ww_timer_waiter w = {.timer = t, .from = from, .shutdown = shutdown};
	unsigned id = (unsigned)(h - ww_base_hot);

	if (from && would_deadlock(from->id, id)) {
		ww_timer_fn fn = t->function;

		ww_light_unlock(&h->lock);
		ww_misuse(call,
			  "timer %p (%s) waits, through other callbacks, for the callback that "
			  "calls (%s)",
			  (void *)t, ww_symbol_fn(fn),
			  ww_symbol_fn(ww_timer_context.running->function));
		return -1;
	}
	enlist(&w, h);
	return w.deleted;
}

void ww_timer_wait_running(struct ww_base_hot *h)
{
	struct ww_timer_waiter w = {.only_wait = true};

	ww_light_lock(&h->lock);
	w.timer = ww_load_relaxed(&h->running);
	if (w.timer && w.timer != ww_timer_context.running)
		enlist(&w, h);
	else
		ww_light_unlock(&h->lock);
}

void ww_timer_answer(struct ww_base *b, const struct ww_timer_impl *t)
{
	struct ww_list *pos, *next;
	bool any = false;

	ww_list_for_each_safe (pos, next, &b->waiters) {
		struct ww_timer_waiter *w = ww_list_entry(pos, struct ww_timer_waiter, link);

		if (w->timer != t)
			continue;
		ww_list_del(pos);
		/* Its deletion is done for it, now: a callback that re-arms itself can't win. */
		if (!w->only_wait && w->timer->word & WW_TW_PENDING) {
			ww_timer_dequeue(b, w->timer);
			w->deleted = 1;
		}
		if (w->shutdown)
			ww_store_relaxed(&w->timer->function, NULL);
		if (w->from) {
			ww_lock(&graph_lock);
			waits_on[w->from->id] = 0;
			ww_unlock(&graph_lock);
		}
		ww_store_release(&w->done, 1u); /* pairs: TIMER-2 */
		any = true;
	}
	if (any) {
		ww_fetch_add_relaxed(&ww_base_hot_of(b)->done_seq, 1u);
		ww_futex_wake(&ww_base_hot_of(b)->done_seq, INT32_MAX);
	}
}

void ww_wait_graph_lock(void)
{
	ww_lock(&graph_lock);
}

void ww_wait_graph_unlock(void)
{
	ww_unlock(&graph_lock);
}

void ww_wait_graph_child(void)
{
	ww_lock_init(&graph_lock);
	memset(waits_on, 0, sizeof(waits_on));
}

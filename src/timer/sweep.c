/* SPDX-License-Identifier: MIT */
/* Filing timers in a base's wheels, taking out what is due, and running it. Guards: timer.h. */
#include "timer/timer.h"

#include "base/futex.h"
#include "timer/virtual.h"

struct ww_base_hot ww_base_hot[WW_BASES_MAX];
__thread struct ww_timer_context ww_timer_context;

static void set_word(struct ww_timer_impl *t, uint64_t clear, uint64_t set)
{
	uint64_t w = (t->word & ~clear) | set;

	ww_store_release(&t->word, w + WW_TW_GENERATION); /* pairs: TIMER-1 */
}

/* Whether the base's thread would sleep past tick. */
static bool sleeps_past(const struct ww_base *b, uint64_t tick)
{
	return b->sleep == WW_BASE_FOREVER ||
	       (b->sleep == WW_BASE_TIMED && ww_time_before(tick, b->wake));
}

/*
 * t is idle or on no list, its word names this base. The clock is read only where somebody must be
 * woken anyhow: elsewhere a deadline in the past is put right by the wheel's own clk, which an
 * awake base keeps at the next tick.
 */
void ww_timer_enqueue(struct ww_base *b, struct ww_timer_impl *t, uint64_t expires, bool *wake)
{
	struct ww_wheel *wheel = &b->wheel[ww_word_wheel(t->word)];
	uint64_t tick = expires + 1;

	if (!(t->word & WW_TW_DEFERRABLE) && sleeps_past(b, tick)) {
		uint64_t now = ww_jiffies();

		if (ww_time_before_eq(tick, now))
			tick = now + 1;
		ww_wheel_forward(wheel, now + 1);
		if (sleeps_past(b, tick) && !ww_clock_is_virtual()) {
			b->sleep = WW_BASE_TIMED;
			b->wake = tick;
			ww_fetch_add_relaxed(&ww_base_hot_of(b)->wake_seq, 1);
			*wake = true;
		}
	}
	t->bound = ww_wheel_add(wheel, &t->node, tick);
	t->filed = expires;
	ww_store_relaxed(&t->expires, expires);
	set_word(t, WW_TW_STATE, WW_TW_PENDING);
}

void ww_timer_dequeue(struct ww_base *b, struct ww_timer_impl *t)
{
	ww_wheel_del(&b->wheel[ww_word_wheel(t->word)], &t->node);
	set_word(t, WW_TW_STATE, 0);
}

bool ww_base_next(struct ww_base *b, uint64_t *tick)
{
	return ww_wheel_next(&b->wheel[WW_WHEEL_NORMAL], tick);
}

/* Everything of one bucket time: due timers go to the expired list, the rest back, closer. */
static void sort_out(struct ww_base *b, struct ww_hlist *list, uint64_t now)
{
	struct ww_hnode *n;

	while ((n = list->first) != NULL) {
		struct ww_timer_impl *t = ww_timer_of_node(n);

		ww_hlist_del(n);
		if (ww_time_after_eq(now, t->filed + 1)) {
			ww_hlist_add(n, &b->expired);
			set_word(t, 0, WW_TW_EXPIRED);
		} else {
			struct ww_wheel *wheel = &b->wheel[ww_word_wheel(t->word)];

			t->bound = ww_wheel_add(wheel, n, t->filed + 1);
			set_word(t, 0, 0);
		}
	}
}

/* Give each thread that waits for t's callback its answer, with the deletion done for it. */
static void answer_waiters(struct ww_base *b, const struct ww_timer_impl *t)
{
	struct ww_list *pos, *next;

	ww_list_for_each_safe (pos, next, &b->waiters) {
		struct ww_timer_waiter *w = ww_list_entry(pos, struct ww_timer_waiter, link);

		if (w->timer != t)
			continue;
		ww_list_del(pos);
		if (w->timer->word & WW_TW_PENDING) {
			ww_timer_dequeue(b, w->timer);
			w->deleted = 1;
		}
		if (w->shutdown)
			ww_store_relaxed(&w->timer->function, NULL);
		ww_store_release(&w->done, 1u); /* pairs: TIMER-2 */
	}
	ww_fetch_add_relaxed(&ww_base_hot_of(b)->done_seq, 1);
	ww_futex_wake(&ww_base_hot_of(b)->done_seq, INT32_MAX);
}

static void run(struct ww_base *b, struct ww_timer_impl *t)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	struct ww_timer_context outer = ww_timer_context;
	ww_timer_fn fn = t->function;

	/* In this order: who finds the timer idle must find it running. pairs: TIMER-1 */
	ww_store_release(&h->running, t);
	set_word(t, WW_TW_STATE, 0);
	ww_unlock(&h->lock);
	ww_timer_context = (struct ww_timer_context){.running = t, .base = b};
	fn((struct ww_timer *)t);
	ww_timer_context = outer;
	/* t may be freed memory from here on, unless somebody waits for it. */
	ww_store_release(&h->running, NULL); /* pairs: TIMER-1 */
	ww_lock(&h->lock);
	if (!ww_list_empty(&b->waiters))
		answer_waiters(b, t);
}

unsigned ww_base_sweep(struct ww_base *b, uint64_t now)
{
	unsigned ran = 0;

	for (;;) {
		struct ww_hlist list = {NULL};
		uint64_t tick = 0, next;
		bool found = false;

		for (int k = 0; k < WW_WHEELS; k++)
			if (ww_wheel_next(&b->wheel[k], &next) && ww_time_before_eq(next, now) &&
			    (!found || ww_time_before(next, tick))) {
				tick = next;
				found = true;
			}
		if (!found)
			break;
		for (int k = 0; k < WW_WHEELS; k++)
			if (ww_wheel_next(&b->wheel[k], &next) && next == tick)
				ww_wheel_take(&b->wheel[k], tick, &list);
		sort_out(b, &list, now);
		while (b->expired.first) {
			struct ww_hnode *n = b->expired.first;

			ww_hlist_del(n);
			run(b, ww_timer_of_node(n));
			ran++;
		}
	}
	for (int k = 0; k < WW_WHEELS; k++)
		ww_wheel_forward(&b->wheel[k], now + 1);
	return ran;
}

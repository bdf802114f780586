/* SPDX-License-Identifier: MIT */
/* Taking out what is due, and running it. Guards: timer.h. */
#include "timer/timer.h"

#include "base/clock.h"
#include "base/probe.h"
#include "base/report.h"
#include "timer/barrier.h"
#include "timer/watch.h"

/* Let others have the lock after that many, where somebody waits for it. */
#define BREAK_AFTER 256u

static bool due_at(uint64_t deadline, uint64_t now)
{
	return ww_time_after_eq(now, deadline + 1);
}

/* t, unlinked, back into its wheel, closer; an open one with a new generation: its bound rises. */
static void file_again(struct ww_base *b, struct ww_timer_impl *t, uint64_t deadline)
{
	t->bound = ww_wheel_add(&b->wheel[ww_word_wheel(t->word)], &t->node, deadline + 1);
	b->stats.refiled++;
	ww_store_relaxed(&t->filed, deadline);
	if (t->word & (WW_TW_OPEN | WW_TW_EXPIRED))
		ww_timer_set_word(t, WW_TW_EXPIRED, 0);
}

/* Everything on the list: due timers go to the expired list, closed; the rest back, closer. */
static void sort_out(struct ww_base *b, struct ww_list *list, uint64_t now)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	unsigned n = 0;

	while (!ww_list_empty(list)) {
		struct ww_timer_impl *t = ww_timer_of_node(list->next);
		uint64_t deadline = ww_timer_deadline(t);

		__builtin_prefetch(list->next->next);
		b->stats.pushed_out += deadline != t->filed;
		ww_list_del(&t->node);
		if (due_at(deadline, now)) {
			ww_list_add_tail(&t->node, &b->expired);
			ww_store_relaxed(&t->filed, deadline);
			ww_timer_set_word(t, WW_TW_STORED, WW_TW_EXPIRED);
		} else {
			file_again(b, t, deadline);
		}
		if (++n % BREAK_AFTER == 0 && ww_light_contended(&h->lock)) {
			ww_light_unlock(&h->lock);
			ww_light_lock(&h->lock);
		}
	}
}

/* The wheel with the earliest bound at or before now, of the first n; -1 for none. */
static int earliest(struct ww_base *b, unsigned n, uint64_t now, uint64_t *tick)
{
	int found = -1;

	for (unsigned k = 0; k < n; k++) {
		uint64_t next;

		if (ww_wheel_next(&b->wheel[k], &next) && ww_time_before_eq(next, now) &&
		    (found < 0 || ww_time_before(next, *tick))) {
			*tick = next;
			found = (int)k;
		}
	}
	return found;
}

/*
 * All that is due by now from the first n wheels onto the expired list, in the order of ticks. What
 * the finest buckets of closed timers hold is due as it is, and is not even looked at here.
 */
static void collect(struct ww_base *b, unsigned n, uint64_t now)
{
	uint64_t tick;
	int k;

	while ((k = earliest(b, n, now, &tick)) >= 0) {
		ww_wheel_take(&b->wheel[k], tick, &b->due, &b->rest);
		if (k < WW_WHEEL_OPEN)
			ww_list_splice_tail(&b->due, &b->expired);
		else
			sort_out(b, &b->due, now);
		sort_out(b, &b->rest, now);
	}
	for (unsigned i = 0; i < n; i++)
		ww_wheel_forward(&b->wheel[i], now + 1);
}

/* Run t's callback, with the lock dropped. False in the child of a fork that it did. */
static bool run(struct ww_base *b, struct ww_timer_impl *t)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	struct ww_timer_context outer = ww_timer_context;
	ww_timer_fn fn = t->function;
	unsigned forks = ww_timer_fork_count();

	ww_list_del(&t->node);
	b->pending--;
	b->stats.fired++;
	/* In this order: who finds the timer idle must find it running. pairs: TIMER-1 */
	ww_store_release(&h->running, t);
	ww_timer_set_word(t, WW_TW_STATE, 0);
	ww_light_unlock(&h->lock);
	ww_timer_context = (struct ww_timer_context){.running = t, .base = b};
	WW_PROBE2(timer_expire_entry, t, fn);
	fn((struct ww_timer *)t);
	WW_PROBE1(timer_expire_exit, t);
	ww_timer_context = outer;
	if (ww_unlikely(forks != ww_timer_fork_count()))
		return false;
	/*
	 * t may be freed memory by now, unless somebody waits for it. Until it is no longer the
	 * running timer it can't go to another base, so this lock is still the waiters' timer's.
	 */
	ww_light_lock(&h->lock);
	if (ww_unlikely(!ww_list_empty(&b->waiters)))
		ww_timer_answer(b, t);
	ww_store_release(&h->running, NULL); /* pairs: TIMER-1 TIMER-2 */
	return true;
}

static long run_expired(struct ww_base *b, uint64_t now)
{
	struct ww_watch watch;
	long ran = 0;

	ww_watch_begin(&watch, b);
	while (!ww_list_empty(&b->expired)) {
		struct ww_timer_impl *t = ww_timer_of_node(b->expired.next);
		uint64_t deadline = ww_timer_deadline(t);

		/* It may have been pushed out since it was taken. */
		if (ww_unlikely(!due_at(deadline, now))) {
			ww_list_del(&t->node);
			file_again(b, t, deadline);
			continue;
		}
		__builtin_prefetch(b->expired.next->next);
		ww_watch_callback(&watch, t->function);
		if (!run(b, t))
			return -1;
		ran++;
		ww_watch_ran(&watch);
	}
	ww_watch_end(&watch);
	return ran;
}

static void note_lateness(struct ww_base *b, uint64_t now)
{
	uint64_t tick, begun;

	if (ww_clock_is_virtual() || earliest(b, WW_WHEEL_OPEN, now, &tick) != WW_WHEEL_NORMAL)
		return;
	begun = ww_tick_to_ns(tick);
	uint64_t ns = ww_clock_ns();
	if (ns > begun && ns - begun > b->stats.lateness_ns_max)
		b->stats.lateness_ns_max = ns - begun;
}

long ww_base_sweep(struct ww_base *b, uint64_t now)
{
	uint64_t tick;
	unsigned n = WW_WHEEL_OPEN;

	note_lateness(b, now);
	for (unsigned k = WW_WHEEL_OPEN; k < WW_WHEELS; k++)
		if (ww_wheel_next(&b->wheel[k], &tick) && ww_time_before_eq(tick, now))
			n = WW_WHEELS;
	if (n == WW_WHEELS) {
		ww_mark_raise(b, now);
		collect(b, n, now);
		ww_mark_lower(b);
	} else {
		collect(b, n, now);
		for (unsigned k = n; k < WW_WHEELS; k++)
			ww_wheel_forward(&b->wheel[k], now + 1);
	}
	return run_expired(b, now);
}

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

/*
 * Empty a bucket of wheel k: open timers that are due go to the expired ones, closed; the rest goes
 * back, closer (of closed ones also what is due: to the bucket of that very tick).
 */
static void sort_out(struct ww_base *b, unsigned k, struct ww_bucket *bucket, uint64_t now)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	unsigned n = 0, lane = 0;
	struct ww_hnode *node;

	while ((node = ww_bucket_pop(bucket, &lane))) {
		struct ww_timer_impl *t = ww_timer_of_node(node);
		uint64_t deadline = ww_timer_deadline(t);

		b->stats.pushed_out += deadline != t->filed;
		if (k >= WW_WHEEL_OPEN && due_at(deadline, now)) {
			ww_bucket_add(&b->expired, b->expired_turn++ % WW_WHEEL_LANES, node);
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
	ww_wheel_drained(&b->wheel[k]);
}

/* The wheel with the earliest bound at or before now, from first to before end; -1 for none. */
static int earliest(struct ww_base *b, unsigned first, unsigned end, uint64_t now, uint64_t *tick)
{
	int found = -1;

	for (unsigned k = first; k < end; k++) {
		uint64_t next;

		if (ww_wheel_next(&b->wheel[k], &next) && ww_time_before_eq(next, now) &&
		    (found < 0 || ww_time_before(next, *tick))) {
			*tick = next;
			found = (int)k;
		}
	}
	return found;
}

/* Turn wheel k to tick, sort its coarse buckets out, and begin to drain the near one, if any. */
static struct ww_bucket *turn(struct ww_base *b, unsigned k, uint64_t tick, uint64_t now)
{
	struct ww_wheel *w = &b->wheel[k];
	struct ww_bucket *bucket;

	ww_wheel_turn(w, tick);
	while ((bucket = ww_wheel_drain_coarse(w)))
		sort_out(b, k, bucket, now);
	return ww_wheel_drain_near(w);
}

/* What is due by now from the open wheels to the expired timers; the rest closer. */
static void collect(struct ww_base *b, uint64_t now)
{
	uint64_t tick;
	int k;

	while ((k = earliest(b, WW_WHEEL_OPEN, WW_WHEELS, now, &tick)) >= 0) {
		struct ww_bucket *near = turn(b, (unsigned)k, tick, now);

		if (near)
			sort_out(b, (unsigned)k, near, now);
	}
}

static void forward(struct ww_base *b, unsigned first, unsigned end, uint64_t tick)
{
	for (unsigned k = first; k < end; k++)
		ww_wheel_forward(&b->wheel[k], tick);
}

/* Run t's callback, with the lock dropped. False in the child of a fork that it did. */
static bool run(struct ww_base *b, struct ww_base_hot *h, struct ww_timer_impl *t)
{
	ww_timer_fn fn = t->function;
	unsigned forks = ww_timer_forks;

	b->stats.fired++;
	/* In this order: who finds the timer idle must find it running. pairs: TIMER-1 */
	ww_store_release(&h->running, t);
	ww_timer_set_word(t, WW_TW_STATE, 0);
	ww_light_unlock(&h->lock);
	ww_timer_context.running = t;
	WW_PROBE2(timer_expire_entry, t, fn);
	fn((struct ww_timer *)t);
	WW_PROBE1(timer_expire_exit, t);
	if (ww_unlikely(forks != ww_timer_forks))
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

/* Run what a bucket holds, where it stands: who deletes one first finds it there. */
static long run_bucket(struct ww_base *b, struct ww_bucket *bucket, uint64_t now,
		       struct ww_watch *watch)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	struct ww_hnode *node;
	unsigned lane = 0;
	long ran = 0;

	while ((node = ww_bucket_pop(bucket, &lane))) {
		struct ww_timer_impl *t = ww_timer_of_node(node);
		uint64_t deadline = ww_timer_deadline(t);

		/* It may have been pushed out and kept its place. */
		if (ww_unlikely(!due_at(deadline, now))) {
			file_again(b, t, deadline);
			continue;
		}
		ww_watch_callback(watch, t->function);
		if (!run(b, h, t))
			return -1;
		ran++;
		ww_watch_ran(watch);
	}
	return ran;
}

/* Everything that is due by now: what came from the open wheels, then tick by tick. */
static long run_due(struct ww_base *b, uint64_t now)
{
	struct ww_timer_context outer = ww_timer_context;
	struct ww_watch watch;
	uint64_t tick;
	long ran, n;
	int k;

	ww_timer_context.base = b;
	ww_watch_begin(&watch, b);
	ran = run_bucket(b, &b->expired, now, &watch);
	while (ran >= 0 && (k = earliest(b, 0, WW_WHEEL_OPEN, now, &tick)) >= 0) {
		struct ww_bucket *near = turn(b, (unsigned)k, tick, now);

		if (!near)
			continue;
		n = run_bucket(b, near, now, &watch);
		if (n < 0)
			return n;
		ran += n;
		ww_wheel_drained(&b->wheel[k]);
	}
	if (ran < 0)
		return ran;
	ww_watch_end(&watch);
	ww_timer_context = outer;
	return ran;
}

static void note_lateness(struct ww_base *b, uint64_t now)
{
	uint64_t tick, begun;

	if (ww_clock_is_virtual() || earliest(b, 0, WW_WHEEL_OPEN, now, &tick) != WW_WHEEL_NORMAL)
		return;
	begun = ww_tick_to_ns(tick);
	uint64_t ns = ww_clock_ns();
	if (ns > begun && ns - begun > b->stats.lateness_ns_max)
		b->stats.lateness_ns_max = ns - begun;
}

long ww_base_sweep(struct ww_base *b, uint64_t now)
{
	uint64_t tick;
	bool open;
	long ran;

	note_lateness(b, now);
	open = earliest(b, WW_WHEEL_OPEN, WW_WHEELS, now, &tick) >= 0;
	if (open)
		ww_mark_raise(b, now);
	b->floor = now + 1;
	if (open)
		collect(b, now);
	forward(b, WW_WHEEL_OPEN, WW_WHEELS, now + 1);
	if (open)
		ww_mark_lower(b);
	ran = run_due(b, now);
	if (ran >= 0)
		forward(b, 0, WW_WHEEL_OPEN, now + 1);
	return ran;
}

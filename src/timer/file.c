/* SPDX-License-Identifier: MIT */
/* Filing timers in a base's wheels. Guards: timer.h; the caller holds the base's lock. */
#include "timer/timer.h"

#include "base/clock.h"
#include "timer/barrier.h"
#include "timer/short.h"

struct ww_base_hot ww_base_hot[WW_BASES_MAX];
__thread struct ww_timer_context ww_timer_context;

/* Let the base wake up at tick, which is earlier than it would. */
static void wake_at(struct ww_base *b, uint64_t tick, bool *wake)
{
	b->sleep = WW_BASE_TIMED;
	b->wake = tick;
	if (b->kind == WW_BASE_DRIVEN) {
		ww_clock_fd_set(b->fd, ww_tick_to_ns(tick));
		return;
	}
	ww_fetch_add_relaxed(&ww_base_hot_of(b)->wake_seq, 1u);
	*wake = true;
}

/*
 * File t, unlinked, in the wheel that word names, for a look at tick. The clock is read only where
 * somebody must be woken anyhow.
 */
static void file(struct ww_base *b, struct ww_timer_impl *t, uint64_t word, uint64_t tick,
		 bool *wake)
{
	struct ww_wheel *wheel = &b->wheel[ww_word_wheel(word)];

	if (!(word & WW_TW_DEFERRABLE) && ww_base_sleeps_past(b, tick)) {
		uint64_t now = ww_jiffies();

		if (ww_time_before_eq(tick, now))
			tick = now + 1;
		ww_wheel_forward(wheel, now + 1);
		if (ww_base_sleeps_past(b, tick) && !ww_clock_is_virtual())
			wake_at(b, tick, wake);
	}
	t->bound = ww_wheel_add(wheel, &t->node, tick);
}

void ww_timer_enqueue(struct ww_base *b, struct ww_timer_impl *t, uint64_t word, uint64_t expires,
		      bool *wake)
{
	uint64_t filed = ww_timer_not_past(b, expires);

	word = (word & ~WW_TW_STATE) | WW_TW_PENDING;
	file(b, t, word, filed + 1, wake);
	ww_store_relaxed(&t->filed, filed);
	ww_store_relaxed(&t->expires, expires);
	/* One store: nobody who looks without the lock finds a timer that is moved idle meanwhile. */
	ww_timer_set_word(t, ~0ull, word);
}

static void unlink_node(struct ww_base *b, struct ww_timer_impl *t)
{
	if (ww_unlikely(t->word & WW_TW_EXPIRED))
		ww_bucket_del(&b->expired, &t->node);
	else
		ww_wheel_del(&b->wheel[ww_word_wheel(t->word)], &t->node);
}

/* Whether another thread may be about to store a deadline into t, having seen it as it is now. */
static bool stores_elsewhere(const struct ww_base *b, const struct ww_timer_impl *t)
{
	if (t->word & WW_TW_OWN) /* the only thread that stores may be this one */
		return ww_load_relaxed(&ww_base_hot_of(b)->owner) != &ww_timer_context;
	return t->word & WW_TW_OPEN;
}

void ww_timer_stamp(struct ww_timer_impl *t)
{
	ww_store_relaxed(&t->tail, (t->tail & WW_TAIL_MAGIC_MASK) | ww_barriers_begun()
									    << WW_TAIL_STAMP_BITS);
}

uint64_t ww_timer_unlink(struct ww_base *b, struct ww_timer_impl *t)
{
	unlink_node(b, t);
	/* It closes because it leaves its filing, not by a sweep after a barrier. */
	return stores_elsewhere(b, t) ? t->word | WW_TW_DIRTY : t->word;
}

void ww_timer_dequeue(struct ww_base *b, struct ww_timer_impl *t)
{
	bool stored = t->word & WW_TW_STORED;
	uint64_t word = ww_timer_unlink(b, t);

	ww_timer_set_word(t, ~0ull, word & ~WW_TW_STATE);
	if (stored)
		ww_timer_stamp(t);
	ww_base_hot_of(b)->cancelled++;
}

/*
 * Whether every store from when t was open has arrived. The count was looked at after the word was
 * stored that closed it, but with no full barrier in between, so the first barrier after that look
 * may have begun too early; it makes the word seen, and whoever checked the old one did so before
 * the second.
 */
static bool clean(struct ww_base *b, struct ww_timer_impl *t)
{
	uint64_t width = UINT64_MAX >> WW_TAIL_STAMP_BITS;

	if (!(t->word & WW_TW_DIRTY) || !ww_membarrier_ready())
		return true;
	if (((ww_barriers_over() - (t->tail >> WW_TAIL_STAMP_BITS)) & width) - 2 <= width / 2)
		return true;
	b->dirty_rearms++;
	return false;
}

/* The bits with which a timer that was just re-armed while pending goes on. */
static uint64_t open_bits(struct ww_base *b, struct ww_timer_impl *t)
{
	struct ww_base_hot *h = ww_base_hot_of(b);

	const uint64_t open = t->word & WW_TW_PINNED ? WW_TW_OPEN : WW_TW_OPEN | WW_TW_FREE;

	if (t->word & WW_TW_OPEN)
		return open;
	if (!(t->word & WW_TW_OWN) && !clean(b, t))
		return 0;
	if (h->owner == &ww_timer_context &&
	    (b->kind != WW_BASE_DRIVEN || ww_membarrier_available()))
		return WW_TW_OWN;
	return open;
}

/* Found due by a sweep that has not come to running it, or about to be looked at by one. */
static bool due(const struct ww_base *b, const struct ww_timer_impl *t)
{
	return t->word & WW_TW_EXPIRED || ww_time_before(t->bound, b->floor);
}

void ww_timer_refile(struct ww_base *b, struct ww_timer_impl *t, uint64_t expires, bool *wake)
{
	uint64_t old = t->word, word = (old & ~WW_TW_STATE) | WW_TW_PENDING | open_bits(b, t);
	bool stores = stores_elsewhere(b, t);
	/* Stores that are under way are not before what t was filed with. */
	uint64_t filed = stores && ww_time_before(t->filed, expires) ? t->filed : expires, tick;

	if (!stores)
		filed = ww_timer_not_past(b, expires);
	tick = ww_timer_not_past(b, expires) + 1;
	if (word & WW_TW_STORED)
		word &= ~WW_TW_DIRTY;
	b->stats.slow_rearms++;
	/* As long as its bucket is looked at in time it need not move. */
	if (due(b, t) || ww_time_before(expires, t->bound) || (old ^ word) & WW_TW_OPEN ||
	    (!(old & WW_TW_DEFERRABLE) && ww_base_sleeps_past(b, tick))) {
		/* And they count on the bound that they saw: never a later one. */
		if (stores && ww_time_before(t->bound, tick))
			tick = t->bound;
		unlink_node(b, t);
		file(b, t, word, tick, wake);
	}
	ww_store_relaxed(&t->filed, filed);
	ww_store_release(&t->expires, expires); /* pairs: TIMER-3 */
	if (word != old)
		ww_timer_set_word(t, ~0ull, word);
}

bool ww_base_next(struct ww_base *b, uint64_t *tick)
{
	uint64_t other;
	bool found = ww_wheel_next(&b->wheel[WW_WHEEL_NORMAL], tick);

	if (ww_wheel_next(&b->wheel[WW_WHEEL_OPEN], &other) &&
	    (!found || ww_time_before(other, *tick))) {
		*tick = other;
		found = true;
	}
	return found;
}

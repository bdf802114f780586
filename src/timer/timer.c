/* SPDX-License-Identifier: MIT */
/* The calls on a timer: arm, re-arm, delete. Guards: timer.h. */
#include "timer/timer.h"

#include "base/futex.h"
#include "base/report.h"

enum arm_how {
	ARM_ADD,     /* must be idle */
	ARM_MOD,     /* whatever it is */
	ARM_PENDING, /* only where it is pending */
	ARM_REDUCE,  /* never later than it is */
};

static bool set_up(const char *call, const struct ww_timer_impl *t)
{
	if (ww_likely(t->magic == WW_TIMER_MAGIC))
		return true;
	ww_misuse(call, "timer %p was never set up (ww_timer_setup() first)", (const void *)t);
	return false;
}

/* Lock the timer: the lock of the base that its word names. */
static struct ww_base_hot *lock_timer(const struct ww_timer_impl *t)
{
	for (;;) {
		unsigned id = ww_word_base(ww_load_relaxed(&t->word));
		struct ww_base_hot *h = &ww_base_hot[id];

		ww_lock(&h->lock);
		if (ww_likely(ww_word_base(ww_load_relaxed(&t->word)) == id))
			return h;
		ww_unlock(&h->lock);
	}
}

/*
 * The timer is locked by the lock of base from; lock base to as well. Where that needs the first
 * to be dropped, both are taken in order; false where the timer went elsewhere meanwhile (nothing
 * is locked then).
 */
static bool lock_second(const struct ww_timer_impl *t, unsigned from, unsigned to)
{
	struct ww_base_hot *f = &ww_base_hot[from], *o = &ww_base_hot[to];

	if (ww_trylock(&o->lock))
		return true;
	ww_unlock(&f->lock);
	ww_lock(from < to ? &f->lock : &o->lock);
	ww_lock(from < to ? &o->lock : &f->lock);
	if (ww_word_base(ww_load_relaxed(&t->word)) == from)
		return true;
	ww_unlock(&f->lock);
	ww_unlock(&o->lock);
	return false;
}

/*
 * One pass of arm() with t locked by h. Returns -1 to be called again (the locks are dropped), else
 * the answer, with all dropped.
 */
static int arm_locked(struct ww_timer_impl *t, struct ww_base_hot *h, uint64_t expires,
		      enum arm_how how, struct ww_base *target, uint64_t clear, uint64_t set)
{
	unsigned from = (unsigned)(h - ww_base_hot), to = target->id;
	bool pending = t->word & WW_TW_PENDING, wake = false;

	if (!t->function || (how == ARM_PENDING && !pending)) {
		ww_unlock(&h->lock);
		return 0;
	}
	if (pending && how == ARM_REDUCE && !ww_time_before(expires, t->filed)) {
		ww_unlock(&h->lock);
		return 1;
	}
	/* While its callback runs it stays on that base: so it never runs against itself. */
	if (h->running == t)
		to = from;
	if (to != from && !lock_second(t, from, to))
		return -1;
	/* The lock may have been dropped for the second. */
	if (to != from &&
	    (h->running == t || pending != !!(t->word & WW_TW_PENDING) || !t->function)) {
		ww_unlock(&h->lock);
		ww_unlock(&ww_base_hot[to].lock);
		return -1;
	}
	if (pending)
		ww_timer_dequeue(h->base, t);
	t->word = (t->word & ~(clear | WW_TW_BASE_MASK)) | set | (uint64_t)to << WW_TW_BASE_SHIFT;
	ww_timer_enqueue(ww_base_hot[to].base, t, expires, &wake);
	if (to != from)
		ww_unlock(&ww_base_hot[to].lock);
	ww_unlock(&h->lock);
	if (wake)
		ww_base_wake(to);
	return pending;
}

static int arm(const char *call, struct ww_timer *timer, uint64_t expires, enum arm_how how,
	       unsigned base, uint64_t clear, uint64_t set)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	struct ww_base *target;
	int ret;

	if (!set_up(call, t))
		return 0;
	target = ww_base_get(base);
	if (!target)
		return 0;
	do {
		struct ww_base_hot *h = lock_timer(t);

		if (how == ARM_ADD && (t->word & WW_TW_PENDING)) {
			ww_unlock(&h->lock);
			ww_misuse(call, "timer %p (%s) is already pending; ww_mod_timer() moves it",
				  (void *)t, ww_symbol_fn(t->function));
			return 0;
		}
		ret = arm_locked(t, h, expires, how, target, clear, set);
	} while (ret < 0);
	return ret;
}

WW_EXPORT void ww_timer_setup(struct ww_timer *timer, ww_timer_fn function, unsigned flags)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	uint64_t word = (uint64_t)ww_base_id_here() << WW_TW_BASE_SHIFT;

	if (flags & ~(WW_TIMER_DEFERRABLE | WW_TIMER_PINNED))
		ww_misuse("ww_timer_setup",
			  "timer %p (%s): unknown flags 0x%x ignored; there are "
			  "WW_TIMER_DEFERRABLE and WW_TIMER_PINNED",
			  (void *)t, ww_symbol_fn(function), flags);
	if (flags & WW_TIMER_DEFERRABLE)
		word |= WW_TW_DEFERRABLE;
	if (flags & WW_TIMER_PINNED)
		word |= WW_TW_PINNED;
	*t = (struct ww_timer_impl){.function = function, .word = word, .magic = WW_TIMER_MAGIC};
}

WW_EXPORT void ww_add_timer(struct ww_timer *timer)
{
	arm("ww_add_timer", timer, timer->expires, ARM_ADD, ww_base_id_here(), 0, 0);
}

WW_EXPORT int ww_mod_timer(struct ww_timer *timer, uint64_t expires)
{
	return arm("ww_mod_timer", timer, expires, ARM_MOD, ww_base_id_here(), 0, 0);
}

WW_EXPORT bool ww_timer_pending(const struct ww_timer *timer)
{
	return ww_load_relaxed(&ww_timer_impl(timer)->word) & WW_TW_PENDING;
}

WW_EXPORT int ww_timer_delete(struct ww_timer *timer)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	int deleted = 0;

	if (!set_up("ww_timer_delete", t) || !ww_timer_pending(timer))
		return 0;
	struct ww_base_hot *h = lock_timer(t);
	if (t->word & WW_TW_PENDING) {
		ww_timer_dequeue(h->base, t);
		deleted = 1;
	}
	ww_unlock(&h->lock);
	return deleted;
}

/* t is locked by h and its callback runs: sleep until the base has answered. */
static int wait_for_callback(struct ww_timer_impl *t, struct ww_base_hot *h, bool shutdown)
{
	struct ww_timer_waiter w = {.timer = t, .shutdown = shutdown};

	ww_list_add_tail(&w.link, &h->base->waiters);
	for (;;) {
		uint32_t seq = ww_load_relaxed(&h->done_seq);

		ww_unlock(&h->lock);
		ww_futex_wait(&h->done_seq, seq, WW_FOREVER);
		if (ww_load_acquire(&w.done)) /* pairs: TIMER-2 */
			return w.deleted;
		ww_lock(&h->lock);
	}
}

/* The word, the running timer, the word again: true where t is idle and its callback is over. */
static bool idle_and_over(const struct ww_timer_impl *t)
{
	uint64_t w = ww_load_acquire(&t->word); /* pairs: TIMER-1 */
	const struct ww_timer_impl *running;

	if (w & WW_TW_PENDING)
		return false;
	running = ww_load_acquire(&ww_base_hot[ww_word_base(w)].running); /* pairs: TIMER-1 */
	return running != t && ww_load_relaxed(&t->word) == w;
}

static int delete_sync(const char *call, struct ww_timer *timer, bool shutdown)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	int deleted = 0;

	if (!set_up(call, t))
		return 0;
	if (!shutdown && idle_and_over(t))
		return 0;
	struct ww_base_hot *h = lock_timer(t);
	if (h->running == t) {
		if (ww_timer_context.running != t)
			return wait_for_callback(t, h, shutdown);
		ww_unlock(&h->lock);
		ww_misuse(call, "timer %p (%s) waits for its own callback", (void *)t,
			  ww_symbol_fn(t->function));
		return ww_timer_delete(timer);
	}
	if (t->word & WW_TW_PENDING) {
		ww_timer_dequeue(h->base, t);
		deleted = 1;
	}
	if (shutdown)
		ww_store_relaxed(&t->function, NULL);
	ww_unlock(&h->lock);
	return deleted;
}

WW_EXPORT int ww_timer_delete_sync(struct ww_timer *timer)
{
	return delete_sync("ww_timer_delete_sync", timer, false);
}

WW_EXPORT void ww_timer_setup_on_stack(struct ww_timer *timer, ww_timer_fn function, unsigned flags)
{
	ww_timer_setup(timer, function, flags);
}

WW_EXPORT void ww_timer_destroy_on_stack(struct ww_timer *timer)
{
	const struct ww_timer_impl *t = ww_timer_impl(timer);

	if (ww_likely(idle_and_over(t) && t->magic == WW_TIMER_MAGIC))
		return;
	if (set_up("ww_timer_destroy_on_stack", t)) {
		ww_misuse("ww_timer_destroy_on_stack",
			  "timer %p (%s) is pending or its callback runs; deleted for you",
			  (const void *)t, ww_symbol_fn(t->function));
		delete_sync("ww_timer_destroy_on_stack", timer, false);
	}
}

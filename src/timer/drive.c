/* SPDX-License-Identifier: MIT */
/* Bases as objects: with a thread of their own, or driven by the caller's loop. Guards: timer.h. */
#include "timer/base.h"

#include <errno.h>

#include "base/clock.h"
#include "base/report.h"
#include "timer/barrier.h"

/* In the child of a fork an object of the parent's is made usable by its first use. */
static struct ww_base_hot *hot_now(struct ww_base *b)
{
	if (ww_unlikely(b->forks != ww_timer_forks))
		ww_base_get(b->id);
	return ww_base_hot_of(b);
}

WW_EXPORT struct ww_base *ww_base_create(const char *name)
{
	return ww_base_make_object(WW_BASE_THREAD, name);
}

WW_EXPORT struct ww_base *ww_base_create_driven(const char *name)
{
	return ww_base_make_object(WW_BASE_DRIVEN, name);
}

WW_EXPORT int ww_base_destroy(struct ww_base *b)
{
	struct ww_base_hot *h = hot_now(b);
	bool running;
	int err = 0;

	if (ww_timer_context.base == b) {
		ww_misuse("ww_base_destroy", "base %s, from its own callback %s", b->name,
			  ww_symbol_fn(ww_timer_context.running->function));
		return -EDEADLK;
	}
	ww_light_lock(&h->lock);
	if (ww_base_pending(b) || b->swept)
		err = -EBUSY;
	else
		b->stop = true;
	running = h->base && b->kind == WW_BASE_THREAD && !ww_clock_is_virtual();
	ww_fetch_add_relaxed(&h->wake_seq, 1u);
	ww_light_unlock(&h->lock);
	if (err)
		return err;
	if (running) {
		ww_base_wake(b->id);
		ww_os_thread_join(&b->thread);
	}
	ww_light_lock(&h->lock);
	if (ww_base_pending(b)) {
		ww_misuse("ww_base_destroy", "%llu timers were armed on base %s meanwhile: lost",
			  (unsigned long long)ww_base_pending(b), b->name);
		ww_base_drop_timers(b);
	}
	ww_light_unlock(&h->lock);
	ww_base_unmake(b);
	return 0;
}

WW_EXPORT int ww_base_fd(struct ww_base *b)
{
	if (b->kind != WW_BASE_DRIVEN) {
		ww_misuse("ww_base_fd", "base %s has a thread of its own; nothing to poll",
			  b->name);
		return -EINVAL;
	}
	hot_now(b);
	return b->fd;
}

/*
 * Say that this thread runs b's timers now. Timers on which another had the right to store lose
 * nothing: after the barrier its stores have arrived, or its checks see that it is the owner no
 * more. The lock is dropped for that.
 */
static void take_over(struct ww_base *b, struct ww_base_hot *h)
{
	const void *before =
		ww_xchg(&h->owner, (const void *)&ww_timer_context); /* pairs: TIMER-8 */

	if (!before || before == &ww_timer_context || !ww_membarrier_ready())
		return;
	ww_light_unlock(&h->lock);
	ww_barrier_shared();
	ww_light_lock(&h->lock);
	b->stats.barriers++;
	ww_membarrier_seen(&h->mark); /* pairs: TIMER-8 */
}

static void set_alarm(struct ww_base *b)
{
	uint64_t next;

	if (!ww_base_next(b, &next)) {
		if (b->sleep != WW_BASE_FOREVER)
			ww_clock_fd_set(b->fd, UINT64_MAX);
		b->sleep = WW_BASE_FOREVER;
		return;
	}
	ww_clock_fd_set(b->fd, ww_tick_to_ns(next));
	b->sleep = WW_BASE_TIMED;
	b->wake = next;
}

WW_EXPORT int ww_base_run(struct ww_base *b)
{
	struct ww_base_hot *h = hot_now(b);
	long ran;

	if (b->kind != WW_BASE_DRIVEN || ww_timer_context.base == b) {
		ww_misuse("ww_base_run", "base %s %s", b->name,
			  b->kind != WW_BASE_DRIVEN ? "has a thread of its own"
						    : "runs already: this is its own callback");
		return b->kind != WW_BASE_DRIVEN ? -EINVAL : -EDEADLK;
	}
	if (ww_clock_is_virtual())
		return 0; /* ww_clock_advance() has run everything */
	ww_light_lock(&h->lock);
	if (b->swept) {
		ww_light_unlock(&h->lock);
		return -EBUSY;
	}
	b->swept = true;
	if (h->owner != &ww_timer_context)
		take_over(b, h);
	b->sleep = WW_BASE_AWAKE;
	ran = ww_base_sweep(b, ww_jiffies());
	if (ran < 0)
		return 0; /* the child of a fork: the parent's timers are not its own */
	b->swept = false;
	set_alarm(b);
	ww_light_unlock(&h->lock);
	return (int)ran;
}

WW_EXPORT int ww_timer_set_base(struct ww_timer *timer, struct ww_base *base)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	uint64_t clear = WW_TW_BOUND | (base ? WW_TW_BASE_MASK : 0);
	struct ww_base_hot *h;
	bool busy;

	if (!ww_timer_is_set_up(t)) {
		ww_misuse("ww_timer_set_base", "timer %p was never set up", (void *)t);
		return -EINVAL;
	}
	h = ww_timer_lock(t);
	busy = t->word & WW_TW_PENDING || ww_load_acquire(&h->running) == t;
	if (!busy)
		ww_timer_set_word(t, clear,
				  base ? WW_TW_BOUND | (uint64_t)base->id << WW_TW_BASE_SHIFT : 0);
	ww_light_unlock(&h->lock);
	if (!busy)
		return 0;
	ww_misuse("ww_timer_set_base", "timer %p (%s) is pending or runs; delete it first",
		  (void *)t, ww_symbol_fn(t->function));
	return -EBUSY;
}

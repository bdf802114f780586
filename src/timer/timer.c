/* SPDX-License-Identifier: MIT */
/* The calls on a timer: arm, re-arm, delete. Guards: timer.h; the store path: rearm.h. */
#include "timer/timer.h"

#include "base/debug.h"
#include "base/probe.h"
#include "base/report.h"
#include "timer/barrier.h"
#include "timer/rearm.h"
#include "timer/short.h"

/* After so many re-arms that only wait for barriers to pass, one pays for the barriers. */
#define DIRTY_REARMS 32u

enum arm_how {
	ARM_ADD,     /* must be idle */
	ARM_MOD,     /* whatever it is */
	ARM_PENDING, /* only where it is pending */
	ARM_REDUCE,  /* never later than it is */
};

struct arm {
	const char *call;
	uint64_t expires;
	enum arm_how how;
	unsigned base;	     /* where it goes, unless it stays */
	bool given;	     /* that base was asked for */
	uint64_t clear, set; /* flags */
};

static bool set_up(const char *call, const struct ww_timer_impl *t)
{
	if (ww_likely(ww_timer_is_set_up(t)))
		return true;
	ww_misuse(call, "timer %p was never set up (ww_timer_setup() comes first)",
		  (const void *)t);
	return false;
}

struct ww_base_hot *ww_timer_lock_slow(struct ww_timer_impl *t, struct ww_base_hot *h)
{
	for (;;) {
		uint64_t word = ww_load_relaxed(&t->word);

		if (ww_word_hot(word) == h) {
			/* Pending in the process that forked this one: not on any list here. */
			if (ww_unlikely(h->stale) && word & WW_TW_PENDING)
				ww_timer_set_word(t, WW_TW_STATE | WW_TW_DIRTY, 0);
			return h;
		}
		ww_light_unlock(&h->lock);
		h = ww_word_hot(ww_load_relaxed(&t->word));
		ww_light_lock(&h->lock);
	}
}

/* On this base stores are exchanges: a full barrier of their own instead of the sweeper's. */
static bool store_exchanged(struct ww_timer_impl *t, uint64_t word, uint64_t expires,
			    struct ww_base_hot *h)
{
	ww_xchg(&t->expires, expires);				/* pairs: TIMER-3 TIMER-5 */
	return ww_load_seq_cst(&h->mark) == WW_MARK_EXCHANGE && /* pairs: TIMER-5 TIMER-6 */
	       ww_load_relaxed(&t->word) == word;
}

/* By the thread that runs the base: nobody else sweeps; one that begins to passes a barrier after
 * saying so. */
static bool store_own(struct ww_timer_impl *t, uint64_t word, uint64_t expires,
		      struct ww_base_hot *h)
{
	if (ww_load_relaxed(&h->owner) != &ww_timer_context)
		return false;
	ww_store_release(&t->expires, expires);			  /* pairs: TIMER-3 */
	ww_membarrier_light(&h->mark);				  /* pairs: TIMER-8 */
	return ww_load_acquire(&h->owner) == &ww_timer_context && /* pairs: TIMER-8 */
	       ww_load_relaxed(&t->word) == word;
}

bool ww_timer_store_slow(struct ww_timer_impl *t, uint64_t expires)
{
	uint64_t word = ww_load_acquire(&t->word); /* pairs: TIMER-1 */
	uint64_t at = ww_load_relaxed(&t->expires);
	struct ww_base_hot *h = ww_word_hot(word);

	if (!(word & WW_TW_STORED) || ww_time_before(expires, at) ||
	    ww_time_before(expires, ww_load_relaxed(&t->filed)))
		return false;
	if ((word & (WW_TW_PINNED | WW_TW_BOUND)) == WW_TW_PINNED &&
	    ww_word_base(word) != ww_base_id_here())
		return false;
	if (word & WW_TW_OWN)
		return store_own(t, word, expires, h);
	if (ww_load_acquire(&h->mark) == WW_MARK_EXCHANGE) /* pairs: TIMER-6 */
		return store_exchanged(t, word, expires, h);
	return ww_timer_store(t, word, at, expires);
}

/*
 * The timer is locked by the lock of base from; lock base to as well. Where that needs the first
 * to be dropped, both are taken in order; false where the timer went elsewhere meanwhile (nothing
 * is locked then).
 */
static bool lock_second(const struct ww_timer_impl *t, unsigned from, unsigned to)
{
	struct ww_base_hot *f = &ww_base_hot[from], *o = &ww_base_hot[to];

	if (ww_light_trylock(&o->lock))
		return true;
	ww_light_unlock(&f->lock);
	ww_light_lock(from < to ? &f->lock : &o->lock);
	ww_light_lock(from < to ? &o->lock : &f->lock);
	if (ww_word_base(ww_load_relaxed(&t->word)) == from)
		return true;
	ww_light_unlock(&f->lock);
	ww_light_unlock(&o->lock);
	return false;
}

/* What t, locked, says to being armed so: -1 go ahead, else the answer without doing it. */
static int refuses(const struct ww_timer_impl *t, const struct arm *a)
{
	if (!t->function)
		return 0;
	if (!(t->word & WW_TW_PENDING))
		return a->how == ARM_PENDING ? 0 : -1;
	if (a->how == ARM_ADD)
		return 2;
	if (a->how == ARM_REDUCE && !ww_time_before(a->expires, ww_timer_deadline(t)))
		return 1;
	return -1;
}

/* Where t, locked by from's lock, goes. */
static unsigned destination(const struct ww_timer_impl *t, const struct ww_base_hot *h,
			    const struct arm *a)
{
	unsigned from = (unsigned)(h - ww_base_hot);

	/* While its callback runs it stays on that base: so it never runs against itself. */
	if (ww_load_relaxed(&h->running) == t)
		return from;
	if (a->given)
		return a->base;
	if (t->word & WW_TW_BOUND)
		return ww_base_id_since_fork(from);
	/* An open timer stays where its stores are watched; a pinned one goes to the caller. */
	if (t->word & WW_TW_STORED && !(t->word & WW_TW_PINNED))
		return from;
	return a->base;
}

static int arm_slow(struct ww_timer_impl *t, const struct arm *a);

/* Base `to` is made now, or, where it can't be, another takes its timers. Out of line: it is rare. */
static __attribute__((noinline)) int arm_elsewhere(struct ww_timer_impl *t, const struct arm *a,
						   unsigned to)
{
	const struct ww_base *b = ww_base_get(to);
	struct arm next = *a;

	if (!b)
		return 0;
	if (b->id != to) {
		next.given = true;
		next.base = b->id;
	}
	return arm_slow(t, &next);
}

static int arm_slow(struct ww_timer_impl *t, const struct arm *a)
{
	bool wake = false, pay = false;

	for (;;) {
		struct ww_base_hot *h = ww_timer_lock(t), *o = h;
		unsigned from = (unsigned)(h - ww_base_hot), to = destination(t, h, a);
		int answer = refuses(t, a);

		if (answer >= 0) {
			ww_light_unlock(&h->lock);
			return answer;
		}
		if (to != from) {
			o = &ww_base_hot[to];
			if (!lock_second(t, from, to))
				continue;
		}
		/* The first lock may have been dropped for the second, or a base be still to make. */
		answer = refuses(t, a);
		if (ww_unlikely(answer >= 0 || destination(t, h, a) != to || !o->base)) {
			bool lacking = !o->base;

			ww_light_unlock(&h->lock);
			if (o != h)
				ww_light_unlock(&o->lock);
			if (answer >= 0)
				return answer;
			if (lacking)
				return arm_elsewhere(t, a, to);
			continue;
		}
		answer = t->word & WW_TW_PENDING;
		if (answer && o == h && !a->clear && !a->set) {
			ww_timer_refile(o->base, t, a->expires, &wake);
			pay = o->base->dirty_rearms >= DIRTY_REARMS;
			if (pay)
				o->base->dirty_rearms = 0;
		} else {
			bool stored = answer && t->word & WW_TW_STORED;
			uint64_t word = answer ? ww_timer_unlink(h->base, t) : t->word;

			word = (word & ~(a->clear | WW_TW_BASE_MASK)) | a->set |
			       (uint64_t)to << WW_TW_BASE_SHIFT;
			ww_timer_enqueue(o->base, t, word, a->expires, &wake);
			if (stored)
				ww_timer_stamp(t);
			if (answer) {
				h->base->moved--;
				o->base->moved++;
				o->base->stats.slow_rearms++;
			} else {
				o->armed++;
			}
		}
		if (o != h)
			ww_light_unlock(&o->lock);
		ww_light_unlock(&h->lock);
		if (wake)
			ww_base_wake(to);
		if (pay) { /* two: see clean() */
			ww_barrier_shared();
			ww_barrier_shared();
		}
		WW_PROBE3(timer_start, t, a->expires, answer);
		return answer;
	}
}

static int arm(struct ww_timer *timer, const struct arm *a)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	int ret;

	if (!set_up(a->call, t))
		return 0;
	ret = arm_slow(t, a);
	if (ret <= 1)
		return ret;
	ww_misuse(a->call, "timer %p (%s) is already pending; ww_mod_timer() would move it",
		  (void *)t, ww_symbol_fn(t->function));
	return 0;
}

WW_EXPORT void ww_timer_setup(struct ww_timer *timer, ww_timer_fn function, unsigned flags)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	uint64_t word = WW_TW_SETUP | (uint64_t)ww_base_id_here() << WW_TW_BASE_SHIFT;

	if (ww_unlikely(flags & ~(WW_TIMER_DEFERRABLE | WW_TIMER_PINNED)))
		ww_misuse("ww_timer_setup",
			  "timer %p (%s): unknown flags 0x%x ignored; there are "
			  "WW_TIMER_DEFERRABLE and WW_TIMER_PINNED",
			  (void *)t, ww_symbol_fn(function), flags);
	if (ww_unlikely(ww_debug_enabled() && ww_timer_linked(t))) {
		ww_misuse("ww_timer_setup",
			  "timer %p (%s) is pending: left alone; ww_timer_delete_sync() comes "
			  "first",
			  (void *)t, ww_symbol_fn(t->function));
		return;
	}
	if (flags & WW_TIMER_DEFERRABLE)
		word |= WW_TW_DEFERRABLE;
	if (flags & WW_TIMER_PINNED)
		word |= WW_TW_PINNED;
	*t = (struct ww_timer_impl){.function = function, .word = word, .tail = WW_TAIL_MAGIC};
	WW_PROBE2(timer_init, t, function);
}

WW_EXPORT void ww_timer_setup_on_stack(struct ww_timer *timer, ww_timer_fn function, unsigned flags)
{
	ww_timer_setup(timer, function, flags);
}

WW_EXPORT void ww_add_timer(struct ww_timer *timer)
{
	arm(timer,
	    &(struct arm){"ww_add_timer", timer->expires, ARM_ADD, ww_base_id_here(), false, 0, 0});
}

WW_EXPORT void ww_add_timer_local(struct ww_timer *timer)
{
	arm(timer, &(struct arm){"ww_add_timer_local", timer->expires, ARM_ADD, ww_base_id_here(),
				 false, 0, WW_TW_PINNED});
}

WW_EXPORT void ww_add_timer_global(struct ww_timer *timer)
{
	arm(timer, &(struct arm){"ww_add_timer_global", timer->expires, ARM_ADD, ww_base_id_here(),
				 false, WW_TW_PINNED, 0});
}

WW_EXPORT void ww_add_timer_on(struct ww_timer *timer, int cpu)
{
	arm(timer, &(struct arm){"ww_add_timer_on", timer->expires, ARM_ADD, ww_base_id_of_cpu(cpu),
				 true, WW_TW_BOUND, WW_TW_PINNED});
}

static __attribute__((noinline)) int mod_slow(struct ww_timer *timer, uint64_t expires,
					      enum arm_how how)
{
	static const char *const calls[] = {
		[ARM_MOD] = "ww_mod_timer",
		[ARM_PENDING] = "ww_mod_timer_pending",
		[ARM_REDUCE] = "ww_timer_reduce",
	};

	if (how != ARM_REDUCE && ww_timer_store_slow(ww_timer_impl(timer), expires))
		return 1;
	return arm(timer, &(struct arm){calls[how], expires, how, ww_base_id_here(), false, 0, 0});
}

/* Out of line: the callers' stores need no frame of their own. */
static __attribute__((noinline)) int mod_short(struct ww_timer *timer, uint64_t expires,
					       enum arm_how how)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	unsigned here = ww_base_id_here();

	if (ww_timer_arm_idle(t, ww_load_relaxed(&t->word), expires, here, here, 0, 0))
		return 0;
	return mod_slow(timer, expires, how);
}

WW_EXPORT int ww_mod_timer(struct ww_timer *timer, uint64_t expires)
{
	if (ww_likely(ww_timer_push_out(ww_timer_impl(timer), expires)))
		return 1;
	return mod_short(timer, expires, ARM_MOD);
}

WW_EXPORT int ww_mod_timer_pending(struct ww_timer *timer, uint64_t expires)
{
	if (ww_likely(ww_timer_push_out(ww_timer_impl(timer), expires)))
		return 1;
	return mod_slow(timer, expires, ARM_PENDING);
}

/* As if t were pushed out to the deadline that it has, where that lies in [first, last]. */
static bool keep(struct ww_timer_impl *t, uint64_t first, uint64_t last)
{
	uint64_t word = ww_load_acquire(&t->word); /* pairs: TIMER-1 */
	uint64_t at = ww_load_relaxed(&t->expires);

	if (!(word & WW_TW_FREE) || ww_time_before(at, first) || ww_time_after(at, last))
		return false;
	return ww_timer_store(t, word, at, at);
}

WW_EXPORT int ww_timer_reduce(struct ww_timer *timer, uint64_t expires)
{
	if (keep(ww_timer_impl(timer), expires - INT64_MAX, expires))
		return 1;
	return mod_short(timer, expires, ARM_REDUCE);
}

WW_EXPORT int ww_mod_timer_slack(struct ww_timer *timer, uint64_t expires, uint64_t slack)
{
	uint64_t last = expires + (slack < WW_MAX_JIFFY_OFFSET ? slack : WW_MAX_JIFFY_OFFSET);

	if (keep(ww_timer_impl(timer), expires, last))
		return 1;
	/*
	 * The roundest tick of the window: with more zeros at its end it is shared by more timers,
	 * in one bucket, with one wake-up. It fires when the counter reads deadline + 1.
	 */
	uint64_t from = expires, to = last + 1, differ = from ^ to;
	uint64_t mask = differ ? UINT64_MAX >> __builtin_clzll(differ) >> 1 : 0;

	return mod_short(timer, (to & ~mask) - 1, ARM_MOD);
}

WW_EXPORT bool ww_timer_pending(const struct ww_timer *timer)
{
	uint64_t word = ww_load_relaxed(&ww_timer_impl(timer)->word);

	/* In the child of a fork all is idle, though not all words say so yet. */
	return word & WW_TW_PENDING && !ww_load_relaxed(&ww_word_hot(word)->stale);
}

/* One pass of deletion: 1, 0, or -1 where its callback runs (then nothing is done). */
static inline int delete_locked(struct ww_timer_impl *t, struct ww_base_hot *h, bool even_running,
				bool shutdown)
{
	int deleted = 0;

	if (!even_running && ww_load_relaxed(&h->running) == t)
		return -1;
	if (t->word & WW_TW_PENDING) {
		ww_timer_dequeue(h->base, t);
		deleted = 1;
	}
	if (shutdown)
		ww_store_relaxed(&t->function, NULL);
	WW_PROBE2(timer_cancel, t, deleted);
	return deleted;
}

static int delete_now(const char *call, struct ww_timer *timer, bool even_running, bool shutdown)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	int ret;

	if (!set_up(call, t))
		return 0;
	struct ww_base_hot *h = ww_timer_lock(t);
	ret = delete_locked(t, h, even_running, shutdown);
	ww_light_unlock(&h->lock);
	return ret;
}

/*
 * The word, the running timer, the word again: three loads on two lines say that t is idle and
 * that its callback is over. The base publishes the running timer before the word leaves pending;
 * had the timer been armed since the first look, the second would find another generation.
 */
static inline bool idle_and_over(const struct ww_timer_impl *t)
{
	uint64_t word = ww_load_acquire(&t->word); /* pairs: TIMER-1 */
	const struct ww_timer_impl *running;

	if ((word & (WW_TW_PENDING | WW_TW_SETUP_MASK)) != WW_TW_SETUP)
		return false;
	/* pairs: TIMER-1 TIMER-2 */
	running = ww_load_acquire(&ww_word_hot(word)->running);
	return running != t && ww_load_relaxed(&t->word) == word;
}

static __attribute__((noinline)) int delete_sync(const char *call, struct ww_timer *timer,
						 bool shutdown)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	int ret;

	if (!set_up(call, t))
		return 0;
	struct ww_base_hot *h = ww_timer_lock(t);
	ret = delete_locked(t, h, false, shutdown);
	if (ret >= 0) {
		ww_light_unlock(&h->lock);
		return ret;
	}
	if (ww_timer_context.running == t) {
		ww_light_unlock(&h->lock);
		ww_misuse(call, "timer %p (%s) waits for its own callback", (void *)t,
			  ww_symbol_fn(t->function));
	} else {
		ret = ww_timer_wait(call, t, h, shutdown);
	}
	return ret >= 0 ? ret : delete_now(call, timer, true, shutdown);
}

WW_EXPORT int ww_timer_delete(struct ww_timer *timer)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);
	uint64_t word = ww_load_relaxed(&t->word);

	if ((word & (WW_TW_PENDING | WW_TW_SETUP_MASK)) == WW_TW_SETUP)
		return 0;
	if (ww_likely(ww_timer_delete_closed(t, word)))
		return 1;
	return delete_now("ww_timer_delete", timer, true, false);
}

WW_EXPORT int ww_timer_delete_sync_try(struct ww_timer *timer)
{
	if (idle_and_over(ww_timer_impl(timer)))
		return 0;
	return delete_now("ww_timer_delete_sync_try", timer, false, false);
}

WW_EXPORT int ww_timer_delete_sync(struct ww_timer *timer)
{
	if (ww_likely(idle_and_over(ww_timer_impl(timer))))
		return 0;
	return delete_sync("ww_timer_delete_sync", timer, false);
}

WW_EXPORT int ww_timer_shutdown(struct ww_timer *timer)
{
	return delete_now("ww_timer_shutdown", timer, true, true);
}

WW_EXPORT int ww_timer_shutdown_sync(struct ww_timer *timer)
{
	return delete_sync("ww_timer_shutdown_sync", timer, true);
}

WW_EXPORT void ww_timer_destroy_on_stack(struct ww_timer *timer)
{
	struct ww_timer_impl *t = ww_timer_impl(timer);

	if (ww_likely(idle_and_over(t))) {
		t->tail = 0;
		return;
	}
	if (!set_up("ww_timer_destroy_on_stack", t))
		return;
	/* Who has waited for the callback may come before it is taken for over: the lock settles that. */
	struct ww_base_hot *h = ww_timer_lock(t);
	bool busy = ww_load_relaxed(&t->word) & WW_TW_STATE || ww_load_relaxed(&h->running) == t;

	ww_light_unlock(&h->lock);
	if (busy) {
		ww_misuse("ww_timer_destroy_on_stack",
			  "timer %p (%s) is pending or its callback runs: deleted for you",
			  (void *)t, ww_symbol_fn(t->function));
		delete_sync("ww_timer_destroy_on_stack", timer, false);
	}
	t->tail = 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Workers. Legend: (L) the worker's lock; (I) constant once made; (Q) the lock of the worker that
 * the item belongs to; (O) written under (L) or (Q), read anywhere.
 *
 * An item's list node says where it is: nowhere, on its worker's list, or on the list of those that
 * wait for their timer. The timer's function takes the lock, so whoever deletes that timer for
 * certain drops the lock meanwhile and looks at everything anew: "canceling" keeps others off.
 */
#include "wheelwork/worker.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/debug.h"
#include "base/lock.h"
#include "base/report.h"
#include "thread/thread.h"
#include "wheelwork/completion.h"
#include "wheelwork/freezer.h"

struct worker {
	struct ww_lock lock;
	uint32_t flags;		  /* (I) WW_WORKER_* */
	struct ww_list ready;	  /* (L) first come, first served */
	struct ww_list delayed;	  /* (L) their timers run; flushes of one lie behind it */
	struct ww_thread *thread; /* (O) who runs it, or will */
	struct work *current;	  /* (L) what it runs; also for a moment afterwards */
	uint32_t generation;	  /* (O) of forks, as in wait.h */
	uint32_t running;	  /* (L) a thread is in ww_worker_fn() */
};

enum { WORK_DELAYED = 1, WORK_FLUSH = 2 };

struct work {
	ww_worker_fn_t func;
	struct ww_list node;   /* (Q) NULL or itself: nowhere */
	struct worker *worker; /* (O) set by the first queueing */
	uint32_t canceling;    /* (Q) how many cancel or modify it */
	uint32_t where;	       /* (Q) WORK_DELAYED, WORK_FLUSH */
	uint64_t magic;	       /* itself and a constant, once initialised */
};

#define WORK_MAGIC 0x7777776f726b6572ull

_Static_assert(sizeof(struct worker) <= sizeof(struct ww_worker), "public size");
_Static_assert(sizeof(struct work) <= sizeof(struct ww_worker_work), "public size");
_Static_assert(sizeof(struct ww_worker) == 128 && sizeof(struct ww_worker_work) == 64 &&
		       sizeof(struct ww_worker_delayed_work) == 144,
	       "public size");

#define worker_of(w) ((struct worker *)(void *)(w))
#define work_of(w)   ((struct work *)(void *)(w))
#define dwork_of(w)  ((struct ww_worker_delayed_work *)(void *)(w))

/* In the child of a fork the parent's items are gone, and so is who held the lock. */
static void renew(struct worker *wk)
{
	ww_lock(&ww_fork_renew_lock);
	if (wk->generation == ww_fork_generation) {
		ww_unlock(&ww_fork_renew_lock);
		return;
	}
	ww_lock_init(&wk->lock);
	ww_list_init(&wk->ready);
	ww_list_init(&wk->delayed);
	wk->current = NULL;
	ww_store_release(&wk->generation, ww_fork_generation); /* pairs: THREAD-10 */
	ww_unlock(&ww_fork_renew_lock);
}

static void lock_worker(struct worker *wk)
{
	if (ww_unlikely(ww_load_acquire(&wk->generation) !=
			ww_fork_generation)) /* pairs: THREAD-10 */
		renew(wk);
	ww_lock(&wk->lock);
}

static bool linked(const struct work *w)
{
	return w->node.next && w->node.next != &w->node;
}

static struct work *first_of(struct ww_list *list)
{
	return ww_list_empty(list) ? NULL : ww_list_first(list, struct work, node);
}

/* Someone to be woken once the lock is free. */
struct kick {
	struct ww_thread *thread;
	uint32_t was;
};

static void unlock_and_kick(struct worker *wk, const struct kick *k)
{
	ww_unlock(&wk->lock);
	if (k->thread)
		ww_task_kick(k->thread, k->was);
}

static void wake_worker(struct worker *wk, struct kick *k)
{
	uint32_t was;

	if (wk->current || !wk->thread)
		return;
	/* It may have been claimed already under this lock: once is enough. */
	was = ww_task_claim(wk->thread, WW_TASK_NORMAL);
	if (was)
		*k = (struct kick){wk->thread, was};
}

static void link_ready(struct worker *wk, struct work *w, struct ww_list *before, struct kick *k)
{
	w->where &= ~(uint32_t)WORK_DELAYED;
	ww_list_add_tail(&w->node, before);
	ww_store_relaxed(&w->worker, wk);
	wake_worker(wk, k);
}

/* May it be queued here? Two workers for one item are reported. With the lock held. */
static bool may_queue(struct worker *wk, struct work *w, const char *call)
{
	if (ww_unlikely(w->worker && w->worker != wk)) {
		ww_misuse(call, "work item of %s belongs to another worker until it is initialised",
			  ww_symbol_fn(w->func));
		return false;
	}
	return !linked(w) && !w->canceling;
}

/* Takes a delayed item off its list; the flushes behind it follow it, or what was before it. */
static void unlink_delayed(struct worker *wk, struct work *w, struct kick *k)
{
	struct ww_list *next;

	w->where &= ~(uint32_t)WORK_DELAYED;
	while ((next = w->node.next) != &wk->delayed) {
		struct work *f = ww_list_entry(next, struct work, node);

		if (!(f->where & WORK_FLUSH))
			break;
		ww_list_del(next);
		link_ready(wk, f, &wk->ready, k);
	}
	ww_list_del(&w->node);
}

WW_EXPORT void ww_worker_timer_fn_(struct ww_timer *timer)
{
	struct ww_worker_delayed_work *dwork =
		ww_container_of(timer, struct ww_worker_delayed_work, timer);
	struct work *w = work_of(&dwork->work);
	struct worker *wk = ww_load_relaxed(&w->worker);
	struct kick k = {.thread = NULL};
	struct ww_list *before;

	if (!wk)
		return;
	lock_worker(wk);
	/* Whoever waits for this function's end takes it off the list, and says that it was queued. */
	if (linked(w) && (w->where & WORK_DELAYED) && !w->canceling) {
		/* The item first, then the flushes that lay behind it. */
		before = wk->ready.prev;
		unlink_delayed(wk, w, &k);
		link_ready(wk, w, before->next, &k);
	}
	unlock_and_kick(wk, &k);
}

WW_EXPORT bool ww_worker_queue_work(struct ww_worker *worker, struct ww_worker_work *work)
{
	struct worker *wk = worker_of(worker);
	struct work *w = work_of(work);
	struct kick k = {.thread = NULL};

	lock_worker(wk);
	bool queued = may_queue(wk, w, __func__);
	if (queued)
		link_ready(wk, w, &wk->ready, &k);
	unlock_and_kick(wk, &k);
	return queued;
}

static uint64_t clamp_delay(uint64_t delay)
{
	return delay < WW_MAX_JIFFY_OFFSET ? delay : WW_MAX_JIFFY_OFFSET;
}

static void queue_delayed_locked(struct worker *wk, struct work *w, uint64_t delay, struct kick *k)
{
	if (!delay) {
		link_ready(wk, w, &wk->ready, k);
		return;
	}
	w->where |= WORK_DELAYED;
	ww_list_add(&w->node, &wk->delayed);
	ww_store_relaxed(&w->worker, wk);
	ww_mod_timer(&dwork_of(w)->timer, ww_jiffies() + clamp_delay(delay));
}

WW_EXPORT bool ww_worker_queue_delayed_work(struct ww_worker *worker,
					    struct ww_worker_delayed_work *dwork, uint64_t delay)
{
	struct worker *wk = worker_of(worker);
	struct work *w = work_of(&dwork->work);
	struct kick k = {.thread = NULL};

	lock_worker(wk);
	bool queued = may_queue(wk, w, __func__);
	if (queued)
		queue_delayed_locked(wk, w, delay, &k);
	unlock_and_kick(wk, &k);
	return queued;
}

/* With the lock held on entry and return, but not in between: look at everything anew. */
static void delete_timer(struct worker *wk, struct work *w)
{
	w->canceling++;
	ww_unlock(&wk->lock);
	ww_timer_delete_sync(&dwork_of(w)->timer);
	lock_worker(wk);
	w->canceling--;
}

/* Off whichever list it is on. */
static bool unlink_work(struct worker *wk, struct work *w, struct kick *k)
{
	if (!linked(w))
		return false;
	if (w->where & WORK_DELAYED)
		unlink_delayed(wk, w, k);
	else
		ww_list_del(&w->node);
	return true;
}

WW_EXPORT bool ww_worker_mod_delayed_work(struct ww_worker *worker,
					  struct ww_worker_delayed_work *dwork, uint64_t delay)
{
	struct worker *wk = worker_of(worker);
	struct work *w = work_of(&dwork->work);
	struct kick k = {.thread = NULL};
	bool was_queued = false;

	/*
	 * Its timer runs: then it waits for that time and nothing else, and moving the timer is all
	 * there is to do. Pushing out costs a store. A cancel that comes at the same time deletes
	 * the timer before or after: both are right.
	 */
	if (delay && ww_load_relaxed(&w->worker) == wk &&
	    ww_mod_timer_pending(&dwork->timer, ww_jiffies() + clamp_delay(delay)))
		return true;
	lock_worker(wk);
	if (w->worker == wk) {
		delete_timer(wk, w);
		/* A cancel, or another modification, is at it: it decides. */
		if (w->canceling) {
			ww_unlock(&wk->lock);
			return true;
		}
		was_queued = unlink_work(wk, w, &k);
	}
	if (may_queue(wk, w, __func__))
		queue_delayed_locked(wk, w, delay, &k);
	unlock_and_kick(wk, &k);
	return was_queued;
}

struct flush {
	struct ww_worker_work work;
	struct ww_completion done;
};

static void flush_fn(struct ww_worker_work *work)
{
	ww_complete(&ww_container_of(work, struct flush, work)->done);
}

static void flush_init(struct flush *f)
{
	f->work = (struct ww_worker_work){0};
	ww_worker_init_work(&f->work, flush_fn);
	work_of(&f->work)->where = WORK_FLUSH;
	ww_init_completion(&f->done);
}

/* From its own thread a worker would wait for itself; without a thread, for ever. */
static bool may_wait(struct worker *wk, const char *call)
{
	struct ww_thread *t = ww_load_relaxed(&wk->thread);

	if (t && t == ww_task) {
		ww_misuse(call, "worker '%s' would wait for itself", t->name);
		return false;
	}
	return !t || ww_task_valid(t, call);
}

/* Puts f where it runs after w has run; false if w is idle. */
static bool flush_behind(struct worker *wk, struct work *w, struct work *f, struct kick *k)
{
	if (linked(w) && (w->where & WORK_DELAYED)) {
		ww_list_add(&f->node, &w->node);
		ww_store_relaxed(&f->worker, wk);
	} else if (linked(w)) {
		link_ready(wk, f, w->node.next, k);
	} else if (wk->current == w) {
		link_ready(wk, f, wk->ready.next, k);
	} else {
		return false;
	}
	return true;
}

WW_EXPORT void ww_worker_flush_work(struct ww_worker_work *work)
{
	struct work *w = work_of(work);
	struct worker *wk = ww_load_relaxed(&w->worker);
	struct kick k = {.thread = NULL};
	struct flush f;

	if (!wk || !may_wait(wk, __func__))
		return;
	ww_might_sleep(__func__);
	flush_init(&f);
	lock_worker(wk);
	bool wait = flush_behind(wk, w, work_of(&f.work), &k);
	unlock_and_kick(wk, &k);
	if (wait)
		ww_wait_for_completion(&f.done);
}

static void flush_worker(struct worker *wk)
{
	struct flush f;

	flush_init(&f);
	if (ww_worker_queue_work((struct ww_worker *)(void *)wk, &f.work))
		ww_wait_for_completion(&f.done);
}

WW_EXPORT void ww_worker_flush(struct ww_worker *worker)
{
	if (!may_wait(worker_of(worker), __func__))
		return;
	ww_might_sleep(__func__);
	flush_worker(worker_of(worker));
}

static bool cancel_sync(struct work *w, bool delayed, const char *call)
{
	struct worker *wk = ww_load_relaxed(&w->worker);
	struct kick k = {.thread = NULL};
	struct flush f;

	if (!wk)
		return false;
	ww_might_sleep(call);
	lock_worker(wk);
	if (delayed)
		delete_timer(wk, w);
	bool was_queued = unlink_work(wk, w, &k);
	if (wk->current != w) {
		unlock_and_kick(wk, &k);
		return was_queued;
	}
	/* It runs: keep everybody, itself too, from queueing it until it has run. */
	w->canceling++;
	flush_init(&f);
	unlock_and_kick(wk, &k);
	bool wait = may_wait(wk, call);
	lock_worker(wk);
	k.thread = NULL;
	wait = wait && flush_behind(wk, w, work_of(&f.work), &k);
	unlock_and_kick(wk, &k);
	if (wait)
		ww_wait_for_completion(&f.done);
	lock_worker(wk);
	w->canceling--;
	ww_unlock(&wk->lock);
	return was_queued;
}

WW_EXPORT bool ww_worker_cancel_work_sync(struct ww_worker_work *work)
{
	return cancel_sync(work_of(work), false, __func__);
}

WW_EXPORT bool ww_worker_cancel_delayed_work_sync(struct ww_worker_delayed_work *dwork)
{
	return cancel_sync(work_of(&dwork->work), true, __func__);
}

WW_EXPORT void ww_worker_init_work(struct ww_worker_work *work, ww_worker_fn_t func)
{
	struct work *w = work_of(work);
	uint64_t magic = (uint64_t)(uintptr_t)w ^ WORK_MAGIC;

	if (ww_debug_enabled() && w->magic == magic && w->node.next && w->node.next != &w->node) {
		ww_misuse(__func__, "work item of %s is queued", ww_symbol_fn(w->func));
		return;
	}
	*work = (struct ww_worker_work){.func = func};
	w->magic = magic;
}

WW_EXPORT void ww_worker_init_delayed_work(struct ww_worker_delayed_work *dwork,
					   ww_worker_fn_t func)
{
	ww_worker_init_work(&dwork->work, func);
	ww_timer_setup(&dwork->timer, ww_worker_timer_fn_, 0);
}

WW_EXPORT void ww_worker_init(struct ww_worker *worker)
{
	struct worker *wk = worker_of(worker);

	*worker = (struct ww_worker){{0}};
	wk->generation = ww_fork_generation;
	ww_list_init(&wk->ready);
	ww_list_init(&wk->delayed);
}

/* The next item, now the current one; NULL when there is none. */
static struct work *take_next(struct worker *wk)
{
	lock_worker(wk);
	struct work *w = first_of(&wk->ready);
	if (w)
		ww_list_del(&w->node);
	wk->current = w;
	ww_unlock(&wk->lock);
	return w;
}

static bool begin(struct worker *wk)
{
	struct ww_thread *self = ww_task_self(), *other = NULL;

	lock_worker(wk);
	if (wk->running || (wk->thread && wk->thread != self))
		other = wk->thread;
	else
		wk->running = 1;
	if (!other)
		ww_store_relaxed(&wk->thread, self);
	ww_unlock(&wk->lock);
	if (other)
		ww_misuse("ww_worker_fn", "thread '%s': the worker belongs to thread '%s'",
			  self->name, other->name);
	return !other;
}

static void end(struct worker *wk)
{
	ww_set_current_state_plain(WW_TASK_RUNNING);
	lock_worker(wk);
	ww_store_relaxed(&wk->thread, NULL);
	wk->running = 0;
	ww_unlock(&wk->lock);
}

WW_EXPORT int ww_worker_fn(void *worker)
{
	struct worker *wk = worker_of(worker);

	if (!begin(wk))
		return -EBUSY;
	if (wk->flags & WW_WORKER_FREEZABLE)
		ww_set_freezable();
	for (;;) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE);
		if (ww_thread_should_stop())
			break;
		struct work *w = take_next(wk);
		if (w) {
			/* Its memory may be gone once it has run. */
			ww_set_current_state_plain(WW_TASK_RUNNING);
			w->func((struct ww_worker_work *)(void *)w);
		} else {
			ww_schedule();
		}
		ww_try_to_freeze();
	}
	end(wk);
	return 0;
}

WW_EXPORT struct ww_thread *ww_worker_thread(const struct ww_worker *worker)
{
	return ww_load_relaxed(&((const struct worker *)(const void *)worker)->thread);
}

static struct ww_worker *alloc_worker(unsigned flags)
{
	struct ww_worker *worker = ww_alloc(sizeof(*worker));

	if (!worker)
		return NULL;
	ww_worker_init(worker);
	worker_of(worker)->flags = flags;
	return worker;
}

static struct ww_worker *give_thread(struct ww_worker *worker, struct ww_thread *t, bool run)
{
	if (!t) {
		int err = errno;

		ww_free(worker);
		errno = err;
		return NULL;
	}
	ww_store_relaxed(&worker_of(worker)->thread, t);
	if (run)
		ww_wake_up_process(t);
	return worker;
}

#define WITH_NAME(expr)                                                                            \
	va_list ap;                                                                                \
	struct ww_worker *worker = alloc_worker(flags);                                            \
	struct ww_thread *t;                                                                       \
                                                                                                   \
	if (!worker)                                                                               \
		return NULL;                                                                       \
	va_start(ap, fmt);                                                                         \
	t = (expr);                                                                                \
	va_end(ap)

WW_EXPORT struct ww_worker *ww_worker_create(unsigned flags, const char *fmt, ...)
{
	WITH_NAME(ww_thread_create_va(ww_worker_fn, worker, -1, fmt, ap));
	return give_thread(worker, t, false);
}

WW_EXPORT struct ww_worker *ww_worker_run(unsigned flags, const char *fmt, ...)
{
	WITH_NAME(ww_thread_create_va(ww_worker_fn, worker, -1, fmt, ap));
	return give_thread(worker, t, true);
}

WW_EXPORT struct ww_worker *ww_worker_create_on_node(unsigned flags, int node, const char *fmt, ...)
{
	WITH_NAME(ww_thread_create_va(ww_worker_fn, worker, node, fmt, ap));
	return give_thread(worker, t, false);
}

WW_EXPORT struct ww_worker *ww_worker_run_on_node(unsigned flags, int node, const char *fmt, ...)
{
	WITH_NAME(ww_thread_create_va(ww_worker_fn, worker, node, fmt, ap));
	return give_thread(worker, t, true);
}

WW_EXPORT struct ww_worker *ww_worker_create_on_cpu(unsigned cpu, unsigned flags, const char *fmt)
{
	struct ww_worker *worker = alloc_worker(flags);

	if (!worker)
		return NULL;
	return give_thread(worker, ww_thread_create_on_cpu(ww_worker_fn, worker, cpu, fmt), false);
}

WW_EXPORT struct ww_worker *ww_worker_run_on_cpu(unsigned cpu, unsigned flags, const char *fmt)
{
	struct ww_worker *worker = ww_worker_create_on_cpu(cpu, flags, fmt);

	if (worker)
		ww_wake_up_process(ww_worker_thread(worker));
	return worker;
}

/* What was not cancelled in time must not run on freed memory. */
static void drop_delayed(struct worker *wk, const char *name)
{
	struct work *w;
	struct kick k = {.thread = NULL};

	lock_worker(wk);
	while ((w = first_of(&wk->delayed))) {
		ww_misuse("ww_worker_destroy", "worker '%s': delayed item of %s still pending",
			  name, ww_symbol_fn(w->func));
		delete_timer(wk, w);
		unlink_work(wk, w, &k);
	}
	unlock_and_kick(wk, &k);
}

WW_EXPORT void ww_worker_destroy(struct ww_worker *worker)
{
	struct worker *wk = worker_of(worker);
	struct ww_thread *t = ww_load_relaxed(&wk->thread);

	if (!t) {
		ww_misuse(__func__, "the worker has no thread: not made by ww_worker_create()");
		return;
	}
	if (!may_wait(wk, __func__)) {
		if (t != ww_task)
			ww_free(worker); /* after fork: it has no thread any more */
		return;
	}
	ww_might_sleep(__func__);
	/* Items of a worker never woken run now. */
	ww_wake_up_process(t);
	drop_delayed(wk, t->name);
	flush_worker(wk);
	ww_thread_stop(t);
	ww_free(worker);
}

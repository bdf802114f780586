/* SPDX-License-Identifier: MIT */
/*
 * A grace period of our own. Each thread that ever read has a word: how deep it is in read-side
 * sections and, in one bit, which phase it entered them in. A grace period turns the phase over
 * twice, each time waiting for all who are inside with the old one. Twice, because a reader may
 * take the phase just before it turns and store it just after we looked at its word: then it counts
 * as a reader of the phase that is new now, and the second turn waits for it.
 *
 * The reader orders its store before its section by nothing but the compiler; the grace period's
 * membarrier() makes up for it (RCU-1). Where that is missing the reader pays a full barrier.
 *
 * Legend: R readers_lock; S written by the reader alone, read by the grace period; G gp_lock.
 */
#include "wheelwork/rcu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/membarrier.h"
#include "base/report.h"
#include "work/internal.h"

#define NEST_MASK 0xffffu
#define PHASE	  0x10000u

_Static_assert(sizeof(struct ww_rcu_work) == 64, "public size");

struct reader {
	uint32_t word;	     /* S */
	struct ww_list node; /* R */
} ww_aligned_line;

static __thread struct reader *self;
static struct ww_lock readers_lock;
static struct ww_list readers = WW_LIST_INIT(readers); /* R */
static uint32_t phase;				       /* G; read by readers */
static struct ww_lock gp_lock;
static bool cheap; /* R, once: membarrier is there */

static struct ww_lock list_lock;
static struct ww_work *waiting, *waiting_last; /* list_lock: linked through `next` */
static struct ww_workqueue *gp_wq;	       /* list_lock */
static struct ww_work gp_work;

static void child(void)
{
	ww_list_init(&readers);
	if (self)
		ww_list_add_tail(&self->node, &readers);
	readers_lock = gp_lock = list_lock = (struct ww_lock)WW_LOCK_INIT;
	waiting = waiting_last = NULL;
	gp_wq = NULL;
}

static void forget(void *arg)
{
	struct reader *r = arg;

	ww_lock(&readers_lock);
	ww_list_del(&r->node);
	ww_unlock(&readers_lock);
	self = NULL;
	ww_free(r);
}

static __attribute__((noinline)) struct reader *enrol(void)
{
	static bool registered; /* R */
	struct reader *r;

	while (!(r = ww_alloc_lines(sizeof(*r))))
		ww_clock_sleep_until(ww_clock_os_ns() + 1000000);
	ww_lock(&readers_lock);
	if (!registered) {
		registered = true;
		ww_store_relaxed(&cheap, ww_membarrier_available());
		ww_fork_register(NULL, NULL, child);
	}
	ww_list_add_tail(&r->node, &readers);
	ww_unlock(&readers_lock);
	self = r;
	ww_os_thread_at_exit(forget, r);
	return r;
}

WW_EXPORT void ww_rcu_read_lock(void)
{
	struct reader *r = self ? self : enrol();
	uint32_t word = ww_load_relaxed(&r->word);

	if (word & NEST_MASK) {
		ww_store_relaxed(&r->word, word + 1);
		return;
	}
	word = ww_load_relaxed(&phase) | 1;
	if (ww_likely(ww_load_relaxed(&cheap))) {
		ww_store_relaxed(&r->word, word);
		ww_fence_compiler(); /* pairs: RCU-1 */
	} else {
		(void)ww_xchg(&r->word, word); /* pairs: RCU-1 */
	}
}

WW_EXPORT void ww_rcu_read_unlock(void)
{
	struct reader *r = self;

	if (!r || !(ww_load_relaxed(&r->word) & NEST_MASK)) {
		ww_misuse("ww_rcu_read_unlock", "without ww_rcu_read_lock()");
		return;
	}
	ww_store_release(&r->word, ww_load_relaxed(&r->word) - 1); /* pairs: RCU-2 */
}

/* ---- the grace period ---- */

/* Every reader passes a full barrier; without membarrier it does so by itself, see inside(). */
static void heavy_barrier(void)
{
	if (ww_membarrier_available())
		ww_membarrier(); /* pairs: RCU-1 */
}

/*
 * Without membarrier both sides change the reader's word by an exchange, which comes to the same:
 * the reader's comes after ours, and then it sees what we did before, or we see that it is inside.
 */
static bool inside(struct reader *r, uint32_t now)
{
	uint32_t word = ww_membarrier_available() ? ww_load_acquire(&r->word)  /* pairs: RCU-2 */
						  : ww_fetch_or(&r->word, 0u); /* pairs: RCU-1 */

	return (word & NEST_MASK) && (word & PHASE) != now;
}

static void wait_for_readers(uint32_t now)
{
	uint64_t pause_ns = 1000;

	for (;;) {
		bool any = false;
		struct ww_list *l;

		ww_lock(&readers_lock);
		ww_list_for_each (l, &readers)
			any |= inside(ww_list_entry(l, struct reader, node), now);
		ww_unlock(&readers_lock);
		if (!any)
			return;
		ww_clock_sleep_until(ww_clock_os_ns() + pause_ns);
		if (pause_ns < 1000000)
			pause_ns *= 2;
	}
}

WW_EXPORT void ww_synchronize_rcu(void)
{
	if (self && (ww_load_relaxed(&self->word) & NEST_MASK)) {
		ww_misuse("ww_synchronize_rcu",
			  "inside of a read-side section: it would never end");
		return;
	}
	ww_wait_enter();
	ww_lock(&gp_lock);
	heavy_barrier();
	for (int turn = 0; turn < 2; turn++) {
		uint32_t now = ww_load_relaxed(&phase) ^ PHASE;

		ww_store_relaxed(&phase, now);
		heavy_barrier();
		wait_for_readers(now);
	}
	heavy_barrier();
	ww_unlock(&gp_lock);
	ww_wait_leave();
}

/* ---- works that wait for one ---- */

static struct ww_workqueue **rwork_wq(struct ww_rcu_work *rwork)
{
	return (struct ww_workqueue **)(void *)&rwork->ww_private[0];
}

static void after_grace_period(struct ww_work *work)
{
	struct ww_work *list, *next;

	(void)work;
	ww_lock(&list_lock);
	list = waiting;
	waiting = waiting_last = NULL;
	ww_unlock(&list_lock);
	if (!list)
		return;
	ww_synchronize_rcu();
	for (; list; list = next) {
		struct ww_workqueue *wq = *rwork_wq(ww_to_rcu_work(list));
		ww_work_fn fn = list->func;

		next = *ww_work_next(list);
		if (!ww_queue_owned(WW_WORK_CPU_UNBOUND, wq, list))
			ww_misuse("ww_queue_rcu_work",
				  "the grace period of %s ended while its queue \"%s\" drains: not "
				  "queued",
				  ww_symbol_fn(fn), wq->name);
	}
}

/* list_lock. */
static bool start_l(void)
{
	struct ww_workqueue *wq;

	if (gp_wq)
		return true;
	wq = ww_alloc_workqueue("rcu_gp", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM, 1);
	if (!wq)
		return false;
	ww_lock(&ww_wq_lock); /* for who walks */
	wq->system = true;
	ww_unlock(&ww_wq_lock);
	ww_init_work(&gp_work, after_grace_period);
	ww_store_release(&gp_wq, wq); /* pairs: RCU-3 */
	return true;
}

static void init(struct ww_rcu_work *rwork, ww_work_fn func, uint64_t flags, const char *call)
{
	if (ww_init_item(&rwork->work, func, flags | WORK_RCU, call))
		memset(rwork->ww_private, 0, sizeof(rwork->ww_private));
}

WW_EXPORT void ww_init_rcu_work(struct ww_rcu_work *rwork, ww_work_fn func)
{
	init(rwork, func, 0, "ww_init_rcu_work");
}

WW_EXPORT void ww_init_rcu_work_onstack(struct ww_rcu_work *rwork, ww_work_fn func)
{
	init(rwork, func, WORK_ONSTACK, "ww_init_rcu_work_onstack");
}

WW_EXPORT bool ww_queue_rcu_work(struct ww_workqueue *wq, struct ww_rcu_work *rwork)
{
	struct ww_work *work = &rwork->work;

	if (!ww_work_take(work, "ww_queue_rcu_work"))
		return false;
	if (ww_load_relaxed(&wq->state) && ww_refused_by_drain(wq)) {
		ww_work_release(work);
		return false;
	}
	*rwork_wq(rwork) = wq;
	ww_store_relaxed(&wq->rcu_used, 1u);
	ww_store_relaxed(ww_work_next(work), NULL);
	ww_lock(&list_lock);
	if (!start_l()) {
		ww_unlock(&list_lock);
		ww_work_release(work);
		ww_warn("no grace period can be waited for (%s): %s is not queued", strerror(errno),
			ww_symbol_fn(work->func));
		return false;
	}
	if (waiting_last)
		ww_store_relaxed(ww_work_next(waiting_last), work);
	else
		waiting = work;
	waiting_last = work;
	ww_unlock(&list_lock);
	ww_queue_work(gp_wq, &gp_work);
	return true;
}

WW_EXPORT bool ww_flush_rcu_work(struct ww_rcu_work *rwork)
{
	return ww_flush_work(&rwork->work);
}

/* Every rcu work that was queued before is on its queue now, or refused. */
void ww_rcu_barrier(void)
{
	if (ww_load_acquire(&gp_wq)) /* pairs: RCU-3 */
		ww_flush_work(&gp_work);
}

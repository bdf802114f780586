/* SPDX-License-Identifier: MIT */
/*
 * The freezer. Legend: (Z) freezer_lock; (O) written under (Z), read anywhere.
 *
 * Turning it on and looking at a thread, against a thread going to sleep and looking whether it is
 * on: both change the thread's state word by a read-modify-write, so one of the two sees the other
 * (as in sched.c). The freezing thread sleeps on a count of progress; nobody polls.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/report.h"
#include "thread/thread.h"
#include "wheelwork/freezer.h"

#define CLIENTS_MAX 4

uint32_t ww_freezer_on; /* (O) */

static struct ww_lock freezer_lock = WW_LOCK_INIT;
static uint32_t progress;				     /* atomic count, and futex */
static const struct ww_freezer_client *clients[CLIENTS_MAX]; /* (Z) */

void ww_freezer_register(const struct ww_freezer_client *client)
{
	ww_lock(&freezer_lock);
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (!clients[i]) {
			clients[i] = client;
			break;
		}
	ww_unlock(&freezer_lock);
}

void ww_freezer_progress(void)
{
	ww_fetch_add(&progress, 1u); /* pairs: THREAD-8 */
	ww_futex_wake(&progress, INT32_MAX);
}

bool ww_freezing_task(const struct ww_thread *t)
{
	return ww_unlikely(ww_load_relaxed(&ww_freezer_on)) &&
	       (ww_load_relaxed(&t->flags) & WW_TF_FREEZABLE);
}

/*
 * One look at a thread that should freeze: is it frozen (now), or over? Else give it reason to look.
 * That it is over is in the same word: its life's stage may be seen only later.
 */
static bool freeze_one(struct ww_thread *t)
{
	uint32_t s = ww_load_relaxed(&t->state), next;

	do {
		next = s;
		if (s & (WW_TASK_FROZEN | WW_TASK_DEAD))
			continue;
		if ((s & WW_TASK_ASLEEP) && (s & (WW_TASK_FREEZABLE | WW_TASK_PARKED)))
			next = s | WW_TASK_FROZEN;
		else if (s & WW_TASK_INTERRUPTIBLE)
			next = WW_TASK_RUNNING;
	} while (!ww_cmpxchg(&t->state, &s, next)); /* pairs: THREAD-8 */
	if (next == WW_TASK_RUNNING)
		ww_task_kick(t, s);
	return next & (WW_TASK_FROZEN | WW_TASK_DEAD);
}

struct scan {
	unsigned awake;
	char name[64]; /* of one that is */
};

static void scan_one(struct ww_thread *t, void *arg)
{
	struct scan *scan = arg;

	if (t == ww_task || !(ww_load_acquire(&t->flags) & WW_TF_FREEZABLE) ||
	    ww_load_relaxed(&t->life) == WW_LIFE_ENDED || freeze_one(t))
		return;
	scan->awake++;
	__builtin_memcpy(scan->name, t->name, sizeof(scan->name));
}

static void thaw_one(struct ww_thread *t, void *arg)
{
	uint32_t s = ww_load_relaxed(&t->state), next;
	const uint32_t where = WW_TASK_NORMAL | WW_TASK_PARKED;

	(void)arg;
	do {
		next = s;
		if (s & WW_TASK_FROZEN)
			next = !(s & where) || (s & WW_TASK_FROZEN_WOKEN) ? WW_TASK_RUNNING
									  : s & ~WW_TASK_FROZEN;
	} while (!ww_cmpxchg(&t->state, &s, next)); /* pairs: THREAD-8 */
	/* Also one that sleeps on: its deadline counts again. */
	if (next != s)
		ww_task_kick(t, s);
}

static void thaw_locked(void)
{
	ww_store_release(&ww_freezer_on, 0u); /* pairs: THREAD-8 */
	ww_task_for_each(thaw_one, NULL);
	for (int i = 0; i < CLIENTS_MAX && clients[i]; i++)
		clients[i]->thaw();
}

static unsigned busy_clients(void)
{
	unsigned n = 0;

	for (int i = 0; i < CLIENTS_MAX && clients[i]; i++)
		n += clients[i]->busy();
	return n;
}

static int freeze_locked(uint64_t deadline_ns)
{
	ww_xchg(&ww_freezer_on, 1u); /* pairs: THREAD-8 */
	for (int i = 0; i < CLIENTS_MAX && clients[i]; i++)
		clients[i]->begin();
	for (;;) {
		uint32_t seen = ww_load_acquire(&progress); /* pairs: THREAD-8 */
		struct scan scan = {.awake = 0};

		ww_task_for_each(scan_one, &scan);
		unsigned busy = busy_clients();
		if (!scan.awake && !busy)
			return 0;
		if (ww_futex_wait(&progress, seen, deadline_ns) != -ETIMEDOUT)
			continue;
		ww_warn("freezing: %u threads and %u work items did not freeze%s%s", scan.awake,
			busy, scan.awake ? ", thread " : "", scan.name);
		thaw_locked();
		return -EBUSY;
	}
}

WW_EXPORT int ww_freeze_threads(int64_t timeout)
{
	int rc = -EBUSY;

	ww_might_sleep(__func__);
	uint64_t deadline_ns, ns = ww_jiffies_to_nsecs(timeout > 0 ? (uint64_t)timeout : 0);

	if (__builtin_add_overflow(ww_clock_ns(), ns, &deadline_ns))
		deadline_ns = WW_FOREVER;
	ww_lock(&freezer_lock);
	if (!ww_freezer_on)
		rc = freeze_locked(deadline_ns);
	ww_unlock(&freezer_lock);
	return rc;
}

WW_EXPORT void ww_thaw_threads(void)
{
	ww_lock(&freezer_lock);
	if (ww_freezer_on)
		thaw_locked();
	ww_unlock(&freezer_lock);
}

/* Whoever froze, froze threads that the child does not have. */
void ww_freezer_fork_child(void)
{
	ww_lock_init(&freezer_lock);
	ww_store_relaxed(&ww_freezer_on, 0u);
}

/* Until the thaw, or a stop where that is asked for. */
static bool refrigerator(struct ww_thread *t, bool until_stop)
{
	bool frozen = false;

	for (;;) {
		ww_xchg(&t->state, /* pairs: THREAD-8 */
			WW_TASK_FROZEN | (until_stop ? WW_TASK_WAKEKILL : 0));
		if (!ww_freezing_task(t) || (until_stop && ww_thread_should_stop()))
			break;
		frozen = true;
		ww_freezer_progress();
		ww_schedule();
	}
	ww_store_relaxed(&t->state, WW_TASK_RUNNING);
	return frozen;
}

WW_EXPORT bool ww_freezing(void)
{
	return ww_freezing_task(ww_task);
}

WW_EXPORT bool ww_try_to_freeze(void)
{
	struct ww_thread *t = ww_task;

	ww_might_sleep(__func__);
	return ww_unlikely(ww_freezing_task(t)) && refrigerator(t, false);
}

WW_EXPORT bool ww_set_freezable(void)
{
	ww_fetch_or(&ww_task_self()->flags, WW_TF_FREEZABLE); /* pairs: THREAD-8 */
	/* In this order for all: who freezes turns the freezer on, then looks whom it concerns. */
	return ww_load_seq_cst(&ww_freezer_on) && ww_try_to_freeze(); /* pairs: THREAD-8 */
}

WW_EXPORT bool ww_thread_freezable_should_stop(bool *was_frozen)
{
	struct ww_thread *t = ww_task;
	bool frozen = false;

	ww_might_sleep(__func__);
	if (ww_unlikely(ww_freezing_task(t)))
		frozen = refrigerator(t, true);
	if (was_frozen)
		*was_frozen = frozen;
	return ww_thread_should_stop();
}

/* SPDX-License-Identifier: MIT */
/*
 * Records of threads: the pool they come from, and the one of the calling thread.
 * Legend: (P) pool_lock.
 */
#include "thread/thread.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/report.h"

/* A dead record lies at least this many deaths in the pool before it is used again. */
#define QUARANTINE 128

struct ww_thread ww_task_nobody = {.name = "nobody", .flags = WW_TF_FOREIGN, .cpu = -1};
__thread struct ww_thread *ww_task __attribute__((tls_model("initial-exec"))) = &ww_task_nobody;

uint32_t ww_fork_generation;
struct ww_lock ww_fork_renew_lock = WW_LOCK_INIT;

static struct ww_lock pool_lock = WW_LOCK_INIT;
static struct ww_list used = WW_LIST_INIT(used); /* (P) */
static struct ww_list dead = WW_LIST_INIT(dead); /* (P) oldest first */
static unsigned nr_dead;			 /* (P) */
static bool registered;				 /* (P) */

static void fork_prepare(void)
{
	ww_lock(&pool_lock);
}

static void fork_parent(void)
{
	ww_unlock(&pool_lock);
}

/* Only the forking thread is left: every other record is that of a thread which does not exist. */
static void fork_child(void)
{
	struct ww_list *pos, *next;

	ww_fork_generation++;
	ww_list_for_each_safe (pos, next, &used) {
		struct ww_thread *t = ww_list_entry(pos, struct ww_thread, all);

		if (t == ww_task)
			continue;
		ww_list_del(&t->all);
		ww_store_relaxed(&t->life, WW_LIFE_FREE);
		ww_store_relaxed(&t->state, WW_TASK_DEAD);
		ww_list_add_tail(&t->all, &dead);
		nr_dead++;
	}
	if (ww_task != &ww_task_nobody) {
		ww_task->tid = ww_os_thread_id();
	}
	ww_freezer_fork_child();
	ww_lock_init(&ww_fork_renew_lock);
	ww_unlock(&pool_lock);
}

static int check_all(void)
{
	struct ww_list *pos;
	unsigned n = 0;
	int faults = 0;

	ww_lock(&pool_lock);
	ww_list_for_each (pos, &used)
		faults += ww_task_check(ww_list_entry(pos, struct ww_thread, all), true);
	ww_list_for_each (pos, &dead) {
		faults += ww_task_check(ww_list_entry(pos, struct ww_thread, all), false);
		n++;
	}
	if (n != nr_dead) {
		ww_warn("%u dead threads, but %u are counted", n, nr_dead);
		faults++;
	}
	ww_unlock(&pool_lock);
	return faults;
}

void ww_task_set_life(struct ww_thread *t, enum ww_task_life to)
{
	static const uint8_t allowed[] = {
		[WW_LIFE_FREE] = 1u << WW_LIFE_NEW,
		/* LIVE by the first wake-up; ENDED if stopped before; FREE if it never came up. */
		[WW_LIFE_NEW] = 1u << WW_LIFE_LIVE | 1u << WW_LIFE_ENDED | 1u << WW_LIFE_FREE,
		/* FREE at once for a thread that others made. */
		[WW_LIFE_LIVE] = 1u << WW_LIFE_ENDED | 1u << WW_LIFE_FREE,
		[WW_LIFE_ENDED] = 1u << WW_LIFE_FREE,
	};
	uint32_t from = ww_xchg_relaxed(&t->life, to);

	assert(allowed[from] >> to & 1);
	(void)allowed;
	(void)from;
}

struct ww_thread *ww_task_alloc(void)
{
	struct ww_thread *t = NULL;
	bool first = false;

	ww_lock(&pool_lock);
	if (!registered) {
		registered = true;
		ww_fork_register(fork_prepare, fork_parent, fork_child);
		first = true;
	}
	if (nr_dead > QUARANTINE) {
		t = ww_list_first(&dead, struct ww_thread, all);
		ww_list_del(&t->all);
		nr_dead--;
	}
	ww_unlock(&pool_lock);
	if (first) {
		ww_debug_register(check_all);
		ww_rest_start();
	}
	if (!t)
		t = ww_alloc_lines(sizeof(*t));
	if (!t)
		return NULL;
	/* A late waker may still look at the state word of a reused record: no plain write there.
	 */
	ww_store_relaxed(&t->flags, 0u);
	ww_store_relaxed(&t->state, WW_TASK_UNINTERRUPTIBLE);
	ww_store_relaxed(&t->up, 0u);
	ww_store_relaxed(&t->ended, 0u);
	ww_store_relaxed(&t->reaper, 0u);
	ww_store_relaxed(&t->refs, 1u);
	t->waiters = (struct ww_waitq){.generation = ww_fork_generation};
	t->end = NULL;
	t->pool_data = NULL;
	t->result = -EINTR;
	t->cpu = -1;
	t->tid = 0;
	ww_lock(&pool_lock);
	ww_task_set_life(t, WW_LIFE_NEW);
	ww_list_add_tail(&t->all, &used);
	ww_unlock(&pool_lock);
	return t;
}

void ww_task_free(struct ww_thread *t)
{
	ww_lock(&pool_lock);
	ww_task_set_life(t, WW_LIFE_FREE);
	ww_store_relaxed(&t->state, WW_TASK_DEAD);
	ww_list_del(&t->all);
	ww_list_add_tail(&t->all, &dead);
	nr_dead++;
	ww_unlock(&pool_lock);
}

void ww_task_for_each(void (*fn)(struct ww_thread *t, void *arg), void *arg)
{
	struct ww_list *pos;

	ww_lock(&pool_lock);
	ww_list_for_each (pos, &used)
		fn(ww_list_entry(pos, struct ww_thread, all), arg);
	ww_unlock(&pool_lock);
}

static void forget(void *arg)
{
	struct ww_thread *t = arg;

	ww_task = &ww_task_nobody;
	ww_thread_put(t);
}

/*
 * A thread that this library has not made waits, or is waited for: it gets a record too, which
 * goes with it. There is no way to report a failure from here, so short memory is waited out.
 */
struct ww_thread *ww_task_adopt(void)
{
	struct ww_thread *t;

	while (!(t = ww_task_alloc()))
		ww_clock_sleep_until(ww_clock_ns() + 1000000);
	ww_os_thread_get_name(t->name, sizeof(t->name));
	t->tid = ww_os_thread_id();
	ww_store_seq_cst(&t->flags, (uint32_t)WW_TF_FOREIGN);
	ww_store_relaxed(&t->state, WW_TASK_RUNNING);
	ww_task_set_life(t, WW_LIFE_LIVE);
	/* Until now it looked like one of ours, awake: pairs: THREAD-9 */
	if (ww_load_seq_cst(&ww_rest_awaited))
		ww_rest_reached();
	ww_task = t;
	ww_os_thread_at_exit(forget, t);
	return t;
}

bool ww_task_valid(const struct ww_thread *t, const char *call)
{
	if (t && ww_likely(ww_load_relaxed(&t->life) != WW_LIFE_FREE))
		return true;
	if (!t)
		ww_misuse(call, "no thread (NULL, or one that is ending and that nobody holds)");
	else
		ww_misuse(
			call,
			"thread '%s' has ended (or belongs to the process before fork) and nobody "
			"held a reference to it (ww_thread_get() before it first runs)",
			t->name);
	return false;
}

WW_EXPORT struct ww_thread *ww_current(void)
{
	return ww_task_self();
}

bool ww_task_get(struct ww_thread *t, const char *call)
{
	uint32_t refs;

	if (!ww_task_valid(t, call))
		return false;
	/* Never from 0: it may be ending just now, held by nobody, which the caller can't know. */
	refs = ww_load_relaxed(&t->refs);
	do {
		if (!refs)
			return ww_task_valid(NULL, call);
	} while (!ww_cmpxchg_relaxed(&t->refs, &refs, refs + 1));
	return true;
}

WW_EXPORT struct ww_thread *ww_thread_get(struct ww_thread *thread)
{
	ww_task_get(thread, __func__);
	return thread;
}

WW_EXPORT void ww_thread_put(struct ww_thread *thread)
{
	/* What each holder did before its put is seen by whoever frees: pairs: THREAD-3 */
	if (ww_task_valid(thread, __func__) && ww_fetch_sub(&thread->refs, 1u) == 1)
		ww_task_free(thread);
}

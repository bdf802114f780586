/* SPDX-License-Identifier: MIT */
/*
 * The manager: one thread for all pools. It makes the workers that pools ask for, and, armed only
 * while items wait and nobody is free, looks at the busy ones every few milliseconds: one that
 * sleeps in its handler gives its licence to another, one that has burned a CPU for long is
 * reported and does not hold up its CPU's pool, and a pool that takes nothing at all is described.
 * When nothing waits it sleeps without a limit: a hog that holds up nobody is found by its own
 * worker, which reads its CPU clock before it sleeps, and reported then.
 */
#include "work/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/thread.h"

#define RETRY_NS      100000000ull /* after a thread could not be made */
#define CALM_LOOKS    8		   /* looks without waiting items before it stops looking */
#define HOG_FUNCTIONS 64

uint64_t ww_param_idle_ms = 30000, ww_param_watchdog_ms = 30000, ww_param_threads_max = 4096;
uint64_t ww_param_power_efficient, ww_param_intensive_us = 10000, ww_param_intensive_warn = 4;
uint64_t ww_param_period_us = 8000;

static uint32_t started; /* A: 1 while the thread exists */
static uint32_t kicked;	 /* A: futex */

static void manager_main(void *arg);

/* 0 or -errno. Whoever finds it missing starts it: after a fork that is the first who needs it. */
int ww_manager_start(void)
{
	struct ww_os_thread t;
	int err;

	if (ww_likely(ww_load_relaxed(&started)) || ww_xchg(&started, 1u))
		return 0;
	err = ww_os_thread_start(&t, "ww/manager", -1, manager_main, NULL);
	if (err) {
		ww_store_seq_cst(&started, 0u);
		return err;
	}
	ww_os_thread_detach(&t);
	return 0;
}

void ww_manager_kick(void)
{
	ww_manager_start();
	if (ww_xchg(&kicked, 1u) == 0) /* pairs: WORK-13 */
		ww_futex_wake(&kicked, 1);
}

/* A push found nobody asleep; or, after a fork, nobody at all. */
void ww_pool_arm(struct ww_pool *pool)
{
	if (ww_fetch_and(&pool->look, ~LOOK_UNARMED) & LOOK_UNARMED) /* pairs: WORK-14 */
		ww_manager_kick();
}

/* What a look found, to be said when no lock is held. */
struct finding {
	bool cap, no_thread, stall;
	int err;
	unsigned blocked;
	ww_work_fn hog;
	uint64_t stuck_ns;
};

/* ---- making workers ---- */

static void make_workers_l(struct ww_pool *pool, uint64_t now, struct finding *f)
{
	while (pool->want && now >= pool->retry_at) {
		int err;

		ww_store_relaxed(&pool->want, pool->want - 1);
		err = ww_pworker_create(pool);
		if (!err) {
			pool->cap_reported = false;
			continue;
		}
		/* The licence goes back, so that a worker which returns can have it. */
		pool->licensed--;
		ww_pool_shortage_l(pool);
		pool->retry_at = now + RETRY_NS;
		if (!pool->cap_reported) {
			pool->cap_reported = true;
			f->err = err;
			f->cap = ww_workers_alive() >= ww_load_relaxed(&ww_param_threads_max);
			f->no_thread = true;
		}
		ww_rescuer_call_l(pool);
		ww_fetch_and(&pool->look, ~LOOK_UNARMED);
		return;
	}
	if (pool->retry_at && now >= pool->retry_at) {
		pool->retry_at = 0;
		ww_pool_kick_l(pool);
	}
}

/* ---- hogs ---- */

static struct ww_lock hogs_lock;
static struct {
	ww_work_fn fn;
	uint64_t times;
} hogs[HOG_FUNCTIONS]; /* hogs_lock */

static uint64_t count_hog(ww_work_fn fn)
{
	unsigned i = 0;
	uint64_t n;

	ww_lock(&hogs_lock);
	while (i < HOG_FUNCTIONS - 1 && hogs[i].fn && hogs[i].fn != fn)
		i++;
	hogs[i].fn = fn;
	n = ++hogs[i].times;
	ww_unlock(&hogs_lock);
	return n;
}

/* Reported the fourth time, and then ever more rarely. */
void ww_report_hog(ww_work_fn fn)
{
	uint64_t warn = ww_load_relaxed(&ww_param_intensive_warn), times = count_hog(fn), n;

	if (!warn || times < warn)
		return;
	n = times - (warn - 1);
	if (n & (n - 1))
		return;
	ww_warn("%s hogged a CPU for more than %lu us %lu times, consider WW_WQ_UNBOUND",
		ww_symbol_fn(fn), (unsigned long)ww_load_relaxed(&ww_param_intensive_us),
		(unsigned long)times);
}

/* ---- looking at a pool ---- */

static void look_at_worker_l(struct ww_pworker *w, struct finding *f)
{
	uint32_t seq = ww_load_relaxed(&w->seq);
	pid_t tid = ww_load_relaxed(&w->tid);
	uint64_t cpu;

	if (!tid || w->state != WORKER_RUN || w->rescuer || !w->licensed ||
	    !ww_load_acquire(&w->current)) {
		w->seen_cpu = 0;
		return;
	}
	cpu = ww_clock_tid_cpu_ns(tid);
	if (!w->seen_cpu || seq != w->seen_seq) {
		w->seen_seq = seq;
		w->seen_cpu = w->item_cpu = cpu;
		w->hog = false;
		return;
	}
	/* Asleep now, and for most of the time since we looked last. */
	if (cpu - w->seen_cpu < ww_load_relaxed(&ww_param_period_us) * 250 &&
	    ww_os_thread_asleep(tid)) {
		f->blocked++;
		w->seen_cpu = 0;
		if (w->last_pwq)
			w->last_pwq->woken++;
		ww_pworker_block_l(w);
		return;
	}
	w->seen_cpu = cpu;
	if (!w->hog && !w->pool->unbound && !ww_work_virtual &&
	    cpu - w->item_cpu > ww_load_relaxed(&ww_param_intensive_us) * 1000) {
		w->hog = true;
		f->hog = ww_load_relaxed(&w->current_func);
		if (w->last_pwq)
			w->last_pwq->intensive++;
		ww_pworker_block_l(w);
	}
}

static void check_stall_l(struct ww_pool *pool, uint64_t now, struct finding *f)
{
	uint64_t limit = ww_load_relaxed(&ww_param_watchdog_ms) * 1000000;

	if (pool->progress != pool->seen_progress || !pool->stuck_since) {
		pool->seen_progress = pool->progress;
		pool->stuck_since = now;
		pool->stall_reported = false;
		return;
	}
	if (!limit || pool->stall_reported || now - pool->stuck_since < limit)
		return;
	pool->stall_reported = true;
	f->stall = true;
	f->stuck_ns = now - pool->stuck_since;
}

static void look_l(struct ww_pool *pool, uint64_t now, struct finding *f)
{
	struct ww_list *l, *n;

	if (!ww_pool_waiting_l(pool)) {
		pool->stuck_since = 0;
		if (++pool->calm < CALM_LOOKS)
			return;
		/* Disarm, then look again: who pushes in between finds it disarmed, or is found. */
		ww_fetch_or(&pool->look, LOOK_UNARMED); /* pairs: WORK-14 */
		if (!ww_pool_waiting_l(pool))
			return;
		ww_fetch_and(&pool->look, ~LOOK_UNARMED);
	}
	pool->calm = 0;
	ww_list_for_each_safe (l, n, &pool->workers)
		look_at_worker_l(ww_list_entry(l, struct ww_pworker, node), f);
	if (pool->licensed < pool->target || (ww_load_relaxed(&pool->look) & LOOK_SEATS))
		ww_pool_kick_l(pool);
	check_stall_l(pool, now, f);
}

static void report(struct ww_pool *pool, const struct finding *f)
{
	if (f->cap)
		ww_warn("the cap of %lu worker threads binds: pool %u can't have another, and "
			"its items wait (see threads_max)",
			(unsigned long)ww_load_relaxed(&ww_param_threads_max), pool->id);
	else if (f->no_thread)
		ww_warn("no thread can be made for pool %u (%s): its items wait, next try in %u ms",
			pool->id, strerror(-f->err), (unsigned)(RETRY_NS / 1000000));
	if (f->hog)
		ww_report_hog(f->hog);
	if (f->stall)
		ww_report_stall(pool, f->stuck_ns);
}

/* When to look again: the earlier of what it was and of what this pool needs. */
static uint64_t manage(struct ww_pool *pool, uint64_t next)
{
	uint64_t now = ww_clock_os_ns(), at = WW_FOREVER;
	struct finding f = {0};

	if (!ww_pool_armed(pool) && !ww_load_relaxed(&pool->want))
		return next;
	ww_pool_lock(pool);
	make_workers_l(pool, now, &f);
	if (ww_pool_armed(pool))
		look_l(pool, now, &f);
	make_workers_l(pool, now, &f);
	if (ww_pool_armed(pool))
		at = now + ww_load_relaxed(&ww_param_period_us) * 1000;
	ww_pool_unlock(pool);
	report(pool, &f);
	return at < next ? at : next;
}

static void manager_main(void *arg)
{
	(void)arg;
	ww_rescuers_adopt();
	for (;;) {
		uint64_t next = WW_FOREVER;
		struct ww_pool *pool;

		(void)ww_xchg(&kicked, 0u); /* pairs: WORK-13 */
		for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
			next = manage(pool, next);
		ww_futex_wait(&kicked, 0, next);
	}
}

void ww_manager_forget(void)
{
	hogs_lock = (struct ww_lock)WW_LOCK_INIT;
	ww_store_relaxed(&started, 0u);
	ww_store_relaxed(&kicked, 0u);
}

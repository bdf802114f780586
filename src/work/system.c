/* SPDX-License-Identifier: MIT */
/* The start of the room, its behaviour on the virtual clock and around fork(), and system queues.
 */
#include "work/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/report.h"
#include "thread/thread.h"
#include "timer/clock.h"
#include "timer/virtual.h"
#include "timer/timer.h"

/* ---- the virtual clock ---- */

/* A handler is at rest when its thread sleeps: on virtual time, or for another item. */
static bool worker_rests(struct ww_pworker *w)
{
	struct ww_thread *t = ww_load_acquire(&w->thread);

	if (!ww_load_acquire(&w->current) && w->state != WORKER_RUN)
		return true;
	if (w->state == WORKER_NEW)
		return !w->licensed;
	if (w->waiting)
		return true;
	return t && (ww_load_seq_cst(&t->state) & WW_TASK_ASLEEP);
}

static bool pool_rests(struct ww_pool *pool, uint64_t *moves)
{
	bool rests = true;
	struct ww_list *l;

	ww_pool_lock(pool);
	rests = !ww_pool_waiting_l(pool) && !pool->want;
	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		rests = rests && worker_rests(w);
		*moves += ww_load_relaxed(&w->seq);
	}
	*moves += pool->progress;
	ww_pool_unlock(pool);
	return rests;
}

static bool all_rest(uint64_t *moves)
{
	struct ww_pool *pool;
	bool rests = true;

	*moves = ww_load_seq_cst(&ww_rest_wakes);
	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
		rests &= pool_rests(pool, moves);
	return rests;
}

/*
 * Everything rests, twice in a row with nothing moved in between. An item that waits for real time
 * (a blocking read) holds virtual time still, as it should.
 */
static bool come_to_rest(void *arg)
{
	uint64_t first, second, pause_ns = 2000;
	bool waited = false;

	(void)arg;
	while (!all_rest(&first) || !all_rest(&second) || first != second) {
		waited = true;
		ww_clock_sleep_until(ww_clock_os_ns() + pause_ns);
		if (pause_ns < 500000)
			pause_ns += pause_ns / 2;
	}
	return waited;
}

/* ---- start ---- */

static void hook_sleeping(struct ww_thread *thread)
{
	(void)thread;
	ww_block_enter();
}

static void hook_running(struct ww_thread *thread)
{
	(void)thread;
	ww_block_leave();
}

static bool begun; /* G */

/* Once: what others must know of us; and, again after a fork, the manager. 0 or -errno. */
int ww_work_start(void)
{
	static const struct ww_sched_hooks hooks = {hook_sleeping, hook_running};
	int err;

	ww_clock_start();
	ww_lock(&ww_wq_lock);
	if (!begun) {
		begun = true;
		ww_work_virtual = ww_clock_is_virtual();
		if (ww_work_virtual)
			ww_virtual_register_quiesce(come_to_rest, NULL);
		ww_sched_set_hooks(&hooks);
		ww_work_fork_init();
		ww_freeze_init();
		ww_work_check_init();
	}
	err = ww_manager_start();
	ww_unlock(&ww_wq_lock);
	return err;
}

/* ---- system queues, made on first use ---- */

static const struct {
	const char *name;
	unsigned flags;
} system_names[WW_SYSTEM_WQS] = {
	[WW_SYSTEM_PERCPU] = {"events", WW_WQ_PERCPU},
	[WW_SYSTEM_HIGHPRI] = {"events_highpri", WW_WQ_PERCPU | WW_WQ_HIGHPRI},
	[WW_SYSTEM_LONG] = {"events_long", WW_WQ_PERCPU},
	[WW_SYSTEM_UNBOUND] = {"events_unbound", WW_WQ_UNBOUND},
	[WW_SYSTEM_FREEZABLE] = {"events_freezable", WW_WQ_PERCPU | WW_WQ_FREEZABLE},
	[WW_SYSTEM_POWER_EFFICIENT] = {"events_power_efficient", WW_WQ_POWER_EFFICIENT},
	[WW_SYSTEM_FREEZABLE_POWER_EFFICIENT] = {"events_freezable_pwr_ef",
						 WW_WQ_FREEZABLE | WW_WQ_POWER_EFFICIENT},
	[WW_SYSTEM_UNBOUND_LONG] = {"events_unbound_long", WW_WQ_UNBOUND},
};

static struct ww_workqueue *system_wqs[WW_SYSTEM_WQS]; /* A */
static struct ww_lock making;

static __attribute__((noinline)) struct ww_workqueue *make_system(enum ww_system_queue which)
{
	struct ww_workqueue *wq;

	ww_lock(&making);
	wq = system_wqs[which];
	if (!wq) {
		wq = ww_alloc_workqueue(system_names[which].name, system_names[which].flags, 0);
		if (!wq) {
			/* The kernel would not boot; there is nobody to return an error to. */
			ww_warn("the system queue \"%s\" can't be made (%s)",
				system_names[which].name, strerror(errno));
			abort();
		}
		ww_lock(&ww_wq_lock); /* for who walks */
		wq->system = true;
		ww_unlock(&ww_wq_lock);
		ww_store_release(&system_wqs[which], wq); /* pairs: WORK-15 */
	}
	ww_unlock(&making);
	return wq;
}

static struct ww_workqueue *system_wq(enum ww_system_queue which)
{
	struct ww_workqueue *wq = ww_load_acquire(&system_wqs[which]); /* pairs: WORK-15 */

	return ww_likely(wq != NULL) ? wq : make_system(which);
}

WW_EXPORT struct ww_workqueue *ww_system_wq(void)
{
	return system_wq(WW_SYSTEM_PERCPU);
}

WW_EXPORT struct ww_workqueue *ww_system_queue(enum ww_system_queue which)
{
	if ((unsigned)which >= WW_SYSTEM_WQS) {
		errno = EINVAL;
		return NULL;
	}
	return system_wq(which);
}

WW_EXPORT bool ww_schedule_work(struct ww_work *work)
{
	return ww_queue_work(system_wq(WW_SYSTEM_PERCPU), work);
}

WW_EXPORT bool ww_schedule_work_on(int cpu, struct ww_work *work)
{
	return ww_queue_work_on(cpu, system_wq(WW_SYSTEM_PERCPU), work);
}

WW_EXPORT bool ww_schedule_delayed_work(struct ww_delayed_work *dwork, uint64_t delay)
{
	return ww_queue_delayed_work(system_wq(WW_SYSTEM_PERCPU), dwork, delay);
}

WW_EXPORT bool ww_schedule_delayed_work_on(int cpu, struct ww_delayed_work *dwork, uint64_t delay)
{
	return ww_queue_delayed_work_on(cpu, system_wq(WW_SYSTEM_PERCPU), dwork, delay);
}

WW_EXPORT void ww_schedule_update_delayed_work(struct ww_delayed_work *dwork, uint64_t delay)
{
	ww_queue_update_delayed_work(system_wq(WW_SYSTEM_PERCPU), dwork, delay);
}

WW_EXPORT int ww_schedule_on_each_cpu(ww_work_fn func)
{
	int n = ww_cpu_slots();
	struct ww_work *works = ww_alloc((size_t)n * sizeof(*works));

	if (!works)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		ww_init_work(&works[i], func);
		ww_schedule_work_on(ww_cpu_of_slot(i), &works[i]);
	}
	for (int i = 0; i < n; i++)
		ww_flush_work(&works[i]);
	ww_free(works);
	return 0;
}

/* ---- running a function there ---- */

WW_EXPORT int ww_execute_in_process_context(ww_work_fn func, struct ww_execute_work *ew)
{
	if (!ww_timer_context.running) {
		func(&ew->work);
		return 0;
	}
	ww_init_work(&ew->work, func);
	ww_schedule_work(&ew->work);
	return 1;
}

struct on_cpu {
	struct ww_work work;
	long (*fn)(void *);
	void *arg;
	long result;
};

static void call_on_cpu(struct ww_work *work)
{
	struct on_cpu *c = ww_container_of(work, struct on_cpu, work);

	c->result = c->fn(c->arg);
}

WW_EXPORT long ww_work_on_cpu(int cpu, long (*fn)(void *), void *arg)
{
	struct on_cpu c = {.fn = fn, .arg = arg};

	ww_init_work_onstack(&c.work, call_on_cpu);
	ww_schedule_work_on(cpu, &c.work);
	ww_flush_work(&c.work);
	ww_destroy_work_on_stack(&c.work);
	return c.result;
}

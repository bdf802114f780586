/* SPDX-License-Identifier: MIT */
/*
 * A worker: one thread of one's own that runs work items in strict order, one at a time, now or
 * after a delay. For what must not share a pool: its own priority, its own CPU, a fixed order.
 * struct ww_worker is the kernel's kthread_worker, ww_worker_work its kthread_work.
 *
 * A work item belongs to the worker it was first queued on until it is initialised again; queueing
 * it elsewhere is reported and refused. Any thread may call what does not say "sleeps"; also the
 * functions of work items and timers. Memory of an item may be freed from within its own function,
 * and after a cancel_sync.
 */
#ifndef WHEELWORK_WORKER_H
#define WHEELWORK_WORKER_H

#include <wheelwork/thread.h>
#include <wheelwork/timer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_worker_work;
typedef void (*ww_worker_fn_t)(struct ww_worker_work *work);

/* 128 bytes. */
struct ww_worker {
	uint64_t ww_private[16];
};

/* 64 bytes. */
struct ww_worker_work {
	ww_worker_fn_t func;
	uint64_t ww_private[7];
};

/* 144 bytes. */
struct ww_worker_delayed_work {
	struct ww_worker_work work;
	struct ww_timer timer;
	uint64_t ww_private[2];
};

/* The delayed work whose work item this is, for its function. */
static inline struct ww_worker_delayed_work *ww_to_worker_delayed_work(struct ww_worker_work *work)
{
	return (struct ww_worker_delayed_work *)(void *)work;
}

/* Freezes with the freezable threads (freezer.h), between two items. Kernel: KTW_FREEZABLE. */
#define WW_WORKER_FREEZABLE 0x1u

/*
 * A worker with a thread of its own, which sleeps until ww_wake_up_process(ww_worker_thread(w)), or
 * until something is queued; run wakes it at once. Names and CPUs as in thread.h. NULL + errno.
 * Sleeps. Kernel: kthread_create_worker(), kthread_run_worker(), and their forms.
 */
struct ww_worker *ww_worker_create(unsigned flags, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct ww_worker *ww_worker_run(unsigned flags, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct ww_worker *ww_worker_create_on_cpu(unsigned cpu, unsigned flags, const char *fmt);
struct ww_worker *ww_worker_run_on_cpu(unsigned cpu, unsigned flags, const char *fmt);
struct ww_worker *ww_worker_create_on_node(unsigned flags, int node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct ww_worker *ww_worker_run_on_node(unsigned flags, int node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct ww_thread *ww_worker_thread(const struct ww_worker *worker);

/*
 * Of a worker made by the calls above: runs what is queued, ends the thread, frees. Delayed items
 * must have been cancelled before; those that were not are reported and cancelled. Not from its own
 * items. Sleeps. Kernel: kthread_destroy_worker().
 */
void ww_worker_destroy(struct ww_worker *worker);

/*
 * A worker in one's own memory, run by a thread of one's own:
 *	ww_worker_init(&worker);
 *	thread = ww_thread_run(ww_worker_fn, &worker, "name");
 * ended by ww_worker_flush() and ww_thread_stop(). Items may be queued before the thread runs. A
 * second thread for a worker is reported and returns -EBUSY. Kernel: kthread_init_worker(),
 * kthread_worker_fn().
 */
void ww_worker_init(struct ww_worker *worker);
int ww_worker_fn(void *worker);

/*
 * Before the first use, and only while not queued (reported, and refused, after ww_debug_enable()).
 * Kernel: kthread_init_work().
 */
void ww_worker_init_work(struct ww_worker_work *work, ww_worker_fn_t func);
void ww_worker_init_delayed_work(struct ww_worker_delayed_work *dwork, ww_worker_fn_t func);
void ww_worker_timer_fn_(struct ww_timer *timer);
/* Set up when the program starts: static WW_DEFINE_WORKER_WORK(name, func); */
#define WW_WORKER_WORK_INITIALIZER(fn)                                                             \
	{                                                                                          \
		(fn),                                                                              \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define WW_DEFINE_WORKER_WORK(name, fn) struct ww_worker_work name = WW_WORKER_WORK_INITIALIZER(fn)
#define WW_DEFINE_WORKER_DELAYED_WORK(name, fn)                                                    \
	struct ww_worker_delayed_work name = {                                                     \
		WW_WORKER_WORK_INITIALIZER(fn), WW_TIMER_INITIALIZER(ww_worker_timer_fn_), {0}}

/*
 * False if it is queued already (or being cancelled): then one run will follow anyhow. While it
 * runs, it may be queued for another run. What the caller wrote before is seen by that run.
 * Kernel: kthread_queue_work().
 */
bool ww_worker_queue_work(struct ww_worker *worker, struct ww_worker_work *work);
/* After delay ticks, 0 for now. Kernel: kthread_queue_delayed_work(). */
bool ww_worker_queue_delayed_work(struct ww_worker *worker, struct ww_worker_delayed_work *dwork,
				  uint64_t delay);
/*
 * Makes it run after delay ticks from now, whether it is queued or not; where its timer is pending
 * and is pushed out, at the price of a store and a look at the clock. False if it was idle; true
 * if it was queued, or if a cancel at the same time wins (then nothing is queued).
 * Kernel: kthread_mod_delayed_work().
 */
bool ww_worker_mod_delayed_work(struct ww_worker *worker, struct ww_worker_delayed_work *dwork,
				uint64_t delay);

/*
 * Until the last queueing of this item has run; of a delayed one, until its time has come and it
 * has run. Not from an item of the same worker (reported, does not wait). Sleeps.
 * Kernel: kthread_flush_work().
 */
void ww_worker_flush_work(struct ww_worker_work *work);
/* Until all that is queued now has run; delayed items whose time has not come are not waited for.
 */
void ww_worker_flush(struct ww_worker *worker);

/*
 * Takes it off its queue and waits until it does not run; meanwhile nobody can queue it, not even
 * itself. True if it was queued. From its own function it does not wait (reported). Sleeps.
 * Kernel: kthread_cancel_work_sync(), kthread_cancel_delayed_work_sync().
 */
bool ww_worker_cancel_work_sync(struct ww_worker_work *work);
bool ww_worker_cancel_delayed_work_sync(struct ww_worker_delayed_work *dwork);

#ifdef __cplusplus
}
#endif
#endif

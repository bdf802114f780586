/* SPDX-License-Identifier: MIT */
/*
 * Work items run by pools of worker threads, now or after a delay. The caller embeds struct ww_work
 * or struct ww_delayed_work; nothing is allocated per operation. Delays are in ticks (ww_hz() a
 * second).
 *
 * Context: unless a call says otherwise, any thread, also a timer's callback or a work's own
 * function. "May sleep" means: not from a timer's callback.
 *
 * The child of a fork has the queues, empty, and makes threads for them when something is queued.
 * What was pending in the parent must be initialised again there: until then it counts as pending,
 * and taking it back, moving it or waiting for it is reported after a second and does nothing. A
 * function that forks goes on in the child as a plain thread, which ends where it returns.
 *
 * What a queue call that returned true, and one that returned false because the item was pending
 * already, have in common: everything the caller stored before is seen by the run that follows.
 * What a function did is seen by whoever waited for its end. An item never runs twice at once,
 * as long as it stays on one queue and keeps its function. A function may free its own item, queue
 * it again, or queue it elsewhere.
 */
#ifndef WHEELWORK_WORK_H
#define WHEELWORK_WORK_H

#include <wheelwork/timer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_work;
struct ww_workqueue; /* opaque */
typedef void (*ww_work_fn)(struct ww_work *work);

/* 40 bytes on every 64-bit machine. Kernel: struct work_struct. */
struct ww_work {
	ww_work_fn func;
	uint64_t ww_private[4];
};

/* 128 bytes on every 64-bit machine. Kernel: struct delayed_work. */
struct ww_delayed_work {
	struct ww_work work;
	struct ww_timer timer; /* not for the caller */
	uint64_t ww_private[3];
};

/* The delayed work whose work item this is. Kernel: to_delayed_work(). */
static inline struct ww_delayed_work *ww_to_delayed_work(struct ww_work *work)
{
	return (struct ww_delayed_work *)(void *)work;
}

/* ---- queues ---- */

#define WW_WQ_BH	      0x0001u /* refused, EOPNOTSUPP: no soft interrupts here */
#define WW_WQ_UNBOUND	      0x0002u /* workers on any CPU; max_active counts for the whole queue */
#define WW_WQ_FREEZABLE	      0x0004u /* starts nothing while ww_freeze_threads() holds */
#define WW_WQ_MEM_RECLAIM     0x0008u /* a thread of its own, for when no worker can be made */
#define WW_WQ_HIGHPRI	      0x0010u /* pools of its kind, at nice -20 where that is permitted */
#define WW_WQ_CPU_INTENSIVE   0x0020u /* items don't hold up others of their CPU's pool */
#define WW_WQ_SYSFS	      0x0040u /* refused, EOPNOTSUPP */
#define WW_WQ_POWER_EFFICIENT 0x0080u /* unbound if the parameter power_efficient is 1 */
#define WW_WQ_PERCPU	      0x0100u /* the default: on the CPU that queues */

/*
 * A queue. name is copied, and cut to 31 bytes; max_active items may run at once (per CPU, or for
 * the whole of an unbound queue), 0 for 1024, 2048 at most. NULL + errno: EINVAL (unknown flags, or
 * UNBOUND with PERCPU), EOPNOTSUPP (a flag that is not supported), ENOMEM, EAGAIN (no thread). May
 * sleep. Kernel: alloc_workqueue(), alloc_ordered_workqueue(): strictly one item after the other,
 * in the order in which they were queued.
 */
struct ww_workqueue *ww_alloc_workqueue(const char *name, unsigned flags, int max_active);
struct ww_workqueue *ww_alloc_ordered_workqueue(const char *name, unsigned flags);

/*
 * Runs what is queued, then frees the queue. A delayed work that still waits on its timer for this
 * queue is cancelled and reported by its function's name (the kernel would let the timer fire into
 * freed memory). Others that flush the queue are reported and waited for. NULL does nothing. May
 * sleep; not from the queue's own items. Kernel: destroy_workqueue().
 */
void ww_destroy_workqueue(struct ww_workqueue *wq);

/*
 * Raising starts what waits, lowering stops nothing that runs. Out of range values are clamped,
 * with a warning; an ordered queue stays as it is, reported. min_active, of unbound queues alone
 * (others are reported), 0 to max_active, by default the smaller of max_active and 8: where
 * attributes keep the machine's NUMA nodes apart, so many items may always be active on each node,
 * even if those of other nodes use all of max_active, which their sum may then exceed; so items
 * that wait for each other across nodes can't block each other. With one node, or one unit for all,
 * max_active alone counts. May sleep. Kernel: workqueue_set_max_active(),
 * workqueue_set_min_active().
 */
void ww_workqueue_set_max_active(struct ww_workqueue *wq, int max_active);
void ww_workqueue_set_min_active(struct ww_workqueue *wq, int min_active);

/*
 * Attributes of an unbound queue that is not ordered. Slots fall into units by scope, each unit
 * with workers of its own that run on its CPUs only. Default: nice 0, all CPUs, one unit.
 */
enum ww_wq_scope {
	WW_WQ_SCOPE_SYSTEM, /* one unit */
	WW_WQ_SCOPE_NUMA,   /* one for each NUMA node */
	WW_WQ_SCOPE_CPU,    /* one for each CPU */
};
struct ww_workqueue_attrs {
	int nice; /* -20 to 19 */
	enum ww_wq_scope scope;
	uint64_t cpumask[16]; /* bit n of word n / 64; CPUs that can't be used don't count */
	uint64_t spare[6];    /* 0 */
};
/* With the defaults; NULL + ENOMEM. Kernel: alloc_workqueue_attrs(), free_workqueue_attrs(). */
struct ww_workqueue_attrs *ww_alloc_workqueue_attrs(void);
void ww_free_workqueue_attrs(struct ww_workqueue_attrs *attrs);
/*
 * What is queued from now on runs by attrs, what is queued already as before. A mask without a
 * usable CPU counts as all. 0, or nothing changed and -EINVAL (not unbound, ordered, a value out of
 * range), -EACCES (a nice value that is not permitted), -ENOMEM, -EAGAIN. May sleep. Kernel:
 * apply_workqueue_attrs().
 */
int ww_apply_workqueue_attrs(struct ww_workqueue *wq, const struct ww_workqueue_attrs *attrs);

/* The library's own queues, made on first use. Don't flush or destroy them. */
enum ww_system_queue {
	WW_SYSTEM_PERCPU, /* short items; the kernel's system_percpu_wq, system_wq */
	WW_SYSTEM_HIGHPRI,
	WW_SYSTEM_LONG,
	WW_SYSTEM_UNBOUND, /* the kernel's system_dfl_wq, system_unbound_wq */
	WW_SYSTEM_FREEZABLE,
	WW_SYSTEM_POWER_EFFICIENT,
	WW_SYSTEM_FREEZABLE_POWER_EFFICIENT,
	WW_SYSTEM_UNBOUND_LONG, /* the kernel's system_dfl_long_wq */
	WW_SYSTEM_WQS,
};
struct ww_workqueue *ww_system_queue(enum ww_system_queue which);
struct ww_workqueue *ww_system_wq(void); /* WW_SYSTEM_PERCPU */

/* ---- items ---- */

/*
 * Before first use. An item that is queued stays as it is, and the call is reported. On-stack
 * items end with the destroy call, which reports one that is still pending. Kernel: INIT_WORK(),
 * INIT_DELAYED_WORK(), INIT_DEFERRABLE_WORK(), and their _ONSTACK twins.
 */
void ww_init_work(struct ww_work *work, ww_work_fn func);
void ww_init_delayed_work(struct ww_delayed_work *dwork, ww_work_fn func);
/* Its timer never wakes a sleeping base: it may run late without bound. */
void ww_init_deferrable_work(struct ww_delayed_work *dwork, ww_work_fn func);
void ww_init_work_onstack(struct ww_work *work, ww_work_fn func);
void ww_init_delayed_work_onstack(struct ww_delayed_work *dwork, ww_work_fn func);
void ww_init_deferrable_work_onstack(struct ww_delayed_work *dwork, ww_work_fn func);
void ww_destroy_work_on_stack(struct ww_work *work);
void ww_destroy_delayed_work_on_stack(struct ww_delayed_work *dwork);

/*
 * Static objects: static WW_DECLARE_WORK(name, function); or .work = WW_WORK_INITIALIZER(function).
 * Kernel: DECLARE_WORK(), DECLARE_DELAYED_WORK().
 */
#define WW_WORK_MAGIC_ (0x57c4ull << 48)
#define WW_WORK_INITIALIZER(fn)                                                                    \
	{                                                                                          \
		(fn),                                                                              \
		{                                                                                  \
			WW_WORK_MAGIC_, 0, 0, 0                                                    \
		}                                                                                  \
	}
#define WW_DECLARE_WORK(name, fn) struct ww_work name = WW_WORK_INITIALIZER(fn)
#define WW_DELAYED_WORK_INITIALIZER_FLAGS(fn, flags)                                               \
	{                                                                                          \
		{(fn), {WW_WORK_MAGIC_ | 0x20u, 0, 0, 0}},                                         \
			WW_TIMER_INITIALIZER_FLAGS(ww_delayed_work_expired, flags),                \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}
#define WW_DELAYED_WORK_INITIALIZER(fn) WW_DELAYED_WORK_INITIALIZER_FLAGS(fn, 0u)
#define WW_DECLARE_DELAYED_WORK(name, fn)                                                          \
	struct ww_delayed_work name = WW_DELAYED_WORK_INITIALIZER(fn)
/* The timer is deferrable. Kernel: DECLARE_DEFERRABLE_WORK(). */
#define WW_DECLARE_DEFERRABLE_WORK(name, fn)                                                       \
	struct ww_delayed_work name = WW_DELAYED_WORK_INITIALIZER_FLAGS(fn, WW_TIMER_DEFERRABLE)
void ww_delayed_work_expired(struct ww_timer *timer); /* for the initialiser only */

/* ---- queueing ---- */

#define WW_WORK_CPU_UNBOUND (-1) /* on the caller's CPU, or any */

/*
 * True: newly queued. False: it was pending already, is disabled, or the queue drains and the
 * caller is not one of its items (the kernel returns true there, and never runs it). A cpu that
 * does not exist is reported, and any is used; node is for unbound queues, as a wish. Kernel:
 * queue_work(), queue_work_on(), queue_work_node(), schedule_work(), schedule_work_on().
 */
bool ww_queue_work(struct ww_workqueue *wq, struct ww_work *work);
bool ww_queue_work_on(int cpu, struct ww_workqueue *wq, struct ww_work *work);
bool ww_queue_work_node(int node, struct ww_workqueue *wq, struct ww_work *work);
bool ww_schedule_work(struct ww_work *work);
bool ww_schedule_work_on(int cpu, struct ww_work *work);

/*
 * The same after delay whole ticks; 0 queues now, without the timer. Without a cpu it runs on the
 * CPU where the timer fires. Kernel: queue_delayed_work(), queue_delayed_work_on(),
 * schedule_delayed_work().
 */
bool ww_queue_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork, uint64_t delay);
bool ww_queue_delayed_work_on(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork,
			      uint64_t delay);
bool ww_schedule_delayed_work(struct ww_delayed_work *dwork, uint64_t delay);
bool ww_schedule_delayed_work_on(int cpu, struct ww_delayed_work *dwork, uint64_t delay);

/*
 * Whatever it is, let it be queued on wq after delay ticks from now: idle, waiting on its timer, or
 * due and not begun (it is put off). True: it was pending. False: it was idle, and is armed or
 * queued now; or it is disabled and nothing happened. (The polarity is the kernel's, and the
 * opposite of the queue calls'.) Kernel: mod_delayed_work(), mod_delayed_work_on().
 */
bool ww_mod_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork, uint64_t delay);
bool ww_mod_delayed_work_on(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork,
			    uint64_t delay);
/* The same with the calls of 2008, which tell nothing; never early. */
void ww_queue_update_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				  uint64_t delay);
void ww_schedule_update_delayed_work(struct ww_delayed_work *dwork, uint64_t delay);
/* The same to a given tick (an ww_jiffies() the caller has read already, plus a delay). */
bool ww_mod_delayed_work_at(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
			    uint64_t expires);
void ww_queue_update_delayed_work_at(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				     uint64_t expires);

/*
 * func on every CPU that the library uses, and wait for all; 0 or -ENOMEM. May sleep. Kernel:
 * schedule_on_each_cpu().
 */
int ww_schedule_on_each_cpu(ww_work_fn func);

/* What ww_execute_in_process_context() needs; owned by it until func has run. */
struct ww_execute_work {
	struct ww_work work;
	uint64_t spare;
};
/* func now (0), or from a timer's callback as a work (1). Kernel: the same name. */
int ww_execute_in_process_context(ww_work_fn func, struct ww_execute_work *ew);
/* fn(arg) on that CPU's worker; its value. May sleep. Kernel: work_on_cpu(). */
long ww_work_on_cpu(int cpu, long (*fn)(void *), void *arg);

/* ---- waiting ---- */

/*
 * Wait for the end of the last queued instance. True: there was something to wait for. A delayed
 * work on its timer counts as idle; ww_flush_delayed_work() queues it at once instead, on the queue
 * it is meant for. May sleep; from the item's own function, or where item and caller would wait for
 * each other for ever, it is reported and returns at once. Kernel: flush_work(),
 * flush_delayed_work().
 */
bool ww_flush_work(struct ww_work *work);
bool ww_flush_delayed_work(struct ww_delayed_work *dwork);

/*
 * Wait for all that is queued now (not for timers, not for what comes later); until nothing is
 * left, refusing what others than its own items queue. May sleep; from an item of the queue it is
 * reported and returns at once. Kernel: flush_workqueue(), drain_workqueue().
 */
void ww_flush_workqueue(struct ww_workqueue *wq);
void ww_drain_workqueue(struct ww_workqueue *wq);

/* ---- taking back ---- */

/*
 * True: it was pending and is not any more. The _sync forms also wait for the end of a run, and
 * while they wait nobody can queue it, its own function included: on return it is idle. They may
 * sleep; from its own function they are reported and don't wait. A delayed work is taken back with
 * the delayed forms. Kernel: cancel_work(), cancel_work_sync(), cancel_delayed_work() and so on.
 */
bool ww_cancel_work(struct ww_work *work);
bool ww_cancel_work_sync(struct ww_work *work);
bool ww_cancel_delayed_work(struct ww_delayed_work *dwork);
bool ww_cancel_delayed_work_sync(struct ww_delayed_work *dwork);

/*
 * The same, and until as many enables have followed every attempt to queue it returns false
 * (65535 deep). Enable: true when the count reached 0; it queues nothing,
 * ww_enable_and_queue_work() does then. Kernel: disable_work(), enable_work(),
 * enable_and_queue_work() and so on.
 */
bool ww_disable_work(struct ww_work *work);
bool ww_disable_work_sync(struct ww_work *work);
bool ww_enable_work(struct ww_work *work);
bool ww_enable_and_queue_work(struct ww_workqueue *wq, struct ww_work *work);
bool ww_disable_delayed_work(struct ww_delayed_work *dwork);
bool ww_disable_delayed_work_sync(struct ww_delayed_work *dwork);
bool ww_enable_delayed_work(struct ww_delayed_work *dwork);

/* ---- asking ---- */

/* A moment's view. Kernel: work_pending(), delayed_work_pending(). */
bool ww_work_pending(const struct ww_work *work);
bool ww_delayed_work_pending(const struct ww_delayed_work *dwork);
#define WW_WORK_BUSY_PENDING 0x1u
#define WW_WORK_BUSY_RUNNING 0x2u
unsigned ww_work_busy(struct ww_work *work); /* kernel: work_busy() */
/* The item whose function the calling thread runs, or NULL. Kernel: current_work(). */
struct ww_work *ww_current_work(void);
bool ww_current_is_workqueue_rescuer(void);
/* Items wait over max_active for that CPU (the caller's: WW_WORK_CPU_UNBOUND); a moment's view. */
bool ww_workqueue_congested(int cpu, struct ww_workqueue *wq); /* kernel: workqueue_congested() */

/* Counters since the queue was made; the names that the kernel's wq_monitor knows in brackets. */
struct ww_workqueue_stats {
	uint64_t started;   /* runs begun (total) */
	uint64_t in_flight; /* queued or running now (infl); of these */
	uint64_t running;
	uint64_t completed;
	uint64_t cancelled;	/* taken back while queued; destroy's cancellations of timers too */
	uint64_t cpu_time_us;	/* (CPUtime) a worker's time goes to the queue it served last */
	uint64_t cpu_intensive; /* (CPUhog) runs that stopped counting against their CPU */
	uint64_t blocked_wakeups; /* (CMW) another worker was let run because one blocked */
	uint64_t mayday;	  /* calls for the rescuer */
	uint64_t rescued;	  /* items that it ran */
	uint64_t updates_idle;	  /* void updates that found their item idle */
	uint64_t moved; /* (RPR) taken from a worker that was slow or blocked, for another */
	uint64_t spare[4];
};
void ww_workqueue_get_stats(struct ww_workqueue *wq, struct ww_workqueue_stats *stats);

/*
 * All queues and pools in words, with what each worker runs and what waits, written to fd. 0, or
 * -ENOMEM or write()'s error. Kernel: show_all_workqueues(), wq_dump.
 */
int ww_show_workqueues(int fd);
/*
 * One queue, and the pools in which it has items, without what others have there; or all freezable
 * ones so. Kernel: show_one_workqueue(), show_freezable_workqueues().
 */
int ww_show_one_workqueue(struct ww_workqueue *wq, int fd);
int ww_show_freezable_workqueues(int fd);

#define WW_WORKER_DESC_LEN 32 /* with the final 0; the rest is cut */
/*
 * From a work's function: what this run is about (a device's name, say). It stands beside the
 * function in ww_show_workqueues() until the run is over. Elsewhere: nothing. Any number of times.
 * Kernel: set_worker_desc().
 */
void ww_set_worker_desc(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One queue (func NULL), or one item that is queued or runs. */
struct ww_work_view {
	const char *queue; /* its name */
	ww_work_fn func;
	bool running;
	bool system; /* of a queue: one of the library's own */
	uint64_t spare[2];
};
typedef void (*ww_work_view_fn)(const struct ww_work_view *view, void *arg);
/*
 * A moment's view for a debugger or a check at the end: every queue, then every item. fn is called
 * with locks held and must call nothing of this library.
 */
void ww_work_for_each(ww_work_view_fn fn, void *arg);

/*
 * Before memory is freed, in debug builds of a program: reports items inside of it that are still
 * queued or on their timers, and returns how many. Walks everything that waits. Kernel:
 * debug_check_no_obj_freed().
 */
unsigned ww_debug_check_no_work_freed(const void *p, size_t size);

/*
 * Tunables of the whole process, 0 or -ENOENT (no such name), -EINVAL (out of range). Kernel: the
 * module parameters workqueue.*.
 *	idle_timeout_ms			a worker more than one leaves after so long (30000)
 *	watchdog_thresh_ms		a pool that begins nothing for so long is reported; 0 off (30000)
 *	threads_max			workers of all pools together (4096)
 *	power_efficient			1: WW_WQ_POWER_EFFICIENT means unbound (0)
 *	cpu_intensive_thresh_us		CPU time of one run that makes it a hog, looked for while
 *					items wait behind it (10000)
 *	cpu_intensive_warning_thresh	hogs of one function before it is reported; 0 never (4)
 *	blocked_period_us		how often busy workers are looked at while items wait (8000)
 */
int ww_workqueue_set_param(const char *name, uint64_t value);
int ww_workqueue_get_param(const char *name, uint64_t *value);

/*
 * A function that is about to block for long (a read, a lock of others) may say so: its pool then
 * lets another worker run at once, instead of finding out after some milliseconds. Nests; does
 * nothing outside of workers. Waits of this library say so themselves.
 */
void ww_block_enter(void);
void ww_block_leave(void);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * struct work_struct is struct ww_work, struct delayed_work is struct ww_delayed_work, by macro,
 * so that a callback has one type under both names. Spellings from the three-argument INIT_WORK's
 * end (2.6.20) to today's system_percpu_wq.
 */
#ifndef _LINUX_WORKQUEUE_H
#define _LINUX_WORKQUEUE_H

#include <wheelwork/work.h>
#include <ww-linux/base.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/bitops.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>

#define work_struct	 ww_work
#define delayed_work	 ww_delayed_work
#define workqueue_struct ww_workqueue
#define execute_work	 ww_execute_work
typedef void (*work_func_t)(struct ww_work *work);

#define WQ_UNBOUND	      WW_WQ_UNBOUND
#define WQ_FREEZABLE	      WW_WQ_FREEZABLE
#define WQ_FREEZEABLE	      WW_WQ_FREEZABLE
#define WQ_MEM_RECLAIM	      WW_WQ_MEM_RECLAIM
#define WQ_RESCUER	      WW_WQ_MEM_RECLAIM
#define WQ_HIGHPRI	      WW_WQ_HIGHPRI
#define WQ_CPU_INTENSIVE      WW_WQ_CPU_INTENSIVE
#define WQ_POWER_EFFICIENT    WW_WQ_POWER_EFFICIENT
#define WQ_PERCPU	      WW_WQ_PERCPU
#define WQ_NON_REENTRANT      0u       /* all are, since 3.7 */
#define WQ_SYSFS	      0x10000u /* there is no sysfs: accepted, and a warning says so once */
#define WQ_BH		      0x20000u /* runs in a worker of high priority: there is no softirq */
#define WQ_MAX_ACTIVE	      2048
#define WQ_UNBOUND_MAX_ACTIVE WQ_MAX_ACTIVE
#define WQ_DFL_ACTIVE	      1024
#define WQ_DFL_MIN_ACTIVE     8
#define WQ_NAME_LEN	      32
#define WORK_CPU_UNBOUND      WW_WORK_CPU_UNBOUND
#define WORK_BUSY_PENDING     WW_WORK_BUSY_PENDING
#define WORK_BUSY_RUNNING     WW_WORK_BUSY_RUNNING

/* The arguments for the name's format come last, as in the kernel. NULL when it can't be made. */
struct ww_workqueue *ww_linux_alloc_workqueue(const char *fmt, unsigned flags, int max_active, ...)
	WW_LINUX_PRINTF(1, 4);
struct ww_workqueue *ww_linux_alloc_ordered(const char *fmt, unsigned flags, ...)
	WW_LINUX_PRINTF(1, 3);
#define alloc_workqueue		ww_linux_alloc_workqueue
#define alloc_workqueue_noprof	ww_linux_alloc_workqueue
#define alloc_ordered_workqueue ww_linux_alloc_ordered
#define create_workqueue(name)	ww_linux_alloc_workqueue("%s", WQ_MEM_RECLAIM, 1, (name))
#define create_freezable_workqueue(name)                                                           \
	ww_linux_alloc_workqueue("%s", WQ_FREEZABLE | WQ_UNBOUND | WQ_MEM_RECLAIM, 1, (name))
#define create_freezeable_workqueue(name)   create_freezable_workqueue(name)
#define create_singlethread_workqueue(name) ww_linux_alloc_ordered("%s", WQ_MEM_RECLAIM, name)
#define destroy_workqueue		    ww_destroy_workqueue
#define workqueue_set_max_active	    ww_workqueue_set_max_active
#define workqueue_set_min_active	    ww_workqueue_set_min_active

#define system_wq			    ww_system_queue(WW_SYSTEM_PERCPU)
#define system_percpu_wq		    ww_system_queue(WW_SYSTEM_PERCPU)
#define system_nrt_wq			    ww_system_queue(WW_SYSTEM_PERCPU)
#define system_highpri_wq		    ww_system_queue(WW_SYSTEM_HIGHPRI)
#define system_long_wq			    ww_system_queue(WW_SYSTEM_LONG)
#define system_unbound_wq		    ww_system_queue(WW_SYSTEM_UNBOUND)
#define system_dfl_wq			    ww_system_queue(WW_SYSTEM_UNBOUND)
#define system_dfl_long_wq		    ww_system_queue(WW_SYSTEM_UNBOUND_LONG)
#define system_freezable_wq		    ww_system_queue(WW_SYSTEM_FREEZABLE)
#define system_freezeable_wq		    ww_system_queue(WW_SYSTEM_FREEZABLE)
#define system_power_efficient_wq	    ww_system_queue(WW_SYSTEM_POWER_EFFICIENT)
#define system_freezable_power_efficient_wq ww_system_queue(WW_SYSTEM_FREEZABLE_POWER_EFFICIENT)
/* What would run in a soft interrupt runs in a worker of high priority. */
#define system_bh_wq	     ww_system_queue(WW_SYSTEM_HIGHPRI)
#define system_bh_highpri_wq ww_system_queue(WW_SYSTEM_HIGHPRI)

#define __WORK_INITIALIZER(name, fn)		WW_WORK_INITIALIZER(fn)
#define __DELAYED_WORK_INITIALIZER(name, fn, f) WW_DELAYED_WORK_INITIALIZER_FLAGS(fn, f)
#define DECLARE_WORK(name, fn)			WW_DECLARE_WORK(name, fn)
#define DECLARE_DELAYED_WORK(name, fn)		WW_DECLARE_DELAYED_WORK(name, fn)
#define DECLARE_DEFERRABLE_WORK(name, fn)	WW_DECLARE_DEFERRABLE_WORK(name, fn)
#define DECLARE_DEFERRED_WORK(name, fn)		WW_DECLARE_DEFERRABLE_WORK(name, fn)
#define INIT_WORK(work, fn)			ww_init_work(work, fn)
#define INIT_WORK_ONSTACK(work, fn)		ww_init_work_onstack(work, fn)
#define INIT_WORK_KEY(work, fn, key)		ww_init_work(work, fn)
#define PREPARE_WORK(work, fn)			((void)((work)->func = (fn)))
#define PREPARE_DELAYED_WORK(dwork, fn)		PREPARE_WORK(&(dwork)->work, fn)
#define INIT_DELAYED_WORK(dwork, fn)		ww_init_delayed_work(dwork, fn)
#define INIT_DELAYED_WORK_ONSTACK(dwork, fn)	ww_init_delayed_work_onstack(dwork, fn)
#define INIT_DEFERRABLE_WORK(dwork, fn)		ww_init_deferrable_work(dwork, fn)
#define INIT_DELAYED_WORK_DEFERRABLE(dwork, fn) ww_init_deferrable_work(dwork, fn)
#define destroy_work_on_stack			ww_destroy_work_on_stack
#define destroy_delayed_work_on_stack		ww_destroy_delayed_work_on_stack
#define to_delayed_work				ww_to_delayed_work
#define from_work(var, work, field)		ww_linux_container_of(work, __typeof__(*var), field)

#define queue_work		 ww_queue_work
#define queue_work_on		 ww_queue_work_on
#define queue_work_node		 ww_queue_work_node
#define schedule_work		 ww_schedule_work
#define schedule_work_on	 ww_schedule_work_on
#define queue_delayed_work	 ww_queue_delayed_work
#define queue_delayed_work_on	 ww_queue_delayed_work_on
#define schedule_delayed_work	 ww_schedule_delayed_work
#define schedule_delayed_work_on ww_schedule_delayed_work_on
#define mod_delayed_work	 ww_mod_delayed_work
#define mod_delayed_work_on	 ww_mod_delayed_work_on
/* the patches of 2008 */
#define queue_update_delayed_work    ww_queue_update_delayed_work
#define schedule_update_delayed_work ww_schedule_update_delayed_work
#define schedule_on_each_cpu	     ww_schedule_on_each_cpu
#define execute_in_process_context   ww_execute_in_process_context
#define work_on_cpu		     ww_work_on_cpu
#define work_on_cpu_safe	     ww_work_on_cpu

#define flush_work		     ww_flush_work
#define flush_work_sync		     ww_flush_work
#define flush_delayed_work	     ww_flush_delayed_work
#define flush_delayed_work_sync	     ww_flush_delayed_work
#define flush_workqueue		     ww_flush_workqueue
#define __flush_workqueue	     ww_flush_workqueue
#define drain_workqueue		     ww_drain_workqueue
#define flush_scheduled_work()	     ww_flush_workqueue(system_wq)
#define cancel_work		     ww_cancel_work
#define cancel_work_sync	     ww_cancel_work_sync
#define cancel_delayed_work	     ww_cancel_delayed_work
#define __cancel_delayed_work	     ww_cancel_delayed_work
#define cancel_delayed_work_sync     ww_cancel_delayed_work_sync
#define cancel_rearming_delayed_work ww_cancel_delayed_work_sync
#define cancel_rearming_delayed_workqueue(wq, dwork)                                               \
	((void)(wq), ww_cancel_delayed_work_sync(dwork))
#define disable_work		  ww_disable_work
#define disable_work_sync	  ww_disable_work_sync
#define enable_work		  ww_enable_work
#define enable_and_queue_work	  ww_enable_and_queue_work
#define disable_delayed_work	  ww_disable_delayed_work
#define disable_delayed_work_sync ww_disable_delayed_work_sync
#define enable_delayed_work	  ww_enable_delayed_work

/* What this run is about, for the next call; the others write the state of all queues to the log. */
void ww_linux_set_worker_desc(const char *fmt, ...) WW_LINUX_PRINTF(1, 2);
void ww_linux_show_workqueues(void);
#define set_worker_desc		    ww_linux_set_worker_desc
#define show_all_workqueues()	    ww_linux_show_workqueues()
#define show_freezable_workqueues() ww_linux_show_workqueues()
#define show_one_workqueue(wq)	    ((void)(wq), ww_linux_show_workqueues())
#define show_workqueue_state()	    ww_linux_show_workqueues()

#define work_pending		     ww_work_pending
#define delayed_work_pending	     ww_delayed_work_pending
#define work_busy		     ww_work_busy
#define workqueue_congested	     ww_workqueue_congested
#define current_work		     ww_current_work
#define current_is_workqueue_rescuer ww_current_is_workqueue_rescuer

/* The rest stands on headers of ours; a client that has its own there goes without. */
#ifdef WW_LINUX_RCUPDATE_H
/* Work after a grace period. Can't be cancelled, as in the kernel. */
struct rcu_work {
	struct ww_work work;
	struct callback_head rcu;
	struct ww_workqueue *wq;
	unsigned long ww_pending;
};
WW_LINUX_INLINE struct rcu_work *to_rcu_work(struct ww_work *work)
{
	return (struct rcu_work *)(void *)work;
}
void ww_linux_init_rcu_work(struct rcu_work *rwork, work_func_t fn);
bool ww_linux_queue_rcu_work(struct ww_workqueue *wq, struct rcu_work *rwork);
bool ww_linux_flush_rcu_work(struct rcu_work *rwork);
#define INIT_RCU_WORK(rwork, fn)	 ww_linux_init_rcu_work(rwork, fn)
#define INIT_RCU_WORK_ONSTACK(rwork, fn) ww_linux_init_rcu_work(rwork, fn)
#define queue_rcu_work			 ww_linux_queue_rcu_work
#define flush_rcu_work			 ww_linux_flush_rcu_work
#endif

#ifdef WW_LINUX_CPUMASK_H
/* Attributes: the kernel's structure, handed on to the library's. */
enum wq_affn_scope {
	WQ_AFFN_DFL,
	WQ_AFFN_CPU,
	WQ_AFFN_SMT,
	WQ_AFFN_CACHE,
	WQ_AFFN_NUMA,
	WQ_AFFN_SYSTEM,
};
struct workqueue_attrs {
	int nice;
	cpumask_var_t cpumask;
	bool affn_strict;
	enum wq_affn_scope affn_scope;
	bool ordered;
};
struct workqueue_attrs *ww_linux_alloc_attrs(void);
void ww_linux_free_attrs(struct workqueue_attrs *attrs);
int ww_linux_apply_attrs(struct ww_workqueue *wq, const struct workqueue_attrs *attrs);
#define alloc_workqueue_attrs(gfp...) ww_linux_alloc_attrs()
#define free_workqueue_attrs	      ww_linux_free_attrs
#define apply_workqueue_attrs	      ww_linux_apply_attrs
#endif

#endif

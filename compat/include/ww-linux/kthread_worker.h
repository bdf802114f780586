/* SPDX-License-Identifier: MIT */
#ifndef WW_LINUX_KTHREAD_WORKER_H
#define WW_LINUX_KTHREAD_WORKER_H

#include <wheelwork/worker.h>
#include <ww-linux/base.h>
#include <linux/err.h>
#include <errno.h>

#define kthread_worker	     ww_worker
#define kthread_work	     ww_worker_work
#define kthread_delayed_work ww_worker_delayed_work
typedef ww_worker_fn_t kthread_work_func_t;

#define KTW_FREEZABLE WW_WORKER_FREEZABLE

WW_LINUX_INLINE struct ww_worker *ww_linux_made_worker(struct ww_worker *worker)
{
	return worker ? worker : ERR_PTR(-(long)(errno ? errno : ENOMEM));
}
/* 6.14 split create and run; the old names ran at once, and these do. */
#define kthread_create_worker(flags, fmt...) ww_linux_made_worker(ww_worker_run(flags, fmt))
#define kthread_run_worker(flags, fmt...)    ww_linux_made_worker(ww_worker_run(flags, fmt))
#define kthread_create_worker_on_cpu(cpu, flags, fmt)                                              \
	ww_linux_made_worker(ww_worker_run_on_cpu(cpu, flags, fmt))
#define kthread_run_worker_on_cpu(cpu, flags, fmt)                                                 \
	ww_linux_made_worker(ww_worker_run_on_cpu(cpu, flags, fmt))
#define kthread_create_worker_on_node(flags, node, fmt...)                                         \
	ww_linux_made_worker(ww_worker_run_on_node(flags, node, fmt))
#define kthread_run_worker_on_node(flags, node, fmt...)                                            \
	ww_linux_made_worker(ww_worker_run_on_node(flags, node, fmt))
#define kthread_destroy_worker ww_worker_destroy
#define kthread_init_worker    ww_worker_init
#define kthread_worker_fn      ww_worker_fn

#define kthread_init_work	    ww_worker_init_work
#define kthread_init_delayed_work   ww_worker_init_delayed_work
#define KTHREAD_WORK_INIT(work, fn) WW_WORKER_WORK_INITIALIZER(fn)
#define KTHREAD_DELAYED_WORK_INIT(dwork, fn)                                                       \
	{                                                                                          \
		WW_WORKER_WORK_INITIALIZER(fn), WW_TIMER_INITIALIZER(ww_worker_timer_fn_),         \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define DEFINE_KTHREAD_WORK(work, fn)	       WW_DEFINE_WORKER_WORK(work, fn)
#define DEFINE_KTHREAD_DELAYED_WORK(dwork, fn) WW_DEFINE_WORKER_DELAYED_WORK(dwork, fn)

#define kthread_queue_work		 ww_worker_queue_work
#define kthread_queue_delayed_work	 ww_worker_queue_delayed_work
#define kthread_mod_delayed_work	 ww_worker_mod_delayed_work
#define kthread_flush_work		 ww_worker_flush_work
#define kthread_flush_worker		 ww_worker_flush
#define kthread_cancel_work_sync	 ww_worker_cancel_work_sync
#define kthread_cancel_delayed_work_sync ww_worker_cancel_delayed_work_sync
/* until 4.9 */
#define init_kthread_worker  ww_worker_init
#define init_kthread_work    ww_worker_init_work
#define queue_kthread_work   ww_worker_queue_work
#define flush_kthread_work   ww_worker_flush_work
#define flush_kthread_worker ww_worker_flush

#endif

/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

#include <wheelwork/thread.h>
#include <wheelwork/freezer.h>
#include <ww-linux/base.h>
#include <linux/err.h>
#include <linux/sched.h>

/* ERR_PTR(-ENOMEM), ERR_PTR(-EAGAIN) where the system has no thread left. */
struct task_struct *ww_linux_kthread_create(int (*fn)(void *data), void *data, int node,
					    const char *fmt, ...) WW_LINUX_PRINTF(4, 5);
struct task_struct *ww_linux_kthread_create_on_cpu(int (*fn)(void *data), void *data, unsigned cpu,
						   const char *fmt);
struct task_struct *ww_linux_kthread_wake_new(struct task_struct *task);
void ww_linux_kthread_bind(struct task_struct *task, unsigned cpu);
void ww_linux_kthread_bind_mask(struct task_struct *task, const struct cpumask *mask);
int ww_linux_kthread_affine_preferred(struct task_struct *task, const struct cpumask *mask);
int ww_linux_kthread_stop(struct task_struct *task);
int ww_linux_kthread_stop_put(struct task_struct *task);
int ww_linux_kthread_park(struct task_struct *task);
void ww_linux_kthread_unpark(struct task_struct *task);
void *ww_linux_kthread_data(struct task_struct *task);
_Noreturn void ww_linux_kthread_exit(long result);
struct ww_completion;
_Noreturn void ww_linux_kthread_complete_and_exit(struct ww_completion *done, long result);

#define kthread_create(fn, data, fmt...)	       ww_linux_kthread_create(fn, data, -1, fmt)
#define kthread_create_on_node(fn, data, node, fmt...) ww_linux_kthread_create(fn, data, node, fmt)
#define kthread_create_on_cpu			       ww_linux_kthread_create_on_cpu
#define kthread_run(fn, data, fmt...)                                                              \
	ww_linux_kthread_wake_new(ww_linux_kthread_create(fn, data, -1, fmt))
#define kthread_run_on_cpu(fn, data, cpu, fmt)                                                     \
	ww_linux_kthread_wake_new(ww_linux_kthread_create_on_cpu(fn, data, cpu, fmt))
#define kthread_bind		      ww_linux_kthread_bind
#define kthread_bind_mask	      ww_linux_kthread_bind_mask
#define kthread_affine_preferred      ww_linux_kthread_affine_preferred
#define kthread_stop		      ww_linux_kthread_stop
#define kthread_stop_put	      ww_linux_kthread_stop_put
#define kthread_park		      ww_linux_kthread_park
#define kthread_unpark		      ww_linux_kthread_unpark
#define kthread_parkme		      ww_thread_parkme
#define kthread_should_stop	      ww_thread_should_stop
#define kthread_should_park	      ww_thread_should_park
#define kthread_should_stop_or_park() (ww_thread_should_stop() || ww_thread_should_park())
#define kthread_freezable_should_stop ww_thread_freezable_should_stop
#define kthread_data		      ww_linux_kthread_data
#define kthread_func(task)	      ((void *)(task)->ww_fn)
#define kthread_is_per_cpu(task)      ((task)->ww_cpu >= 0)
#define kthread_exit		      ww_linux_kthread_exit
#define do_exit			      ww_linux_kthread_exit
#define kthread_complete_and_exit     ww_linux_kthread_complete_and_exit
#define complete_and_exit	      ww_linux_kthread_complete_and_exit

#include <ww-linux/kthread_worker.h>

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tasklets, which run in a worker of high priority: never on two threads at once, and once for any
 * number of schedules before they start. There are no interrupts to request.
 */
#ifndef _LINUX_INTERRUPT_H
#define _LINUX_INTERRUPT_H

#include <wheelwork/work.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/irqreturn.h>

struct tasklet_struct {
	struct ww_work ww_work;
	atomic_t count;		  /* disabled while not 0 */
	unsigned long ww_waiting; /* scheduled while disabled */
	bool use_callback;
	union {
		void (*func)(unsigned long data);
		void (*callback)(struct tasklet_struct *t);
	};
	unsigned long data;
};

void ww_linux_tasklet_run(struct ww_work *work);
#define WW_LINUX_TASKLET(fn_field, fn, n, cb, d)                                                   \
	{                                                                                          \
		.ww_work = WW_WORK_INITIALIZER(ww_linux_tasklet_run), .count = ATOMIC_INIT(n),     \
		.use_callback = cb, .fn_field = (fn), .data = (d)                                  \
	}
/* Two arguments, or three: the form of before 5.9, whose function gets data. */
#define WW_LINUX_TASKLET_2(n, name, fn)                                                            \
	struct tasklet_struct name = WW_LINUX_TASKLET(callback, fn, n, true, 0)
#define WW_LINUX_TASKLET_3(n, name, fn, d)                                                         \
	struct tasklet_struct name = WW_LINUX_TASKLET(func, fn, n, false, d)
#define WW_LINUX_TASKLET_PICK(a, b, c, pick, ...) pick
#define DECLARE_TASKLET(args...)                                                                   \
	WW_LINUX_TASKLET_PICK(args, WW_LINUX_TASKLET_3, WW_LINUX_TASKLET_2)(0, args)
#define DECLARE_TASKLET_DISABLED(args...)                                                          \
	WW_LINUX_TASKLET_PICK(args, WW_LINUX_TASKLET_3, WW_LINUX_TASKLET_2)(1, args)
#define DECLARE_TASKLET_OLD(name, fn)                                                              \
	struct tasklet_struct name = WW_LINUX_TASKLET(func, fn, 0, false, 0)
#define DECLARE_TASKLET_DISABLED_OLD(name, fn)                                                     \
	struct tasklet_struct name = WW_LINUX_TASKLET(func, fn, 1, false, 0)
#define from_tasklet(var, t, field) container_of(t, __typeof__(*var), field)

void ww_linux_tasklet_init(struct tasklet_struct *t, void (*func)(unsigned long),
			   unsigned long data);
void ww_linux_tasklet_setup(struct tasklet_struct *t, void (*callback)(struct tasklet_struct *));
void ww_linux_tasklet_schedule(struct tasklet_struct *t);
void ww_linux_tasklet_enable(struct tasklet_struct *t);
void ww_linux_tasklet_disable(struct tasklet_struct *t);
void ww_linux_tasklet_kill(struct tasklet_struct *t);
#define tasklet_init		  ww_linux_tasklet_init
#define tasklet_setup		  ww_linux_tasklet_setup
#define tasklet_schedule	  ww_linux_tasklet_schedule
#define tasklet_hi_schedule	  ww_linux_tasklet_schedule
#define tasklet_enable		  ww_linux_tasklet_enable
#define tasklet_disable		  ww_linux_tasklet_disable
#define tasklet_disable_nosync(t) atomic_inc(&(t)->count)
#define tasklet_kill		  ww_linux_tasklet_kill

#endif

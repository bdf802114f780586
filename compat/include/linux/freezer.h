/* SPDX-License-Identifier: MIT */
#ifndef FREEZER_H_INCLUDED
#define FREEZER_H_INCLUDED

#include <wheelwork/freezer.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define set_freezable		ww_set_freezable
#define try_to_freeze		ww_try_to_freeze
#define freezing(task)		((void)(task), ww_freezing())
#define freeze_kernel_threads() ww_freeze_threads(20 * HZ)
#define thaw_kernel_threads	ww_thaw_threads
/* 6.1 folded these into the plain sleeps with TASK_FREEZABLE */
#define freezable_schedule_timeout_interruptible(t)                                                \
	(ww_set_current_state(WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE),                          \
	 (long)ww_schedule_timeout((long)(t)))

#endif

/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_SWAIT_H
#define _LINUX_SWAIT_H

#include <linux/wait.h>

#define swait_queue_head	       ww_wait_queue_head
#define DECLARE_SWAIT_QUEUE_HEAD(name) struct ww_wait_queue_head name = {{0}}
#define init_swait_queue_head	       ww_init_waitqueue_head
#define swake_up_one(q)		       ww_wake_up(q)
#define swake_up_all(q)		       ww_wake_up_all(q)
#define swait_active(q)		       ww_waitqueue_active(q)
#define swait_event_exclusive(q, cond) ww_wait_event_exclusive(&(q), cond)
#define swait_event_timeout_exclusive(q, cond, t)                                                  \
	((long)ww_wait_event_timeout(&(q), cond, (long)(t)))
#define swait_event_interruptible_exclusive(q, cond)                                               \
	ww_wait_event_interruptible_exclusive(&(q), cond)
#define swq_has_sleeper(q)		    ww_wq_has_sleeper(q)
#define swait_event_idle_exclusive(q, cond) ww_wait_event_idle_exclusive(&(q), cond)
#define swait_event_interruptible_timeout_exclusive(q, cond, t)                                    \
	((long)ww_wait_event_interruptible_timeout(&(q), cond, (long)(t)))
#define swait_event_idle_timeout_exclusive(q, cond, t)                                             \
	((long)ww_wait_event_idle_timeout(&(q), cond, (long)(t)))

#endif

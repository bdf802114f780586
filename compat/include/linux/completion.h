/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_COMPLETION_H
#define __LINUX_COMPLETION_H

#include <wheelwork/completion.h>
#include <ww-linux/base.h>

#define completion ww_completion

#define COMPLETION_INITIALIZER(work)                                                               \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define COMPLETION_INITIALIZER_ONSTACK(work) ((struct ww_completion){{0}})
#define DECLARE_COMPLETION(work)	     struct ww_completion work = {{0}}
#define DECLARE_COMPLETION_ONSTACK(work)     struct ww_completion work = {{0}}

#define init_completion			  ww_init_completion
#define init_completion_map(x, map)	  ((void)(map), ww_init_completion(x))
#define reinit_completion		  ww_reinit_completion
#define INIT_COMPLETION(x)		  ww_reinit_completion(&(x))
#define complete			  ww_complete
#define complete_all			  ww_complete_all
#define complete_on_current_cpu		  ww_complete
#define wait_for_completion		  ww_wait_for_completion
#define wait_for_completion_io		  ww_wait_for_completion
#define wait_for_completion_interruptible ww_wait_for_completion_interruptible
#define wait_for_completion_killable	  ww_wait_for_completion_killable
#define wait_for_completion_timeout(x, t)                                                          \
	((unsigned long)ww_wait_for_completion_timeout(x, (long)(t)))
#define wait_for_completion_io_timeout(x, t) wait_for_completion_timeout(x, t)
#define wait_for_completion_interruptible_timeout(x, t)                                            \
	((long)ww_wait_for_completion_interruptible_timeout(x, (long)(t)))
#define wait_for_completion_killable_timeout(x, t)                                                 \
	((long)ww_wait_for_completion_killable_timeout(x, (long)(t)))
#define wait_for_completion_state(x, state)                                                        \
	((state)&WW_TASK_INTERRUPTIBLE ? ww_wait_for_completion_interruptible(x)                   \
	 : (state)&WW_TASK_WAKEKILL    ? ww_wait_for_completion_killable(x)                        \
				       : (ww_wait_for_completion(x), 0))
#define try_wait_for_completion ww_try_wait_for_completion
#define completion_done		ww_completion_done

#endif

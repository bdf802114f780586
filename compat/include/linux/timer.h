/* SPDX-License-Identifier: MIT */
/*
 * struct timer_list is struct ww_timer, by macro, so that a callback has one type under both names.
 * Code of before 4.15, whose callbacks take an unsigned long, has a structure of its own instead:
 * see <ww-linux/oldtimer.h>. LINUX_VERSION_CODE chooses, or -DWW_LINUX_OLD_TIMERS=0 or 1.
 */
#ifndef _LINUX_TIMER_H
#define _LINUX_TIMER_H

#include <time.h> /* declares POSIX's timer_delete(), before the macro takes the name */
#include <wheelwork/timer.h>
#include <ww-linux/base.h>
#include <linux/types.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/version.h>

#ifndef WW_LINUX_JIFFIES_H
#error "a <linux/jiffies.h> of your own counts other ticks than these timers: leave it out too"
#endif

#ifndef WW_LINUX_OLD_TIMERS
#if defined(LINUX_VERSION_CODE) && LINUX_VERSION_CODE < 0x040f00
#define WW_LINUX_OLD_TIMERS 1
#else
#define WW_LINUX_OLD_TIMERS 0
#endif
#endif

#define TIMER_DEFERRABLE     WW_TIMER_DEFERRABLE
#define TIMER_DEFERABLE	     WW_TIMER_DEFERRABLE
#define TIMER_PINNED	     WW_TIMER_PINNED
#define TIMER_IRQSAFE	     0u /* every timer is */
#define TIMER_MAX	     WW_MAX_JIFFY_OFFSET
#define NEXT_TIMER_MAX_DELTA WW_MAX_JIFFY_OFFSET

#if WW_LINUX_OLD_TIMERS
#include <ww-linux/oldtimer.h>
#else
#define timer_list ww_timer

#define DEFINE_TIMER		       WW_DEFINE_TIMER
#define __TIMER_INITIALIZER(fn, flags) WW_TIMER_INITIALIZER_FLAGS(fn, flags)
#define TIMER_INITIALIZER(fn)	       WW_TIMER_INITIALIZER(fn)

#define timer_setup				ww_timer_setup
#define timer_init_key(t, fn, flags, name, key) ww_timer_setup(t, fn, flags)
#define __timer_init(t, fn, flags)		ww_timer_setup(t, fn, flags)
#define timer_setup_on_stack			ww_timer_setup_on_stack
#define timer_destroy_on_stack			ww_timer_destroy_on_stack
#define destroy_timer_on_stack			ww_timer_destroy_on_stack

#define add_timer		   ww_add_timer
#define add_timer_on		   ww_add_timer_on
#define add_timer_local		   ww_add_timer_local
#define add_timer_global	   ww_add_timer_global
#define mod_timer		   ww_mod_timer
#define mod_timer_pending	   ww_mod_timer_pending
#define mod_timer_pinned	   ww_mod_timer
#define timer_reduce		   ww_timer_reduce
#define timer_pending		   ww_timer_pending
#define timer_delete		   ww_timer_delete
#define timer_delete_sync	   ww_timer_delete_sync
#define timer_delete_sync_try	   ww_timer_delete_sync_try
#define timer_shutdown		   ww_timer_shutdown
#define timer_shutdown_sync	   ww_timer_shutdown_sync
/* until 6.15 */
#define del_timer		   ww_timer_delete
#define del_timer_sync		   ww_timer_delete_sync
#define try_to_del_timer_sync	   ww_timer_delete_sync_try
/* until 6.2, and as the patch of 2004 had it */
#define del_singleshot_timer_sync  ww_timer_delete_sync
#define del_single_shot_timer_sync ww_timer_delete_sync
/* 2.6.35 to 4.7; the library is exact whatever the slack */
#define set_timer_slack(timer, hz) ((void)(timer), (void)(hz))
#endif

#define timer_container_of(var, timer, field) container_of(timer, __typeof__(*var), field)
#define from_timer(var, timer, field)	      container_of(timer, __typeof__(*var), field)

#define round_jiffies			    ww_round_jiffies
#define round_jiffies_relative		    ww_round_jiffies_relative
#define round_jiffies_up		    ww_round_jiffies_up
#define round_jiffies_up_relative	    ww_round_jiffies_up_relative
#define __round_jiffies			    ww_round_jiffies_on
#define __round_jiffies_relative(d, cpu)    (ww_round_jiffies_on((d) + jiffies, cpu) - jiffies)
#define __round_jiffies_up		    ww_round_jiffies_up_on
#define __round_jiffies_up_relative(d, cpu) (ww_round_jiffies_up_on((d) + jiffies, cpu) - jiffies)

#ifndef container_of
#include <linux/container_of.h>
#endif

#endif

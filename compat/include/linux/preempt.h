/* SPDX-License-Identifier: MIT */
/*
 * A process can't forbid preemption. preempt_disable() gives what code relies on it for instead:
 * until preempt_enable() the thread owns a CPU number, no other thread that asked owns the same,
 * and smp_processor_id() does not change. It nests. Where all numbers are owned it waits; after
 * 100 ms (a lock order that only a real CPU allows) it goes on without, with one line of warning.
 */
#ifndef __LINUX_PREEMPT_H
#define __LINUX_PREEMPT_H

#include <ww-linux/base.h>

void ww_linux_preempt_disable(void);
void ww_linux_preempt_enable(void);
unsigned ww_linux_preempt_count(void);

#define preempt_disable()	    ww_linux_preempt_disable()
#define preempt_enable()	    ww_linux_preempt_enable()
#define preempt_enable_no_resched() ww_linux_preempt_enable()
#define preempt_disable_notrace()   ww_linux_preempt_disable()
#define preempt_enable_notrace()    ww_linux_preempt_enable()
#define preempt_count()		    ww_linux_preempt_count()
#define preemptible()		    (ww_linux_preempt_count() == 0)
#define migrate_disable()	    ww_linux_preempt_disable()
#define migrate_enable()	    ww_linux_preempt_enable()
#define in_atomic()		    (ww_linux_preempt_count() != 0)
/* Everything runs in a thread. */
#define in_interrupt()	     0
#define in_irq()	     0
#define in_hardirq()	     0
#define in_softirq()	     0
#define in_serving_softirq() 0
#define in_nmi()	     0
#define in_task()	     1

#endif

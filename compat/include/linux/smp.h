/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_SMP_H
#define __LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/preempt.h>

/* Stable only between preempt_disable() and preempt_enable(). */
unsigned ww_linux_cpu(void);
#define smp_processor_id()     ww_linux_cpu()
#define raw_smp_processor_id() ww_linux_cpu()
#define get_cpu()	       (ww_linux_preempt_disable(), (int)ww_linux_cpu())
#define put_cpu()	       ww_linux_preempt_enable()

typedef void (*smp_call_func_t)(void *info);

#endif

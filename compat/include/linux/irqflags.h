/* SPDX-License-Identifier: MIT */
/* There are no interrupts; what local_irq_disable() still means is preempt_disable(). */
#ifndef _LINUX_IRQFLAGS_H
#define _LINUX_IRQFLAGS_H

#include <linux/preempt.h>

#define local_irq_disable() ww_linux_preempt_disable()
#define local_irq_enable()  ww_linux_preempt_enable()
#define local_irq_save(flags)                                                                      \
	do {                                                                                       \
		(flags) = 0;                                                                       \
		ww_linux_preempt_disable();                                                        \
	} while (0)
#define local_irq_restore(flags)                                                                   \
	do {                                                                                       \
		(void)(flags);                                                                     \
		ww_linux_preempt_enable();                                                         \
	} while (0)
#define local_save_flags(flags) ((void)((flags) = 0))
#define irqs_disabled()		(ww_linux_preempt_count() != 0)
#define irqs_disabled_flags(f)	((void)(f), 0)

#endif

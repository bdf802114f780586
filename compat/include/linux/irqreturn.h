/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_IRQRETURN_H
#define _LINUX_IRQRETURN_H

typedef enum irqreturn {
	IRQ_NONE = 0,
	IRQ_HANDLED = 1,
	IRQ_WAKE_THREAD = 2,
} irqreturn_t;
#define IRQ_RETVAL(x) ((x) ? IRQ_HANDLED : IRQ_NONE)

#endif

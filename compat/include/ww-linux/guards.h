/* SPDX-License-Identifier: MIT */
/* Macros, so that no type has to be complete until a guard is really used. */
#ifndef WW_LINUX_GUARDS_H
#define WW_LINUX_GUARDS_H

#include <ww-linux/lock.h>

struct mutex;
struct spinlock;

#define WW_LINUX_GUARD(name, type)                                                                 \
	typedef type *class_##name##_t;                                                            \
	WW_LINUX_INLINE void class_##name##_destructor(type **p)                                   \
	{                                                                                          \
		ww_linux_unlock((struct ww_linux_lock *)(void *)*p, #name);                        \
	}                                                                                          \
	WW_LINUX_INLINE type *class_##name##_constructor(type *p)                                  \
	{                                                                                          \
		ww_linux_lock((struct ww_linux_lock *)(void *)p, #name);                           \
		return p;                                                                          \
	}
WW_LINUX_GUARD(mutex, struct mutex)
WW_LINUX_GUARD(spinlock, struct spinlock)
WW_LINUX_GUARD(spinlock_irq, struct spinlock)
WW_LINUX_GUARD(spinlock_irqsave, struct spinlock)
WW_LINUX_GUARD(spinlock_bh, struct spinlock)
WW_LINUX_GUARD(raw_spinlock, struct spinlock)
WW_LINUX_GUARD(raw_spinlock_irqsave, struct spinlock)

#endif

/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_SPINLOCK_TYPES_H
#define __LINUX_SPINLOCK_TYPES_H

#include <ww-linux/lock.h>

typedef struct spinlock {
	struct ww_linux_lock ww_lock;
} spinlock_t;
typedef spinlock_t raw_spinlock_t;

typedef struct {
	struct ww_linux_rw ww_rw;
} rwlock_t;

#define __SPIN_LOCK_UNLOCKED(name) ((spinlock_t){{0}})
#define SPIN_LOCK_UNLOCKED	   ((spinlock_t){{0}})
#define __SPIN_LOCK_INITIALIZER(name)                                                              \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define __RAW_SPIN_LOCK_UNLOCKED(name) ((raw_spinlock_t){{0}})
#define DEFINE_SPINLOCK(name)	       spinlock_t name = {{0}}
#define DEFINE_RAW_SPINLOCK(name)      raw_spinlock_t name = {{0}}
#define __RW_LOCK_UNLOCKED(name)       ((rwlock_t){{0, 0, 0}})
#define RW_LOCK_UNLOCKED	       ((rwlock_t){{0, 0, 0}})
#define DEFINE_RWLOCK(name)	       rwlock_t name = {{0, 0, 0}}

#endif

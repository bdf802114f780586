/* SPDX-License-Identifier: MIT */
/* Waiting for a mutex can't be interrupted: the interruptible forms always give 0. */
#ifndef __LINUX_MUTEX_H
#define __LINUX_MUTEX_H

#include <ww-linux/lock.h>
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/cleanup.h>

struct mutex {
	struct ww_linux_lock ww_lock;
};

#define __MUTEX_INITIALIZER(name)                                                                  \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)

WW_LINUX_INLINE void mutex_init(struct mutex *m)
{
	m->ww_lock.word = 0;
}
#define mutex_destroy(m)	    BUG_ON(mutex_is_locked(m))
#define mutex_lock(m)		    ww_linux_lock(&(m)->ww_lock, "mutex " #m)
#define mutex_unlock(m)		    ww_linux_unlock(&(m)->ww_lock, "mutex " #m)
#define mutex_lock_nested(m, class) mutex_lock(m)
#define mutex_lock_nest_lock(m, o)  mutex_lock(m)
#define mutex_lock_io(m)	    mutex_lock(m)
#define mutex_lock_interruptible(m)                                                                \
	({                                                                                         \
		mutex_lock(m);                                                                     \
		0;                                                                                 \
	})
#define mutex_lock_killable(m)                                                                     \
	({                                                                                         \
		mutex_lock(m);                                                                     \
		0;                                                                                 \
	})
#define mutex_lock_interruptible_nested(m, class) mutex_lock_interruptible(m)
#define mutex_lock_killable_nested(m, class)	  mutex_lock_killable(m)
/* 1 when taken. */
WW_LINUX_INLINE int mutex_trylock(struct mutex *m)
{
	return ww_linux_trylock(&m->ww_lock);
}
WW_LINUX_INLINE bool mutex_is_locked(struct mutex *m)
{
	return ww_linux_locked(&m->ww_lock);
}
#define mutex_lock_io_nested(m, class) mutex_lock(m)
#define devm_mutex_init(dev, m)	       ((void)(dev), mutex_init(m), 0)
#define atomic_dec_and_mutex_lock(v, m)                                                            \
	(atomic_add_unless(v, -1, 1)                                                               \
		 ? 0                                                                               \
		 : (mutex_lock(m), atomic_dec_and_test(v) ? 1 : (mutex_unlock(m), 0)))

#endif

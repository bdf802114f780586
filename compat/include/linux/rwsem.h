/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <ww-linux/lock.h>
#include <linux/lockdep.h>

struct rw_semaphore {
	struct ww_linux_rw ww_rw;
};

#define __RWSEM_INITIALIZER(name)                                                                  \
	{                                                                                          \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}
#define DECLARE_RWSEM(name)	struct rw_semaphore name = __RWSEM_INITIALIZER(name)
#define init_rwsem(sem)		((void)(*(sem) = (struct rw_semaphore){{0, 0, 0}}))
#define down_read(sem)		ww_linux_read_lock(&(sem)->ww_rw, true)
#define down_read_trylock(sem)	((int)ww_linux_read_trylock(&(sem)->ww_rw, true))
#define up_read(sem)		ww_linux_read_unlock(&(sem)->ww_rw)
#define down_write(sem)		ww_linux_write_lock(&(sem)->ww_rw, true)
#define down_write_trylock(sem) ((int)ww_linux_write_trylock(&(sem)->ww_rw))
#define up_write(sem)		ww_linux_write_unlock(&(sem)->ww_rw)
#define downgrade_write(sem)	ww_linux_write_downgrade(&(sem)->ww_rw)
#define down_read_killable(sem)                                                                    \
	({                                                                                         \
		down_read(sem);                                                                    \
		0;                                                                                 \
	})
#define down_write_killable(sem)                                                                   \
	({                                                                                         \
		down_write(sem);                                                                   \
		0;                                                                                 \
	})
#define down_read_interruptible(sem)                                                               \
	({                                                                                         \
		down_read(sem);                                                                    \
		0;                                                                                 \
	})
#define down_read_nested(sem, c)  down_read(sem)
#define down_write_nested(sem, c) down_write(sem)
#define rwsem_is_locked(sem)	  (__atomic_load_n(&(sem)->ww_rw.state, __ATOMIC_RELAXED) != 0)

#endif

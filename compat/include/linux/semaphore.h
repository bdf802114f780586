/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_SEMAPHORE_H
#define __LINUX_SEMAPHORE_H

#include <wheelwork/wait.h>
#include <ww-linux/base.h>

struct semaphore {
	int count;
	struct ww_wait_queue_head wait;
};

#define __SEMAPHORE_INITIALIZER(name, n)                                                           \
	{                                                                                          \
		(n),                                                                               \
		{                                                                                  \
			{                                                                          \
				0                                                                  \
			}                                                                          \
		}                                                                                  \
	}
#define DEFINE_SEMAPHORE_1(name)       struct semaphore name = __SEMAPHORE_INITIALIZER(name, 1)
#define DEFINE_SEMAPHORE_2(name, n)    struct semaphore name = __SEMAPHORE_INITIALIZER(name, n)
#define ww_sema_pick_(a, b, name, ...) name
#define DEFINE_SEMAPHORE(args...)      ww_sema_pick_(args, DEFINE_SEMAPHORE_2, DEFINE_SEMAPHORE_1)(args)
#define DECLARE_MUTEX(name)	       DEFINE_SEMAPHORE_1(name)

WW_LINUX_INLINE void sema_init(struct semaphore *sem, int val)
{
	*sem = (struct semaphore)__SEMAPHORE_INITIALIZER(*sem, val);
}
#define init_MUTEX(sem)	       sema_init(sem, 1)
#define init_MUTEX_LOCKED(sem) sema_init(sem, 0)

/* Interruptible and killable: 0, or -EINTR when the thread is told to stop. */
void ww_linux_down(struct semaphore *sem);
int ww_linux_down_interruptible(struct semaphore *sem) WW_LINUX_MUST_CHECK;
int ww_linux_down_killable(struct semaphore *sem) WW_LINUX_MUST_CHECK;
/* 0 when taken, 1 when not: the other way round than a mutex. */
int ww_linux_down_trylock(struct semaphore *sem) WW_LINUX_MUST_CHECK;
/* 0, or -ETIME after that many jiffies. */
int ww_linux_down_timeout(struct semaphore *sem, long jiffies_) WW_LINUX_MUST_CHECK;
void ww_linux_up(struct semaphore *sem);

#define down		   ww_linux_down
#define down_interruptible ww_linux_down_interruptible
#define down_killable	   ww_linux_down_killable
#define down_trylock	   ww_linux_down_trylock
#define down_timeout	   ww_linux_down_timeout
#define up		   ww_linux_up

#endif

/* SPDX-License-Identifier: MIT */
/* Readers may nest; a waiting writer does not keep readers out (the kernel's rule for rwlock_t). */
#ifndef __LINUX_RWLOCK_H
#define __LINUX_RWLOCK_H

#include <linux/spinlock_types.h>

#define rwlock_init(lock)		((void)(*(lock) = (rwlock_t){{0, 0, 0}}))
#define read_lock(lock)			ww_linux_read_lock(&(lock)->ww_rw, false)
#define read_trylock(lock)		ww_linux_read_trylock(&(lock)->ww_rw, false)
#define read_unlock(lock)		ww_linux_read_unlock(&(lock)->ww_rw)
#define write_lock(lock)		ww_linux_write_lock(&(lock)->ww_rw, false)
#define write_trylock(lock)		ww_linux_write_trylock(&(lock)->ww_rw)
#define write_unlock(lock)		ww_linux_write_unlock(&(lock)->ww_rw)
#define read_lock_irq(lock)		read_lock(lock)
#define read_unlock_irq(lock)		read_unlock(lock)
#define read_lock_bh(lock)		read_lock(lock)
#define read_unlock_bh(lock)		read_unlock(lock)
#define write_lock_irq(lock)		write_lock(lock)
#define write_unlock_irq(lock)		write_unlock(lock)
#define write_lock_bh(lock)		write_lock(lock)
#define write_unlock_bh(lock)		write_unlock(lock)
#define read_lock_irqsave(lock, flags)	((flags) = 0, read_lock(lock))
#define write_lock_irqsave(lock, flags) ((flags) = 0, write_lock(lock))
#define read_unlock_irqrestore(lock, flags)                                                        \
	do {                                                                                       \
		(void)(flags);                                                                     \
		read_unlock(lock);                                                                 \
	} while (0)
#define write_unlock_irqrestore(lock, flags)                                                       \
	do {                                                                                       \
		(void)(flags);                                                                     \
		write_unlock(lock);                                                                \
	} while (0)
#define write_trylock_irqsave(lock, flags) ((flags) = 0, write_trylock(lock))
#define write_lock_nested(lock, class)	   write_lock(lock)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * There are no interrupts to keep out: the _irq, _irqsave and _bh forms take the lock, which is
 * what keeps timer callbacks and works out as well, since those run in threads.
 */
#ifndef __LINUX_SPINLOCK_H
#define __LINUX_SPINLOCK_H

#include <linux/types.h>
#include <linux/spinlock_types.h>
#include <linux/preempt.h>
#include <linux/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/compiler.h>
#include <linux/lockdep.h>

#define spin_lock_init(lock) ((void)(*(lock) = (spinlock_t){{0}}))
#define spin_lock(lock)	     ww_linux_lock(&(lock)->ww_lock, "spinlock " #lock)
#define spin_trylock(lock)   ww_linux_trylock(&(lock)->ww_lock)
#define spin_unlock(lock)    ww_linux_unlock(&(lock)->ww_lock, "spinlock " #lock)
#define spin_is_locked(lock) ww_linux_locked(&(lock)->ww_lock)
#define spin_is_contended(lock)                                                                    \
	(!!(__atomic_load_n(&(lock)->ww_lock.word, __ATOMIC_RELAXED) & WW_LINUX_LOCK_WAITERS))
#define assert_spin_locked(lock)	 BUG_ON(!spin_is_locked(lock))
#define spin_lock_bh(lock)		 spin_lock(lock)
#define spin_unlock_bh(lock)		 spin_unlock(lock)
#define spin_trylock_bh(lock)		 spin_trylock(lock)
#define spin_lock_irq(lock)		 spin_lock(lock)
#define spin_unlock_irq(lock)		 spin_unlock(lock)
#define spin_trylock_irq(lock)		 spin_trylock(lock)
#define spin_lock_nested(lock, class)	 spin_lock(lock)
#define spin_lock_nest_lock(lock, outer) spin_lock(lock)
#define spin_lock_irqsave(lock, flags)                                                             \
	do {                                                                                       \
		typecheck_flags_(flags);                                                           \
		(flags) = 0;                                                                       \
		spin_lock(lock);                                                                   \
	} while (0)
#define spin_lock_irqsave_nested(lock, flags, class) spin_lock_irqsave(lock, flags)
#define spin_unlock_irqrestore(lock, flags)                                                        \
	do {                                                                                       \
		(void)(flags);                                                                     \
		spin_unlock(lock);                                                                 \
	} while (0)
#define spin_trylock_irqsave(lock, flags) ((flags) = 0, spin_trylock(lock))
#define typecheck_flags_(flags)		  ((void)sizeof(&(flags) == (unsigned long *)0))
#define spin_unlock_wait(lock)                                                                     \
	do {                                                                                       \
		spin_lock(lock);                                                                   \
		spin_unlock(lock);                                                                 \
	} while (0)

#define raw_spin_lock_init		  spin_lock_init
#define raw_spin_lock			  spin_lock
#define raw_spin_trylock		  spin_trylock
#define raw_spin_unlock			  spin_unlock
#define raw_spin_is_locked		  spin_is_locked
#define raw_spin_lock_bh		  spin_lock
#define raw_spin_unlock_bh		  spin_unlock
#define raw_spin_lock_irq		  spin_lock
#define raw_spin_unlock_irq		  spin_unlock
#define raw_spin_lock_irqsave		  spin_lock_irqsave
#define raw_spin_unlock_irqrestore	  spin_unlock_irqrestore
#define raw_spin_trylock_irqsave	  spin_trylock_irqsave
#define raw_spin_lock_nested(lock, class) spin_lock(lock)

#include <linux/rwlock.h>
#define raw_spin_is_contended				 spin_is_contended
#define raw_spin_trylock_bh				 spin_trylock
#define raw_spin_trylock_irq				 spin_trylock
#define raw_spin_lock_irqsave_nested(lock, flags, class) spin_lock_irqsave(lock, flags)
#define atomic_dec_and_lock_irqsave(v, lock, flags)	 ((flags) = 0, atomic_dec_and_lock(v, lock))

#endif

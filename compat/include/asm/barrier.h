/* SPDX-License-Identifier: MIT */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <ww-linux/base.h>

#ifndef barrier
#define barrier() __asm__ volatile("" ::: "memory")
#endif
#ifndef smp_mb
#define smp_mb() ww_linux_mb()
#ifdef WW_LINUX_TSAN
#define smp_rmb() ww_linux_mb()
#define smp_wmb() ww_linux_mb()
#else
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#endif
#ifndef mb
#define mb()  smp_mb()
#define rmb() smp_rmb()
#define wmb() smp_wmb()
#endif
#ifndef smp_mb__before_atomic
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic()	smp_mb()
#endif
#define smp_mb__before_clear_bit()  smp_mb()
#define smp_mb__after_clear_bit()   smp_mb()
#define smp_mb__before_atomic_dec() smp_mb()
#define smp_mb__after_atomic_dec()  smp_mb()
#define smp_mb__before_atomic_inc() smp_mb()
#define smp_mb__after_atomic_inc()  smp_mb()
#define smp_mb__after_spinlock()    smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
#define smp_read_barrier_depends()  ((void)0)
#define read_barrier_depends()	    ((void)0)
#define dma_rmb()		    smp_rmb()
#define dma_wmb()		    smp_wmb()

#ifndef smp_load_acquire
#define smp_load_acquire(p)                                                                        \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) ww_v_;                                                \
		__atomic_load((__typeof__(ww_v_) *)(p), &ww_v_, __ATOMIC_ACQUIRE);                 \
		ww_v_;                                                                             \
	})
#define smp_store_release(p, v)                                                                    \
	do {                                                                                       \
		ww_linux_scalar_typeof(*(p)) ww_v_ = (v);                                          \
		__atomic_store((p), &ww_v_, __ATOMIC_RELEASE);                                     \
	} while (0)
#endif
#ifndef smp_store_mb
#define smp_store_mb(var, v)                                                                       \
	do {                                                                                       \
		ww_linux_scalar_typeof(var) ww_v_ = (v), ww_old_;                                  \
		__atomic_exchange(&(var), &ww_v_, &ww_old_, __ATOMIC_SEQ_CST);                     \
	} while (0)
#define set_mb(var, v) smp_store_mb(var, v)
#endif
#define smp_acquire__after_ctrl_dep() smp_rmb()

/* Spins, giving the CPU away: in user space the one we wait for may not be running. */
#ifndef smp_cond_load_relaxed
#define smp_cond_load_relaxed(p, cond)                                                             \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) VAL;                                                  \
		for (;;) {                                                                         \
			__atomic_load((__typeof__(VAL) *)(p), &VAL, __ATOMIC_RELAXED);             \
			if (cond)                                                                  \
				break;                                                             \
			ww_linux_yield();                                                          \
		}                                                                                  \
		VAL;                                                                               \
	})
#define smp_cond_load_acquire(p, cond)                                                             \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) VAL;                                                  \
		for (;;) {                                                                         \
			__atomic_load((__typeof__(VAL) *)(p), &VAL, __ATOMIC_ACQUIRE);             \
			if (cond)                                                                  \
				break;                                                             \
			ww_linux_yield();                                                          \
		}                                                                                  \
		VAL;                                                                               \
	})
#endif

#endif

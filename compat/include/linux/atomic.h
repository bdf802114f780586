/* SPDX-License-Identifier: MIT */
/*
 * Orders as in the kernel: what returns a value is fully ordered unless its name ends in _relaxed,
 * _acquire or _release; what returns nothing orders nothing.
 */
#ifndef _LINUX_ATOMIC_H
#define _LINUX_ATOMIC_H

#include <linux/types.h>
#include <asm/barrier.h>

#ifndef ATOMIC_INIT
#define ATOMIC_INIT(i)                                                                             \
	{                                                                                          \
		(i)                                                                                \
	}
#endif
#define ATOMIC64_INIT(i)                                                                           \
	{                                                                                          \
		(i)                                                                                \
	}
#define ATOMIC_LONG_INIT(i)                                                                        \
	{                                                                                          \
		(i)                                                                                \
	}

/* On any scalar object. */
#define ww_linux_xchg(p, v, order)                                                                 \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) ww_v_ = (v), ww_old_;                                 \
		__atomic_exchange((p), &ww_v_, &ww_old_, order);                                   \
		ww_old_;                                                                           \
	})
#define ww_linux_cmpxchg(p, o, n, order, fail)                                                     \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) ww_o_ = (o), ww_n_ = (n);                             \
		__atomic_compare_exchange((p), &ww_o_, &ww_n_, false, order, fail);                \
		ww_o_;                                                                             \
	})
#define ww_linux_try_cmpxchg(p, op, n, order, fail)                                                \
	({                                                                                         \
		ww_linux_scalar_typeof(*(p)) ww_n_ = (n);                                          \
		__atomic_compare_exchange((p), (op), &ww_n_, false, order, fail);                  \
	})
#define xchg(p, v)		 ww_linux_xchg(p, v, __ATOMIC_SEQ_CST)
#define cmpxchg(p, o, n)	 ww_linux_cmpxchg(p, o, n, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define try_cmpxchg(p, op, n)	 ww_linux_try_cmpxchg(p, op, n, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define xchg_relaxed(p, v)	 ww_linux_xchg(p, v, __ATOMIC_RELAXED)
#define cmpxchg_relaxed(p, o, n) ww_linux_cmpxchg(p, o, n, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define try_cmpxchg_relaxed(p, op, n)                                                              \
	ww_linux_try_cmpxchg(p, op, n, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define xchg_acquire(p, v)	 ww_linux_xchg(p, v, __ATOMIC_ACQUIRE)
#define cmpxchg_acquire(p, o, n) ww_linux_cmpxchg(p, o, n, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define try_cmpxchg_acquire(p, op, n)                                                              \
	ww_linux_try_cmpxchg(p, op, n, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define xchg_release(p, v)	 ww_linux_xchg(p, v, __ATOMIC_RELEASE)
#define cmpxchg_release(p, o, n) ww_linux_cmpxchg(p, o, n, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define try_cmpxchg_release(p, op, n)                                                              \
	ww_linux_try_cmpxchg(p, op, n, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cmpxchg64(p, o, n)     cmpxchg(p, o, n)
#define cmpxchg_local(p, o, n) cmpxchg(p, o, n)
#define xchg_local(p, v)       xchg(p, v)

/* atomic_t */
WW_LINUX_INLINE int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_read_acquire(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE void atomic_set(atomic_t *v, int i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE void atomic_set_release(atomic_t *v, int i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_add(int i, atomic_t *v)
{
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_add(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_add_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_add_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_add_release(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE int atomic_add_return(int i, atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_add_return_relaxed(int i, atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_add_return_acquire(int i, atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_add_return_release(int i, atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_sub(int i, atomic_t *v)
{
	__atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_sub(int i, atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_sub_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_sub_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_sub_release(int i, atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE int atomic_sub_return(int i, atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_sub_return_relaxed(int i, atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_sub_return_acquire(int i, atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_sub_return_release(int i, atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_and(int i, atomic_t *v)
{
	__atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_and(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_and_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_and_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_and_release(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_or(int i, atomic_t *v)
{
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_or(int i, atomic_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_or_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_or_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_or_release(int i, atomic_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_xor(int i, atomic_t *v)
{
	__atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_xor(int i, atomic_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_xor_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_xor_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_xor_release(int i, atomic_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_andnot(int i, atomic_t *v)
{
	__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_andnot(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_andnot_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_andnot_acquire(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_andnot_release(int i, atomic_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_inc(atomic_t *v)
{
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_inc_return(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_inc(atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_inc_return_relaxed(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_inc_relaxed(atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_inc_return_acquire(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_inc_acquire(atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_inc_return_release(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE int atomic_fetch_inc_release(atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_inc_and_test(atomic_t *v)
{
	return atomic_inc_return(v) == 0;
}
WW_LINUX_INLINE void atomic_dec(atomic_t *v)
{
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_dec_return(atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_fetch_dec(atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_dec_return_relaxed(atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_fetch_dec_relaxed(atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_dec_return_acquire(atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_fetch_dec_acquire(atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE int atomic_dec_return_release(atomic_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE int atomic_fetch_dec_release(atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_dec_and_test(atomic_t *v)
{
	return atomic_dec_return(v) == 0;
}
WW_LINUX_INLINE bool atomic_sub_and_test(int i, atomic_t *v)
{
	return atomic_sub_return(i, v) == 0;
}
WW_LINUX_INLINE bool atomic_add_negative(int i, atomic_t *v)
{
	return atomic_add_return(i, v) < 0;
}
WW_LINUX_INLINE int atomic_xchg(atomic_t *v, int n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE bool atomic_try_cmpxchg(atomic_t *v, int *old, int n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE int atomic_cmpxchg(atomic_t *v, int old, int n)
{
	atomic_try_cmpxchg(v, &old, n);
	return old;
}
WW_LINUX_INLINE int atomic_xchg_relaxed(atomic_t *v, int n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE bool atomic_try_cmpxchg_relaxed(atomic_t *v, int *old, int n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_cmpxchg_relaxed(atomic_t *v, int old, int n)
{
	atomic_try_cmpxchg_relaxed(v, &old, n);
	return old;
}
WW_LINUX_INLINE int atomic_xchg_acquire(atomic_t *v, int n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE bool atomic_try_cmpxchg_acquire(atomic_t *v, int *old, int n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_cmpxchg_acquire(atomic_t *v, int old, int n)
{
	atomic_try_cmpxchg_acquire(v, &old, n);
	return old;
}
WW_LINUX_INLINE int atomic_xchg_release(atomic_t *v, int n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_try_cmpxchg_release(atomic_t *v, int *old, int n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int atomic_cmpxchg_release(atomic_t *v, int old, int n)
{
	atomic_try_cmpxchg_release(v, &old, n);
	return old;
}
WW_LINUX_INLINE int atomic_fetch_add_unless(atomic_t *v, int a, int u)
{
	int c = atomic_read(v);

	while (c != u && !atomic_try_cmpxchg(v, &c, c + a))
		;
	return c;
}
WW_LINUX_INLINE bool atomic_add_unless(atomic_t *v, int a, int u)
{
	return atomic_fetch_add_unless(v, a, u) != u;
}
WW_LINUX_INLINE bool atomic_inc_not_zero(atomic_t *v)
{
	return atomic_add_unless(v, 1, 0);
}
WW_LINUX_INLINE bool atomic_inc_unless_negative(atomic_t *v)
{
	int c = atomic_read(v);

	do {
		if (c < 0)
			return false;
	} while (!atomic_try_cmpxchg(v, &c, c + 1));
	return true;
}
WW_LINUX_INLINE bool atomic_dec_unless_positive(atomic_t *v)
{
	int c = atomic_read(v);

	do {
		if (c > 0)
			return false;
	} while (!atomic_try_cmpxchg(v, &c, c - 1));
	return true;
}
WW_LINUX_INLINE int atomic_dec_if_positive(atomic_t *v)
{
	int c = atomic_read(v);

	while (c > 0 && !atomic_try_cmpxchg(v, &c, c - 1))
		;
	return c - 1;
}
#define atomic_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#define atomic_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))

/* atomic64_t */
WW_LINUX_INLINE s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_read_acquire(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE void atomic64_set(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE void atomic64_set_release(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_add(s64 i, atomic64_t *v)
{
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_add(s64 i, atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_add_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_add_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_add_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE s64 atomic64_add_return(s64 i, atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_add_return_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_add_return_acquire(s64 i, atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_add_return_release(s64 i, atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_sub(s64 i, atomic64_t *v)
{
	__atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_sub(s64 i, atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_sub_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_sub_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_sub_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE s64 atomic64_sub_return(s64 i, atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_sub_return_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_sub_return_acquire(s64 i, atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_sub_return_release(s64 i, atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_and(s64 i, atomic64_t *v)
{
	__atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_and(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_and_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_and_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_and_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_or(s64 i, atomic64_t *v)
{
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_or(s64 i, atomic64_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_or_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_or_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_or_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_xor(s64 i, atomic64_t *v)
{
	__atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_xor(s64 i, atomic64_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_xor_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_xor_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_xor_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_andnot(s64 i, atomic64_t *v)
{
	__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_andnot(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_andnot_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_andnot_acquire(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_andnot_release(s64 i, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic64_inc(atomic64_t *v)
{
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_inc_return(atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_inc(atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_inc_return_relaxed(atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_inc_relaxed(atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_inc_return_acquire(atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_inc_acquire(atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_inc_return_release(atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE s64 atomic64_fetch_inc_release(atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic64_inc_and_test(atomic64_t *v)
{
	return atomic64_inc_return(v) == 0;
}
WW_LINUX_INLINE void atomic64_dec(atomic64_t *v)
{
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_dec_return(atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_fetch_dec(atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_dec_return_relaxed(atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_fetch_dec_relaxed(atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_dec_return_acquire(atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_fetch_dec_acquire(atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE s64 atomic64_dec_return_release(atomic64_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE s64 atomic64_fetch_dec_release(atomic64_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic64_dec_and_test(atomic64_t *v)
{
	return atomic64_dec_return(v) == 0;
}
WW_LINUX_INLINE bool atomic64_sub_and_test(s64 i, atomic64_t *v)
{
	return atomic64_sub_return(i, v) == 0;
}
WW_LINUX_INLINE bool atomic64_add_negative(s64 i, atomic64_t *v)
{
	return atomic64_add_return(i, v) < 0;
}
WW_LINUX_INLINE s64 atomic64_xchg(atomic64_t *v, s64 n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE s64 atomic64_cmpxchg(atomic64_t *v, s64 old, s64 n)
{
	atomic64_try_cmpxchg(v, &old, n);
	return old;
}
WW_LINUX_INLINE s64 atomic64_xchg_relaxed(atomic64_t *v, s64 n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE bool atomic64_try_cmpxchg_relaxed(atomic64_t *v, s64 *old, s64 n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_cmpxchg_relaxed(atomic64_t *v, s64 old, s64 n)
{
	atomic64_try_cmpxchg_relaxed(v, &old, n);
	return old;
}
WW_LINUX_INLINE s64 atomic64_xchg_acquire(atomic64_t *v, s64 n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE bool atomic64_try_cmpxchg_acquire(atomic64_t *v, s64 *old, s64 n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_cmpxchg_acquire(atomic64_t *v, s64 old, s64 n)
{
	atomic64_try_cmpxchg_acquire(v, &old, n);
	return old;
}
WW_LINUX_INLINE s64 atomic64_xchg_release(atomic64_t *v, s64 n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic64_try_cmpxchg_release(atomic64_t *v, s64 *old, s64 n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE s64 atomic64_cmpxchg_release(atomic64_t *v, s64 old, s64 n)
{
	atomic64_try_cmpxchg_release(v, &old, n);
	return old;
}
WW_LINUX_INLINE s64 atomic64_fetch_add_unless(atomic64_t *v, s64 a, s64 u)
{
	s64 c = atomic64_read(v);

	while (c != u && !atomic64_try_cmpxchg(v, &c, c + a))
		;
	return c;
}
WW_LINUX_INLINE bool atomic64_add_unless(atomic64_t *v, s64 a, s64 u)
{
	return atomic64_fetch_add_unless(v, a, u) != u;
}
WW_LINUX_INLINE bool atomic64_inc_not_zero(atomic64_t *v)
{
	return atomic64_add_unless(v, 1, 0);
}
WW_LINUX_INLINE bool atomic64_inc_unless_negative(atomic64_t *v)
{
	s64 c = atomic64_read(v);

	do {
		if (c < 0)
			return false;
	} while (!atomic64_try_cmpxchg(v, &c, c + 1));
	return true;
}
WW_LINUX_INLINE bool atomic64_dec_unless_positive(atomic64_t *v)
{
	s64 c = atomic64_read(v);

	do {
		if (c > 0)
			return false;
	} while (!atomic64_try_cmpxchg(v, &c, c - 1));
	return true;
}
WW_LINUX_INLINE s64 atomic64_dec_if_positive(atomic64_t *v)
{
	s64 c = atomic64_read(v);

	while (c > 0 && !atomic64_try_cmpxchg(v, &c, c - 1))
		;
	return c - 1;
}
#define atomic64_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#define atomic64_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))

/* atomic_long_t */
WW_LINUX_INLINE long atomic_long_read(const atomic_long_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_read_acquire(const atomic_long_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE void atomic_long_set(atomic_long_t *v, long i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE void atomic_long_set_release(atomic_long_t *v, long i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_add(long i, atomic_long_t *v)
{
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_add(long i, atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_add_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_add_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_add_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE long atomic_long_add_return(long i, atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_add_return_relaxed(long i, atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_add_return_acquire(long i, atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_add_return_release(long i, atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_sub(long i, atomic_long_t *v)
{
	__atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_sub(long i, atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_sub_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_sub_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_sub_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE long atomic_long_sub_return(long i, atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_sub_return_relaxed(long i, atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_sub_return_acquire(long i, atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_sub_return_release(long i, atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_and(long i, atomic_long_t *v)
{
	__atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_and(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_and_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_and_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_and_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_or(long i, atomic_long_t *v)
{
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_or(long i, atomic_long_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_or_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_or_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_or_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_xor(long i, atomic_long_t *v)
{
	__atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_xor(long i, atomic_long_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_xor_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_xor_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_xor_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_xor(&v->counter, i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_andnot(long i, atomic_long_t *v)
{
	__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_andnot(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_andnot_relaxed(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_andnot_acquire(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_andnot_release(long i, atomic_long_t *v)
{
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE void atomic_long_inc(atomic_long_t *v)
{
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_inc_return(atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_inc(atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_inc_return_relaxed(atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_inc_relaxed(atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_inc_return_acquire(atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_inc_acquire(atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_inc_return_release(atomic_long_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE long atomic_long_fetch_inc_release(atomic_long_t *v)
{
	return __atomic_fetch_add(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_long_inc_and_test(atomic_long_t *v)
{
	return atomic_long_inc_return(v) == 0;
}
WW_LINUX_INLINE void atomic_long_dec(atomic_long_t *v)
{
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_dec_return(atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_fetch_dec(atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_dec_return_relaxed(atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_fetch_dec_relaxed(atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_dec_return_acquire(atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_fetch_dec_acquire(atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE long atomic_long_dec_return_release(atomic_long_t *v)
{
	return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE long atomic_long_fetch_dec_release(atomic_long_t *v)
{
	return __atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_long_dec_and_test(atomic_long_t *v)
{
	return atomic_long_dec_return(v) == 0;
}
WW_LINUX_INLINE bool atomic_long_sub_and_test(long i, atomic_long_t *v)
{
	return atomic_long_sub_return(i, v) == 0;
}
WW_LINUX_INLINE bool atomic_long_add_negative(long i, atomic_long_t *v)
{
	return atomic_long_add_return(i, v) < 0;
}
WW_LINUX_INLINE long atomic_long_xchg(atomic_long_t *v, long n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE bool atomic_long_try_cmpxchg(atomic_long_t *v, long *old, long n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE long atomic_long_cmpxchg(atomic_long_t *v, long old, long n)
{
	atomic_long_try_cmpxchg(v, &old, n);
	return old;
}
WW_LINUX_INLINE long atomic_long_xchg_relaxed(atomic_long_t *v, long n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE bool atomic_long_try_cmpxchg_relaxed(atomic_long_t *v, long *old, long n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_cmpxchg_relaxed(atomic_long_t *v, long old, long n)
{
	atomic_long_try_cmpxchg_relaxed(v, &old, n);
	return old;
}
WW_LINUX_INLINE long atomic_long_xchg_acquire(atomic_long_t *v, long n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_ACQUIRE);
}
WW_LINUX_INLINE bool atomic_long_try_cmpxchg_acquire(atomic_long_t *v, long *old, long n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_cmpxchg_acquire(atomic_long_t *v, long old, long n)
{
	atomic_long_try_cmpxchg_acquire(v, &old, n);
	return old;
}
WW_LINUX_INLINE long atomic_long_xchg_release(atomic_long_t *v, long n)
{
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_RELEASE);
}
WW_LINUX_INLINE bool atomic_long_try_cmpxchg_release(atomic_long_t *v, long *old, long n)
{
	return __atomic_compare_exchange_n(&v->counter, old, n, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}
WW_LINUX_INLINE long atomic_long_cmpxchg_release(atomic_long_t *v, long old, long n)
{
	atomic_long_try_cmpxchg_release(v, &old, n);
	return old;
}
WW_LINUX_INLINE long atomic_long_fetch_add_unless(atomic_long_t *v, long a, long u)
{
	long c = atomic_long_read(v);

	while (c != u && !atomic_long_try_cmpxchg(v, &c, c + a))
		;
	return c;
}
WW_LINUX_INLINE bool atomic_long_add_unless(atomic_long_t *v, long a, long u)
{
	return atomic_long_fetch_add_unless(v, a, u) != u;
}
WW_LINUX_INLINE bool atomic_long_inc_not_zero(atomic_long_t *v)
{
	return atomic_long_add_unless(v, 1, 0);
}
WW_LINUX_INLINE bool atomic_long_inc_unless_negative(atomic_long_t *v)
{
	long c = atomic_long_read(v);

	do {
		if (c < 0)
			return false;
	} while (!atomic_long_try_cmpxchg(v, &c, c + 1));
	return true;
}
WW_LINUX_INLINE bool atomic_long_dec_unless_positive(atomic_long_t *v)
{
	long c = atomic_long_read(v);

	do {
		if (c > 0)
			return false;
	} while (!atomic_long_try_cmpxchg(v, &c, c - 1));
	return true;
}
WW_LINUX_INLINE long atomic_long_dec_if_positive(atomic_long_t *v)
{
	long c = atomic_long_read(v);

	while (c > 0 && !atomic_long_try_cmpxchg(v, &c, c - 1))
		;
	return c - 1;
}
#define atomic_long_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#define atomic_long_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))

#define atomic_clear_mask(mask, v) atomic_andnot(mask, v)
#define atomic_set_mask(mask, v)   atomic_or(mask, v)
#define atomic_dec_and_lock(v, lock)                                                               \
	({                                                                                         \
		bool ww_hold_ = false;                                                             \
		if (!atomic_add_unless(v, -1, 1)) {                                                \
			spin_lock(lock);                                                           \
			ww_hold_ = atomic_dec_and_test(v);                                         \
			if (!ww_hold_)                                                             \
				spin_unlock(lock);                                                 \
		}                                                                                  \
		ww_hold_;                                                                          \
	})

#endif

/* SPDX-License-Identifier: MIT */
/* Saturating counts: from zero, below zero and over the top are reported, and the count sticks. */
#ifndef _LINUX_REFCOUNT_H
#define _LINUX_REFCOUNT_H

#include <linux/atomic.h>
#include <linux/bug.h>

#ifndef REFCOUNT_INIT
typedef struct {
	atomic_t refs;
} refcount_t;

struct mutex;
#define REFCOUNT_INIT(n)                                                                           \
	{                                                                                          \
		.refs = ATOMIC_INIT(n)                                                             \
	}
#define REFCOUNT_MAX	   2147483647
#define REFCOUNT_SATURATED (-1073741824)

void ww_linux_refcount_warn(refcount_t *r, const char *what);

WW_LINUX_INLINE void refcount_set(refcount_t *r, int n)
{
	atomic_set(&r->refs, n);
}
WW_LINUX_INLINE unsigned int refcount_read(const refcount_t *r)
{
	return (unsigned)atomic_read(&r->refs);
}
WW_LINUX_INLINE bool refcount_add_not_zero(int i, refcount_t *r)
{
	int old = atomic_read(&r->refs);

	do {
		if (!old)
			return false;
	} while (!atomic_try_cmpxchg_relaxed(&r->refs, &old, (int)((unsigned)old + (unsigned)i)));
	if (ww_linux_unlikely(old < 0 || old > REFCOUNT_MAX - i))
		ww_linux_refcount_warn(r, "saturated; leaking memory");
	return true;
}
WW_LINUX_INLINE void refcount_add(int i, refcount_t *r)
{
	int old = atomic_fetch_add_relaxed(i, &r->refs);

	if (ww_linux_unlikely(old == 0))
		ww_linux_refcount_warn(r, "addition on 0; use-after-free");
	else if (ww_linux_unlikely(old < 0 || old > REFCOUNT_MAX - i))
		ww_linux_refcount_warn(r, "saturated; leaking memory");
}
WW_LINUX_INLINE void refcount_inc(refcount_t *r)
{
	refcount_add(1, r);
}
WW_LINUX_INLINE bool refcount_inc_not_zero(refcount_t *r)
{
	return refcount_add_not_zero(1, r);
}
WW_LINUX_INLINE bool refcount_sub_and_test(int i, refcount_t *r)
{
	int old = __atomic_fetch_sub(&r->refs.counter, i, __ATOMIC_ACQ_REL);

	if (old == i)
		return true;
	if (ww_linux_unlikely(old < 0 || old < i))
		ww_linux_refcount_warn(r, "underflow; use-after-free");
	return false;
}
WW_LINUX_INLINE bool refcount_dec_and_test(refcount_t *r)
{
	return refcount_sub_and_test(1, r);
}
WW_LINUX_INLINE void refcount_dec(refcount_t *r)
{
	if (ww_linux_unlikely(atomic_fetch_sub_release(1, &r->refs) <= 1))
		ww_linux_refcount_warn(r, "decrement hit 0; leaking memory");
}
WW_LINUX_INLINE bool refcount_dec_if_one(refcount_t *r)
{
	int one = 1;

	return atomic_try_cmpxchg_release(&r->refs, &one, 0);
}
WW_LINUX_INLINE bool refcount_dec_not_one(refcount_t *r)
{
	int old = atomic_read(&r->refs);

	do {
		if (old == 1)
			return false;
	} while (!atomic_try_cmpxchg_release(&r->refs, &old, old - 1));
	return true;
}
/* True with the lock held when the last reference went. */
#define refcount_dec_and_mutex_lock(r, lock)                                                       \
	ww_linux_dec_and_lock(r, lock, mutex_lock, mutex_unlock)
#define refcount_dec_and_lock(r, lock) ww_linux_dec_and_lock(r, lock, spin_lock, spin_unlock)
#define ww_linux_dec_and_lock(r, lock, take, drop)                                                 \
	({                                                                                         \
		bool ww_last_ = false;                                                             \
		if (!refcount_dec_not_one(r)) {                                                    \
			take(lock);                                                                \
			ww_last_ = refcount_dec_and_test(r);                                       \
			if (!ww_last_)                                                             \
				drop(lock);                                                        \
		}                                                                                  \
		ww_last_;                                                                          \
	})
#endif

#endif

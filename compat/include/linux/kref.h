/* SPDX-License-Identifier: MIT */
#ifndef _KREF_H_
#define _KREF_H_

#include <linux/refcount.h>

struct kref {
	refcount_t refcount;
};

#define KREF_INIT(n)                                                                               \
	{                                                                                          \
		.refcount = REFCOUNT_INIT(n)                                                       \
	}

WW_LINUX_INLINE void kref_init(struct kref *kref)
{
	refcount_set(&kref->refcount, 1);
}
WW_LINUX_INLINE unsigned kref_read(const struct kref *kref)
{
	return refcount_read(&kref->refcount);
}
WW_LINUX_INLINE void kref_get(struct kref *kref)
{
	refcount_inc(&kref->refcount);
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK int kref_get_unless_zero(struct kref *kref)
{
	return refcount_inc_not_zero(&kref->refcount);
}
/* 1 when this was the last reference, and release has been called. */
WW_LINUX_INLINE int kref_put(struct kref *kref, void (*release)(struct kref *kref))
{
	if (!refcount_dec_and_test(&kref->refcount))
		return 0;
	release(kref);
	return 1;
}
#define kref_put_mutex(kref, release, lock)                                                        \
	({                                                                                         \
		bool ww_put_ = refcount_dec_and_mutex_lock(&(kref)->refcount, lock);               \
		if (ww_put_)                                                                       \
			(release)(kref);                                                           \
		(int)ww_put_;                                                                      \
	})
#define kref_put_lock(kref, release, lock)                                                         \
	({                                                                                         \
		bool ww_put_ = refcount_dec_and_lock(&(kref)->refcount, lock);                     \
		if (ww_put_)                                                                       \
			(release)(kref);                                                           \
		(int)ww_put_;                                                                      \
	})

#endif

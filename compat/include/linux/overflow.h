/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_OVERFLOW_H
#define __LINUX_OVERFLOW_H

#include <ww-linux/base.h>

#ifndef check_add_overflow
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d) __builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d) __builtin_mul_overflow(a, b, d)
#endif

/* SIZE_MAX when it does not fit, which every allocator refuses. */
WW_LINUX_INLINE size_t size_mul(size_t a, size_t b)
{
	size_t r;

	return __builtin_mul_overflow(a, b, &r) ? SIZE_MAX : r;
}
WW_LINUX_INLINE size_t size_add(size_t a, size_t b)
{
	size_t r;

	return __builtin_add_overflow(a, b, &r) ? SIZE_MAX : r;
}
WW_LINUX_INLINE size_t size_sub(size_t a, size_t b)
{
	size_t r;

	if (a == SIZE_MAX || b == SIZE_MAX || __builtin_sub_overflow(a, b, &r))
		return SIZE_MAX;
	return r;
}
#define array_size(a, b)	       size_mul(a, b)
#define array3_size(a, b, c)	       size_mul(size_mul(a, b), c)
#define flex_array_size(p, member, n)  size_mul(n, sizeof(*(p)->member))
#define struct_size(p, member, n)      size_add(sizeof(*(p)), flex_array_size(p, member, n))
#define struct_size_t(type, member, n) struct_size((type *)0, member, n)
#define ww_is_signed_(t)	       ((__typeof__(t))-1 < (__typeof__(t))1)
#define type_max(t)                                                                                \
	((__typeof__(t))~(ww_is_signed_(t) ? (__typeof__(t))((u64)1 << (sizeof(t) * 8 - 1)) : 0))
#define type_min(t) ((__typeof__(t))(ww_is_signed_(t) ? (u64)1 << (sizeof(t) * 8 - 1) : 0))
/* True where a << s does not fit; *d is what of it does. */
#define check_shl_overflow(a, s, d)                                                                \
	({                                                                                         \
		__typeof__(a) ww_a_ = (a);                                                         \
		__typeof__(s) ww_s_ = (s);                                                         \
		__typeof__(d) ww_d_ = (d);                                                         \
		bool ww_bad_ = ww_s_ < 0 || (size_t)ww_s_ >= 8 * sizeof(*ww_d_) || ww_a_ < 0;      \
		*ww_d_ = (__typeof__(*ww_d_))((u64)ww_a_ << (ww_bad_ ? 0 : ww_s_));                \
		ww_bad_ || *ww_d_ < 0 || (__typeof__(ww_a_))(*ww_d_ >> ww_s_) != ww_a_;            \
	})

#endif

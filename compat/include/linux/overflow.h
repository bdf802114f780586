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

#endif

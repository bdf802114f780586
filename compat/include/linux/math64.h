/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MATH64_H
#define _LINUX_MATH64_H

#include <linux/types.h>
#include <linux/math.h>

#define div64_long(x, y) div64_s64((x), (y))
#define div64_ul(x, y)	 div64_u64((x), (y))

WW_LINUX_INLINE u64 div_u64_rem(u64 n, u32 d, u32 *rem)
{
	*rem = n % d;
	return n / d;
}
WW_LINUX_INLINE s64 div_s64_rem(s64 n, s32 d, s32 *rem)
{
	*rem = n % d;
	return n / d;
}
WW_LINUX_INLINE u64 div64_u64_rem(u64 n, u64 d, u64 *rem)
{
	*rem = n % d;
	return n / d;
}
WW_LINUX_INLINE u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}
WW_LINUX_INLINE s64 div64_s64(s64 n, s64 d)
{
	return n / d;
}
WW_LINUX_INLINE u64 div_u64(u64 n, u32 d)
{
	return n / d;
}
WW_LINUX_INLINE s64 div_s64(s64 n, s32 d)
{
	return n / d;
}
WW_LINUX_INLINE u32 iter_div_u64_rem(u64 n, u32 d, u64 *rem)
{
	*rem = n % d;
	return (u32)(n / d);
}
WW_LINUX_INLINE u64 mul_u32_u32(u32 a, u32 b)
{
	return (u64)a * b;
}
WW_LINUX_INLINE u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}
WW_LINUX_INLINE u64 mul_u64_u64_shr(u64 a, u64 mul, unsigned shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}
WW_LINUX_INLINE u64 mul_u64_u32_div(u64 a, u32 mul, u32 div)
{
	return (u64)((unsigned __int128)a * mul / div);
}
WW_LINUX_INLINE u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (u64)((unsigned __int128)a * b / c);
}
#define DIV64_U64_ROUND_UP(n, d)                                                                   \
	({                                                                                         \
		u64 ww_d_ = (d);                                                                   \
		div64_u64((n) + ww_d_ - 1, ww_d_);                                                 \
	})
#define DIV_U64_ROUND_UP(n, d)                                                                     \
	({                                                                                         \
		u32 ww_d_ = (d);                                                                   \
		div_u64((n) + ww_d_ - 1, ww_d_);                                                   \
	})
#define DIV64_U64_ROUND_CLOSEST(n, d)                                                              \
	({                                                                                         \
		u64 ww_d_ = (d);                                                                   \
		div64_u64((n) + ww_d_ / 2, ww_d_);                                                 \
	})
WW_LINUX_INLINE s64 mul_s64_u64_shr(s64 a, u64 b, unsigned shift)
{
	u64 v = mul_u64_u64_shr(a < 0 ? -(u64)a : (u64)a, b, shift);

	return (s64)(a < 0 ? -v : v);
}

#endif

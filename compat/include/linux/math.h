/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MATH_H
#define _LINUX_MATH_H

#include <linux/types.h>
#include <stdlib.h> /* abs(), before the macro takes its name */
#include <asm/div64.h>

/* round_up() and round_down(): y is a power of two. */
#ifndef round_up
#define ww_round_mask_(x, y) ((__typeof__(x))((y)-1))
#define round_up(x, y)	     ((((x)-1) | ww_round_mask_(x, y)) + 1)
#define round_down(x, y)     ((x) & ~ww_round_mask_(x, y))
#endif
#ifndef DIV_ROUND_UP
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#endif
#ifndef DIV_ROUND_DOWN_ULL
#define DIV_ROUND_DOWN_ULL(n, d)    ((unsigned long long)(n) / (d))
#define DIV_ROUND_UP_ULL(n, d)	    DIV_ROUND_DOWN_ULL((unsigned long long)(n) + (d)-1, (d))
#define DIV_ROUND_UP_SECTOR_T(n, d) DIV_ROUND_UP_ULL(n, d)
#endif
#undef roundup
#define roundup(x, y)                                                                              \
	({                                                                                         \
		__typeof__(y) ww_y_ = (y);                                                         \
		(((x) + (ww_y_ - 1)) / ww_y_) * ww_y_;                                             \
	})
#undef rounddown
#define rounddown(x, y)                                                                            \
	({                                                                                         \
		__typeof__(x) ww_x_ = (x);                                                         \
		ww_x_ - (ww_x_ % (y));                                                             \
	})
#ifndef DIV_ROUND_CLOSEST
#define DIV_ROUND_CLOSEST(x, d)                                                                    \
	({                                                                                         \
		__typeof__(x) ww_x_ = (x);                                                         \
		__typeof__(d) ww_d_ = (d);                                                         \
		(((__typeof__(x))-1) > 0 || ((__typeof__(d))-1) > 0 ||                             \
		 ((ww_x_ > 0) == (ww_d_ > 0)))                                                     \
			? ((ww_x_ + (ww_d_ / 2)) / ww_d_)                                          \
			: ((ww_x_ - (ww_d_ / 2)) / ww_d_);                                         \
	})
#define DIV_ROUND_CLOSEST_ULL(x, d) ((unsigned long long)((x) + ((d) / 2)) / (d))
#endif
#ifndef mult_frac
#define mult_frac(x, n, d)                                                                         \
	({                                                                                         \
		__typeof__(x) ww_x_ = (x);                                                         \
		__typeof__(n) ww_n_ = (n);                                                         \
		__typeof__(d) ww_d_ = (d);                                                         \
		(ww_x_ / ww_d_) * ww_n_ + ((ww_x_ % ww_d_) * ww_n_) / ww_d_;                       \
	})
#endif
#undef abs
#define abs(x)                                                                                     \
	({                                                                                         \
		__typeof__(x) ww_x_ = (x);                                                         \
		ww_x_ < 0 ? -ww_x_ : ww_x_;                                                        \
	})
#ifndef abs_diff
#define abs_diff(a, b)                                                                             \
	({                                                                                         \
		__typeof__(a) ww_a_ = (a);                                                         \
		__typeof__(b) ww_b_ = (b);                                                         \
		ww_a_ > ww_b_ ? ww_a_ - ww_b_ : ww_b_ - ww_a_;                                     \
	})
#endif
#define sector_div(n, b) do_div(n, b)

WW_LINUX_INLINE u32 reciprocal_scale(u32 val, u32 ep_ro)
{
	return (u32)(((u64)val * ep_ro) >> 32);
}

unsigned long ww_linux_int_sqrt(unsigned long x);
#define int_sqrt      ww_linux_int_sqrt
#define int_sqrt64(x) ((u32)ww_linux_int_sqrt(x))
WW_LINUX_INLINE u64 int_pow(u64 base, unsigned int exp)
{
	u64 result = 1;

	for (; exp; exp >>= 1, base *= base)
		if (exp & 1)
			result *= base;
	return result;
}

#endif

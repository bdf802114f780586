/* SPDX-License-Identifier: MIT */
/* Each argument is evaluated once. */
#ifndef _LINUX_MINMAX_H
#define _LINUX_MINMAX_H

#ifndef min
#define min(a, b)                                                                                  \
	({                                                                                         \
		__auto_type ww_a_ = (a);                                                           \
		__auto_type ww_b_ = (b);                                                           \
		ww_a_ < ww_b_ ? ww_a_ : ww_b_;                                                     \
	})
#endif
#ifndef max
#define max(a, b)                                                                                  \
	({                                                                                         \
		__auto_type ww_a_ = (a);                                                           \
		__auto_type ww_b_ = (b);                                                           \
		ww_a_ > ww_b_ ? ww_a_ : ww_b_;                                                     \
	})
#endif
#ifndef min_t
#define min_t(type, a, b)                                                                          \
	({                                                                                         \
		type ww_ta_ = (a);                                                                 \
		type ww_tb_ = (b);                                                                 \
		ww_ta_ < ww_tb_ ? ww_ta_ : ww_tb_;                                                 \
	})
#define max_t(type, a, b)                                                                          \
	({                                                                                         \
		type ww_ta_ = (a);                                                                 \
		type ww_tb_ = (b);                                                                 \
		ww_ta_ > ww_tb_ ? ww_ta_ : ww_tb_;                                                 \
	})
#endif
#ifndef min3
#define min3(a, b, c) min((__typeof__(a))min(a, b), c)
#define max3(a, b, c) max((__typeof__(a))max(a, b), c)
#endif
#ifndef umin
#define umin(a, b) min_t(unsigned long long, a, b)
#define umax(a, b) max_t(unsigned long long, a, b)
#endif
#ifndef min_not_zero
#define min_not_zero(a, b)                                                                         \
	({                                                                                         \
		__typeof__(a) ww_x_ = (a);                                                         \
		__typeof__(b) ww_y_ = (b);                                                         \
		ww_x_ == 0 ? ww_y_ : (ww_y_ == 0 ? ww_x_ : min(ww_x_, ww_y_));                     \
	})
#endif
#ifndef clamp
#define clamp(val, lo, hi)                                                                         \
	({                                                                                         \
		__typeof__(val) ww_v_ = (val);                                                     \
		__typeof__(lo) ww_lo_ = (lo);                                                      \
		__typeof__(hi) ww_hi_ = (hi);                                                      \
		ww_v_<ww_lo_ ? ww_lo_ : ww_v_> ww_hi_ ? ww_hi_ : ww_v_;                            \
	})
#define clamp_t(type, val, lo, hi)                                                                 \
	({                                                                                         \
		type ww_v_ = (val);                                                                \
		type ww_lo_ = (lo);                                                                \
		type ww_hi_ = (hi);                                                                \
		ww_v_<ww_lo_ ? ww_lo_ : ww_v_> ww_hi_ ? ww_hi_ : ww_v_;                            \
	})
#define clamp_val(val, lo, hi) clamp_t(__typeof__(val), val, lo, hi)
#endif
#ifndef swap
#define swap(a, b)                                                                                 \
	do {                                                                                       \
		__typeof__(a) ww_tmp_ = (a);                                                       \
		(a) = (b);                                                                         \
		(b) = ww_tmp_;                                                                     \
	} while (0)
#endif
#ifndef in_range
#define in_range(val, start, len)                                                                  \
	((unsigned long long)(val) - (unsigned long long)(start) < (unsigned long long)(len))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#define in_range32(val, start, len) in_range((u32)(val), (u32)(start), (u32)(len))
#define in_range64(val, start, len) in_range((u64)(val), (u64)(start), (u64)(len))
#define ww_of_array_(array, len, better)                                                           \
	({                                                                                         \
		__typeof__(&(array)[0]) ww_a_ = (array);                                           \
		size_t ww_l_ = (len);                                                              \
		__typeof__((array)[0] + 0) ww_e_ = ww_a_[--ww_l_];                                 \
		while (ww_l_--)                                                                    \
			if (ww_a_[ww_l_] better ww_e_)                                             \
				ww_e_ = ww_a_[ww_l_];                                              \
		ww_e_;                                                                             \
	})
#define min_array(array, len) ww_of_array_(array, len, <)
#define max_array(array, len) ww_of_array_(array, len, >)

#endif

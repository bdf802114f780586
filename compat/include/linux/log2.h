/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_LOG2_H
#define _LINUX_LOG2_H

#include <ww-linux/base.h>

/* Constant expressions for constant arguments; ilog2(0) is -1. */
#ifndef ilog2
#define ilog2(n)                                                                                   \
	((n) == 0 ? -1 : 63 - __builtin_clzll((unsigned long long)(n) | ((n) == 0 ? 1ULL : 0ULL)))
#endif
#ifndef is_power_of_2
#define is_power_of_2(n)                                                                           \
	({                                                                                         \
		unsigned long long ww_n_ = (n);                                                    \
		ww_n_ != 0 && (ww_n_ & (ww_n_ - 1)) == 0;                                          \
	})
#endif
#ifndef roundup_pow_of_two
#define roundup_pow_of_two(n)	((n) <= 1 ? 1UL : (1UL << (ilog2((n)-1) + 1)))
#define rounddown_pow_of_two(n) (1UL << ilog2(n))
#endif
#ifndef order_base_2
#define order_base_2(n) ((n) > 1 ? ilog2((n)-1) + 1 : 0)
#endif

#endif

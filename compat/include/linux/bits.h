/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_BITS_H
#define __LINUX_BITS_H

#include <linux/types.h>

#ifndef BIT
#define BIT(nr) (1UL << (nr))
#endif
#ifndef BIT_ULL
#define BIT_ULL(nr) (1ULL << (nr))
#endif
#define BIT_MASK(nr)	 (1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr)	 ((nr) / BITS_PER_LONG)
#define BIT_ULL_MASK(nr) (1ULL << ((nr) % 64))
#define BIT_ULL_WORD(nr) ((nr) / 64)
#define BITS_PER_BYTE	 8
#define BITS_PER_TYPE(t) (sizeof(t) * 8)
#ifndef GENMASK
#define GENMASK(h, l)	  (((~0UL) << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l) (((~0ULL) << (l)) & (~0ULL >> (63 - (h))))
#endif

#endif

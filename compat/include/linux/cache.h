/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_CACHE_H
#define __LINUX_CACHE_H

#include <linux/compiler_types.h>

#ifndef L1_CACHE_BYTES
#define L1_CACHE_SHIFT	6
#define L1_CACHE_BYTES	64
#define SMP_CACHE_BYTES 64
#endif
#ifndef ____cacheline_aligned
#define ____cacheline_aligned		      __attribute__((__aligned__(64)))
#define ____cacheline_aligned_in_smp	      ____cacheline_aligned
#define __cacheline_aligned		      ____cacheline_aligned
#define __cacheline_aligned_in_smp	      ____cacheline_aligned
#define ____cacheline_internodealigned_in_smp ____cacheline_aligned
#endif
#define L1_CACHE_ALIGN(x) (((x) + 63) & ~63UL)

#endif

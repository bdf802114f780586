/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PREFETCH_H
#define _LINUX_PREFETCH_H

#define prefetch(x)  __builtin_prefetch(x)
#define prefetchw(x) __builtin_prefetch(x, 1)

#endif

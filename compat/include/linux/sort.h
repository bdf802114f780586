/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_SORT_H
#define _LINUX_SORT_H

#include <linux/types.h>

/* Heap sort: no memory, no recursion. swap may be NULL. */
void ww_linux_sort(void *base, size_t num, size_t size, cmp_func_t cmp, swap_func_t swap);
void ww_linux_sort_r(void *base, size_t num, size_t size, cmp_r_func_t cmp, swap_r_func_t swap,
		     const void *priv);
#define sort   ww_linux_sort
#define sort_r ww_linux_sort_r

#endif

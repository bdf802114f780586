/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_LIST_SORT_H
#define _LINUX_LIST_SORT_H

#include <linux/types.h>

typedef int (*list_cmp_func_t)(void *priv, const struct list_head *a, const struct list_head *b);
/* Stable merge sort; cmp > 0 means that b stands before a. */
void ww_linux_list_sort(void *priv, struct list_head *head, list_cmp_func_t cmp);
#define list_sort ww_linux_list_sort

#endif

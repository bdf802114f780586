/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_VMALLOC_H
#define _LINUX_VMALLOC_H

#include <linux/slab.h>

#define vmalloc(size)		 kmalloc(size, GFP_KERNEL)
#define vzalloc(size)		 kzalloc(size, GFP_KERNEL)
#define vmalloc_user(size)	 kzalloc(size, GFP_KERNEL)
#define vmalloc_node(size, node) ((void)(node), kmalloc(size, GFP_KERNEL))
#define vzalloc_node(size, node) ((void)(node), kzalloc(size, GFP_KERNEL))
#define vcalloc(n, size)	 kcalloc(n, size, GFP_KERNEL)
#define vfree			 ww_linux_kfree

#endif

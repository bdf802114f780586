/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_PERCPU_H
#define __LINUX_PERCPU_H

#include <linux/percpu-defs.h>
#include <linux/smp.h>

/* Zeroed, or NULL. */
void *ww_linux_alloc_percpu(size_t size, size_t align);
void ww_linux_free_percpu(const void *handle);

#define alloc_percpu(type)                                                                         \
	((__typeof__(type) *)ww_linux_alloc_percpu(sizeof(type), __alignof__(type)))
#define alloc_percpu_gfp(type, gfp)	     ((void)(gfp), alloc_percpu(type))
#define __alloc_percpu(size, align)	     ww_linux_alloc_percpu(size, align)
#define __alloc_percpu_gfp(size, align, gfp) ((void)(gfp), ww_linux_alloc_percpu(size, align))
#define free_percpu			     ww_linux_free_percpu

#endif

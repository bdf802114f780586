/* SPDX-License-Identifier: MIT */
/* The kernel's types, beside the ones that the system's own <linux/types.h> gives. */
#ifndef WW_LINUX_TYPES_H
#define WW_LINUX_TYPES_H

#include_next <linux/types.h>
#include <ww-linux/base.h>
#include <sys/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

typedef unsigned gfp_t;
typedef unsigned slab_flags_t;
typedef unsigned fmode_t;
typedef unsigned short umode_t;
typedef u64 sector_t;
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
typedef phys_addr_t resource_size_t;
typedef unsigned char unchar;
typedef unsigned long ulong_t;
typedef unsigned long pgoff_t;
typedef unsigned long irq_hw_number_t;

#define aligned_u64 __aligned_u64
#define aligned_s64 __s64 __attribute__((aligned(8)))

#include <ww-linux/listtypes.h>
#include <ww-linux/atomictypes.h>

struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
};
#define rcu_head callback_head

typedef void (*rcu_callback_t)(struct callback_head *head);
typedef void (*call_rcu_func_t)(struct callback_head *head, rcu_callback_t func);
typedef void (*swap_func_t)(void *a, void *b, int size);
typedef int (*cmp_func_t)(const void *a, const void *b);
typedef int (*cmp_r_func_t)(const void *a, const void *b, const void *priv);
typedef void (*swap_r_func_t)(void *a, void *b, int size, const void *priv);

#ifndef BITS_PER_LONG
#if __SIZEOF_LONG__ == 8
#define BITS_PER_LONG 64
#else
#define BITS_PER_LONG 32
#endif
#endif
#ifndef BITS_PER_LONG_LONG
#define BITS_PER_LONG_LONG 64
#endif
#ifndef BITS_TO_LONGS
#define BITS_TO_LONGS(n) (((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#endif
#ifndef DECLARE_BITMAP
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#endif

#endif

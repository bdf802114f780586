/* SPDX-License-Identifier: MIT */
#if __has_include_next(<linux/kernel.h>)
#include_next <linux/kernel.h>
#endif
#ifndef WW_LINUX_KERNEL_H
#define WW_LINUX_KERNEL_H

#include <stdarg.h>
#include <limits.h>
#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/typecheck.h>
#include <linux/stringify.h>
#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/minmax.h>
#include <linux/array_size.h>
#include <linux/math.h>
#include <linux/log2.h>
#include <linux/bitops.h>
#include <linux/kstrtox.h>
#include <linux/printk.h>
#include <linux/sprintf.h>
#include <linux/bug.h>
#include <linux/panic.h>
#include <linux/hex.h>
#include <asm/byteorder.h>

#define STACK_MAGIC 0xdeadbeef

#ifndef U8_MAX
#define U8_MAX	((u8)~0U)
#define S8_MAX	((s8)(U8_MAX >> 1))
#define S8_MIN	((s8)(-S8_MAX - 1))
#define U16_MAX ((u16)~0U)
#define S16_MAX ((s16)(U16_MAX >> 1))
#define S16_MIN ((s16)(-S16_MAX - 1))
#define U32_MAX ((u32)~0U)
#define S32_MAX ((s32)(U32_MAX >> 1))
#define S32_MIN ((s32)(-S32_MAX - 1))
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))
#define S64_MIN ((s64)(-S64_MAX - 1))
#endif
#ifndef ULLONG_MAX
#define ULLONG_MAX (~0ULL)
#endif

#ifndef ALIGN
#define ALIGN(x, a)	      (((x) + ((__typeof__(x))(a)-1)) & ~((__typeof__(x))(a)-1))
#define ALIGN_DOWN(x, a)      ((x) & ~((__typeof__(x))(a)-1))
#define __ALIGN_MASK(x, mask) (((x) + (mask)) & ~(mask))
#define PTR_ALIGN(p, a)	      ((__typeof__(p))ALIGN((unsigned long)(p), (a)))
#define PTR_ALIGN_DOWN(p, a)  ((__typeof__(p))ALIGN_DOWN((unsigned long)(p), (a)))
#define IS_ALIGNED(x, a)      (((x) & ((__typeof__(x))(a)-1)) == 0)
#endif
#define upper_32_bits(n)   ((u32)(((n) >> 16) >> 16))
#define lower_32_bits(n)   ((u32)((n)&0xffffffff))
#define upper_16_bits(n)   ((u16)((n) >> 16))
#define lower_16_bits(n)   ((u16)((n)&0xffff))
#define PTR_IF(cond, ptr)  ((cond) ? (ptr) : NULL)
#define u64_to_user_ptr(x) ((void *)(uintptr_t)(x))

#ifndef IS_ENABLED
#define WW_LINUX_ARG_PLACE_1	   0,
#define WW_LINUX_SECOND(a, b, ...) b
#define WW_LINUX_IS_DEF3(junk)	   WW_LINUX_SECOND(junk 1, 0, 0)
#define WW_LINUX_IS_DEF2(v)	   WW_LINUX_IS_DEF3(WW_LINUX_ARG_PLACE_##v)
#define WW_LINUX_IS_DEF(v)	   WW_LINUX_IS_DEF2(v)
#define IS_BUILTIN(option)	   WW_LINUX_IS_DEF(option)
#define IS_MODULE(option)	   WW_LINUX_IS_DEF(option##_MODULE)
#define IS_ENABLED(option)	   (IS_BUILTIN(option) || IS_MODULE(option))
#define IS_REACHABLE(option)	   IS_ENABLED(option)
#endif

/* Sleeping where the kernel forbids it can't be seen from here: documentation, as in the source. */
#ifndef might_sleep
#define might_sleep()	     ((void)0)
#define might_sleep_if(cond) ((void)(cond))
#define might_resched()	     ((void)0)
#define might_fault()	     ((void)0)
#define cant_sleep()	     ((void)0)
#define non_block_start()    ((void)0)
#define non_block_end()	     ((void)0)
#endif

enum system_states {
	SYSTEM_BOOTING,
	SYSTEM_SCHEDULING,
	SYSTEM_FREEING_INITMEM,
	SYSTEM_RUNNING,
	SYSTEM_HALT,
	SYSTEM_POWER_OFF,
	SYSTEM_RESTART,
	SYSTEM_SUSPEND,
};
#define system_state SYSTEM_RUNNING

#define TAINT_USER		 0
#define TAINT_WARN		 9
#define TAINT_OOT_MODULE	 12
#define TAINT_TEST		 18
#define LOCKDEP_STILL_OK	 1
#define LOCKDEP_NOW_UNRELIABLE	 0
#define add_taint(flag, lockdep) ((void)(flag), (void)(lockdep))

#endif

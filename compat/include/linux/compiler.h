/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_COMPILER_H
#define __LINUX_COMPILER_H

#include <ww-linux/base.h>
#include <linux/compiler_types.h>

#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#ifndef barrier
#define barrier() __asm__ volatile("" ::: "memory")
#endif
#define barrier_data(p)	      __asm__ volatile("" : : "r"(p) : "memory")
#define OPTIMIZER_HIDE_VAR(v) __asm__("" : "=r"(v) : "0"(v))
#define RELOC_HIDE(ptr, off)                                                                       \
	({                                                                                         \
		unsigned long ww_p_;                                                               \
		__asm__("" : "=r"(ww_p_) : "0"(ptr));                                              \
		(__typeof__(ptr))(ww_p_ + (off));                                                  \
	})
#ifndef unreachable
#define unreachable() __builtin_unreachable()
#endif

/*
 * Relaxed atomics rather than volatile accesses: the same machine code, and ThreadSanitizer knows
 * that both sides meant it.
 */
#ifndef READ_ONCE
#define READ_ONCE(x)                                                                               \
	({                                                                                         \
		union {                                                                            \
			ww_linux_scalar_typeof(x) val;                                             \
			char c[sizeof(x)];                                                         \
		} ww_u_;                                                                           \
		ww_linux_read_once(&(x), ww_u_.c, sizeof(x));                                      \
		ww_u_.val;                                                                         \
	})
#endif
#ifndef WRITE_ONCE
#define WRITE_ONCE(x, v)                                                                           \
	do {                                                                                       \
		union {                                                                            \
			ww_linux_scalar_typeof(x) val;                                             \
			char c[sizeof(x)];                                                         \
		} ww_u_ = {.val = (v)};                                                            \
		ww_linux_write_once(&(x), ww_u_.c, sizeof(x));                                     \
	} while (0)
#endif
#ifndef ACCESS_ONCE
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#endif
#ifndef data_race
#define data_race(expr) (expr)
#endif
#ifndef __is_constexpr
#define __is_constexpr(x) (sizeof(int) == sizeof(*(8 ? ((void *)((long)(x)*0l)) : (int *)8)))
#endif
#ifndef __must_be_array
#define __must_be_array(a)                                                                         \
	((int)(sizeof(char[1 - 2 * !!__builtin_types_compatible_p(__typeof__(a),                   \
								  __typeof__(&(a)[0]))]) -         \
	       1))
#endif
#define absolute_pointer(v) RELOC_HIDE((void *)(v), 0)

#include <asm/barrier.h>

#endif

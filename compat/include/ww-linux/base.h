/* SPDX-License-Identifier: MIT */
/*
 * What the headers of this folder share. It stands apart from <linux/compiler.h> and its kin, so
 * that a client may put headers of its own in front of any of ours: nothing here has a kernel name.
 */
#ifndef WW_LINUX_BASE_H
#define WW_LINUX_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WW_LINUX_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#define WW_LINUX_MUST_CHECK    __attribute__((warn_unused_result))
#define WW_LINUX_INLINE	       static inline __attribute__((always_inline, unused))
#define ww_linux_likely(x)     __builtin_expect(!!(x), 1)
#define ww_linux_unlikely(x)   __builtin_expect(!!(x), 0)
#define WW_LINUX_PASTE_(a, b)  a##b
#define WW_LINUX_PASTE(a, b)   WW_LINUX_PASTE_(a, b)
#define WW_LINUX_UNIQUE(name)  WW_LINUX_PASTE(name, __COUNTER__)
#define WW_LINUX_STRING_(x...) #x
#define WW_LINUX_STRING(x...)  WW_LINUX_STRING_(x)

#if defined(__SANITIZE_THREAD__)
#define WW_LINUX_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WW_LINUX_TSAN 1
#endif
#endif

/* The module's name, for messages and for the registers below. */
#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "main"
#endif

/* The type of x without qualifiers, when x is a scalar; else the type as it is. */
#define ww_linux_scalar_typeof(x)                                                                  \
	__typeof__(_Generic((x), char                                                              \
			    : (char)0, unsigned char                                               \
			    : (unsigned char)0, signed char                                        \
			    : (signed char)0, unsigned short                                       \
			    : (unsigned short)0, short                                             \
			    : (short)0, unsigned int                                               \
			    : (unsigned int)0, int                                                 \
			    : (int)0, unsigned long                                                \
			    : (unsigned long)0, long                                               \
			    : (long)0, unsigned long long                                          \
			    : (unsigned long long)0, long long                                     \
			    : (long long)0, default                                                \
			    : ((void)0, (x))))

WW_LINUX_INLINE void ww_linux_read_once(const volatile void *p, void *to, size_t size)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = __atomic_load_n((const volatile uint8_t *)p, __ATOMIC_RELAXED);
		return;
	case 2:
		*(uint16_t *)to = __atomic_load_n((const volatile uint16_t *)p, __ATOMIC_RELAXED);
		return;
	case 4:
		*(uint32_t *)to = __atomic_load_n((const volatile uint32_t *)p, __ATOMIC_RELAXED);
		return;
	case 8:
		*(uint64_t *)to = __atomic_load_n((const volatile uint64_t *)p, __ATOMIC_RELAXED);
		return;
	default:
		__builtin_memcpy(to, (const void *)p, size);
	}
}

WW_LINUX_INLINE void ww_linux_write_once(volatile void *p, const void *from, size_t size)
{
	switch (size) {
	case 1:
		__atomic_store_n((volatile uint8_t *)p, *(const uint8_t *)from, __ATOMIC_RELAXED);
		return;
	case 2:
		__atomic_store_n((volatile uint16_t *)p, *(const uint16_t *)from, __ATOMIC_RELAXED);
		return;
	case 4:
		__atomic_store_n((volatile uint32_t *)p, *(const uint32_t *)from, __ATOMIC_RELAXED);
		return;
	case 8:
		__atomic_store_n((volatile uint64_t *)p, *(const uint64_t *)from, __ATOMIC_RELAXED);
		return;
	default:
		__builtin_memcpy((void *)p, from, size);
	}
}

/* A full barrier, in a form that ThreadSanitizer understands too (it knows no bare fence). */
#ifdef WW_LINUX_TSAN
extern uint32_t ww_linux_fence_word;
#define ww_linux_mb() ((void)__atomic_fetch_add(&ww_linux_fence_word, 0u, __ATOMIC_SEQ_CST))
#else
#define ww_linux_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* Gives the CPU up for a moment. */
void ww_linux_yield(void);

#define ww_linux_container_of(ptr, type, member)                                                   \
	((type *)(void *)((char *)(ptr) - __builtin_offsetof(type, member)))

/* One line for WARN(), BUG() and misuse, with the place; BUG aborts (the process is the machine). */
void ww_linux_warn_at(const char *file, int line, const char *function, const char *fmt, ...)
	WW_LINUX_PRINTF(4, 5);
_Noreturn void ww_linux_bug_at(const char *file, int line, const char *function, const char *what);

#endif

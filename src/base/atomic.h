/* SPDX-License-Identifier: MIT */
/*
 * Named-order atomics. Every shared word of the library is read and written through this file, so
 * that a simulator can stand in for all of it: built with WW_SIM, each operation below first asks
 * the simulator who runs next and what value is seen.
 *
 * The operands are plain integers and pointers (public structures hold no _Atomic, so that their
 * headers stay C++17); the compiler's __atomic builtins give them the order that the name says.
 * ThreadSanitizer understands these, but no bare fence: wherever a fence would do, prefer an
 * acquire/release on the object itself. Each acquire or release site that hands something over
 * names its partner ("pairs: TIMER-2"); docs/memory-ordering.md has a paragraph for each label.
 */
#ifndef WW_BASE_ATOMIC_H
#define WW_BASE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef WW_SIM
#include "base/sim.h"
#else

#define ww_load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define ww_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define ww_load_seq_cst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)

#define ww_store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ww_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define ww_store_seq_cst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

/* Exchanges. Those without a named order are sequentially consistent: a full barrier. */
#define ww_xchg(p, v)	       __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define ww_xchg_acquire(p, v)  __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define ww_xchg_release(p, v)  __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define ww_xchg_relaxed(p, v)  __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)

/* Compare and exchange: true if it was *oldp and is v now; else *oldp is what it was. */
#define ww_cmpxchg(p, oldp, v)                                                                     \
	__atomic_compare_exchange_n((p), (oldp), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define ww_cmpxchg_acquire(p, oldp, v)                                                             \
	__atomic_compare_exchange_n((p), (oldp), (v), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define ww_cmpxchg_release(p, oldp, v)                                                             \
	__atomic_compare_exchange_n((p), (oldp), (v), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define ww_cmpxchg_relaxed(p, oldp, v)                                                             \
	__atomic_compare_exchange_n((p), (oldp), (v), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#define ww_fetch_add(p, v)	   __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define ww_fetch_add_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define ww_fetch_sub(p, v)	   __atomic_fetch_sub((p), (v), __ATOMIC_SEQ_CST)
#define ww_fetch_sub_release(p, v) __atomic_fetch_sub((p), (v), __ATOMIC_RELEASE)
#define ww_fetch_or(p, v)	   __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define ww_fetch_or_relaxed(p, v)  __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define ww_fetch_and(p, v)	   __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define ww_fetch_and_release(p, v) __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)

#define ww_fence_seq_cst()  __atomic_thread_fence(__ATOMIC_SEQ_CST)
/* Keeps the compiler, not the CPU: the light side of ww_membarrier(). */
#define ww_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static inline void ww_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif /* WW_SIM */

#define ww_likely(x)   __builtin_expect(!!(x), 1)
#define ww_unlikely(x) __builtin_expect(!!(x), 0)

#define ww_container_of(ptr, type, member)                                                         \
	((type *)(void *)((char *)(ptr) - __builtin_offsetof(type, member)))

#define WW_CACHE_LINE	64
#define ww_aligned_line __attribute__((aligned(WW_CACHE_LINE)))

/* In front of each definition that leaves the library. */
#define WW_EXPORT __attribute__((visibility("default")))

#if defined(__SANITIZE_THREAD__)
#define WW_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WW_TSAN 1
#endif
#endif

#endif

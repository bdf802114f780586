/* SPDX-License-Identifier: MIT */
/*
 * The asymmetric barrier: one thread pays, the others order their accesses with nothing but
 * ww_fence_compiler(). After ww_membarrier() returns, every other thread of the process has passed
 * a full barrier at some point between the call and the return.
 */
#ifndef WW_BASE_MEMBARRIER_H
#define WW_BASE_MEMBARRIER_H

#include <stdbool.h>

#include "base/atomic.h"

/* Whether the kernel gives it (registered on first use; false once means false for good). */
bool ww_membarrier_available(void);

/* The heavy side. Only where it is available. */
void ww_membarrier(void);

/* Tests and the fault injector: pretend that the kernel lacks it. Before first use. */
void ww_membarrier_forbid(void);

/* Written once, false to true. */
extern bool ww_membarrier_is_ready __attribute__((visibility("hidden")));

/* It is available, and known to be: true never becomes false, and nothing is registered here. */
static inline bool ww_membarrier_ready(void)
{
	return ww_load_relaxed(&ww_membarrier_is_ready);
}

/*
 * The light side stands between a thread's store and its load of *mark; the heavy side,
 * ww_membarrier_seen(), between ww_membarrier() and what the sweeper reads then. Both are free,
 * but ThreadSanitizer does not know what the kernel's barrier does: it either comes before a light
 * side (which then sees the raised mark) or after it (and then what the light side's thread did
 * before is seen). Exactly this is what a read-modify-write of the mark on both sides says, so
 * under that tool, and only there, they are one.
 */
#ifdef WW_TSAN
#define ww_membarrier_light(mark) __atomic_fetch_add((mark), 0, __ATOMIC_ACQ_REL)
#define ww_membarrier_seen(mark)  __atomic_fetch_add((mark), 0, __ATOMIC_ACQ_REL)
#else
#define ww_membarrier_light(mark) ww_fence_compiler()
#define ww_membarrier_seen(mark)  ww_fence_compiler()
#endif

#endif

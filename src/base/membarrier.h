/* SPDX-License-Identifier: MIT */
/*
 * The asymmetric barrier: one thread pays, the others order their accesses with nothing but
 * ww_fence_compiler(). After ww_membarrier() returns, every other thread of the process has passed
 * a full barrier at some point between the call and the return.
 */
#ifndef WW_BASE_MEMBARRIER_H
#define WW_BASE_MEMBARRIER_H

#include <stdbool.h>

/* Whether the kernel gives it (registered on first use; false once means false for good). */
bool ww_membarrier_available(void);

/* The heavy side. Only where it is available. */
void ww_membarrier(void);

/* Tests and the fault injector: pretend that the kernel lacks it. Before first use. */
void ww_membarrier_forbid(void);

#endif

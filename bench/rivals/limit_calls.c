// SPDX-License-Identifier: MIT
/* The bare operations, in a shared library of their own: called the way a library's calls are. */
#include "limit_calls.h"

void limit_store(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

uint32_t limit_load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

uint32_t limit_exchange(uint32_t *p, uint32_t v)
{
	return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}

uint32_t limit_fetch_or(uint32_t *p, uint32_t v)
{
	return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);
}

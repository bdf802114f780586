/* SPDX-License-Identifier: MIT */
#ifndef WW_BENCH_LIMIT_CALLS_H
#define WW_BENCH_LIMIT_CALLS_H

#include <stdint.h>

void limit_store(uint64_t *p, uint64_t v);
uint32_t limit_load(const uint32_t *p);
uint32_t limit_exchange(uint32_t *p, uint32_t v);
uint32_t limit_fetch_or(uint32_t *p, uint32_t v);

#endif

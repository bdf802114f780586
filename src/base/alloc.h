/* SPDX-License-Identifier: MIT */
/* All memory of the library comes from here, so that a test can fail the n-th allocation. */
#ifndef WW_BASE_ALLOC_H
#define WW_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, or NULL with errno ENOMEM. */
void *ww_alloc(size_t size);
/* Zeroed memory that begins on a cache line. */
void *ww_alloc_lines(size_t size);
void ww_free(void *p);

/* Tests: the n-th allocation from now (1 is the next) fails, once; 0 for never. */
void ww_alloc_fail_nth(long n);
/* And whether it has come to one that failed. */
bool ww_alloc_has_failed(void);

#endif

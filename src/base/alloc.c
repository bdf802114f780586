/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"

static long fail_in;
static bool failed;

static bool fails_now(void)
{
	if (ww_likely(ww_load_relaxed(&fail_in) == 0))
		return false;
	if (ww_fetch_sub(&fail_in, 1) != 1)
		return false;
	ww_store_relaxed(&failed, true);
	errno = ENOMEM;
	return true;
}

void *ww_alloc(size_t size)
{
	return fails_now() ? NULL : calloc(1, size);
}

void *ww_alloc_lines(size_t size)
{
	size = (size + WW_CACHE_LINE - 1) & ~(size_t)(WW_CACHE_LINE - 1);
	void *p = fails_now() ? NULL : aligned_alloc(WW_CACHE_LINE, size);

	return p ? memset(p, 0, size) : NULL;
}

void ww_free(void *p)
{
	free(p);
}

void ww_alloc_fail_nth(long n)
{
	ww_store_relaxed(&fail_in, n);
}

bool ww_alloc_has_failed(void)
{
	return ww_load_relaxed(&failed);
}

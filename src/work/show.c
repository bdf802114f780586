/* SPDX-License-Identifier: MIT */
/* What is seen from outside: the state of pools and queues in words. */
#include "work/internal.h"

#include "base/report.h"

void ww_report_stall(struct ww_pool *pool, uint64_t stuck_ns)
{
	ww_warn("work queue lockup: pool %u (%s) has taken nothing for %lu s and items wait",
		pool->id, pool->unbound ? "unbound" : "per-CPU",
		(unsigned long)(stuck_ns / 1000000000));
}

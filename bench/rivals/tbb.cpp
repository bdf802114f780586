// SPDX-License-Identifier: MIT
/* oneTBB: task_arena::enqueue(), its call for work that nobody waits for, which starts in order. */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>

#include "../bench.h"

static tbb::task_arena *arena;

static void rival_open(int workers, long, size_t)
{
	/* the caller's own slot is counted too */
	new tbb::global_control(tbb::global_control::max_allowed_parallelism,
				static_cast<size_t>(workers) + 1);
	arena = new tbb::task_arena(workers, 0);
	arena->initialize();
}

static inline void rival_queue(long i)
{
	arena->enqueue([i] { pool_item_runs(i); });
}

static inline void rival_poll()
{
}

#include "../pool_rows.h"

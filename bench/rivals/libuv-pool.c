// SPDX-License-Identifier: MIT
/* libuv's thread pool: uv_queue_work() from the loop's thread, which must also run the completions. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "../bench.h"

static uv_loop_t loop;
static char *items;
static size_t size;

static void run_item(uv_work_t *w)
{
	pool_item_runs((long)(intptr_t)w->data);
}

static bool *busy; /* until its completion ran, the loop's thread may not queue it again */

static void completed(uv_work_t *w, int status)
{
	(void)status;
	busy[(intptr_t)w->data] = false;
}

static uv_work_t *item(long i)
{
	return (uv_work_t *)(void *)(items + (size_t)i * size);
}

static void rival_open(int workers, long n, size_t stride)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", workers);
	setenv("UV_THREADPOOL_SIZE", text, 1);
	uv_loop_init(&loop);
	size = stride > sizeof(uv_work_t) ? stride : sizeof(uv_work_t);
	items = bench_alloc((size_t)n, size);
	busy = bench_alloc((size_t)n, sizeof(*busy));
	for (long i = 0; i < n; i++)
		item(i)->data = (void *)(intptr_t)i;
}

static inline void rival_poll(void)
{
	uv_run(&loop, UV_RUN_NOWAIT);
}

static inline void rival_queue(long i)
{
	while (busy[i])
		rival_poll();
	busy[i] = true;
	uv_queue_work(&loop, item(i), run_item, completed);
}

#include "../pool_rows.h"

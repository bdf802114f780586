// SPDX-License-Identifier: MIT
/* GLib's GThreadPool, exclusive, with as many threads as asked for. */
#include <glib.h>
#include <stdlib.h>

#include "../bench.h"

static GThreadPool *pool;

static void run_item(gpointer data, gpointer user)
{
	(void)user;
	pool_item_runs((long)(intptr_t)data - 1);
}

static void rival_open(int workers, long n, size_t stride)
{
	(void)n;
	(void)stride; /* it allocates a node for each push */
	pool = g_thread_pool_new(run_item, NULL, workers, TRUE, NULL);
}

static inline void rival_queue(long i)
{
	g_thread_pool_push(pool, (gpointer)(intptr_t)(i + 1), NULL);
}

static inline void rival_poll(void)
{
}

#include "../pool_rows.h"

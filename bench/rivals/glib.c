// SPDX-License-Identifier: MIT
/*
 * GLib: one source per timer, pushed out by g_source_set_ready_time(), which takes an absolute time
 * and may be called from any thread.
 */
#include <glib.h>

#include "../bench.h"

static GMainContext *context;
static GSource **sources;
static gint64 epoch;

static gboolean over;

struct timer {
	GSource source;
	long i;
};

static gboolean expired(GSource *source, GSourceFunc callback, gpointer data)
{
	(void)callback;
	(void)data;
	g_source_set_ready_time(source, -1);
	if (timer_fired(((struct timer *)(void *)source)->i))
		over = TRUE;
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs funcs = {.dispatch = expired};

static void rival_open(long n)
{
	context = g_main_context_new();
	sources = bench_alloc((size_t)n, sizeof(GSource *));
	for (long i = 0; i < n; i++) {
		sources[i] = g_source_new(&funcs, sizeof(struct timer));
		((struct timer *)(void *)sources[i])->i = i;
		g_source_attach(sources[i], context);
	}
	epoch = g_get_monotonic_time();
}

static inline void rival_arm(long i, long ms)
{
	g_source_set_ready_time(sources[i], epoch + ms * 1000);
}

static inline void rival_arm_now(long i, long ms)
{
	g_source_set_ready_time(sources[i], g_get_monotonic_time() + ms * 1000);
}

static inline void rival_cancel(long i)
{
	g_source_set_ready_time(sources[i], -1);
}

static void (*inside_fn)(void *);

static gboolean make_call(gpointer arg)
{
	inside_fn(arg);
	return G_SOURCE_REMOVE;
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	GSource *idle = g_idle_source_new();

	inside_fn = fn;
	g_source_set_priority(idle, G_PRIORITY_DEFAULT);
	g_source_set_callback(idle, make_call, arg, NULL);
	g_source_attach(idle, context);
	g_main_context_iteration(context, FALSE);
	g_source_unref(idle);
}

static void rival_run(void)
{
	over = FALSE;
	while (!over)
		g_main_context_iteration(context, TRUE);
}

#define RIVAL_THREADS
#define RIVAL_PROBES

static void rival_enter(void)
{
}

static void rival_cancel_sync(long i)
{
	rival_cancel(i);
}

/* It has no way to say so. */
static bool rival_refuses(long i, long ms)
{
	rival_arm_now(i, ms);
	return false;
}
#include "../timer_rows.h"

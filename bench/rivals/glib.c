// SPDX-License-Identifier: MIT
/*
 * GLib: one source per timer. A source that is attached can be told another time, from any thread, by
 * g_source_set_ready_time(), but that writes to the context's eventfd each time, a system call; so a
 * timer is pushed out as GLib's users do it: the old source is destroyed, a new one attached, which
 * wakes nobody where the context's own thread does it. Told the time that it has already, it stays.
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
	if (timer_fired(((struct timer *)(void *)source)->i))
		over = TRUE;
	return G_SOURCE_REMOVE;
}

static GSourceFuncs funcs = {.dispatch = expired};

static void rival_open(long n)
{
	context = g_main_context_new();
	sources = bench_alloc((size_t)n, sizeof(GSource *));
	epoch = g_get_monotonic_time();
}

static inline void rival_cancel(long i)
{
	if (!sources[i])
		return;
	g_source_destroy(sources[i]);
	g_source_unref(sources[i]);
	sources[i] = NULL;
}

static inline void arm_at(long i, gint64 us)
{
	if (sources[i] && !g_source_is_destroyed(sources[i]) &&
	    g_source_get_ready_time(sources[i]) == us)
		return;
	rival_cancel(i);
	sources[i] = g_source_new(&funcs, sizeof(struct timer));
	((struct timer *)(void *)sources[i])->i = i;
	g_source_set_ready_time(sources[i], us);
	g_source_attach(sources[i], context);
}

static inline void rival_arm(long i, long ms)
{
	arm_at(i, epoch + ms * 1000);
}

static inline void rival_arm_now(long i, long ms)
{
	arm_at(i, g_get_monotonic_time() + ms * 1000);
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

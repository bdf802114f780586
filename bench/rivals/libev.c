// SPDX-License-Identifier: MIT
/*
 * libev: ev_timer_again(), which its manual names for time-outs that are pushed out; it goes by the
 * loop's ev_now().
 */
#pragma GCC diagnostic ignored "-Wstrict-aliasing"
#include <ev.h>

#include "../bench.h"

static struct ev_loop *loop;
static ev_timer *timers;

static void expired(struct ev_loop *l, ev_timer *w, int revents)
{
	(void)revents;
	ev_timer_stop(l, w);
	if (timer_fired(w - timers))
		ev_break(l, EVBREAK_ALL);
}

static void rival_open(long n)
{
	loop = ev_loop_new(EVFLAG_AUTO);
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		ev_init(&timers[i], expired);
}

static inline void rival_arm(long i, long ms)
{
	timers[i].repeat = (double)ms * 1e-3;
	ev_timer_again(loop, &timers[i]);
}

static inline void rival_arm_now(long i, long ms)
{
	ev_now_update(loop);
	rival_arm(i, ms);
}

static inline void rival_cancel(long i)
{
	ev_timer_stop(loop, &timers[i]);
}

static void (*inside_fn)(void *);

static void make_call(struct ev_loop *l, ev_prepare *w, int revents)
{
	(void)revents;
	ev_prepare_stop(l, w);
	inside_fn(w->data);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	ev_prepare w;

	inside_fn = fn;
	ev_prepare_init(&w, make_call);
	w.data = arg;
	ev_prepare_start(loop, &w);
	ev_run(loop, EVRUN_NOWAIT);
}

static void rival_run(void)
{
	ev_run(loop, 0);
}

#include "../timer_rows.h"

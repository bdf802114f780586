// SPDX-License-Identifier: MIT
/* libuv: uv_timer_start() arms and pushes out, going by the loop's cached time. */
#include <uv.h>

#include "../bench.h"

static uv_loop_t loop;
static uv_timer_t *timers;

static void expired(uv_timer_t *t)
{
	if (timer_fired(t - timers))
		uv_stop(&loop);
}

static void rival_open(long n)
{
	uv_loop_init(&loop);
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		uv_timer_init(&loop, &timers[i]);
}

static inline void rival_arm(long i, long ms)
{
	uv_timer_start(&timers[i], expired, (uint64_t)ms, 0);
}

static inline void rival_arm_now(long i, long ms)
{
	uv_update_time(&loop);
	rival_arm(i, ms);
}

static inline void rival_cancel(long i)
{
	uv_timer_stop(&timers[i]);
}

static void (*inside_fn)(void *);

static void make_call(uv_idle_t *idle)
{
	uv_idle_stop(idle);
	inside_fn(idle->data);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	uv_idle_t idle;

	inside_fn = fn;
	uv_idle_init(&loop, &idle);
	idle.data = arg;
	uv_idle_start(&idle, make_call);
	uv_run(&loop, UV_RUN_NOWAIT);
	uv_close((uv_handle_t *)&idle, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
}

static void rival_run(void)
{
	uv_run(&loop, UV_RUN_DEFAULT);
}

#include "../timer_rows.h"

// SPDX-License-Identifier: MIT
/*
 * libevent: one event per timer, event_add() to arm and to push out, event_del() to cancel; inside
 * a callback it goes by the loop's cached time. Built twice: with LOCKED, after
 * evthread_use_pthreads(), events may be added from any thread.
 */
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>

#include "../bench.h"

static struct event_base *base;
static struct event *events;

static void expired(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	if (timer_fired((long)(intptr_t)arg))
		event_base_loopbreak(base);
}

static void rival_open(long n)
{
#ifdef LOCKED
	evthread_use_pthreads();
#endif
	base = event_base_new();
	events = bench_alloc((size_t)n, sizeof(*events));
	for (long i = 0; i < n; i++)
		event_assign(&events[i], base, -1, 0, expired, (void *)(intptr_t)i);
}

static inline void rival_arm(long i, long ms)
{
	struct timeval tv = {ms / 1000, ms % 1000 * 1000};

	event_add(&events[i], &tv);
}

static inline void rival_arm_now(long i, long ms)
{
	event_base_update_cache_time(base);
	rival_arm(i, ms);
}

static inline void rival_cancel(long i)
{
	event_del(&events[i]);
}

struct call {
	void (*fn)(void *);
	void *arg;
};

static void make_call(evutil_socket_t fd, short what, void *arg)
{
	struct call *call = arg;

	(void)fd;
	(void)what;
	call->fn(call->arg);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	struct call call = {fn, arg};
	struct timeval zero = {0, 0};

	event_base_once(base, -1, EV_TIMEOUT, make_call, &call, &zero);
	event_base_loop(base, EVLOOP_ONCE);
}

static void rival_run(void)
{
	event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY);
}

#ifdef LOCKED
#define RIVAL_THREADS
#define RIVAL_UPDATES
#define RIVAL_PROBES

static void rival_enter(void)
{
}

static void rival_cancel_sync(long i)
{
	event_del_block(&events[i]);
}

static bool rival_refuses(long i, long ms)
{
	struct timeval tv = {ms / 1000, ms % 1000 * 1000};

	return event_add(&events[i], &tv) != 0;
}
#endif
#define RIVAL_SERVER
#define SERVER_LOOP
static void server_watch(long i);
static void server_turn(void);

/* A base for each thread, as its users do; a callback goes by its base's cached time. */
static __thread struct event_base *own;

static void server_open(long n)
{
#ifdef LOCKED
	evthread_use_pthreads();
#endif
	events = bench_alloc((size_t)n, sizeof(*events));
}

static void server_shard(long first, long n)
{
	own = event_base_new();
	for (long i = first; i < first + n; i++)
		event_assign(&events[i], own, -1, 0, expired, (void *)(intptr_t)i);
}

static void server_turn_begins(void)
{
}

static inline void server_arm(long i, long ms)
{
	rival_arm(i, ms);
}

static void server_delete(long i)
{
	event_del_block(&events[i]);
}

#include "../server_rows.h"

static void readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	serve((long)(intptr_t)arg);
}

static void server_watch(long i)
{
	event_add(event_new(own, connections[i].server, EV_READ | EV_PERSIST, readable,
			    (void *)(intptr_t)i),
		  NULL);
}

static void server_turn(void)
{
	event_base_loop(own, EVLOOP_NONBLOCK);
}

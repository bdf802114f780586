// SPDX-License-Identifier: MIT
/* Our timers, as a program links them: the shared library, the default tick of 1 ms. */
#include <wheelwork/timer.h>

#include <pthread.h>
#include <string.h>

#include "../bench.h"

static struct ww_timer *timers;
static uint64_t epoch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_fired = PTHREAD_COND_INITIALIZER;
static bool over;

static void expired(struct ww_timer *t)
{
	if (!timer_fired(t - timers))
		return;
	pthread_mutex_lock(&lock);
	over = true;
	pthread_cond_signal(&all_fired);
	pthread_mutex_unlock(&lock);
}

static void rival_open(long n)
{
	timers = bench_alloc((size_t)n, sizeof(*timers));
	for (long i = 0; i < n; i++)
		ww_timer_setup(&timers[i], expired, 0);
	epoch = ww_jiffies();
}

static inline void rival_arm(long i, long ms)
{
	ww_mod_timer(&timers[i], epoch + (uint64_t)ms);
}

static inline void rival_arm_now(long i, long ms)
{
	ww_mod_timer(&timers[i], ww_jiffies() + (uint64_t)ms);
}

static inline void rival_cancel(long i)
{
	ww_timer_delete(&timers[i]);
}

/* Any thread may arm: there is no loop to be inside of. */
static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

static void rival_run(void)
{
	pthread_mutex_lock(&lock);
	while (!over)
		pthread_cond_wait(&all_fired, &lock);
	over = false;
	pthread_mutex_unlock(&lock);
}

#define RIVAL_THREADS
#define RIVAL_PROBES

static void rival_enter(void)
{
}

static void rival_cancel_sync(long i)
{
	ww_timer_delete_sync(&timers[i]);
}

/* 0 and 1 say whether it was pending; only a timer that was shut down is not armed again. */
static bool rival_refuses(long i, long ms)
{
	ww_mod_timer(&timers[i], ww_jiffies() + (uint64_t)ms);
	return !ww_timer_pending(&timers[i]);
}

#define RIVAL_SERVER

/*
 * "echo": a base for each thread, which its loop drives, as the header advises a server with loops of
 * its own. "echo-library-threads": no base named, the library's threads run what is due.
 */
static __thread struct ww_base *own;
static __thread uint64_t turn_began;
static void server_watch_timer(int fd, long i);

static void server_open(long n)
{
	rival_open(n);
}

static void server_shard(long first, long n)
{
	if (strcmp(bench_current->variant, "echo") != 0)
		return;
	own = ww_base_create_driven("shard");
	if (!own)
		bench_cannot("no base");
	/* From its first run on this thread is known as the one that re-arms cheaply. */
	ww_base_run(own);
	for (long i = first; i < first + n; i++)
		ww_timer_set_base(&timers[i], own);
	server_watch_timer(ww_base_fd(own), first);
}

static void server_turn_begins(void)
{
	turn_began = ww_jiffies();
}

static inline void server_arm(long i, long ms)
{
	ww_mod_timer(&timers[i], turn_began + (uint64_t)ms);
}

static void server_delete(long i)
{
	ww_timer_delete_sync(&timers[i]);
}

static void server_ready(long i)
{
	(void)i;
	ww_base_run(own);
}

#include "../server_rows.h"
BENCH("server", "echo-library-threads", open_server, run_server)

/*
 * The virtual clock: nothing but expiry itself, in the calling thread, so the callback counts with no
 * locked instruction.
 */
static void counted(struct ww_timer *t)
{
	bench_keep(t);
	fired++;
}

static void open_virtual(struct bench *b)
{
	if (ww_clock_use_virtual() != 0)
		bench_cannot("the clock can't be made virtual");
	rival_open(b->n);
	for (long i = 0; i < b->n; i++)
		ww_timer_setup(&timers[i], counted, 0);
}

static void run_virtual(struct bench *b)
{
	uint64_t begin;

	bench_pin(0);
	fired = 0;
	epoch = ww_jiffies();
	for (long k = 0, i = 0; k < b->n; k++, i = (i + 7919) % b->n)
		rival_arm(i, 100 + (long)((double)k * 1000.0 / (double)b->n));
	ww_clock_advance(99);
	begin = bench_now();
	ww_clock_advance(1003);
	bench_figure(b, NULL, "ns", (double)(bench_now() - begin) / (double)b->n);
	if (fired != b->n)
		bench_cannot("%ld of %ld timers fired", fired, b->n);
}
BENCH("expire", "virtual", open_virtual, run_virtual)

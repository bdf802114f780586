/* SPDX-License-Identifier: MIT */
/*
 * A whole workload: an echo server with one idle deadline per connection, pushed out on every
 * message. Along the way 11,000 connections go away, 10 of 11 after their deadline has passed, as in
 * the run that the origin's second patch was measured by: the timer is deleted for certain, then the
 * connection begins anew.
 *
 * The kernel limits the descriptors of a file table, not of a process: the server's threads each have
 * a table of their own (CLONE_FILES undone), a loop of their own and a share of the connections, and
 * play their clients themselves, equal for all who are measured. A connection takes two descriptors,
 * and a third where its timer is one.
 *
 * A run goes in turns, with timers and without; all threads begin and end a turn together. What the
 * timers cost is told in two ways: the difference in CPU time, which holds all of it and much noise; and
 * the share of its time that a thread spends in calls of the timers, by the time-stamp counter, which
 * leaves out what other threads and the kernel do for them.
 *
 * Included after timer_rows.h, around
 *
 *	static void server_open(long n);	make ready for n timers
 *	static void server_shard(long first, long n);	in the thread that will serve these
 *	static void server_arm(long i, long ms);	from the time that the turn began
 *	static void server_delete(long i);	the strongest cancel
 *	static void server_turn_begins(void);	the time that server_arm() goes by is now
 *	static void server_ready(long i);	timer i's descriptor is ready, see server_watch_timer()
 *	SERVER_LOOP				defined if server_watch() and server_turn() are its own
 */
#ifndef WW_BENCH_SERVER_ROWS_H
#define WW_BENCH_SERVER_ROWS_H

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "timer_rows.h"

enum { IDLE_MS = 300000, LAST_MS = 1, BATCH = 64, DELETES = 11000, AHEAD = 64, TURNS = 8 };

struct connection {
	int server, client;
	bool going; /* its last deadline is set: no more pushing out */
};

struct shard {
	struct bench *b;
	long first, n, deletes;
	long deleted, after_expiry, going[AHEAD];
	uint64_t busy, in_calls; /* cycles of turns with timers, and of their calls */
	uint64_t seed;
	pthread_t thread;
};

static struct connection *connections;
static uint8_t *expired_flag; /* by timer; set where the timer's callback runs */
static bool with_timers;      /* written while all threads wait */
static struct shard *shards;
static long shard_count;
static pthread_barrier_t turn_begins, turn_ends;
static __thread long echoed;
static __thread uint64_t in_calls; /* cycles */

static inline uint64_t cycles_now(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return bench_now();
#endif
}

#define TIMED(call)                                                                                \
	do {                                                                                       \
		uint64_t began = cycles_now();                                                     \
		call;                                                                              \
		in_calls += cycles_now() - began;                                                  \
	} while (0)

static void server_expired(long i)
{
	__atomic_store_n(&expired_flag[i], 1, __ATOMIC_RELEASE);
}

static void serve(long i)
{
	struct connection *c = &connections[i];
	char message[64];
	ssize_t n = read(c->server, message, sizeof(message));

	if (n <= 0)
		return;
	if (with_timers && !c->going)
		TIMED(server_arm(i, IDLE_MS));
	if (write(c->server, message, (size_t)n) == n)
		echoed++;
}

#ifndef SERVER_LOOP
static const uint64_t A_TIMER = 1ull << 63;
static __thread int server_epoll;

static void watch(int fd, uint64_t what)
{
	struct epoll_event ev = {.events = EPOLLIN, .data = {.u64 = what}};

	if (!server_epoll)
		server_epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_ctl(server_epoll, EPOLL_CTL_ADD, fd, &ev) != 0)
		bench_cannot("epoll_ctl(): %s", strerror(errno));
}

static void server_watch(long i)
{
	watch(connections[i].server, (uint64_t)i);
}

/* For server_shard(): server_ready(i) is called when fd is readable. */
static __attribute__((unused)) void server_watch_timer(int fd, long i)
{
	watch(fd, (uint64_t)i | A_TIMER);
}

static void server_turn(void)
{
	struct epoll_event ev[BATCH];
	int n = epoll_wait(server_epoll, ev, BATCH, 0);

	if (with_timers)
		TIMED(server_turn_begins());
	for (int k = 0; k < n; k++) {
		if (ev[k].data.u64 & A_TIMER)
			TIMED(server_ready((long)(ev[k].data.u64 & ~A_TIMER)));
		else
			serve((long)ev[k].data.u64);
	}
}
#endif

/* A batch of clients speaks and is answered; none that is going away. */
static void one_batch(struct shard *s)
{
	char message[64] = "a message of sixty-four bytes, as small requests often are......";
	long who[BATCH], before = echoed;

	for (int k = 0; k < BATCH; k++) {
		do
			who[k] = s->first + (long)(bench_random(&s->seed) % (uint64_t)s->n);
		while (connections[who[k]].going);
		if (write(connections[who[k]].client, message, sizeof(message)) != sizeof(message))
			bench_cannot("a client could not write");
	}
	/* Two messages on one connection are read as two, but one after the other. */
	for (int turns = 0; echoed < before + BATCH && turns < 64; turns++)
		server_turn();
	for (int k = 0; k < BATCH; k++)
		if (read(connections[who[k]].client, message, sizeof(message)) < 0)
			bench_cannot("a client was not answered");
}

/* Connection i begins to go away: after its deadline has passed, or at once. */
static void go(long i, bool expires)
{
	connections[i].going = true;
	if (!expires)
		return;
	__atomic_store_n(&expired_flag[i], 0, __ATOMIC_RELAXED);
	TIMED(server_turn_begins());
	TIMED(server_arm(i, LAST_MS));
}

static void gone(struct shard *s, long i)
{
	s->after_expiry += __atomic_exchange_n(&expired_flag[i], 0, __ATOMIC_ACQUIRE);
	TIMED(server_delete(i));
	TIMED(server_turn_begins());
	TIMED(server_arm(i, IDLE_MS));
	connections[i].going = false;
}

static void some_go(struct shard *s, long until)
{
	for (; s->deleted < until; s->deleted++) {
		long slot = s->deleted % AHEAD,
		     i = s->first + (long)(bench_random(&s->seed) % (uint64_t)s->n);

		if (s->deleted >= AHEAD)
			gone(s, s->going[slot]);
		while (connections[i].going)
			i = s->first + (i - s->first + 1) % s->n;
		go(i, s->deleted % 11 != 0);
		s->going[slot] = i;
	}
}

static long batches_of(const struct shard *s)
{
	return (s->b->quick ? 64000 : 512000) / shard_count / BATCH / TURNS + 1;
}

/* One turn of one thread: its part of the messages and, with timers, of the deletes. */
static void work_load(struct shard *s, int turn)
{
	long batches = batches_of(s), all = batches * TURNS;
	uint64_t began = cycles_now();

	in_calls = 0;

	for (long k = 0; k < batches; k++) {
		one_batch(s);
		if (with_timers)
			some_go(s, s->deletes * (turn * batches + k + 1) / all);
	}
	if (!with_timers)
		return;
	for (long slot = 0; turn == TURNS - 1 && slot < AHEAD && slot < s->deletes; slot++)
		gone(s, s->going[slot]);
	s->busy += cycles_now() - began;
	s->in_calls += in_calls;
}

static void open_connections(struct shard *s)
{
	int pair[2];

	if (unshare(CLONE_FILES) != 0)
		bench_cannot("no file table for a thread: %s", strerror(errno));
	bench_pin((int)(s - shards));
	server_shard(s->first, s->n);
	for (long i = s->first; i < s->first + s->n; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0)
			bench_cannot("socketpair() number %ld: %s", i, strerror(errno));
		connections[i].server = pair[0];
		connections[i].client = pair[1];
		server_watch(i);
	}
	server_turn_begins();
	for (long i = s->first; i < s->first + s->n; i++)
		server_arm(i, IDLE_MS);
}

static void *serve_shard(void *arg)
{
	struct shard *s = (struct shard *)arg;

	open_connections(s);
	pthread_barrier_wait(&turn_ends);
	for (;;) {
		for (int turn = 0; turn < 2 * TURNS; turn++) {
			pthread_barrier_wait(&turn_begins);
			if (turn == 0)
				s->deleted = s->after_expiry = (long)(s->busy = s->in_calls = 0);
			work_load(s, turn / 2);
			pthread_barrier_wait(&turn_ends);
		}
	}
	return NULL;
}

static void open_server(struct bench *b)
{
	struct rlimit r;
	long room;

	getrlimit(RLIMIT_NOFILE, &r);
	room = r.rlim_cur > 1000000 ? 1000000 : (long)r.rlim_cur;
	shard_count = (b->n * 3 + room - 201) / (room - 200);
	if (shard_count < 16) /* as many threads where the limit is generous: the same shape */
		shard_count = 16;
	serving = true;
	server_open(b->n);
	connections = (struct connection *)bench_alloc((size_t)b->n, sizeof(*connections));
	expired_flag = (uint8_t *)bench_alloc((size_t)b->n, 1);
	shards = (struct shard *)bench_alloc((size_t)shard_count, sizeof(*shards));
	pthread_barrier_init(&turn_begins, NULL, (unsigned)shard_count + 1);
	pthread_barrier_init(&turn_ends, NULL, (unsigned)shard_count + 1);
	for (long k = 0; k < shard_count; k++) {
		shards[k].b = b;
		shards[k].first = b->n * k / shard_count;
		shards[k].n = b->n * (k + 1) / shard_count - shards[k].first;
		shards[k].deletes =
			(long)DELETES * (k + 1) / shard_count - (long)DELETES * k / shard_count;
		shards[k].seed = (uint64_t)k + 1;
		if (pthread_create(&shards[k].thread, NULL, serve_shard, &shards[k]) != 0)
			bench_cannot("no thread number %ld", k);
	}
	pthread_barrier_wait(&turn_ends);
}

static void run_server(struct bench *b)
{
	double wall[2] = {0}, cpu[2] = {0}, busy = 0, calls = 0;
	long after_expiry = 0;

	for (int turn = 0; turn < 2 * TURNS; turn++) {
		/* In pairs, either one first in turn. */
		with_timers = (turn & 1) ^ (turn >> 1 & 1);
		uint64_t begin = bench_now(), used = bench_cpu_process();

		pthread_barrier_wait(&turn_begins);
		pthread_barrier_wait(&turn_ends);
		wall[with_timers] += (double)(bench_now() - begin) / 1e3;
		cpu[with_timers] += (double)(bench_cpu_process() - used) / 1e3;
	}
	for (long k = 0; k < shard_count; k++) {
		after_expiry += shards[k].after_expiry;
		busy += (double)shards[k].busy;
		calls += (double)shards[k].in_calls;
	}
	if (after_expiry < DELETES / 11 * 9)
		bench_cannot("only %ld of %d deletes came after expiry", after_expiry, DELETES);
	bench_figure(b, "wall", "us", wall[1]);
	bench_figure(b, "cpu", "us", cpu[1]);
	bench_figure(b, "bare-cpu", "us", cpu[0]);
	bench_figure(b, "timer-calls-cpu", "us", cpu[1] * calls / busy);
}
BENCH("server", "echo", open_server, run_server)

#endif

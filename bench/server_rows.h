/* SPDX-License-Identifier: MIT */
/*
 * A whole workload: an echo server with one idle deadline per connection, pushed out on every
 * message, in one thread together with its clients (equal for all). Along the way 11,000 connections
 * go away, 10 of 11 after their deadline has passed, as in the run that the origin's second patch was
 * measured by: the timer is deleted for certain, then the connection begins anew. Each run is made
 * with timers and without; the difference in CPU time is what the timers cost.
 *
 * Included after timer_rows.h, whose functions it uses, and:
 *
 *	static void server_delete(long i);	the strongest cancel
 *	static void server_turn_begins(void);	the time that rival_arm() goes by is now
 *	static void server_expire(void);	run what is due, where no thread or loop does
 *	SERVER_LOOP				defined if server_watch() and server_turn() are its own
 */
#ifndef WW_BENCH_SERVER_ROWS_H
#define WW_BENCH_SERVER_ROWS_H

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "timer_rows.h"

enum { IDLE_MS = 60000, LAST_MS = 1, BATCH = 64, DELETES = 11000, AHEAD = 64 };

struct connection {
	int server, client;
	bool going; /* its last deadline is set: no more pushing out */
};

static struct connection *connections;
static uint8_t *expired_flag; /* by timer; set where the timer's callback runs */
static bool with_timers;
static long echoed;

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
		rival_arm(i, IDLE_MS);
	if (write(c->server, message, (size_t)n) == n)
		echoed++;
}

#ifndef SERVER_LOOP
static int server_epoll;

static void server_watch(long i)
{
	struct epoll_event ev = {.events = EPOLLIN, .data = {.u64 = (uint64_t)i}};

	if (!server_epoll)
		server_epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(server_epoll, EPOLL_CTL_ADD, connections[i].server, &ev);
}

static void server_turn(void)
{
	struct epoll_event ev[BATCH];
	int n = epoll_wait(server_epoll, ev, BATCH, 0);

	if (with_timers)
		server_turn_begins();
	for (int k = 0; k < n; k++)
		serve((long)ev[k].data.u64);
	if (with_timers)
		server_expire();
}
#endif

static void open_server(struct bench *b)
{
	int pair[2];

	bench_pin(0);
	rival_open(b->n);
	connections = (struct connection *)bench_alloc((size_t)b->n, sizeof(*connections));
	expired_flag = (uint8_t *)bench_alloc((size_t)b->n, 1);
	for (long i = 0; i < b->n; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0)
			bench_cannot("socketpair() number %ld failed", i);
		connections[i].server = pair[0];
		connections[i].client = pair[1];
		server_watch(i);
	}
	serving = true;
}

/* A batch of clients speaks and is answered; none that is going away. */
static void one_batch(struct bench *b, uint64_t *seed)
{
	long who[BATCH], before = echoed;
	char message[64] = "a message of sixty-four bytes, as small requests often are......";

	for (int k = 0; k < BATCH; k++) {
		do
			who[k] = (long)(bench_random(seed) % (uint64_t)b->n);
		while (connections[who[k]].going);
		if (write(connections[who[k]].client, message, sizeof(message)) != sizeof(message))
			bench_cannot("a client could not write");
	}
	/* Two messages on one connection are read as one. */
	for (int turns = 0; echoed < before + BATCH && turns < 8; turns++)
		server_turn();
	for (int k = 0; k < BATCH; k++)
		if (read(connections[who[k]].client, message, sizeof(message)) < 0)
			continue;
}

static long after_expiry;

/* Connection i begins to go away: after its deadline has passed, or at once. */
static void go(long i, bool expires)
{
	connections[i].going = true;
	if (with_timers && expires) {
		__atomic_store_n(&expired_flag[i], 0, __ATOMIC_RELAXED);
		server_turn_begins();
		rival_arm(i, LAST_MS);
	}
}

static void gone(long i)
{
	if (with_timers) {
		after_expiry += __atomic_load_n(&expired_flag[i], __ATOMIC_ACQUIRE);
		server_delete(i);
		server_turn_begins();
		rival_arm(i, IDLE_MS);
	}
	connections[i].going = false;
}

static void work_load(struct bench *b, double *wall, double *cpu)
{
	long batches = b->quick ? 1000 : 8000, deletes = 0, going[AHEAD];
	uint64_t seed = 1, begin, used;

	if (with_timers) {
		server_turn_begins();
		for (long i = 0; i < b->n; i++)
			rival_arm(i, IDLE_MS);
	}
	after_expiry = 0;
	begin = bench_now();
	used = bench_cpu_process();
	for (long k = 0; k < batches; k++) {
		one_batch(b, &seed);
		for (; deletes < DELETES * (k + 1) / batches; deletes++) {
			long slot = deletes % AHEAD, i = bench_random(&seed) % (uint64_t)b->n;

			if (deletes >= AHEAD)
				gone(going[slot]);
			while (connections[i].going)
				i = (i + 1) % b->n;
			go(i, deletes % 11 != 0);
			going[slot] = i;
		}
	}
	for (long slot = 0; slot < AHEAD; slot++)
		gone(going[slot]);
	*wall = (double)(bench_now() - begin);
	*cpu = (double)(bench_cpu_process() - used);
	if (with_timers && after_expiry < DELETES * 8 / 11)
		bench_cannot("only %ld of %d deletes came after expiry", after_expiry, DELETES);
	for (long i = 0; with_timers && i < b->n; i++)
		server_delete(i);
}

static void run_server(struct bench *b)
{
	double wall, cpu, bare_wall, bare_cpu;

	with_timers = false;
	work_load(b, &bare_wall, &bare_cpu);
	with_timers = true;
	work_load(b, &wall, &cpu);
	bench_figure(b, "wall", "us", wall / 1e3);
	bench_figure(b, "cpu", "us", cpu / 1e3);
	bench_figure(b, "timers-cpu", "us", cpu > bare_cpu ? (cpu - bare_cpu) / 1e3 : 1);
}
BENCH("server", "echo", open_server, run_server)

#endif

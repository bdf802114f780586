// SPDX-License-Identifier: MIT
/* timerfd: one descriptor per timer, armed with an absolute time. */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../bench.h"

static int *fds;
static int epoll;

static inline int settime(long i, int flags, const struct itimerspec *its)
{
	return timerfd_settime(fds[i], flags, its, NULL);
}

#define ABSTIME TFD_TIMER_ABSTIME
#include "kernel_timers.h"

static void make(long i)
{
	fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fds[i] < 0)
		bench_cannot("timerfd_create() number %ld: %s", i, strerror(errno));
}

static void rival_open(long n)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
	fds = bench_alloc((size_t)n, sizeof(*fds));
	for (long i = 0; i < n; i++) {
		make(i);
		struct epoll_event ev = {.events = EPOLLIN, .data.u64 = (uint64_t)i};
		epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &ev);
	}
	epoch = bench_now();
}

/* True when it was the last that is awaited. */
static bool expired(long i)
{
	uint64_t count;

	return read(fds[i], &count, sizeof(count)) == sizeof(count) && timer_fired(i);
}

static void rival_run(void)
{
	struct epoll_event ev[64];
	bool over = false;

	while (!over) {
		int n = epoll_wait(epoll, ev, 64, -1);
		for (int i = 0; i < n; i++)
			over |= expired((long)ev[i].data.u64);
	}
}

#define RIVAL_SERVER

static __thread uint64_t turn_began;
static void server_watch_timer(int fd, long i);

static void server_open(long n)
{
	fds = bench_alloc((size_t)n, sizeof(*fds));
}

/* In the thread's own file table, and its own epoll set. */
static void server_shard(long first, long n)
{
	for (long i = first; i < first + n; i++) {
		make(i);
		server_watch_timer(fds[i], i);
	}
}

static void server_turn_begins(void)
{
	turn_began = bench_now();
}

static inline void server_arm(long i, long ms)
{
	arm_at(i, turn_began + (uint64_t)ms * 1000000u);
}

static void server_delete(long i)
{
	rival_cancel(i);
}

static void server_ready(long i)
{
	expired(i);
}

#include "../server_rows.h"

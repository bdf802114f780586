// SPDX-License-Identifier: MIT
/* timerfd: one descriptor per timer, armed with an absolute time. */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../bench.h"

static int *fds;
static uint64_t epoch;
static int epoll;

static void rival_open(long n)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
	fds = bench_alloc((size_t)n, sizeof(*fds));
	for (long i = 0; i < n; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
		if (fds[i] < 0)
			bench_cannot("timerfd_create() number %ld: %s", i, strerror(errno));
		struct epoll_event ev = {.events = EPOLLIN, .data.u64 = (uint64_t)i};
		epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &ev);
	}
	epoch = bench_now();
}

static inline void arm_at(long i, uint64_t ns)
{
	struct itimerspec its = {
		.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};

	timerfd_settime(fds[i], TFD_TIMER_ABSTIME, &its, NULL);
}

static inline void rival_arm(long i, long ms)
{
	arm_at(i, epoch + (uint64_t)ms * 1000000u);
}

static inline void rival_arm_now(long i, long ms)
{
	struct itimerspec its = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

	timerfd_settime(fds[i], 0, &its, NULL);
}

static inline void rival_cancel(long i)
{
	struct itimerspec its = {0};

	timerfd_settime(fds[i], 0, &its, NULL);
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

static void rival_run(void)
{
	struct epoll_event ev[64];
	uint64_t count;
	bool over = false;

	while (!over) {
		int n = epoll_wait(epoll, ev, 64, -1);
		for (int i = 0; i < n; i++)
			if (read(fds[ev[i].data.u64], &count, sizeof(count)) == sizeof(count))
				over |= timer_fired((long)ev[i].data.u64);
	}
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

static bool rival_refuses(long i, long ms)
{
	struct itimerspec its = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

	return timerfd_settime(fds[i], 0, &its, NULL) != 0;
}
#define RIVAL_SERVER

static void server_delete(long i)
{
	rival_cancel(i);
}

static void server_turn_begins(void)
{
	epoch = bench_now();
}

static void server_expire(void)
{
	struct epoll_event ev[64];
	uint64_t count;
	int n = epoll_wait(epoll, ev, 64, 0);

	for (int i = 0; i < n; i++)
		if (read(fds[ev[i].data.u64], &count, sizeof(count)) == sizeof(count))
			timer_fired((long)ev[i].data.u64);
}

#include "../server_rows.h"

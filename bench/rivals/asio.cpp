// SPDX-License-Identifier: MIT
/*
 * Boost.Asio: one steady_timer per timer, pushed out by expires_at() and a new async_wait(). The
 * wait before is cancelled by that and its handler must still run, so the loop is polled along the
 * way, once in 1024, as a server's loop would.
 */
#include <boost/asio.hpp>

#include "../bench.h"

using clock_type = std::chrono::steady_clock;

static boost::asio::io_context io;
static boost::asio::steady_timer **timers;
static clock_type::time_point epoch;

static void rival_open(long n)
{
	timers = static_cast<boost::asio::steady_timer **>(
		bench_alloc(static_cast<size_t>(n), sizeof(*timers)));
	for (long i = 0; i < n; i++)
		timers[i] = new boost::asio::steady_timer(io);
	epoch = clock_type::now();
}

static inline void sometimes_poll()
{
	static thread_local unsigned count;

	if ((++count & 1023) == 0)
		io.poll();
}

static inline void arm_at(long i, clock_type::time_point when)
{
	timers[i]->expires_at(when);
	timers[i]->async_wait([i](const boost::system::error_code &error) {
		if (!error && timer_fired(i))
			io.stop();
	});
	sometimes_poll();
}

static inline void rival_arm(long i, long ms)
{
	arm_at(i, epoch + std::chrono::milliseconds(ms));
}

static inline void rival_arm_now(long i, long ms)
{
	arm_at(i, clock_type::now() + std::chrono::milliseconds(ms));
}

static inline void rival_cancel(long i)
{
	timers[i]->cancel();
}

static void rival_inside(void (*fn)(void *), void *arg)
{
	fn(arg);
}

static void rival_run()
{
	io.restart();
	io.run();
}

#define RIVAL_THREADS
#include "../timer_rows.h"

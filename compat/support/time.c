/* SPDX-License-Identifier: MIT */
/* Sleeps and delays on the library's clock. */
#include "support.h"

#include <sched.h>

#include <wheelwork/thread.h>
#include <linux/delay.h>
#include <linux/timekeeping.h>

static unsigned hz_used; /* (A) 0: nobody has said */

/* Runs before main(), in each object that includes <linux/jiffies.h>. */
WW_LINUX_EXPORT void ww_linux_use_hz(unsigned hz, const char *who)
{
	if (ww_load_relaxed(&hz_used) == hz)
		return;
	if (ww_load_relaxed(&hz_used)) {
		fprintf(stderr,
			"%s is compiled for HZ=%u, another part of this program for HZ=%u\n", who,
			hz, ww_load_relaxed(&hz_used));
		abort();
	}
	ww_store_relaxed(&hz_used, hz);
	/* the kernel's start, five minutes before 32 bits wrap */
	if (ww_clock_configure(hz, (uint64_t)(uint32_t)(-300 * (int)hz)) && ww_hz() != hz) {
		fprintf(stderr, "%s is compiled for HZ=%u, but the library's clock runs at %u\n",
			who, hz, ww_hz());
		abort();
	}
}

/* At least ms whole milliseconds: the tick that has begun does not count. */
static int64_t ticks_for(unsigned ms)
{
	return (int64_t)ww_msecs_to_jiffies(ms) + 1;
}

WW_LINUX_EXPORT void ww_linux_msleep(unsigned ms)
{
	int64_t left = ticks_for(ms);

	while (left)
		left = ww_schedule_timeout_uninterruptible(left);
}

WW_LINUX_EXPORT unsigned long ww_linux_msleep_interruptible(unsigned ms)
{
	int64_t left = ticks_for(ms);

	while (left && !ww_thread_should_stop())
		left = ww_schedule_timeout_interruptible(left);
	return (unsigned long)ww_jiffies_to_msecs((uint64_t)left);
}

WW_LINUX_EXPORT void ww_linux_usleep_range(unsigned long min, unsigned long max)
{
	uint64_t end = ww_ktime_get_ns() + min * 1000ull;

	(void)max; /* how late it may be: we are as early as we can */
	while (ww_ktime_get_ns() < end) {
		ww_set_current_state(WW_TASK_UNINTERRUPTIBLE);
		ww_schedule_hrtimeout(end);
	}
}

WW_LINUX_EXPORT void ww_linux_ndelay(unsigned long ns)
{
	uint64_t end = ww_ktime_get_ns() + ns;

	if (ww_linux_settings.virtual_time) {
		if (ns >= 1000)
			ww_linux_usleep_range((ns + 999) / 1000, 0);
		return;
	}
	while (ww_ktime_get_ns() < end)
		ww_cpu_relax();
}

/* The wall clock; under virtual time one that starts on 2000-01-01, so that every run is the same. */
WW_LINUX_EXPORT u64 ww_linux_real_ns(void)
{
	struct timespec ts;

	if (ww_linux_settings.virtual_time)
		return 946684800000000000u + ww_ktime_get_ns();
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

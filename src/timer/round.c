/* SPDX-License-Identifier: MIT */
/* Deadlines rounded to whole seconds, so that timers which need no precision share a wake-up. */
#include "base/cpu.h"
#include "base/atomic.h"
#include "timer/clock.h"
#include "wheelwork/timer.h"

static uint64_t round_tick(uint64_t j, int cpu, bool up)
{
	uint64_t hz = ww_hz(), skew = 3 * (uint64_t)cpu, rounded = j + skew, rest = rounded % hz;

	rounded -= rest;
	/* Not up where it is hardly past the second. */
	if (up || rest >= hz / 4)
		rounded += hz;
	rounded -= skew;
	return ww_time_after(rounded, ww_jiffies()) ? rounded : j;
}

WW_EXPORT uint64_t ww_round_jiffies_on(uint64_t j, int cpu)
{
	return round_tick(j, cpu, false);
}

WW_EXPORT uint64_t ww_round_jiffies_up_on(uint64_t j, int cpu)
{
	return round_tick(j, cpu, true);
}

WW_EXPORT uint64_t ww_round_jiffies(uint64_t j)
{
	return round_tick(j, ww_cpu_current(), false);
}

WW_EXPORT uint64_t ww_round_jiffies_up(uint64_t j)
{
	return round_tick(j, ww_cpu_current(), true);
}

WW_EXPORT uint64_t ww_round_jiffies_relative(uint64_t delta)
{
	uint64_t now = ww_jiffies();

	return round_tick(now + delta, ww_cpu_current(), false) - now;
}

WW_EXPORT uint64_t ww_round_jiffies_up_relative(uint64_t delta)
{
	uint64_t now = ww_jiffies();

	return round_tick(now + delta, ww_cpu_current(), true) - now;
}

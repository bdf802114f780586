// SPDX-License-Identifier: MIT
/*
 * Waiting for a departure. Far away: asleep, woken at once by whoever posts to the control word.
 * Near: spun, because a sleep ends late. How late is learnt from each sleep, so that the thread is
 * awake when the time comes, and spins no longer than this machine makes it.
 */
#include "base/clock.h"
#include "transmit/internal.h"

enum {
	SPIN_NS = 100000,      /* as the kernel's pktgen: never sleep for less */
	LEAD_NS = 60000,       /* wake this much before, until something is learnt */
	LEAD_LEAST_NS = 10000, /* beyond what was learnt */
	LEAD_MOST_NS = 300000, /* a longer delay was a stall, not the clock */
};

static void learn(struct pg_thread *t, uint64_t wanted_ns)
{
	uint64_t now = ww_clock_ns(), late = now > wanted_ns ? now - wanted_ns : 0;
	uint64_t lead = late + late / 4 + LEAD_LEAST_NS;

	if (now < wanted_ns) /* woken for something else */
		return;
	if (lead > LEAD_MOST_NS)
		lead = LEAD_MOST_NS;
	/* Up at once, down slowly. */
	t->lead_ns = lead > t->lead_ns ? lead : t->lead_ns - (t->lead_ns - lead) / 32;
}

bool pg_pace_wait(struct pg_thread *t, uint64_t target_ns)
{
	for (;;) {
		uint64_t now = ww_clock_ns();

		if (now >= target_ns)
			return true;
		if (ww_control_peek(&t->control) || ww_thread_should_stop())
			return false;
		if (target_ns - now > SPIN_NS && target_ns - now > 2 * t->lead_ns) {
			uint64_t wake_ns = target_ns - (t->lead_ns ? t->lead_ns : LEAD_NS);

			ww_control_wait_until(&t->control, ~0u, wake_ns);
			learn(t, wake_ns);
		} else {
			ww_cpu_relax();
		}
	}
}

// SPDX-License-Identifier: MIT
/*
 * Waiting for a departure. Far away: asleep, woken at once by whoever posts to the control word.
 * Near: spun, because a sleep ends some 50 us late.
 */
#include "base/clock.h"
#include "transmit/internal.h"

#define SPIN_NS 100000u /* as the kernel's pktgen */
#define LEAD_NS 60000u	/* wake this much before */

bool pg_pace_wait(struct pg_thread *t, uint64_t target_ns)
{
	for (;;) {
		uint64_t now = ww_clock_ns();

		if (now >= target_ns)
			return true;
		if (ww_control_peek(&t->control) || ww_thread_should_stop())
			return false;
		if (target_ns - now > SPIN_NS)
			ww_control_wait_until(&t->control, ~0u, target_ns - LEAD_NS);
		else
			ww_cpu_relax();
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * CLOCK_REALTIME for stamps, at the price of a cycle counter: read from the system every 50 us, and
 * counted on in between. Where the counter is not steady, or before its rate is known, every reading
 * is the system's. One thread's.
 */
#ifndef UPKTGEN_TRANSMIT_STAMP_H
#define UPKTGEN_TRANSMIT_STAMP_H

#include "base/clock.h"

struct pg_stamp {
	uint64_t real_ns, cycles;	 /* the last reading of the system's */
	uint64_t rate;			 /* ns to a cycle << 32; 0: not known */
	uint64_t most;			 /* cycles in 50 us */
	uint64_t first_ns, first_cycles; /* where the rate is measured from */
};

uint64_t pg_stamp_read(struct pg_stamp *s);

static inline uint64_t pg_stamp_now(struct pg_stamp *s)
{
	uint64_t passed = ww_clock_cycles() - s->cycles;

	if (__builtin_expect(passed < s->most, 1))
		return s->real_ns + (passed * s->rate >> 32);
	return pg_stamp_read(s);
}

#endif

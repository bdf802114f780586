/* SPDX-License-Identifier: MIT */
/*
 * CLOCK_REALTIME for stamps, at the price of a cycle counter: read from the system every 50 us, and
 * counted on in between. Where the counter is not steady, or before its rate is known, every reading
 * is the system's. One thread's.
 */
#ifndef UPKTGEN_PACKET_STAMP_H
#define UPKTGEN_PACKET_STAMP_H

#include "base/clock.h"

/* A stamp is kept as it stands in the frame: counting on is one multiplication, and no division. */
struct pg_stamp {
	uint64_t cycles;    /* at the last reading of the system's clock */
	uint64_t most;	    /* cycles that may be counted on from it; 0 where none may */
	uint64_t unit_rate; /* units to a cycle << 32 */
	uint64_t base;	    /* the last reading as a stamp, in whole units ... */
	uint64_t frac;	    /* ... and what is left, << 32 */
	uint64_t rate;	    /* ns to a cycle << 32; 0: not known yet */
	bool fine; /* a unit is 1 ns, and a stamp counts them; else 1 us, and seconds apart */
};

/*
 * ns to a cycle << 32, which is the same for the whole process; 0 until a millisecond after the
 * first call. Any thread.
 */
uint64_t pg_stamp_rate(void);

/* The eight bytes of a reading: nanoseconds, or seconds << 32 | microseconds. */
static inline uint64_t pg_stamp_of(bool fine, uint64_t real_ns)
{
	uint64_t s = real_ns / 1000000000;

	return fine ? real_ns : s << 32 | (real_ns - s * 1000000000) / 1000;
}

uint64_t pg_stamp_read(struct pg_stamp *s);

static inline uint64_t pg_stamp_now(struct pg_stamp *s)
{
	uint64_t passed = ww_clock_cycles() - s->cycles;

	if (__builtin_expect(passed < s->most, 1))
		return s->base + ((s->frac + passed * s->unit_rate) >> 32);
	return pg_stamp_read(s);
}

#endif

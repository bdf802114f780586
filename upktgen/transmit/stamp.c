// SPDX-License-Identifier: MIT
#include "transmit/stamp.h"

#define NEAR	 1000u	     /* cycles that a reading of the system's clock may take */
#define LEARN_NS 1000000u    /* the rate is good to some 1/10000 after this */
#define ANEW_NS	 1000000000u /* the system's clock may have been set: begin again */

/* Both clocks at one moment. False where something came in between, three times in a row. */
static bool read_both(uint64_t *real_ns, uint64_t *cycles)
{
	for (int i = 0; i < 3; i++) {
		uint64_t before = ww_clock_cycles();

		*real_ns = ww_clock_real_ns();
		*cycles = ww_clock_cycles();
		if (*cycles - before > NEAR)
			continue;
		*cycles = before + (*cycles - before) / 2;
		return true;
	}
	return false;
}

uint64_t pg_stamp_read(struct pg_stamp *s)
{
	uint64_t now, cycles;

	if (!ww_clock_cycles_steady())
		return ww_clock_real_ns();
	if (!read_both(&now, &cycles))
		return now;
	uint64_t ns = now - s->first_ns, passed = cycles - s->first_cycles;

	if (s->first_ns == 0 || ns > ANEW_NS) {
		s->first_ns = now;
		s->first_cycles = cycles;
	} else if (ns > LEARN_NS && passed) {
		s->rate = (uint64_t)(((unsigned __int128)ns << 32) / passed);
		s->most = ((uint64_t)50000 << 32) / (s->rate ? s->rate : 1);
	}
	s->real_ns = now;
	s->cycles = cycles;
	return now;
}

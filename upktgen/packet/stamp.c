// SPDX-License-Identifier: MIT
#include "packet/stamp.h"

#include "base/lock.h"

#define NEAR	 1000u	  /* cycles that a reading of the system's clock may take */
#define LEARN_NS 1000000u /* the rate is good to some 1/10000 after this */
#define COUNT_NS 50000u	  /* from one reading to the next */

/* Where the rate is measured from: CLOCK_MONOTONIC, which nobody sets. L: under lock. */
static struct ww_lock lock;
static uint64_t first_ns, first_cycles; /* L */

/* Both clocks at one moment. False where something came in between, three times in a row. */
static bool read_both(uint64_t (*clock_ns)(void), uint64_t *ns, uint64_t *cycles)
{
	for (int i = 0; i < 3; i++) {
		uint64_t before = ww_clock_cycles();

		*ns = clock_ns();
		*cycles = ww_clock_cycles();
		if (*cycles - before > NEAR)
			continue;
		*cycles = before + (*cycles - before) / 2;
		return true;
	}
	return false;
}

uint64_t pg_stamp_rate(void)
{
	uint64_t ns, cycles, rate = 0;

	if (!ww_clock_cycles_steady() || !read_both(ww_clock_os_ns, &ns, &cycles))
		return 0;
	ww_lock(&lock);
	if (first_cycles == 0) {
		first_ns = ns;
		first_cycles = cycles;
	} else if (ns > first_ns + LEARN_NS && cycles > first_cycles) {
		rate = (uint64_t)(((unsigned __int128)(ns - first_ns) << 32) /
				  (cycles - first_cycles));
	}
	ww_unlock(&lock);
	return rate;
}

/* From this reading on, but not past the end of its second, where microseconds begin anew. */
static void count_on(struct pg_stamp *s, uint64_t now)
{
	uint64_t sub = now % 1000000000, room = 1000000000 - sub;

	s->base = pg_stamp_of(s->fine, now);
	s->frac = s->fine ? 0 : (sub % 1000 << 32) / 1000;
	s->unit_rate = s->fine ? s->rate : s->rate / 1000;
	s->most = 0;
	if (room > COUNT_NS)
		room = COUNT_NS;
	if (s->rate && room > 1000)
		s->most = ((room - 1000) << 32) / s->rate;
}

uint64_t pg_stamp_read(struct pg_stamp *s)
{
	uint64_t now, cycles;

	if (!s->rate)
		s->rate = pg_stamp_rate();
	if (!s->rate)
		return pg_stamp_of(s->fine, ww_clock_real_ns());
	if (!read_both(ww_clock_real_ns, &now, &cycles))
		return pg_stamp_of(s->fine, now);
	s->cycles = cycles;
	count_on(s, now);
	return pg_stamp_of(s->fine, now);
}

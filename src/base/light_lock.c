/* SPDX-License-Identifier: MIT */
#include "base/light_lock.h"

#include "base/clock.h"
#include "base/futex.h"

/*
 * What is done under such a lock takes less time than its line takes from one CPU to another, and
 * each look at it takes it from the holder, who will want it again. So look seldom, and ever more
 * so: then each of two threads that fight for a base does many things in a row before the other has
 * its turn, and both are done sooner. A thread that was in here a moment ago is in such a fight, and
 * stays away longer. A look is an exchange at once: to read first is another trip of the line. All
 * looks together cost about what sleeping does, with its barrier. The simulator lets others go
 * first once.
 */
#ifdef WW_SIM
#define PAUSES_ALL 1
#define PAUSES_MAX 1

static unsigned stay_away(void)
{
	return 1;
}
#else
#define PAUSES_ALL   4096
#define PAUSES_MAX   1024
#define PAUSES_FIRST 64
#define FIGHT_CYCLES (1u << 20) /* some hundred microseconds */

/* How often the calling thread pauses before its first look. */
static unsigned stay_away(void)
{
	static __thread uint64_t last __attribute__((tls_model("initial-exec")));
	static __thread unsigned pauses __attribute__((tls_model("initial-exec")));
	uint64_t now = ww_clock_cycles();

	if (!now || now - last >= FIGHT_CYCLES)
		pauses = PAUSES_FIRST;
	else if (pauses < PAUSES_MAX)
		pauses *= 4;
	last = now;
	return pauses;
}
#endif

static bool lock_soon(struct ww_light_lock *l)
{
	unsigned pauses = stay_away();

	for (unsigned all = 0; all < PAUSES_ALL; all += pauses) {
		for (unsigned i = 0; i < pauses; i++)
			ww_cpu_relax();
		if (ww_light_trylock(l))
			return true;
		pauses = pauses < PAUSES_MAX ? pauses * 2 : PAUSES_MAX;
	}
	return false;
}

void ww_light_lock_slow(struct ww_light_lock *l)
{
	const struct ww_light_lock asleep = {.held = 1, .sleepers = 1};
	bool barrier = ww_membarrier_available();

	if (lock_soon(l))
		return;
	for (;;) {
		/* Also by who has slept: others may, and the waker has cleared it. */
		ww_xchg(&l->sleepers, (uint8_t)1); /* pairs: LOCK-3 */
		if (barrier)
			ww_membarrier();
		if (ww_light_trylock(l))
			return;
		ww_futex_wait(&l->word, asleep.word, WW_FOREVER);
	}
}

void ww_light_unlock_slow(struct ww_light_lock *l)
{
	/* The one woken sets it again before it tries, so nobody is forgotten. */
	ww_store_relaxed(&l->sleepers, (uint8_t)0);
	ww_futex_wake(&l->word, 1);
}

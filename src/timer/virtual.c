/* SPDX-License-Identifier: MIT */
/* The virtual clock: see virtual.h. Legend: (V) advance_lock; (L) list_lock; (A) atomic. */
#include "timer/virtual.h"

#include "base/lock.h"
#include "base/report.h"
#include "timer/timer.h"

#define QUIESCE_MAX 8

static uint64_t now; /* (A) written under (V) */
static struct ww_lock advance_lock;
static struct ww_lock list_lock;
static struct ww_base *bases[WW_BASES_MAX]; /* (L) by number */
static unsigned highest;		    /* (L) */
static struct {
	ww_quiesce_fn fn;
	void *arg;
} quiesce[QUIESCE_MAX];	    /* (L) written; entries below nr_quiesce never change */
static unsigned nr_quiesce; /* (A) */

void ww_virtual_start(uint64_t initial)
{
	ww_store_relaxed(&now, initial);
}

uint64_t ww_virtual_jiffies(void)
{
	return ww_load_acquire(&now); /* pairs: CLOCK-2 */
}

void ww_virtual_add_base(struct ww_base *b)
{
	ww_lock(&list_lock);
	ww_store_release(&bases[b->id], b); /* pairs: CLOCK-3 */
	if (b->id > highest)
		ww_store_release(&highest, b->id); /* pairs: CLOCK-3 */
	ww_unlock(&list_lock);
}

void ww_virtual_register_quiesce(ww_quiesce_fn fn, void *arg)
{
	ww_lock(&list_lock);
	if (nr_quiesce < QUIESCE_MAX) {
		quiesce[nr_quiesce].fn = fn;
		quiesce[nr_quiesce].arg = arg;
		ww_store_release(&nr_quiesce, nr_quiesce + 1); /* pairs: CLOCK-4 */
	}
	ww_unlock(&list_lock);
}

static bool settle(void)
{
	unsigned n = ww_load_acquire(&nr_quiesce); /* pairs: CLOCK-4 */
	bool again = false;

	for (unsigned i = 0; i < n; i++)
		again |= quiesce[i].fn(quiesce[i].arg);
	return again;
}

/* The earliest tick at which any base must look; false for none. */
static bool next_due(uint64_t *tick)
{
	unsigned n = ww_load_acquire(&highest); /* pairs: CLOCK-3 */
	bool found = false;

	for (unsigned i = 1; i <= n; i++) {
		struct ww_base *b = ww_load_acquire(&bases[i]); /* pairs: CLOCK-3 */
		uint64_t next;

		if (!b)
			continue;
		ww_lock(&ww_base_hot[i].lock);
		if (ww_base_next(b, &next) && (!found || ww_time_before(next, *tick))) {
			*tick = next;
			found = true;
		}
		ww_unlock(&ww_base_hot[i].lock);
	}
	return found;
}

/* Run what is due now on every base, and again for what comes to rest. */
static uint64_t run_tick(void)
{
	uint64_t ran = 0;

	do {
		unsigned n = ww_load_acquire(&highest); /* pairs: CLOCK-3 */

		for (unsigned i = 1; i <= n; i++) {
			struct ww_base *b = ww_load_acquire(&bases[i]); /* pairs: CLOCK-3 */

			if (!b)
				continue;
			ww_lock(&ww_base_hot[i].lock);
			ran += ww_base_sweep(b, now);
			ww_unlock(&ww_base_hot[i].lock);
		}
	} while (settle());
	return ran;
}

WW_EXPORT uint64_t ww_clock_advance(uint64_t ticks)
{
	uint64_t ran = 0, end, next;

	if (!ww_clock_is_virtual()) {
		ww_misuse("ww_clock_advance", "time is real (ww_clock_use_virtual() comes first)");
		return 0;
	}
	if (ww_timer_context.running) {
		ww_misuse("ww_clock_advance", "called from the callback %s",
			  ww_symbol_fn(ww_timer_context.running->function));
		return 0;
	}
	ww_lock(&advance_lock);
	settle();
	end = now + ticks;
	while (next_due(&next) && ww_time_before_eq(next, end)) {
		if (ww_time_after(next, now))
			ww_store_release(&now, next); /* pairs: CLOCK-2 */
		ran += run_tick();
	}
	ww_store_release(&now, end); /* pairs: CLOCK-2 */
	ran += run_tick();	     /* deferrable ones, which nobody woke for */
	ww_unlock(&advance_lock);
	return ran;
}

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
	bool found = false;

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];
		uint64_t next;

		ww_light_lock(&h->lock);
		if (h->base && ww_base_next(h->base, &next) &&
		    (!found || ww_time_before(next, *tick))) {
			*tick = next;
			found = true;
		}
		ww_light_unlock(&h->lock);
	}
	return found;
}

/*
 * From now on what is armed for the past is due at the next tick, also on a base whose turn in this
 * one is still to come.
 */
static void raise_floors(void)
{
	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];

		ww_light_lock(&h->lock);
		if (h->base)
			h->base->floor = now + 1;
		ww_light_unlock(&h->lock);
	}
}

/*
 * Run what is due now on every base, and again for what comes to rest. -1 in the child of a fork
 * that a callback did.
 */
static long run_tick(void)
{
	long ran = 0, n = 0;

	raise_floors();
	do {
		for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
			struct ww_base_hot *h = &ww_base_hot[id];

			ww_light_lock(&h->lock);
			if (h->base) {
				h->base->swept = true;
				n = ww_base_sweep(h->base, now);
				if (n < 0)
					return n;
				h->base->swept = false;
				ran += n;
			}
			ww_light_unlock(&h->lock);
		}
	} while (settle());
	return ran;
}

WW_EXPORT uint64_t ww_clock_advance(uint64_t ticks)
{
	uint64_t ran = 0, end, next;
	long n;

	if (!ww_clock_is_virtual()) {
		ww_misuse("ww_clock_advance", "time is real (ww_clock_use_virtual() comes first)");
		return 0;
	}
	if (ticks > INT64_MAX) {
		ww_misuse("ww_clock_advance",
			  "%llu ticks at once would be backward; 2^63 - 1 are the most",
			  (unsigned long long)ticks);
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
		n = run_tick();
		if (n < 0)
			return ran;
		ran += (uint64_t)n;
	}
	ww_store_release(&now, end); /* pairs: CLOCK-2 */
	n = run_tick();		     /* deferrable ones, which nobody woke for */
	if (n < 0)
		return ran;
	ww_unlock(&advance_lock);
	return ran + (uint64_t)n;
}

void ww_virtual_child(void)
{
	ww_lock_init(&advance_lock);
	ww_lock_init(&list_lock);
}

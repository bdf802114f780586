/* SPDX-License-Identifier: MIT */
/* See watch.h. Legend: (N) names_lock. */
#include "timer/watch.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/report.h"
#include "timer/timer.h"

#define REMEMBERED 64

static uint64_t limit_ns = 500 * 1000000ull;
static struct ww_lock names_lock;
static ww_timer_fn reported[REMEMBERED]; /* (N) */
static unsigned nr_reported;		 /* (N) */

WW_EXPORT void ww_timer_set_long_callback(uint64_t ns)
{
	ww_store_relaxed(&limit_ns, ns ? ns : UINT64_MAX);
}

/* Once for each function. */
static bool first_time(ww_timer_fn fn)
{
	bool first = true;

	ww_lock(&names_lock);
	for (unsigned i = 0; i < nr_reported; i++)
		first &= reported[i] != fn;
	if (first && nr_reported < REMEMBERED)
		reported[nr_reported++] = fn;
	else
		first = false;
	ww_unlock(&names_lock);
	return first;
}

void ww_watch_begin(struct ww_watch *w, struct ww_base *b)
{
	*w = (struct ww_watch){.batch = b->time_each ? 1 : WW_WATCH_BATCH};
	if (!ww_clock_is_virtual())
		w->base = b;
}

void ww_watch_start(struct ww_watch *w)
{
	w->started = true;
	if (w->base)
		w->start_ns = ww_clock_ns();
}

void ww_watch_look(struct ww_watch *w)
{
	uint64_t now, took;

	if (!w->base)
		return;
	now = ww_clock_ns();
	took = now - w->start_ns;
	if (took >= ww_load_relaxed(&limit_ns)) {
		if (!w->several) {
			if (first_time(w->fn))
				ww_warn("timer callback %s took %llu ms in %u run(s); the timers "
					"behind it were late",
					ww_symbol_fn(w->fn), (unsigned long long)(took / 1000000),
					w->ran);
		} else if (!w->base->time_each) {
			w->base->time_each = true;
			w->batch = 1;
			ww_warn("%u timer callbacks, the last of them %s, took %llu ms; each is "
				"timed from now on",
				w->ran, ww_symbol_fn(w->fn), (unsigned long long)(took / 1000000));
		}
	}
	w->start_ns = now;
	w->ran = 0;
	w->several = false;
}

void ww_watch_child(void)
{
	ww_lock_init(&names_lock);
}

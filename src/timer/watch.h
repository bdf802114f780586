/* SPDX-License-Identifier: MIT */
/*
 * Callbacks that run too long. The clock is read once per batch of callbacks, not for each; once a
 * batch of several functions took too long, its base times each of them, so that the next one is
 * known by name.
 */
#ifndef WW_TIMER_WATCH_H
#define WW_TIMER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "wheelwork/timer.h"

struct ww_base;

struct ww_watch {
	struct ww_base *base; /* NULL: not watching (virtual time) */
	bool started;	      /* there was a callback */
	uint64_t start_ns;    /* of the batch */
	unsigned ran;	      /* callbacks since then */
	unsigned batch;	      /* callbacks between two looks at the clock */
	ww_timer_fn fn;	      /* the function of all of them */
	bool several;	      /* or not */
};

void ww_watch_begin(struct ww_watch *w, struct ww_base *b);
void ww_watch_start(struct ww_watch *w);
void ww_watch_look(struct ww_watch *w);
/* In the child of a fork. */
void ww_watch_child(void);

/* fn is about to run / has run. */
static inline void ww_watch_callback(struct ww_watch *w, ww_timer_fn fn)
{
	if (ww_unlikely(!w->started))
		ww_watch_start(w);
	w->several |= w->ran && w->fn != fn;
	w->fn = fn;
}

#define WW_WATCH_BATCH 32u

static inline void ww_watch_ran(struct ww_watch *w)
{
	if (++w->ran >= w->batch)
		ww_watch_look(w);
}

static inline void ww_watch_end(struct ww_watch *w)
{
	if (w->ran)
		ww_watch_look(w);
}

#endif

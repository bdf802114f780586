/* SPDX-License-Identifier: MIT */
/* A walk over everything that is armed, for an owner that goes away (a workqueue). Rare. */
#include "timer/timer.h"

#include "timer/walk.h"

struct walk {
	ww_timer_fn fn;
	bool (*visit)(struct ww_timer *, void *);
	void *arg;
	unsigned taken;
};

static void take(struct ww_base *b, struct ww_timer_impl *t, void *arg)
{
	struct walk *w = arg;

	if (t->function != w->fn || !w->visit((struct ww_timer *)t, w->arg))
		return;
	ww_timer_dequeue(b, t);
	w->taken++;
}

unsigned ww_timer_walk(ww_timer_fn fn, bool (*visit)(struct ww_timer *, void *), void *arg)
{
	struct walk w = {fn, visit, arg, 0};

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];
		bool there;

		ww_light_lock(&h->lock);
		there = h->base;
		if (there)
			ww_base_each(h->base, take, &w);
		ww_light_unlock(&h->lock);
		/* A callback that runs now may be past its visit. */
		if (there)
			ww_timer_wait_running(h);
	}
	return w.taken;
}

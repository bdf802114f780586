/* SPDX-License-Identifier: MIT */
/* A walk over everything that is armed, for an owner that goes away (a workqueue). Rare. */
#include "timer/timer.h"

#include "timer/walk.h"

static unsigned walk_list(struct ww_base *b, struct ww_list *list, ww_timer_fn fn,
			  bool (*visit)(struct ww_timer *, void *), void *arg)
{
	struct ww_list *n, *next;
	unsigned taken = 0;

	ww_list_for_each_safe (n, next, list) {
		struct ww_timer_impl *t = ww_timer_of_node(n);

		if (t->function != fn || !visit((struct ww_timer *)t, arg))
			continue;
		ww_timer_dequeue(b, t);
		taken++;
	}
	return taken;
}

unsigned ww_timer_walk(ww_timer_fn fn, bool (*visit)(struct ww_timer *, void *), void *arg)
{
	unsigned taken = 0;

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];
		struct ww_base *b;

		ww_light_lock(&h->lock);
		b = h->base;
		if (!b) {
			ww_light_unlock(&h->lock);
			continue;
		}
		for (int k = 0; k < WW_WHEELS; k++)
			for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++)
				taken += walk_list(b, &b->wheel[k].bucket[i], fn, visit, arg);
		taken += walk_list(b, &b->due, fn, visit, arg);
		taken += walk_list(b, &b->rest, fn, visit, arg);
		taken += walk_list(b, &b->expired, fn, visit, arg);
		ww_light_unlock(&h->lock);
		/* A callback that runs now may be past its visit. */
		ww_timer_wait_running(h);
	}
	return taken;
}

/* SPDX-License-Identifier: MIT */
/* A walk over all pending timers, for who wants to say what is left. Guards: timer.h. */
#include "timer/base.h"

static void visit(const struct ww_list *list, ww_timer_view_fn fn, void *arg)
{
	struct ww_list *n;

	ww_list_for_each (n, list)
		fn((const struct ww_timer *)ww_timer_of_node(n), arg);
}

WW_EXPORT void ww_timer_for_each(ww_timer_view_fn fn, void *arg)
{
	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];
		struct ww_base *b;

		ww_light_lock(&h->lock);
		b = h->base;
		for (unsigned k = 0; b && k < WW_WHEELS; k++)
			for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++)
				visit(&b->wheel[k].bucket[i], fn, arg);
		if (b) {
			visit(&b->due, fn, arg);
			visit(&b->rest, fn, arg);
			visit(&b->expired, fn, arg);
		}
		ww_light_unlock(&h->lock);
	}
}

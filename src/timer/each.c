/* SPDX-License-Identifier: MIT */
/* A walk over all pending timers, for who wants to say what is left. Guards: timer.h. */
#include "timer/base.h"

static void each_in(struct ww_base *b, struct ww_bucket *bucket,
		    void (*fn)(struct ww_base *, struct ww_timer_impl *, void *), void *arg)
{
	for (unsigned l = 0; l < WW_WHEEL_LANES; l++) {
		struct ww_hnode *n = bucket->lane[l], *next;

		for (; n; n = next) {
			next = n->next;
			fn(b, ww_timer_of_node(n), arg);
		}
	}
}

void ww_base_each(struct ww_base *b, void (*fn)(struct ww_base *, struct ww_timer_impl *, void *),
		  void *arg)
{
	struct ww_bucket *bucket;

	for (unsigned k = 0; k < WW_WHEELS; k++)
		for (unsigned i = 0; (bucket = ww_wheel_scan(&b->wheel[k], &i)); i++)
			each_in(b, bucket, fn, arg);
	each_in(b, &b->expired, fn, arg);
}

struct view {
	ww_timer_view_fn fn;
	void *arg;
};

static void visit(struct ww_base *b, struct ww_timer_impl *t, void *arg)
{
	const struct view *v = arg;

	(void)b;
	v->fn((const struct ww_timer *)t, v->arg);
}

WW_EXPORT void ww_timer_for_each(ww_timer_view_fn fn, void *arg)
{
	struct view v = {fn, arg};

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];

		ww_light_lock(&h->lock);
		if (h->base)
			ww_base_each(h->base, visit, &v);
		ww_light_unlock(&h->lock);
	}
}

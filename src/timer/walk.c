/* SPDX-License-Identifier: MIT */
/* A walk over everything that is armed, for an owner that goes away (a workqueue). Rare. */
#include "timer/timer.h"

#include "base/clock.h"
#include "timer/walk.h"

static unsigned walk_list(struct ww_base *b, struct ww_hlist *list, ww_timer_fn fn,
			  bool (*visit)(struct ww_timer *, void *), void *arg)
{
	struct ww_hnode *n, *next;
	unsigned taken = 0;

	for (n = list->first; n; n = next) {
		struct ww_timer_impl *t = ww_timer_of_node(n);

		next = n->next;
		if (t->function != fn || !visit((struct ww_timer *)t, arg))
			continue;
		ww_timer_dequeue(b, t);
		taken++;
	}
	return taken;
}

/* A callback that runs now may be past its visit: wait until it is over, unless it is ours. */
static void wait_for_running(struct ww_base_hot *h)
{
	struct ww_timer_impl *t = ww_load_seq_cst(&h->running);

	if (!t || t == ww_timer_context.running)
		return;
	for (unsigned round = 0; ww_load_seq_cst(&h->running) == t; round++) {
		if (round < 100)
			ww_os_yield();
		else
			ww_clock_sleep_until(ww_clock_os_ns() + 100000);
	}
}

unsigned ww_timer_walk(ww_timer_fn fn, bool (*visit)(struct ww_timer *, void *), void *arg)
{
	unsigned taken = 0;

	for (unsigned id = 1; id < WW_BASES_MAX; id++) {
		struct ww_base_hot *h = &ww_base_hot[id];
		struct ww_base *b = ww_load_acquire(&h->base);

		if (!b)
			continue;
		ww_lock(&h->lock);
		for (int k = 0; k < WW_WHEELS; k++)
			for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++)
				taken += walk_list(b, &b->wheel[k].bucket[i], fn, visit, arg);
		taken += walk_list(b, &b->expired, fn, visit, arg);
		ww_unlock(&h->lock);
		wait_for_running(h);
	}
	return taken;
}

/* SPDX-License-Identifier: MIT */
/* What bases count. Guards: timer.h. */
#include "timer/base.h"

#include <errno.h>
#include <string.h>

static void add(struct ww_timer_stats *sum, unsigned id)
{
	struct ww_base_hot *h = &ww_base_hot[id];
	const struct ww_base *b;

	ww_light_lock(&h->lock);
	b = h->base;
	if (b) {
		const struct ww_timer_stats *s = &b->stats;

		sum->pending += ww_base_pending(b);
		sum->armed += h->armed;
		sum->pushed_out += s->pushed_out;
		sum->slow_rearms += s->slow_rearms;
		sum->refiled += s->refiled;
		sum->fired += s->fired;
		sum->cancelled += h->cancelled;
		sum->barriers += s->barriers;
		sum->exchange_spells += s->exchange_spells;
		sum->sleeps += s->sleeps;
		if (s->lateness_ns_max > sum->lateness_ns_max)
			sum->lateness_ns_max = s->lateness_ns_max;
	}
	ww_light_unlock(&h->lock);
}

WW_EXPORT void ww_timer_get_stats(int cpu, struct ww_timer_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (cpu >= 0) {
		add(stats, ww_base_id_of_cpu(cpu));
		return;
	}
	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++)
		add(stats, id);
}

WW_EXPORT void ww_base_get_stats(struct ww_base *base, struct ww_timer_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	add(stats, base->id);
}

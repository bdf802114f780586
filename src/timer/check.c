/* SPDX-License-Identifier: MIT */
/* Walking the bases: ww_debug_check(), and the search for a linked timer. Guards: timer.h. */
#include "timer/base.h"

#include "base/report.h"

/* What is wrong with t, in a bucket of wheel k of b; NULL for nothing. */
static const char *check_filed(const struct ww_base *b, const struct ww_timer_impl *t, unsigned k,
			       unsigned bucket, uint64_t soon)
{
	unsigned level = bucket / WW_WHEEL_SIZE, s = level * WW_WHEEL_BITS;
	uint64_t due = ww_timer_deadline(t) + 1;

	if ((t->tail & WW_TAIL_MAGIC_MASK) != WW_TAIL_MAGIC)
		return "was overwritten";
	if ((t->word & (WW_TW_PENDING | WW_TW_EXPIRED)) != WW_TW_PENDING)
		return "is in a wheel, but its word does not say so";
	if (ww_word_base(t->word) != b->id)
		return "names another base";
	if (ww_word_wheel(t->word) != k)
		return "is in the wrong wheel";
	if (t->bound >> s << s != t->bound ||
	    ((t->bound >> s) & (WW_WHEEL_SIZE - 1)) != bucket % WW_WHEEL_SIZE)
		return "is in the wrong bucket";
	if (ww_time_before(t->bound, b->wheel[k].clk))
		return "was passed over";
	if (ww_time_after(t->bound, due) && ww_time_after(t->bound, soon))
		return "will be looked at too late";
	return NULL;
}

static int check_wheel(const struct ww_base *b, unsigned k, uint64_t soon, uint64_t *count)
{
	const struct ww_wheel *w = &b->wheel[k];
	const char *fault = ww_wheel_check(w);
	int faults = 0;

	if (fault) {
		ww_warn("timer base %s, wheel %u: %s", b->name, k, fault);
		return 1; /* not safe to walk */
	}
	for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++) {
		struct ww_list *n;

		ww_list_for_each (n, &w->bucket[i]) {
			struct ww_timer_impl *t = ww_timer_of_node(n);

			++*count;
			fault = check_filed(b, t, k, i, soon);
			if (fault) {
				ww_warn("timer %p (%s) on base %s %s", (void *)t,
					ww_symbol_fn(t->function), b->name, fault);
				faults++;
			}
		}
	}
	return faults;
}

static int check_taken(const struct ww_base *b, const struct ww_list *list, uint64_t *count)
{
	struct ww_list *n;
	int faults = 0;

	ww_list_for_each (n, list) {
		++*count;
		if (!(ww_timer_of_node(n)->word & WW_TW_PENDING)) {
			ww_warn("timer %p on base %s is due, but its word says idle",
				(void *)ww_timer_of_node(n), b->name);
			faults++;
		}
	}
	return faults;
}

static bool on_list(const struct ww_list *node, const struct ww_list *list)
{
	struct ww_list *n;

	ww_list_for_each (n, list)
		if (n == node)
			return true;
	return false;
}

static int check_base(const struct ww_base *b)
{
	uint64_t count = 0, soon = ww_jiffies() + 1;
	int faults = 0;

	for (unsigned k = 0; k < WW_WHEELS; k++)
		faults += check_wheel(b, k, soon, &count);
	faults += check_taken(b, &b->due, &count);
	faults += check_taken(b, &b->rest, &count);
	faults += check_taken(b, &b->expired, &count);
	if (!faults && count != b->pending) {
		ww_warn("timer base %s counts %llu pending timers and holds %llu", b->name,
			(unsigned long long)b->pending, (unsigned long long)count);
		faults++;
	}
	return faults;
}

int ww_timer_debug_check(void)
{
	int faults = 0;

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest(); id++) {
		struct ww_base_hot *h = &ww_base_hot[id];

		ww_light_lock(&h->lock);
		if (h->base)
			faults += check_base(h->base);
		ww_light_unlock(&h->lock);
	}
	return faults;
}

static bool holds(const struct ww_base *b, const struct ww_list *node)
{
	for (unsigned k = 0; k < WW_WHEELS; k++)
		for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++)
			if (on_list(node, &b->wheel[k].bucket[i]))
				return true;
	return on_list(node, &b->due) || on_list(node, &b->rest) || on_list(node, &b->expired);
}

bool ww_timer_linked(const struct ww_timer_impl *t)
{
	bool found = false;

	for (unsigned id = WW_BASE_CPUS; id <= ww_base_highest() && !found; id++) {
		struct ww_base_hot *h = &ww_base_hot[id];

		ww_light_lock(&h->lock);
		found = h->base && holds(h->base, &t->node);
		ww_light_unlock(&h->lock);
	}
	return found;
}

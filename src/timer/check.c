/* SPDX-License-Identifier: MIT */
/* Walking the bases: ww_debug_check(), and the search for a linked timer. Guards: timer.h. */
#include "timer/base.h"

#include "base/report.h"

/* What is wrong with t, in a bucket of wheel k of b; NULL for nothing. */
static const char *check_filed(const struct ww_base *b, const struct ww_timer_impl *t, unsigned k,
			       unsigned bucket, uint64_t soon)
{
	const struct ww_wheel *w = &b->wheel[k];
	bool near = bucket >= WW_WHEEL_NEAR;
	unsigned s = near ? 0 : (bucket / WW_WHEEL_SIZE + 1) * WW_WHEEL_BITS;
	uint64_t mask = near ? (1u << w->fine) - 1 : WW_WHEEL_SIZE - 1;
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
	    ((t->bound >> s) & mask) != (near ? bucket - WW_WHEEL_NEAR : bucket % WW_WHEEL_SIZE))
		return "is in the wrong bucket";
	if (ww_time_before(t->bound, w->clk))
		return "was passed over";
	if (ww_time_after(t->bound, due) && ww_time_after(t->bound, soon))
		return "will be looked at too late";
	return NULL;
}

static int check_bucket(const struct ww_base *b, unsigned k, unsigned i, uint64_t soon,
			uint64_t *count)
{
	const struct ww_bucket *bucket = &b->wheel[k].bucket[i];
	int faults = 0;

	for (unsigned l = 0; l < WW_WHEEL_LANES; l++) {
		for (struct ww_hnode *n = bucket->lane[l]; n; n = n->next) {
			struct ww_timer_impl *t = ww_timer_of_node(n);
			const char *fault = check_filed(b, t, k, i, soon);

			++*count;
			if (!fault)
				continue;
			ww_warn("timer %p (%s) on base %s %s", (void *)t, ww_symbol_fn(t->function),
				b->name, fault);
			faults++;
		}
	}
	return faults;
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
	for (unsigned i = 0; ww_wheel_scan(w, &i); i++)
		faults += check_bucket(b, k, i, soon, count);
	return faults;
}

static int check_expired(const struct ww_base *b, uint64_t *count)
{
	int faults = 0;

	for (unsigned l = 0; l < WW_WHEEL_LANES; l++) {
		for (struct ww_hnode *n = b->expired.lane[l]; n; n = n->next) {
			struct ww_timer_impl *t = ww_timer_of_node(n);

			++*count;
			if ((t->word & WW_TW_PENDING) && (t->word & WW_TW_EXPIRED))
				continue;
			ww_warn("timer %p on base %s is due, but its word does not say so",
				(void *)t, b->name);
			faults++;
		}
	}
	return faults;
}

static int check_base(const struct ww_base *b)
{
	uint64_t count = 0, soon = ww_jiffies() + 1;
	int faults = 0;

	for (unsigned k = 0; k < WW_WHEELS; k++)
		faults += check_wheel(b, k, soon, &count);
	faults += check_expired(b, &count);
	if (!faults && count != ww_base_pending(b)) {
		ww_warn("timer base %s counts %llu pending timers and holds %llu", b->name,
			(unsigned long long)ww_base_pending(b), (unsigned long long)count);
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

struct sought {
	const struct ww_timer_impl *t;
	bool found;
};

static void compare(const struct ww_timer *timer, void *arg)
{
	struct sought *s = arg;

	s->found |= ww_timer_impl(timer) == s->t;
}

bool ww_timer_linked(const struct ww_timer_impl *t)
{
	struct sought s = {.t = t};

	ww_timer_for_each(compare, &s);
	return s.found;
}

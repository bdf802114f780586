/* SPDX-License-Identifier: MIT */
/*
 * Timers on the virtual clock against a model that knows nothing of wheels: a random program of
 * every call, over every distance, across the counter's wrap. Each run must come at exactly
 * expires + 1 (or inside the window asked for), each arming must come to one end.
 */
#include "timer_common.h"

#define TIMERS 3000

struct item {
	struct ww_timer timer;
	bool pending, dead, deferrable;
	uint64_t first, last; /* tick at which it must run: between these */
};

static struct item items[TIMERS];
static uint64_t seed, arms, runs, deletes, fast_arms, misuses, misuses_expected;
static struct ww_timer *inside; /* the timer whose function runs */

static void ran(struct ww_timer *t);

static void misuse(enum ww_report_kind kind, const char *line)
{
	CHECK_MSG(kind == WW_REPORT_MISUSE, "%s", line);
	CHECK(strstr(line, "its own callback"));
	misuses++;
}

/* Random in size as well as in value: 0 .. 2^62. */
static uint64_t distance(unsigned bits)
{
	unsigned n = (unsigned)(tap_random(&seed) % (bits + 1));

	return n ? tap_random(&seed) >> (64 - n) : 0;
}

static void armed(struct item *it, uint64_t expires, uint64_t slack)
{
	uint64_t next = ww_jiffies() + 1;

	if (!it->pending)
		arms++;
	else
		fast_arms++;
	it->pending = true;
	it->first = ww_time_before(expires + 1, next) ? next : expires + 1;
	it->last = ww_time_before(expires + slack + 1, next) ? next : expires + slack + 1;
}

static void mod(struct item *it, uint64_t expires)
{
	int ret = ww_mod_timer(&it->timer, expires);

	CHECK_EQ(ret, !it->dead && it->pending);
	if (!it->dead) {
		armed(it, expires, 0);
		CHECK_EQ(it->timer.expires, expires);
	}
}

static void step(struct item *it)
{
	uint64_t expires = ww_jiffies() + distance(62), slack;

	if (tap_random(&seed) % 32 == 0)
		expires = ww_jiffies() - distance(40);
	switch (tap_random(&seed) % 16) {
	case 0:
		if (it->pending)
			break;
		it->timer.expires = expires;
		switch (tap_random(&seed) % 4) {
		case 0:
			ww_add_timer_local(&it->timer);
			break;
		case 1:
			ww_add_timer_global(&it->timer);
			break;
		case 2:
			ww_add_timer_on(&it->timer, (int)(tap_random(&seed) % 4));
			break;
		default:
			ww_add_timer(&it->timer);
		}
		if (!it->dead)
			armed(it, expires, 0);
		break;
	case 1:
		CHECK_EQ(ww_mod_timer_pending(&it->timer, expires), it->pending);
		if (it->pending)
			armed(it, expires, 0);
		break;
	case 2:
		CHECK_EQ(ww_timer_reduce(&it->timer, expires), it->pending);
		if (!it->dead && (!it->pending || ww_time_before(expires, it->last - 1)))
			armed(it, expires, 0);
		break;
	case 3:
	case 4:
		if (tap_random(&seed) & 1) {
			CHECK_EQ(ww_timer_delete(&it->timer), it->pending);
		} else {
			/* From its own function it can't wait, says so, and deletes all the same. */
			misuses_expected += inside == &it->timer;
			CHECK_EQ(ww_timer_delete_sync(&it->timer), it->pending);
			CHECK_EQ(misuses, misuses_expected);
		}
		deletes += it->pending;
		it->pending = false;
		break;
	case 5:
		slack = distance(40);
		CHECK_EQ(ww_mod_timer_slack(&it->timer, expires, slack), !it->dead && it->pending);
		if (!it->dead) {
			armed(it, expires, slack);
			/* What was chosen is in the window, and from now on it is exact. */
			CHECK(ww_time_after_eq(it->timer.expires, expires));
			CHECK(ww_time_before_eq(it->timer.expires, expires + slack));
			uint64_t chosen = it->timer.expires + 1, next = ww_jiffies() + 1;
			it->first = it->last = ww_time_before(chosen, next) ? next : chosen;
		}
		break;
	case 6:
		if (tap_random(&seed) % 64)
			break;
		CHECK_EQ(ww_timer_shutdown(&it->timer), it->pending);
		deletes += it->pending;
		it->pending = false;
		it->dead = true;
		break;
	case 7:
		if (it->dead) {
			ww_timer_setup(&it->timer, ran, it->deferrable ? WW_TIMER_DEFERRABLE : 0);
			it->dead = false;
		}
		break;
	case 8:
	case 9:
	case 10: /* pushed out: the store path */
		if (it->pending)
			mod(it, it->timer.expires + distance(30));
		break;
	default:
		mod(it, expires);
	}
	CHECK_EQ(ww_timer_pending(&it->timer), it->pending);
}

static void ran(struct ww_timer *t)
{
	struct item *it = (struct item *)(void *)t;
	uint64_t now = ww_jiffies();

	CHECK(it->pending && !it->dead);
	CHECK(!ww_timer_pending(t));
	runs++;
	it->pending = false;
	CHECK_MSG(ww_time_after_eq(now, it->first), "timer %d ran %" PRIu64 " ticks early",
		  (int)(it - items), it->first - now);
	CHECK_MSG(it->deferrable || ww_time_before_eq(now, it->last),
		  "timer %d ran %" PRIu64 " ticks late", (int)(it - items), now - it->last);
	inside = t;
	if (tap_random(&seed) % 4 == 0)
		step(it);
	if (tap_random(&seed) % 8 == 0)
		step(&items[tap_random(&seed) % TIMERS]);
	inside = NULL;
}

static void check_all(void)
{
	uint64_t pending = 0, now = ww_jiffies();
	struct ww_timer_stats s;

	for (int i = 0; i < TIMERS; i++) {
		pending += items[i].pending;
		CHECK_EQ(ww_timer_pending(&items[i].timer), items[i].pending);
		/* Nothing that was due is left. */
		CHECK(!items[i].pending || ww_time_after(items[i].last, now));
	}
	CHECK_EQ(arms, runs + deletes + pending);
	CHECK_EQ(ww_debug_check(), 0);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.pending, pending);
	CHECK_EQ(s.armed, arms);
	CHECK_EQ(s.fired, runs);
	CHECK_EQ(s.cancelled, deletes);
}

TEST_LIMIT(a_million_random_armings_each_run_at_expires_plus_one_or_are_cancelled, 120)
{
	virtual_near_wrap();
	ww_set_misuse_handler(misuse);
	seed = tap_seed();
	for (int i = 0; i < TIMERS; i++) {
		items[i].deferrable = i % 10 == 0;
		ww_timer_setup(&items[i].timer, ran, items[i].deferrable ? WW_TIMER_DEFERRABLE : 0);
	}
	for (uint64_t n = 0; arms + fast_arms < 1000000; n++) {
		for (int i = 0; i < 50; i++)
			step(&items[tap_random(&seed) % TIMERS]);
		ww_clock_advance(distance(tap_random(&seed) % 16 ? 16 : 61));
		if (n % 256 == 0)
			check_all();
	}
	check_all();
	CHECK(runs > 100000);
	tap_note("%" PRIu64 " armed, %" PRIu64 " re-armed, %" PRIu64 " ran, %" PRIu64 " cancelled",
		 arms, fast_arms, runs, deletes);
}

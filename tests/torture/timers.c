/* SPDX-License-Identifier: MIT */
/*
 * Timers and bases. Each arming comes to one end; nothing is early; a base is destroyed when, and
 * only when, nothing is pending on it.
 */
#include "torture.h"

#include <errno.h>
#include <poll.h>

/* --- Calls that race, counted. --- */

#define SHARED 24

static struct counted {
	struct ww_timer timer;
	uint64_t arms, deletes, runs;
	int inside;
} counted[SHARED];
static struct ww_base *own_bases[2];

static void random_call(struct counted *c, uint64_t *rng, bool in_callback)
{
	uint64_t expires = ww_jiffies() + tap_random(rng) % (tap_random(rng) % 4 ? 30 : 3000);
	struct ww_timer *t = &c->timer;

	switch (tap_random(rng) % 12) {
	case 0:
		if (ww_timer_delete(t))
			COUNT(c->deletes);
		break;
	case 1:
		if (!in_callback && ww_timer_delete_sync(t))
			COUNT(c->deletes);
		break;
	case 2:
		if (ww_timer_delete_sync_try(t) == 1)
			COUNT(c->deletes);
		break;
	case 3:
		ww_mod_timer_pending(t, expires);
		break;
	case 4:
		if (!ww_timer_reduce(t, expires))
			COUNT(c->arms);
		break;
	case 5:
		if (!ww_mod_timer_slack(t, expires, 64))
			COUNT(c->arms);
		break;
	default:
		if (!ww_mod_timer(t, expires))
			COUNT(c->arms);
	}
}

static void counted_ran(struct ww_timer *t)
{
	struct counted *c = ww_container_of(t, struct counted, timer);

	CHECK_EQ(ww_fetch_add(&c->inside, 1), 0);
	COUNT(c->runs);
	if (!ww_load_acquire(&torture_calm) && tap_random(torture_rng()) % 2)
		random_call(c, torture_rng(), true);
	ww_fetch_sub(&c->inside, 1);
}

static void timers_begin(void)
{
	own_bases[0] = ww_base_create("torture0");
	own_bases[1] = ww_base_create("torture1");
	CHECK(own_bases[0] && own_bases[1]);
	for (int i = 0; i < SHARED; i++)
		ww_timer_setup(&counted[i].timer, counted_ran, i % 3 ? 0 : WW_TIMER_PINNED);
}

static void timers_act(uint64_t *rng)
{
	struct counted *c = &counted[tap_random(rng) % SHARED];
	unsigned n = tap_random(rng) % 16;

	while (n--)
		random_call(c, rng, false);
}

static void timers_settle(void)
{
	for (int i = 0; i < SHARED; i++) {
		struct counted *c = &counted[i];
		uint64_t *rng = torture_rng();

		if (ww_timer_delete_sync(&c->timer))
			c->deletes++;
		CHECK_MSG(c->arms == c->runs + c->deletes,
			  "timer %d: armed %" PRIu64 ", ran %" PRIu64 ", deleted %" PRIu64, i,
			  c->arms, c->runs, c->deletes);
		if (i % 3)
			CHECK_EQ(ww_timer_set_base(&c->timer,
						   tap_random(rng) % 2 ? NULL : own_bases[i % 2]),
				 0);
		/* It runs, is deleted or pushed out when the actors go on. */
		if (!ww_mod_timer(&c->timer, ww_jiffies() + tap_random(rng) % 20))
			c->arms++;
	}
}

static void timers_end(void)
{
	for (int i = 0; i < SHARED; i++)
		ww_timer_shutdown_sync(&counted[i].timer);
	CHECK_EQ(ww_base_destroy(own_bases[0]), 0);
	CHECK_EQ(ww_base_destroy(own_bases[1]), 0);
}

struct torture_area torture_timers = {.name = "timers",
				      .weight = 200,
				      .begin = timers_begin,
				      .act = timers_act,
				      .settle = timers_settle,
				      .end = timers_end};

/* --- One caller at a time, so that the deadline is known. --- */

#define EXACT 16

static struct exact {
	struct ww_timer timer;
	pthread_mutex_t lock;
	uint64_t deadlines[4]; /* of armings that have not been seen to run, oldest first */
	int n;
} exact[EXACT];

static void exact_ran(struct ww_timer *t)
{
	struct exact *m = ww_container_of(t, struct exact, timer);
	uint64_t now = ww_jiffies();

	pthread_mutex_lock(&m->lock);
	CHECK_MSG(m->n > 0, "ran without having been armed");
	CHECK_MSG(ww_time_after_eq(now, m->deadlines[0] + 1), "%" PRIu64 " ticks early",
		  m->deadlines[0] + 1 - now);
	m->n--;
	memmove(m->deadlines, m->deadlines + 1, sizeof(m->deadlines) - sizeof(m->deadlines[0]));
	pthread_mutex_unlock(&m->lock);
}

static void exact_begin(void)
{
	for (int i = 0; i < EXACT; i++) {
		ww_timer_setup(&exact[i].timer, exact_ran, i & 1 ? WW_TIMER_PINNED : 0);
		pthread_mutex_init(&exact[i].lock, NULL);
	}
}

static void exact_act(uint64_t *rng)
{
	struct exact *m = &exact[tap_random(rng) % EXACT];

	pthread_mutex_lock(&m->lock);
	for (int i = 0; i < 8; i++) {
		uint64_t expires = ww_jiffies() + tap_random(rng) % 300;
		bool push = tap_random(rng) % 8;

		if (push && m->n && ww_time_before(expires, m->deadlines[m->n - 1]))
			expires = m->deadlines[m->n - 1] + tap_random(rng) % 20;
		if (!push && tap_random(rng) % 4 == 0) {
			if (ww_timer_delete(&m->timer))
				m->n--;
		} else {
			if (!ww_mod_timer(&m->timer, expires))
				m->n++;
			CHECK(m->n > 0 && m->n <= 3);
			m->deadlines[m->n - 1] = expires;
		}
	}
	pthread_mutex_unlock(&m->lock);
}

static bool exact_idle(struct exact *m)
{
	pthread_mutex_lock(&m->lock);
	bool idle = m->n == 0;

	pthread_mutex_unlock(&m->lock);
	return idle;
}

/* Each must run by itself: nothing is lost. */
static void exact_settle(void)
{
	for (int i = 0; i < EXACT; i++) {
		TORTURE_UNTIL(exact_idle(&exact[i]), "an armed timer runs");
		CHECK_EQ(ww_timer_pending(&exact[i].timer), 0);
	}
}

static void exact_end(void)
{
	for (int i = 0; i < EXACT; i++)
		CHECK_EQ(ww_timer_shutdown_sync(&exact[i].timer), 0);
}

struct torture_area torture_early = {.name = "early",
				     .weight = 100,
				     .begin = exact_begin,
				     .act = exact_act,
				     .settle = exact_settle,
				     .end = exact_end};

/* --- Bases that come and go, with timers in memory that goes too. --- */

#define PASSENGERS 4

struct passenger {
	struct ww_timer timer;
	uint64_t arms, runs, deletes;
};

static void passenger_ran(struct ww_timer *t)
{
	struct passenger *p = ww_container_of(t, struct passenger, timer);

	COUNT(p->runs);
	if (tap_random(torture_rng()) % 4 == 0 && !ww_mod_timer(t, ww_jiffies() + 1))
		COUNT(p->arms);
}

static void ride(struct ww_base *b, struct passenger *p, bool driven, uint64_t *rng)
{
	for (unsigned turns = tap_random(rng) % 20; turns; turns--) {
		struct passenger *one = &p[tap_random(rng) % PASSENGERS];

		switch (tap_random(rng) % 4) {
		case 0:
			if (ww_timer_delete_sync(&one->timer))
				COUNT(one->deletes);
			break;
		case 1:
			if (driven) {
				struct pollfd fd = {.fd = ww_base_fd(b), .events = POLLIN};

				poll(&fd, 1, 2);
				CHECK(ww_base_run(b) >= 0);
			} else {
				torture_sleep_us(tap_random(rng) % 1000);
			}
			break;
		default:
			if (!ww_mod_timer(&one->timer, ww_jiffies() + tap_random(rng) % 10))
				COUNT(one->arms);
		}
	}
}

static void bases_act(uint64_t *rng)
{
	bool driven = tap_random(rng) % 2;
	struct ww_base *b = driven ? ww_base_create_driven("driven") : ww_base_create("brief");
	struct passenger *p = calloc(PASSENGERS, sizeof(*p));

	CHECK(b && p);
	for (int i = 0; i < PASSENGERS; i++) {
		ww_timer_setup(&p[i].timer, passenger_ran, 0);
		CHECK_EQ(ww_timer_set_base(&p[i].timer, b), 0);
	}
	ride(b, p, driven, rng);
	/* With a far timer it must refuse; then without. */
	if (!ww_mod_timer(&p[0].timer, ww_jiffies() + 1000000))
		COUNT(p[0].arms);
	CHECK_EQ(ww_base_destroy(b), -EBUSY);
	for (int i = 0; i < PASSENGERS; i++) {
		if (ww_timer_shutdown_sync(&p[i].timer))
			p[i].deletes++;
		CHECK_MSG(p[i].arms == p[i].runs + p[i].deletes,
			  "passenger: armed %" PRIu64 ", ran %" PRIu64 ", deleted %" PRIu64,
			  p[i].arms, p[i].runs, p[i].deletes);
	}
	CHECK_EQ(ww_base_destroy(b), 0);
	free(p);
}

struct torture_area torture_bases = {.name = "bases", .weight = 5, .act = bases_act};

/* SPDX-License-Identifier: MIT */
/*
 * All calls from all threads on shared timers, in real time, with fast ticks. Three promises: each
 * arming comes to one end, nothing is early, and an event stored before a call that pushes a timer
 * out is not missed.
 */
#include "timer_common.h"

#include <pthread.h>
#include <sched.h>

#define THREADS 4
#define SHARED	16

static int stop;
static uint64_t start_seed;

/* For so many seconds, and until they have done what *done counts so often, where that is given. */
static void run_threads(void *(*fn)(void *), int n, double seconds, const uint64_t *done,
			uint64_t enough)
{
	const char *longer = getenv("WW_TORTURE_S");
	pthread_t th[THREADS];

	if (longer)
		seconds = atof(longer);
	for (long i = 0; i < n; i++)
		pthread_create(&th[i], NULL, fn, (void *)i);
	sleep_ms((long)(seconds * 1000));
	while (done && __atomic_load_n(done, __ATOMIC_RELAXED) < enough)
		sleep_ms(10);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++)
		pthread_join(th[i], NULL);
}

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* --- Each arming comes to one end, whoever does what. --- */

static struct counted {
	struct ww_timer timer;
	uint64_t arms, deletes, runs;
	int inside;
} counted[SHARED];

#define COUNT(field) __atomic_add_fetch(&c->field, 1, __ATOMIC_RELAXED)

static __thread uint64_t callback_seed;

static void random_call(struct counted *c, uint64_t *seed, bool in_callback)
{
	uint64_t expires = ww_jiffies() + tap_random(seed) % (tap_random(seed) % 4 ? 50 : 5000);
	struct ww_timer *t = &c->timer;

	switch (tap_random(seed) % 12) {
	case 0:
		if (ww_timer_delete(t))
			COUNT(deletes);
		break;
	case 1:
		if (!in_callback && ww_timer_delete_sync(t))
			COUNT(deletes);
		break;
	case 2:
		if (ww_timer_delete_sync_try(t) == 1)
			COUNT(deletes);
		break;
	case 3:
		ww_mod_timer_pending(t, expires);
		break;
	case 4:
		if (!ww_timer_reduce(t, expires))
			COUNT(arms);
		break;
	case 5:
		if (!ww_mod_timer_slack(t, expires, 64))
			COUNT(arms);
		break;
	default:
		if (!ww_mod_timer(t, expires))
			COUNT(arms);
	}
}

static void counted_ran(struct ww_timer *t)
{
	struct counted *c = (struct counted *)(void *)t;

	/* Never against itself. */
	CHECK_EQ(__atomic_fetch_add(&c->inside, 1, __ATOMIC_RELAXED), 0);
	COUNT(runs);
	if (!callback_seed)
		callback_seed = start_seed ^ (uint64_t)(uintptr_t)&callback_seed;
	if (tap_random(&callback_seed) % 2)
		random_call(c, &callback_seed, true);
	__atomic_fetch_sub(&c->inside, 1, __ATOMIC_RELAXED);
}

static void *counted_thread(void *arg)
{
	uint64_t seed = start_seed + (uint64_t)(uintptr_t)arg;

	while (!stopped())
		random_call(&counted[tap_random(&seed) % SHARED], &seed, false);
	return NULL;
}

static void check_counted(unsigned flags)
{
	struct ww_timer_stats s;

	CHECK_EQ(ww_clock_configure(100000, UINT64_MAX - 20000), 0);
	start_seed = tap_seed();
	for (int i = 0; i < SHARED; i++)
		ww_timer_setup(&counted[i].timer, counted_ran, flags);
	run_threads(counted_thread, THREADS, 3, NULL, 0);
	for (int i = 0; i < SHARED; i++) {
		struct counted *c = &counted[i];

		if (ww_timer_shutdown_sync(&c->timer))
			c->deletes++;
		CHECK_MSG(c->arms == c->runs + c->deletes,
			  "timer %d: armed %" PRIu64 ", ran %" PRIu64 ", deleted %" PRIu64, i,
			  c->arms, c->runs, c->deletes);
	}
	CHECK_EQ(ww_debug_check(), 0);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.armed, s.fired + s.cancelled);
	tap_note("%" PRIu64 " armed, %" PRIu64 " ran, %" PRIu64 " slow re-arms, %" PRIu64
		 " barriers",
		 s.armed, s.fired, s.slow_rearms, s.barriers);
}

TEST_LIMIT(torture_each_arming_runs_or_is_deleted_once, 60)
{
	check_counted(0);
}

TEST_LIMIT(torture_each_arming_of_a_pinned_timer_runs_or_is_deleted_once, 60)
{
	check_counted(WW_TIMER_PINNED);
}

/* --- Nothing is early, and nothing is lost. --- */

/* The model of one timer, under a lock of its own that callers and its function take. */
static struct modelled {
	struct ww_timer timer;
	pthread_mutex_t lock;
	uint64_t deadlines[4]; /* of armings that have not been seen to run, oldest first */
	int n;
	uint64_t runs;
} modelled[SHARED];

static void modelled_ran(struct ww_timer *t)
{
	struct modelled *m = (struct modelled *)(void *)t;
	uint64_t now = ww_jiffies();

	pthread_mutex_lock(&m->lock);
	CHECK(m->n > 0);
	CHECK_MSG(ww_time_after_eq(now, m->deadlines[0] + 1), "%" PRIu64 " ticks early",
		  m->deadlines[0] + 1 - now);
	m->n--;
	memmove(m->deadlines, m->deadlines + 1, sizeof(m->deadlines) - sizeof(m->deadlines[0]));
	m->runs++;
	pthread_mutex_unlock(&m->lock);
}

static void *modelled_thread(void *arg)
{
	uint64_t seed = start_seed + (uint64_t)(uintptr_t)arg;

	while (!stopped()) {
		struct modelled *m = &modelled[tap_random(&seed) % SHARED];

		pthread_mutex_lock(&m->lock);
		for (int i = 0; i < 8; i++) {
			uint64_t expires = ww_jiffies() + tap_random(&seed) % 300;
			bool push = tap_random(&seed) % 8;

			if (push && m->n && ww_time_before(expires, m->deadlines[m->n - 1]))
				expires = m->deadlines[m->n - 1] + tap_random(&seed) % 20;
			if (!push && tap_random(&seed) % 4 == 0) {
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
		if (tap_random(&seed) % 64 == 0)
			sleep_ms(1);
	}
	return NULL;
}

TEST_LIMIT(torture_nothing_is_early_and_nothing_is_lost, 60)
{
	uint64_t runs = 0;
	struct ww_timer_stats s;

	CHECK_EQ(ww_clock_configure(100000, UINT64_MAX - 20000), 0);
	start_seed = tap_seed();
	for (int i = 0; i < SHARED; i++) {
		ww_timer_setup(&modelled[i].timer, modelled_ran, i & 1 ? WW_TIMER_PINNED : 0);
		pthread_mutex_init(&modelled[i].lock, NULL);
	}
	run_threads(modelled_thread, THREADS, 3, NULL, 0);
	/* What is still armed must run by itself. */
	for (int i = 0; i < SHARED; i++) {
		while (ww_timer_pending(&modelled[i].timer))
			sleep_ms(1);
		CHECK_EQ(ww_timer_delete_sync(&modelled[i].timer), 0);
		CHECK_EQ(modelled[i].n, 0);
		runs += modelled[i].runs;
	}
	ww_timer_get_stats(-1, &s);
	tap_note("%" PRIu64 " ran, %" PRIu64 " slow re-arms, %" PRIu64 " barriers, longest %" PRIu64
		 " us late",
		 runs, s.slow_rearms, s.barriers, s.lateness_ns_max / 1000);
}

/* --- Store an event, push the timer out: a run after that sees the event. --- */

static struct watched {
	struct ww_timer timer;
	uint64_t event; /* plain stores of one thread */
	uint64_t seen;	/* by the last run */
	uint64_t runs;
} __attribute__((aligned(64))) watched[THREADS];

static uint64_t checked; /* runs of which it is known what they had to see */

static void watched_ran(struct ww_timer *t)
{
	struct watched *w = (struct watched *)(void *)t;

	w->seen = __atomic_load_n(&w->event, __ATOMIC_RELAXED);
	__atomic_store_n(&w->runs, w->runs + 1, __ATOMIC_RELEASE);
}

static void *watched_thread(void *arg)
{
	struct watched *w = &watched[(uintptr_t)arg];
	uint64_t seed = start_seed + (uint64_t)(uintptr_t)arg;

	while (!stopped()) {
		uint64_t runs = __atomic_load_n(&w->runs, __ATOMIC_ACQUIRE), last = 0;
		uint64_t expires = ww_jiffies() + 1 + tap_random(&seed) % 20;

		ww_mod_timer(&w->timer, expires);
		/* As long as it is put off, events pile up; the last that was put off must be seen. */
		for (;;) {
			__atomic_store_n(&w->event, w->event + 1, __ATOMIC_RELAXED);
			if (tap_random(&seed) % 4096 == 0) /* slower than time goes */
				expires++;
			if (!ww_mod_timer_pending(&w->timer, expires))
				break;
			last = w->event;
		}
		while (__atomic_load_n(&w->runs, __ATOMIC_ACQUIRE) == runs)
			sched_yield();
		CHECK_MSG(w->seen >= last, "event %" PRIu64 " was put off, the run saw %" PRIu64,
			  last, w->seen);
		if (last)
			__atomic_add_fetch(&checked, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_LIMIT(torture_an_event_stored_before_pushing_out_is_seen_by_the_run, 120)
{
	CHECK_EQ(ww_clock_configure(1000000, UINT64_MAX - 20000), 0);
	start_seed = tap_seed();
	for (int i = 0; i < THREADS; i++)
		ww_timer_setup(&watched[i].timer, watched_ran, 0);
	run_threads(watched_thread, THREADS, 3, &checked, 100);
	for (int i = 0; i < THREADS; i++)
		ww_timer_delete_sync(&watched[i].timer);
	tap_note("%" PRIu64 " runs checked", checked);
}

/* --- Objects that free themselves. --- */

struct mortal {
	struct ww_timer timer;
	struct mortal **slot;
};

static struct mortal *slots[SHARED];
static uint64_t born, died;

static void dies(struct ww_timer *t)
{
	struct mortal *m = (struct mortal *)(void *)t;

	struct mortal *self = m;

	/* Whoever takes it out of its slot frees it. */
	if (__atomic_compare_exchange_n(m->slot, &self, NULL, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		/* It may have been armed again since this run began. */
		ww_timer_shutdown(t);
		memset(m, 0xa5, sizeof(*m));
		free(m);
		__atomic_add_fetch(&died, 1, __ATOMIC_RELAXED);
	}
}

static void *mortal_thread(void *arg)
{
	uint64_t seed = start_seed + (uint64_t)(uintptr_t)arg;

	while (!stopped()) {
		struct mortal **slot = &slots[tap_random(&seed) % SHARED], *m, *none = NULL;

		if (tap_random(&seed) % 2) {
			m = malloc(sizeof(*m));
			m->slot = slot;
			ww_timer_setup(&m->timer, dies, 0);
			if (!__atomic_compare_exchange_n(slot, &none, m, false, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE)) {
				free(m);
				continue;
			}
			__atomic_add_fetch(&born, 1, __ATOMIC_RELAXED);
		} else {
			m = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);
			if (!m)
				continue;
			/* Ours alone now, but for its function. */
			for (int i = 0; i < 4; i++)
				ww_mod_timer(&m->timer, ww_jiffies() + tap_random(&seed) % 50);
			if (tap_random(&seed) % 2 &&
			    __atomic_compare_exchange_n(slot, &none, m, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE))
				continue;
			ww_timer_shutdown_sync(&m->timer);
			memset(m, 0x5a, sizeof(*m));
			free(m);
			__atomic_add_fetch(&died, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

TEST_LIMIT(torture_timers_may_be_freed_by_their_function_and_after_shutdown_sync, 60)
{
	CHECK_EQ(ww_clock_configure(100000, UINT64_MAX - 20000), 0);
	start_seed = tap_seed();
	run_threads(mortal_thread, THREADS, 2, NULL, 0);
	for (int i = 0; i < SHARED; i++) {
		struct mortal *m = __atomic_exchange_n(&slots[i], NULL, __ATOMIC_ACQ_REL);

		if (m) {
			ww_timer_shutdown_sync(&m->timer);
			free(m);
			__atomic_add_fetch(&died, 1, __ATOMIC_RELAXED);
		}
	}
	CHECK_EQ(ww_debug_check(), 0);
	CHECK_EQ(__atomic_load_n(&born, __ATOMIC_RELAXED),
		 __atomic_load_n(&died, __ATOMIC_RELAXED));
	tap_note("%" PRIu64 " born and died", born);
}

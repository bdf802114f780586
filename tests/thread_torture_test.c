/* SPDX-License-Identifier: MIT */
/*
 * Many threads create, wake, park, unpark, freeze and stop each other's threads, which end by
 * themselves at times. WW_TORTURE_SECONDS (2) says how long, WW_TEST_SEED repeats a run.
 */
#include "thread_util.h"

#include <errno.h>

#include "base/lock.h"
#include "base/thread.h"

#define SLOTS	    10
#define CONTROLLERS 5

enum kind { WAITS, PARKS, BUSY, ENDS, SLEEPS, OBEYS, KINDS };

struct slot {
	struct ww_lock turn; /* park, unpark and stop of one thread take turns */
	struct ww_thread *t;
	enum kind kind;
	bool parked;
	uint32_t beats;
	int value;
	struct ww_control control;
};

static struct slot slots[SLOTS];
static struct ww_wait_queue_head torture_queue;
static uint32_t entered, left_fn, generation;
static uint64_t torture_end, torture_base;

static void beat(struct slot *s)
{
	ww_fetch_add_relaxed(&s->beats, 1u);
	if (ww_thread_should_park())
		ww_thread_parkme();
}

static void one_turn(struct slot *s, uint64_t *seed)
{
	struct ww_control *c = &s->control;
	uint32_t g = ww_load_acquire(&generation);

	switch (s->kind) {
	case WAITS:
		ww_wait_event_interruptible_timeout(&torture_queue,
						    ww_load_acquire(&generation) != g ||
							    ww_thread_should_park(),
						    1 + (int64_t)(tap_random(seed) % 50));
		break;
	case SLEEPS:
		ww_schedule_timeout_interruptible((int64_t)(tap_random(seed) % 3));
		break;
	case OBEYS:
		if (ww_control_wait(c, ~0u, WW_MAX_TIMEOUT))
			ww_control_take(c, ~0u);
		break;
	case PARKS:
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (!ww_thread_should_stop() && !ww_thread_should_park())
			ww_schedule();
		ww_set_current_state_plain(WW_TASK_RUNNING);
		break;
	default:
		break;
	}
}

static int tortured(void *data)
{
	struct slot *s = data;
	uint64_t seed = torture_base + (uint64_t)(s - slots);
	unsigned turns = s->kind == ENDS ? (unsigned)(tap_random(&seed) % 50) : ~0u;

	ww_fetch_add(&entered, 1u);
	if (tap_random(&seed) & 1)
		ww_set_freezable();
	while (turns-- && !ww_thread_freezable_should_stop(NULL)) {
		beat(s);
		one_turn(s, &seed);
	}
	ww_fetch_add(&left_fn, 1u);
	if (seed & 1)
		ww_thread_exit(s->value);
	return s->value;
}

/* With the slot's turn: a new thread, referenced, woken perhaps. */
static void fill(struct slot *s, uint64_t *seed)
{
	int *value = &s->value;

	s->kind = (enum kind)(tap_random(seed) % KINDS);
	*value = (int)(tap_random(seed) % 1000);
	s->parked = false;
	ww_control_init(&s->control);
	s->t = ww_thread_create(tortured, s, "torture%d", (int)(s - slots));
	if (!s->t)
		return;
	ww_thread_get(s->t);
	if (tap_random(seed) % 4)
		ww_wake_up_process(s->t);
}

static void empty(struct slot *s)
{
	struct ww_thread *t = s->t;
	int rc = ww_thread_stop(t);

	CHECK_MSG(rc == s->value || rc == -EINTR, "stop gave %d, not %d", rc, s->value);
	CHECK_EQ(ww_thread_stop_put(t), rc);
	s->t = NULL;
}

static void park(struct slot *s)
{
	if (s->parked) {
		ww_thread_unpark(s->t);
		s->parked = false;
		return;
	}
	int rc = ww_thread_park(s->t);
	CHECK_MSG(rc == 0 || rc == -ENOSYS, "park gave %d", rc);
	s->parked = rc == 0;
	uint32_t n = ww_load_acquire(&s->beats);
	ww_os_yield();
	if (s->parked)
		CHECK_EQ(ww_load_acquire(&s->beats), n);
}

static void one_step(struct slot *s, uint64_t *seed)
{
	switch (tap_random(seed) % 8) {
	case 0:
		ww_fetch_add(&generation, 1u);
		ww_wake_up(&torture_queue);
		return;
	case 1:
		ww_fetch_add(&generation, 1u);
		ww_wake_up_all(&torture_queue);
		return;
	}
	if (!ww_trylock(&s->turn))
		return;
	if (!s->t) {
		fill(s, seed);
	} else {
		switch (tap_random(seed) % 8) {
		case 0:
		case 1:
			empty(s);
			break;
		case 2:
		case 3:
			park(s);
			break;
		case 4:
			ww_control_post(&s->control, 1u << (tap_random(seed) % 32));
			break;
		default:
			ww_wake_up_process(s->t);
		}
	}
	ww_unlock(&s->turn);
}

static int controls(void *data)
{
	uint64_t seed = (uint64_t)(uintptr_t)data;

	while (ww_clock_ns() < torture_end)
		one_step(&slots[tap_random(&seed) % SLOTS], &seed);
	return 0;
}

static int freezes_at_times(void *data)
{
	uint64_t seed = (uint64_t)(uintptr_t)data;

	while (ww_clock_ns() < torture_end) {
		/* A tortured thread may be parked before it could freeze, or hold on: both may be. */
		int rc = ww_freeze_threads((int64_t)(tap_random(&seed) % 20));

		CHECK(rc == 0 || rc == -EBUSY);
		if (rc == 0)
			ww_thaw_threads();
		ww_schedule_timeout_interruptible((int64_t)(tap_random(&seed) % 10));
	}
	return 0;
}

static void run_torture(bool freeze)
{
	const char *seconds = getenv("WW_TORTURE_SECONDS");
	struct ww_thread *c[CONTROLLERS + 1];
	int n = 0;

	ww_set_misuse_handler(count_reports);
	torture_base = tap_seed();
	torture_end = ww_clock_ns() + (seconds ? strtoull(seconds, NULL, 10) : 2) * 1000000000ull;
	for (; n < CONTROLLERS; n++)
		c[n] = ww_thread_create(controls, (void *)(uintptr_t)(torture_base + (unsigned)n),
					"control%d", n);
	if (freeze)
		c[n++] = ww_thread_create(freezes_at_times, (void *)(uintptr_t)torture_base,
					  "freezer");
	for (int i = 0; i < n; i++) {
		ww_thread_get(c[i]);
		ww_wake_up_process(c[i]);
	}
	while (ww_clock_ns() < torture_end) {
		nap_ms(50);
		CHECK_EQ(ww_debug_check(), 0);
	}
	for (int i = 0; i < n; i++) {
		UNTIL(ww_load_acquire(&c[i]->ended));
		CHECK_EQ(ww_thread_stop_put(c[i]), 0);
	}
	for (int i = 0; i < SLOTS; i++)
		if (slots[i].t)
			empty(&slots[i]);
	CHECK_EQ(entered, left_fn);
	CHECK_MSG(misuses == 0, "%s", last_report);
	tap_note("seed %llu: %u threads ran", (unsigned long long)torture_base, entered);
}

TEST_LIMIT(create_wake_park_unpark_stop_and_exit_from_many_threads, 600)
{
	run_torture(false);
}

TEST_LIMIT(the_same_while_the_freezer_comes_and_goes, 600)
{
	run_torture(true);
}

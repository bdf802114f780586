/* SPDX-License-Identifier: MIT */
/*
 * Threads that are made, woken, parked, unparked and stopped by anyone; tokens that are put and
 * taken through a wait queue, of which none may be left while somebody waits for it.
 */
#include "torture.h"

#include <errno.h>

#include "base/lock.h"
#include "base/thread.h"

/* --- Threads in slots. --- */

#define SLOTS 8

enum kind { PARKS, ENDS, SLEEPS, OBEYS, KINDS };

static struct slot {
	struct ww_lock turn; /* park, unpark and stop of one thread take turns */
	struct ww_thread *t;
	enum kind kind;
	bool parked;
	uint32_t beats;
	int value;
	struct ww_control control;
} slots[SLOTS];
static uint32_t entered, left_fn, never_ran;

static void one_turn(struct slot *s, uint64_t *rng)
{
	switch (s->kind) {
	case SLEEPS:
		ww_schedule_timeout_interruptible((int64_t)(tap_random(rng) % 3));
		break;
	case OBEYS:
		if (ww_control_wait(&s->control, ~0u, WW_MAX_TIMEOUT))
			ww_control_take(&s->control, ~0u);
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

static int slot_runs(void *data)
{
	struct slot *s = data;
	uint64_t *rng = torture_rng();
	unsigned turns = s->kind == ENDS ? (unsigned)(tap_random(rng) % 50) : ~0u;

	COUNT(entered);
	if (tap_random(rng) & 1)
		ww_set_freezable();
	while (turns-- && !ww_thread_freezable_should_stop(NULL)) {
		COUNT(s->beats);
		if (ww_thread_should_park())
			ww_thread_parkme();
		one_turn(s, rng);
	}
	COUNT(left_fn);
	if (tap_random(rng) & 1)
		ww_thread_exit(s->value);
	return s->value;
}

static void fill(struct slot *s, uint64_t *rng)
{
	s->kind = (enum kind)(tap_random(rng) % KINDS);
	s->value = (int)(tap_random(rng) % 1000);
	s->parked = false;
	ww_control_init(&s->control);
	s->t = tap_random(rng) % 4 ? ww_thread_create(slot_runs, s, "slot%d", (int)(s - slots))
				   : ww_thread_create_on_cpu(slot_runs, s, 0, "slot/%u");
	CHECK(s->t);
	ww_thread_get(s->t);
	if (tap_random(rng) % 4)
		ww_wake_up_process(s->t);
}

static void empty(struct slot *s)
{
	int rc = ww_thread_stop_put(s->t);

	CHECK_MSG(rc == s->value || rc == -EINTR, "stop gave %d, not %d", rc, s->value);
	if (rc == -EINTR)
		COUNT(never_ran);
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

static void threads_act(uint64_t *rng)
{
	struct slot *s = &slots[tap_random(rng) % SLOTS];

	if (!ww_trylock(&s->turn))
		return;
	if (!s->t) {
		fill(s, rng);
	} else {
		switch (tap_random(rng) % 8) {
		case 0:
			empty(s);
			break;
		case 1:
		case 2:
		case 3:
			park(s);
			break;
		case 4:
			ww_control_post(&s->control, 1u << (tap_random(rng) % 32));
			break;
		case 5:
			ww_set_user_nice(s->t, (int)(tap_random(rng) % 5));
			break;
		default:
			ww_wake_up_process(s->t);
		}
	}
	ww_unlock(&s->turn);
}

static void threads_end(void)
{
	for (int i = 0; i < SLOTS; i++)
		if (slots[i].t)
			empty(&slots[i]);
	CHECK_EQ(entered, left_fn);
}

struct torture_area torture_threads = {
	.name = "threads", .weight = 40, .act = threads_act, .end = threads_end};

/* --- Tokens. --- */

#define TAKERS 4

static struct ww_wait_queue_head tokens_queue;
static uint64_t put, taken;
static struct taker {
	struct ww_lock turn;
	struct ww_thread *t;
} takers[TAKERS];

static bool token_there(void)
{
	return ww_load_acquire(&put) != ww_load_acquire(&taken);
}

static void take_one(void)
{
	uint64_t n = ww_load_acquire(&taken);

	while (n != ww_load_acquire(&put))
		if (ww_cmpxchg(&taken, &n, n + 1))
			return;
}

static int takes(void *data)
{
	unsigned how = (unsigned)(uintptr_t)data;

	while (!ww_thread_should_stop()) {
		switch (how) {
		case 0:
			ww_wait_event_interruptible(&tokens_queue, token_there());
			break;
		case 1:
			ww_wait_event_interruptible_timeout(&tokens_queue, token_there(), 20);
			break;
		default:
			ww_wait_event_interruptible_exclusive(&tokens_queue, token_there());
		}
		take_one();
	}
	/* One that was woken for a token and stopped instead hands it on. */
	if (token_there())
		ww_wake_up(&tokens_queue);
	return 0;
}

static void start_taker(int i)
{
	takers[i].t = ww_thread_run(takes, (void *)(uintptr_t)(tap_seed() & 8 ? 2 : (unsigned)i),
				    "taker%d", i);
	CHECK(takers[i].t);
}

static void stop_taker(int i)
{
	int rc = ww_thread_stop(takers[i].t);

	/* Stopped before it could begin? */
	CHECK_MSG(rc == 0 || rc == -EINTR, "stop gave %d", rc);
}

static void waits_begin(void)
{
	for (int i = 0; i < TAKERS; i++)
		start_taker(i);
}

static void waits_act(uint64_t *rng)
{
	/* None stopped and made again in most calls: those are for the tokens. */
	if (tap_random(rng) % 64 == 0) {
		int i = (int)(tap_random(rng) % TAKERS);

		if (ww_trylock(&takers[i].turn)) {
			stop_taker(i);
			start_taker(i);
			ww_unlock(&takers[i].turn);
		}
		return;
	}
	for (unsigned n = 1 + tap_random(rng) % 4; n; n--) {
		ww_fetch_add(&put, 1u);
		if (tap_random(rng) % 8)
			ww_wake_up(&tokens_queue);
		else
			ww_wake_up_all(&tokens_queue);
	}
}

static void waits_settle(void)
{
	TORTURE_UNTIL(!token_there(), "every token is taken: somebody sleeps beside it");
}

static void waits_end(void)
{
	for (int i = 0; i < TAKERS; i++)
		stop_taker(i);
	CHECK(!ww_waitqueue_active(&tokens_queue));
}

struct torture_area torture_waits = {.name = "waits",
				     .weight = 100,
				     .begin = waits_begin,
				     .act = waits_act,
				     .settle = waits_settle,
				     .end = waits_end};

/* --- The freezer comes and goes. --- */

static void freezer_act(uint64_t *rng)
{
	/* A thread may be parked before it could freeze, or hold on: both may be. */
	int rc = ww_freeze_threads((int64_t)(tap_random(rng) % 10));

	CHECK(rc == 0 || rc == -EBUSY);
	if (rc == 0) {
		torture_sleep_us(tap_random(rng) % 1000);
		ww_thaw_threads();
	}
	torture_sleep_us(5000);
}

struct torture_area torture_freezer = {
	.name = "freezer", .weight = 2, .act = freezer_act, .alone = true};

/* SPDX-License-Identifier: MIT */
/* Timers: re-arm against sweep, synchronous delete, moves between bases. Time is simulated. */
#include "sim/sim_programs.h"

#include "base/clock.h"
#include "wheelwork/clock.h"
#include "wheelwork/timer.h"

#define TICK_NS 1000000u

static SIM_STATE struct ww_timer timer, other;
static SIM_STATE uint32_t event[2]; /* stored before a push, read by the callback */
static SIM_STATE bool seen[2];
static SIM_STATE uint64_t owed; /* the deadline of the last push that is over */
static SIM_STATE bool owing;
static SIM_STATE unsigned runs, running;
static SIM_STATE uint64_t last_run; /* the tick at which a run began */
static SIM_STATE bool gone;	    /* a synchronous delete has returned */

static void sleep_until_tick(uint64_t tick)
{
	while (ww_time_before(ww_jiffies(), tick))
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS / 2);
}

/* A run: not early for the last push that was over when it began, never twice at once. */
static void note_run(struct ww_timer *t)
{
	(void)t;
	SIM_CHECK(!gone);
	SIM_CHECK(running++ == 0);
	last_run = ww_jiffies();
	if (owing)
		SIM_CHECK(ww_time_after(last_run, owed));
	for (int i = 0; i < 2; i++)
		if (ww_load_relaxed(&event[i]))
			seen[i] = true;
	runs++;
	sim_step("in the callback");
	SIM_CHECK(!gone);
	running--;
}

static uint64_t start_timer(unsigned flags, uint64_t delay)
{
	uint64_t now;

	ww_clock_configure(1000, UINT64_MAX - 2);
	now = ww_jiffies();
	ww_timer_setup(&timer, note_run, flags);
	ww_mod_timer(&timer, now + delay);
	ww_mod_timer(&timer, now + delay + 1); /* pushed out by another thread: opened */
	return now;
}

static void wait_until_idle(void)
{
	while (ww_timer_pending(&timer))
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS);
	ww_timer_delete_sync(&timer);
	SIM_CHECK(ww_debug_check() == 0);
}

struct push {
	bool alone; /* nobody else arms the timer, so its deadline is the last one */
	int i;	    /* which event */
	int n;	    /* how many pushes */
	uint64_t to[2];
};

static void push(void *arg)
{
	const struct push *p = arg;

	for (int k = 0; k < p->n; k++) {
		ww_store_relaxed(&event[p->i], 1u);
		/* Where it armed the timer afresh, the run before may only just begin. */
		if (ww_mod_timer(&timer, p->to[k]) && p->alone) {
			owed = p->to[k];
			owing = true;
		}
	}
}

SIM_PROGRAM(a_push_loses_no_event_and_is_not_early, 2, 1500)
{
	uint64_t now = start_timer(0, 1);
	struct push p = {true, 0, 1, {now + 4, 0}};
	struct ww_os_thread t = sim_thread(push, &p);

	sim_go();
	ww_os_thread_join(&t);
	wait_until_idle();
	SIM_CHECK(seen[0]);
	SIM_CHECK(!owing || ww_time_after(last_run, owed));
}

SIM_PROGRAM_WITHOUT_MEMBARRIER(a_push_without_membarrier_loses_no_event, 1, 1000)
{
	uint64_t now = start_timer(0, 1);
	struct push p = {true, 0, 1, {now + 4, 0}};
	struct ww_os_thread t = sim_thread(push, &p);

	sim_go();
	ww_os_thread_join(&t);
	wait_until_idle();
	SIM_CHECK(seen[0]);
	SIM_CHECK(!owing || ww_time_after(last_run, owed));
}

SIM_PROGRAM(pushes_to_the_same_deadline_lose_no_event, 1, 1500)
{
	uint64_t now = start_timer(0, 1);
	struct push p = {false, 0, 2, {now + 2, now + 2}}, q = {false, 1, 1, {now + 3, 0}};
	struct ww_os_thread t, u;

	t = sim_thread(push, &p);
	u = sim_thread(push, &q);
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	wait_until_idle();
	SIM_CHECK(seen[0] && seen[1]);
}

static SIM_STATE unsigned armed, deleted;

static void push_and_count(void *arg)
{
	const struct push *p = arg;

	for (int k = 0; k < p->n; k++)
		armed += ww_mod_timer(&timer, p->to[k]) == 0;
}

static void delete_once(void *arg)
{
	(void)arg;
	deleted += ww_timer_delete(&timer) == 1;
}

SIM_PROGRAM(armings_are_runs_deletes_and_pending, 1, 2000)
{
	uint64_t now = start_timer(0, 1);
	struct push p = {false, 0, 2, {now + 3, now + 5}}, q = {false, 1, 2, {now + 4, now + 1}};
	struct ww_os_thread t = sim_thread(push_and_count, &p), u = sim_thread(push_and_count, &q),
			    d = sim_thread(delete_once, NULL);

	armed = 1;
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	ww_os_thread_join(&d);
	wait_until_idle();
	SIM_CHECK(armed == runs + deleted);
}

static SIM_STATE uint64_t near, far;

static void delete_and_add_far(void *arg)
{
	(void)arg;
	ww_timer_delete(&timer);
	ww_mod_timer(&timer, far);
}

/* One of the two was last: a run in between, at the far bucket's bound, is nobody's. */
static void is_near_or_far(struct ww_timer *t)
{
	uint64_t at = ww_jiffies() - 1;

	(void)t;
	SIM_CHECK(ww_time_after_eq(at, near));
	SIM_CHECK(at - near < 20 || ww_time_after_eq(at, far));
	runs++;
}

SIM_PROGRAM(a_late_store_does_not_land_on_the_next_arming, 2, 2000)
{
	uint64_t now;
	struct push p;
	struct ww_os_thread t, u;

	ww_clock_configure(1000, UINT64_MAX - 2);
	now = ww_jiffies();
	near = now + 32;
	/* Far enough for a coarse bucket, whose bound is well before its deadline. */
	far = (now | 63) + 64 + 60;
	ww_timer_setup(&timer, is_near_or_far, 0);
	ww_mod_timer(&timer, now + 30);
	ww_mod_timer(&timer, now + 31);
	p = (struct push){false, 0, 1, {near}};
	t = sim_thread(push, &p);
	u = sim_thread(delete_and_add_far, NULL);
	sim_prompt();
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	while (ww_timer_pending(&timer))
		ww_clock_sleep_until(ww_clock_ns() + 10 * TICK_NS);
	ww_timer_delete_sync(&timer);
	SIM_CHECK(runs >= 1);
}

static void arm_again(struct ww_timer *t)
{
	note_run(t);
	if (runs < 3)
		ww_mod_timer(t, ww_jiffies() + 1);
	sim_step("at the callback's end");
	SIM_CHECK(!gone);
}

static void delete_sync(void *arg)
{
	(void)arg;
	ww_timer_delete_sync(&timer);
	SIM_CHECK(!ww_timer_pending(&timer));
	SIM_CHECK(!running);
	gone = true;
}

SIM_PROGRAM(delete_sync_returns_when_the_callback_is_over, 2, 1500)
{
	struct ww_os_thread t;

	ww_clock_configure(1000, UINT64_MAX - 2);
	ww_timer_setup(&timer, arm_again, 0);
	ww_mod_timer(&timer, ww_jiffies());
	t = sim_thread(delete_sync, NULL);
	sim_go();
	ww_os_thread_join(&t);
	sleep_until_tick(ww_jiffies() + 5);
	SIM_CHECK(!ww_timer_pending(&timer));
}

static SIM_STATE bool inside;

static void arm_again_later(struct ww_timer *t)
{
	SIM_CHECK(!gone);
	if (runs++)
		return;
	inside = true;
	ww_clock_sleep_until(ww_clock_ns() + TICK_NS); /* until the deleter comes */
	ww_mod_timer(t, ww_jiffies() + 1);
	sim_step("at the callback's end");
	SIM_CHECK(!gone);
}

/* The timer is idle, its callback runs and arms it again, just while somebody deletes it. */
SIM_PROGRAM(delete_sync_sees_an_arming_between_its_looks, 2, 500)
{
	ww_clock_configure(1000, UINT64_MAX - 2);
	ww_timer_setup(&timer, arm_again_later, 0);
	ww_mod_timer(&timer, ww_jiffies());
	while (!inside)
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS / 4);
	sim_go();
	ww_timer_delete_sync(&timer);
	gone = true;
	SIM_CHECK(!ww_timer_pending(&timer));
	sleep_until_tick(ww_jiffies() + 3);
}

/* Another thread arms it on another CPU while it runs: it must not run twice at once. */
static void move(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		ww_mod_timer(&timer, ww_jiffies());
}

SIM_PROGRAM(a_callback_never_runs_beside_itself, 1, 2500)
{
	struct ww_os_thread t, u, d;

	ww_clock_configure(1000, UINT64_MAX - 2);
	ww_timer_setup(&timer, note_run, 0);
	ww_timer_setup(&other, note_run, 0);
	ww_mod_timer(&timer, ww_jiffies());
	t = sim_thread(move, NULL); /* they see different CPUs */
	u = sim_thread(move, NULL);
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	d = sim_thread(delete_sync, NULL);
	ww_os_thread_join(&d);
	SIM_CHECK(runs >= 1 || deleted == 0);
}

static void shut_down(void *arg)
{
	(void)arg;
	ww_timer_shutdown_sync(&timer);
	gone = true;
	SIM_CHECK(ww_mod_timer(&timer, ww_jiffies()) == 0);
	SIM_CHECK(!ww_timer_pending(&timer));
}

SIM_PROGRAM(after_shutdown_nothing_arms_it_again, 1, 2000)
{
	uint64_t now;
	struct push p;
	struct ww_os_thread t, u;

	ww_clock_configure(1000, UINT64_MAX - 2);
	now = ww_jiffies();
	ww_timer_setup(&timer, arm_again, 0);
	ww_mod_timer(&timer, now + 1);
	ww_mod_timer(&timer, now + 2);
	p = (struct push){false, 0, 2, {now + 3, now + 4}};
	t = sim_thread(push_and_count, &p);
	u = sim_thread(shut_down, NULL);
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	sleep_until_tick(ww_jiffies() + 6);
	SIM_CHECK(!ww_timer_pending(&timer));
}

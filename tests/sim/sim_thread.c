/* SPDX-License-Identifier: MIT */
/* Threads: sleeping and waking, stopping, parking, completions. */
#include "sim/sim_programs.h"

#include <errno.h>

#include "base/clock.h"
#include "wheelwork/completion.h"
#include "wheelwork/thread.h"
#include "wheelwork/wait.h"

static SIM_STATE uint32_t condition;
static SIM_STATE unsigned turns, parked;
static SIM_STATE struct ww_completion done;
static SIM_STATE struct ww_wait_queue_head queue;
static SIM_STATE uint64_t began;

/* A lost wake-up shows as time that passes, or as nobody who can go on. */
static void started(void)
{
	began = sim_now_ns();
	sim_prompt();
	sim_go();
}

static void no_time_passed(void)
{
	SIM_CHECK(sim_now_ns() - began < 1000000);
}

static int sleeps_until_condition(void *data)
{
	(void)data;
	for (;;) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (ww_load_relaxed(&condition) || ww_thread_should_stop())
			break;
		ww_schedule();
		turns++;
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	return (int)ww_load_relaxed(&condition);
}

SIM_PROGRAM(a_wake_up_is_never_lost, 2, 1000)
{
	struct ww_thread *t = ww_thread_create(sleeps_until_condition, NULL, "sleeper");
	int rc;

	ww_thread_get(t);
	ww_wake_up_process(t);
	started();
	ww_store_relaxed(&condition, 7u);
	ww_wake_up_process(t);
	SIM_CHECK(turns < 3);
	rc = ww_thread_stop_put(t);
	SIM_CHECK(rc == 7 || rc == -EINTR);
	no_time_passed();
}

static void wakes(void *arg)
{
	ww_store_relaxed(&condition, 1u);
	ww_wake_up_process(arg);
}

/* Nobody stops this one: if the wake-up is lost nobody can go on. */
SIM_PROGRAM(state_first_then_the_test, 3, 1000)
{
	struct ww_os_thread t = sim_thread(wakes, ww_current());

	started();
	for (;;) {
		ww_set_current_state(WW_TASK_UNINTERRUPTIBLE);
		if (ww_load_relaxed(&condition))
			break;
		ww_schedule();
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	ww_os_thread_join(&t);
	no_time_passed();
}

/* The plain store of the state is not enough, and that is found. */
SIM_PROGRAM_FAILS(a_state_stored_plainly_loses_the_wake_up, 3, 1000)
{
	struct ww_os_thread t = sim_thread(wakes, ww_current());

	started();
	for (;;) {
		ww_set_current_state_plain(WW_TASK_UNINTERRUPTIBLE);
		if (ww_load_relaxed(&condition))
			break;
		ww_schedule();
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	ww_os_thread_join(&t);
	no_time_passed();
}

static int loops_until_stopped(void *data)
{
	(void)data;
	while (!ww_thread_should_stop()) {
		if (ww_thread_should_park()) {
			parked++;
			ww_thread_parkme();
			continue;
		}
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (!ww_thread_should_stop_or_park())
			ww_schedule();
		ww_set_current_state_plain(WW_TASK_RUNNING);
	}
	return 42;
}

SIM_PROGRAM(a_stop_is_never_lost, 3, 1000)
{
	struct ww_thread *t = ww_thread_run(loops_until_stopped, NULL, "loops");
	int rc;

	started();
	rc = ww_thread_stop(t);
	SIM_CHECK(rc == 42 || rc == -EINTR);
	no_time_passed();
}

SIM_PROGRAM(park_waits_and_unpark_goes_on, 2, 1500)
{
	struct ww_thread *t = ww_thread_run(loops_until_stopped, NULL, "parks");

	started();
	for (unsigned i = 0; i < 2; i++) {
		unsigned before;

		SIM_CHECK(ww_thread_park(t) == 0);
		before = parked;
		sim_step("parked");
		SIM_CHECK(parked == before);
		ww_thread_unpark(t);
	}
	ww_thread_park(t);
	SIM_CHECK(ww_thread_stop(t) == 42 || parked == 0);
	no_time_passed();
}

static void completes(void *arg)
{
	(void)arg;
	condition = 5;
	ww_complete(&done);
}

SIM_PROGRAM(a_completion_wakes_and_shows_what_came_before, 2, 1000)
{
	struct ww_os_thread t, u;

	ww_init_completion(&done);
	t = sim_thread(completes, NULL);
	u = sim_thread(completes, NULL);
	started();
	ww_wait_for_completion(&done);
	SIM_CHECK(condition == 5);
	ww_wait_for_completion(&done);
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	SIM_CHECK(!ww_completion_done(&done));
	no_time_passed();
}

static void wakes_queue(void *arg)
{
	(void)arg;
	ww_store_relaxed(&condition, 1u);
	ww_wake_up(&queue);
}

static void waits_too(void *arg)
{
	(void)arg;
	ww_wait_event(&queue, ww_load_relaxed(&condition));
}

SIM_PROGRAM(wait_event_never_sleeps_past_its_condition, 2, 1000)
{
	struct ww_os_thread t, u;

	ww_init_waitqueue_head(&queue);
	t = sim_thread(wakes_queue, NULL);
	u = sim_thread(waits_too, NULL);
	started();
	ww_wait_event(&queue, ww_load_relaxed(&condition));
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	no_time_passed();
}

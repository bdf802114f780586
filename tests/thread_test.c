/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "wheelwork/completion.h"
#include "wheelwork/control.h"
#include "wheelwork/thread.h"
#include "wheelwork/wait.h"

static int misuses;

static void count_misuse(enum ww_report_kind kind, const char *line)
{
	(void)line;
	if (kind == WW_REPORT_MISUSE)
		ww_fetch_add(&misuses, 1);
}

static void nap_ms(unsigned ms)
{
	ww_clock_sleep_until(ww_clock_ns() + ms * 1000000ull);
}

static int ran;

static int until_stopped(void *data)
{
	ww_fetch_add(&ran, 1);
	for (;;) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (ww_thread_should_stop())
			break;
		ww_schedule();
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	return (int)(intptr_t)data;
}

TEST(a_thread_never_woken_is_stopped_without_running_its_function)
{
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "never%d", 1);

	CHECK(t);
	CHECK_STR(ww_thread_name(t), "never1");
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_EQ(ran, 0);
}

TEST(stop_returns_what_the_function_returned)
{
	struct ww_thread *t = ww_thread_create(until_stopped, (void *)(intptr_t)42, "stopped");

	CHECK_EQ(ww_wake_up_process(t), 1);
	while (!ww_load_acquire(&ran))
		nap_ms(1);
	CHECK_EQ(ww_thread_stop(t), 42);
}

static int parks(void *data)
{
	int *turns = data;

	while (!ww_thread_should_stop()) {
		if (ww_thread_should_park())
			ww_thread_parkme();
		ww_fetch_add(turns, 1);
		ww_schedule_timeout_interruptible(1);
	}
	return 7;
}

TEST(a_parked_thread_does_nothing_until_unparked_and_can_be_stopped_parked)
{
	int turns = 0;
	struct ww_thread *t = ww_thread_run(parks, &turns, "parks");

	for (int i = 0; i < 20; i++) {
		CHECK_EQ(ww_thread_park(t), 0);
		int n = ww_load_acquire(&turns);
		CHECK_EQ(ww_wake_up_process(t), 0);
		nap_ms(3);
		CHECK_EQ(ww_load_acquire(&turns), n);
		ww_thread_unpark(t);
	}
	CHECK_EQ(ww_thread_park(t), 0);
	CHECK_EQ(ww_thread_stop(t), 7);
}

TEST(schedule_timeout_sleeps_at_least_its_ticks_and_returns_what_is_left)
{
	uint64_t t0 = ww_clock_ns();

	CHECK_EQ(ww_schedule_timeout_uninterruptible(20), 0);
	CHECK(ww_clock_ns() - t0 >= 20000000);
	CHECK(ww_schedule_timeout(1000000) > 999000); /* RUNNING: no sleep */
}

static struct ww_wait_queue_head queue;
static int done;

static int wakes(void *data)
{
	(void)data;
	nap_ms(5);
	ww_store_release(&done, 1);
	ww_wake_up(&queue);
	return 0;
}

TEST(wait_event_returns_once_the_condition_is_true)
{
	ww_set_misuse_handler(count_misuse);
	ww_thread_run(wakes, NULL, "wakes");
	ww_wait_event(&queue, ww_load_acquire(&done));
	CHECK(ww_load_acquire(&done));
	CHECK_EQ(ww_wait_event_timeout(&queue, false, 10), 0);
	CHECK_EQ(ww_wait_event_timeout(&queue, true, 0), 1);
	CHECK_EQ(misuses, 0);
}

static struct ww_completion comp;

static int completes(void *data)
{
	(void)data;
	ww_complete(&comp);
	return 0;
}

TEST(a_completion_counts_and_complete_all_is_sticky)
{
	ww_thread_run(completes, NULL, "completes");
	ww_wait_for_completion(&comp);
	CHECK(!ww_completion_done(&comp));
	CHECK_EQ(ww_wait_for_completion_timeout(&comp, 5), 0);
	ww_complete_all(&comp);
	ww_wait_for_completion(&comp);
	ww_wait_for_completion(&comp);
	CHECK(ww_completion_done(&comp));
	ww_reinit_completion(&comp);
	CHECK(!ww_try_wait_for_completion(&comp));
}

#define RUN  1u
#define HALT 2u

static struct ww_control control;
static uint32_t obeyed;

static int obeys(void *data)
{
	(void)data;
	while (!ww_thread_should_stop()) {
		if (!ww_control_wait(&control, RUN | HALT, WW_MAX_TIMEOUT))
			continue;
		ww_fetch_or(&obeyed, ww_control_take(&control, RUN | HALT));
	}
	return 3;
}

TEST(a_posted_control_bit_wakes_a_sleeping_loop_and_so_does_stop)
{
	struct ww_thread *t = ww_thread_run(obeys, NULL, "obeys");

	CHECK_EQ(ww_control_post(&control, RUN), 0);
	CHECK(ww_control_wait_taken(&control, RUN, WW_MAX_TIMEOUT));
	CHECK_EQ(ww_control_peek(&control), 0);
	ww_control_post(&control, HALT);
	CHECK(ww_control_wait_taken(&control, ~0u, WW_MAX_TIMEOUT));
	CHECK_EQ(ww_thread_stop(t), 3);
	CHECK_EQ(obeyed, RUN | HALT);
	ww_control_post(&control, RUN);
	CHECK(!ww_control_wait_taken(&control, RUN, 2));
	CHECK_EQ(ww_control_wait(&control, HALT, 2), 0);
	CHECK_EQ(ww_control_wait_until(&control, HALT, ww_clock_ns() + 1000000), 0);
	CHECK_EQ(ww_control_wait_until(&control, RUN, 0), RUN);
}

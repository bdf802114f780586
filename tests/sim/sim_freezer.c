/* SPDX-License-Identifier: MIT */
/* The freezer: threads that sleep, loop or just agree, and queues, against freeze and thaw. */
#include "sim/sim_programs.h"

#include "base/clock.h"
#include "wheelwork/clock.h"
#include "wheelwork/freezer.h"
#include "wheelwork/thread.h"
#include "wheelwork/wait.h"
#include "wheelwork/work.h"

static SIM_STATE uint32_t condition;
static SIM_STATE struct ww_wait_queue_head queue, others;
static SIM_STATE uint32_t awake;
static SIM_STATE bool still;  /* the freezing thread relies on nobody running */
static SIM_STATE bool agreed; /* the one that loops has begun */
static SIM_STATE unsigned ran;
static SIM_STATE uint64_t began;

static void go(void)
{
	began = sim_now_ns();
	sim_prompt();
	sim_go();
}

static void no_time_passed(void)
{
	SIM_CHECK(sim_now_ns() - began < 1000000);
}

/* Each step in it is one that a frozen thread must not make. */
static void runs(const char *what)
{
	SIM_CHECK(!still);
	sim_step(what);
	SIM_CHECK(!still);
}

static void freeze_look_thaw(void)
{
	/* A second: only as long as somebody does not freeze. */
	SIM_CHECK(ww_freeze_threads(1000) == 0);
	still = true;
	sim_step("all is still");
	sim_step("and is still");
	still = false;
	ww_thaw_threads();
}

static int waits_freezably(void *data)
{
	(void)data;
	ww_set_freezable();
	runs("agreed");
	ww_wait_event_freezable(&queue, ww_load_relaxed(&condition));
	runs("woken");
	ww_store_release(&awake, 1u);
	ww_wake_up(&others);
	return (int)ww_load_relaxed(&condition);
}

static void wakes(void *arg)
{
	(void)arg;
	ww_store_relaxed(&condition, 3u);
	ww_wake_up(&queue);
}

SIM_PROGRAM(frozen_threads_stand_still_and_keep_their_wake_up, 2, 2000)
{
	struct ww_os_thread w;
	struct ww_thread *t;

	ww_init_waitqueue_head(&queue);
	ww_init_waitqueue_head(&others);
	t = ww_thread_create(waits_freezably, NULL, "freezes");
	ww_thread_get(t);
	ww_wake_up_process(t);
	w = sim_thread(wakes, NULL);
	go();
	freeze_look_thaw();
	ww_os_thread_join(&w);
	/* Woken by that alone: nobody stops it yet. */
	ww_wait_event(&others, ww_load_acquire(&awake));
	SIM_CHECK(ww_thread_stop_put(t) == 3);
	no_time_passed();
}

static int loops_and_freezes(void *data)
{
	(void)data;
	agreed = true;
	ww_set_freezable();
	while (!ww_thread_freezable_should_stop(NULL)) {
		runs("in the loop");
		ww_set_current_state(WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE);
		if (!ww_thread_should_stop() && !ww_freezing())
			ww_schedule();
		ww_set_current_state_plain(WW_TASK_RUNNING);
	}
	return 5;
}

static void stops(void *arg)
{
	SIM_CHECK(ww_thread_stop(arg) == 5 || !agreed); /* it may not have begun */
}

/* A stop ends a thread that stands frozen at the head of its loop. */
SIM_PROGRAM(a_stop_reaches_a_thread_that_freezes, 2, 2000)
{
	struct ww_thread *t = ww_thread_run(loops_and_freezes, NULL, "freezes");
	struct ww_os_thread s;

	s = sim_thread(stops, t);
	go();
	SIM_CHECK(ww_freeze_threads(1000) == 0);
	sim_step("frozen, or gone");
	ww_thaw_threads();
	ww_os_thread_join(&s);
	no_time_passed();
}

static int agrees_late(void *data)
{
	(void)data;
	sim_step("not agreed yet");
	ww_set_freezable();
	runs("agreed");
	return 0;
}

/* Who agrees while the freezer is being turned on freezes, or is waited for. */
SIM_PROGRAM(who_agrees_late_is_not_overlooked, 2, 1500)
{
	struct ww_thread *t = ww_thread_create(agrees_late, NULL, "late");

	ww_thread_get(t);
	ww_wake_up_process(t);
	go();
	freeze_look_thaw();
	ww_thread_stop_put(t);
	no_time_passed();
}

static struct ww_workqueue *wq; /* made in the run that does not count */
static SIM_STATE struct ww_work item[2];

static void note_run(struct ww_work *w)
{
	(void)w;
	runs("in the handler");
	ran++;
}

static void queue_both(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		ww_queue_work(wq, &item[i]);
}

SIM_PROGRAM(a_frozen_queue_starts_nothing_and_goes_on_after, 1, 2000)
{
	struct ww_os_thread t;

	if (!wq)
		wq = ww_alloc_workqueue("sim_freeze", WW_WQ_UNBOUND | WW_WQ_FREEZABLE, 0);
	for (int i = 0; i < 2; i++)
		ww_init_work(&item[i], note_run);
	t = sim_thread(queue_both, NULL);
	go();
	freeze_look_thaw();
	ww_os_thread_join(&t);
	ww_flush_workqueue(wq);
	SIM_CHECK(ran == 2);
	no_time_passed();
}

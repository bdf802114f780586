/* SPDX-License-Identifier: MIT */
/* Work items: the hand-over of PENDING, cancel against a batch, flush, sleeping workers. */
#include "sim/sim_programs.h"

#include "base/clock.h"
#include "base/futex.h"
#include "wheelwork/clock.h"
#include "wheelwork/work.h"

#define ITEMS 3

static struct ww_workqueue *wq; /* made in the run that does not count */
static SIM_STATE struct ww_work item[ITEMS];
static SIM_STATE struct ww_delayed_work dwork;
static SIM_STATE uint32_t event[2];
static SIM_STATE bool seen[2];
static SIM_STATE unsigned accepted, cancelled, ran, running, gone;
static SIM_STATE uint64_t began;

static void note_run(struct ww_work *w)
{
	(void)w;
	SIM_CHECK(!gone);
	SIM_CHECK(running++ == 0);
	for (int i = 0; i < 2; i++)
		if (ww_load_relaxed(&event[i]))
			seen[i] = true;
	ran++;
	sim_step("in the handler");
	SIM_CHECK(!gone);
	running--;
}

static void begin(unsigned flags)
{
	if (!wq)
		wq = ww_alloc_workqueue("sim", flags, 0);
	SIM_CHECK(wq);
	for (int i = 0; i < ITEMS; i++)
		ww_init_work(&item[i], note_run);
	ww_init_delayed_work(&dwork, note_run);
}

static void go(void)
{
	began = sim_now_ns();
	sim_prompt();
	sim_go();
}

/* An item that nobody comes for shows as time that passes. */
static void no_time_passed(void)
{
	SIM_CHECK(sim_now_ns() - began < 1000000);
}

static void store_and_queue(void *arg)
{
	int i = *(int *)arg;

	ww_store_relaxed(&event[i], 1u);
	accepted += ww_queue_work(wq, &item[0]);
}

/* The event of a refused queueing belongs to the run that was pending. */
SIM_PROGRAM(a_refused_queueing_is_seen_by_the_pending_run, 2, 1500)
{
	static const int which[2] = {0, 1};
	struct ww_os_thread t, u;

	begin(WW_WQ_UNBOUND);
	t = sim_thread(store_and_queue, (void *)&which[0]);
	u = sim_thread(store_and_queue, (void *)&which[1]);
	go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	ww_flush_work(&item[0]);
	SIM_CHECK(seen[0] && seen[1]);
	SIM_CHECK(ran == accepted);
	SIM_CHECK(!ww_work_pending(&item[0]));
	no_time_passed();
}

static SIM_STATE uint32_t done;

static void note_and_wake(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&done, 1u);
	ww_futex_wake(&done, 1);
}

static void wait_until_done(uint32_t n)
{
	uint32_t seen_done;

	while ((seen_done = ww_load_acquire(&done)) < n)
		ww_futex_wait(&done, seen_done, WW_FOREVER);
}

static void queue_one_after_the_other(unsigned flags)
{
	begin(flags);
	for (int i = 0; i < ITEMS; i++)
		ww_init_work(&item[i], note_and_wake);
	go();
	for (uint32_t i = 0; i < ITEMS; i++) {
		ww_queue_work(wq, &item[i]);
		wait_until_done(i + 1);
	}
	no_time_passed();
}

/* Nobody but the queueing itself wakes the worker, which is just about to sleep. */
SIM_PROGRAM(queueing_wakes_a_worker_that_goes_to_sleep, 2, 1500)
{
	queue_one_after_the_other(WW_WQ_UNBOUND);
}

/*
 * The same where there is but one worker, and none more may be made: the second push in a row that
 * comes while it goes to sleep finds the manager armed, and that one comes milliseconds later. Only
 * the worker's own last look is in time.
 */
SIM_PROGRAM(the_only_worker_looks_once_more_before_it_sleeps, 2, 1500)
{
	queue_one_after_the_other(WW_WQ_PERCPU);
}

static void queue_all(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		accepted += ww_queue_work(wq, &item[i]);
}

static void note_run_beside_others(struct ww_work *w)
{
	SIM_CHECK(!(gone && w == &item[1]));
	ran++;
	sim_step("in the handler");
	SIM_CHECK(!(gone && w == &item[1]));
}

/* The batch that a worker took stays cancellable, and cancel_sync waits for what runs. */
SIM_PROGRAM(cancel_sync_is_certain_against_a_batch, 1, 2500)
{
	struct ww_os_thread t;

	begin(WW_WQ_UNBOUND);
	for (int i = 0; i < ITEMS; i++)
		ww_init_work(&item[i], note_run_beside_others);
	t = sim_thread(queue_all, NULL);
	go();
	for (int i = 0; i < 2; i++)
		cancelled += ww_cancel_work_sync(&item[1]);
	ww_os_thread_join(&t);
	cancelled += ww_cancel_work_sync(&item[1]);
	gone = 1;
	ww_flush_workqueue(wq);
	SIM_CHECK(ran + cancelled == accepted);
	no_time_passed();
}

static void queue_again(struct ww_work *w)
{
	note_run(w);
	if (ran < 3)
		accepted += ww_queue_work(wq, w);
}

static void cancel_first(void *arg)
{
	(void)arg;
	cancelled += ww_cancel_work_sync(&item[0]);
}

SIM_PROGRAM(two_cancels_of_an_item_that_queues_itself_both_return, 1, 2500)
{
	struct ww_os_thread t;

	begin(WW_WQ_UNBOUND);
	ww_init_work(&item[0], queue_again);
	accepted += ww_queue_work(wq, &item[0]);
	t = sim_thread(cancel_first, NULL);
	go();
	cancelled += ww_cancel_work_sync(&item[0]);
	ww_os_thread_join(&t);
	gone = 1;
	SIM_CHECK(!ww_work_pending(&item[0]));
	SIM_CHECK(ran + cancelled == accepted);
	no_time_passed();
}

SIM_PROGRAM(flush_waits_for_what_was_queued, 1, 2000)
{
	struct ww_os_thread t;
	unsigned before;

	begin(WW_WQ_UNBOUND);
	for (int i = 0; i < ITEMS; i++)
		ww_init_work(&item[i], note_run_beside_others);
	accepted += ww_queue_work(wq, &item[0]);
	t = sim_thread(queue_all, NULL);
	go();
	before = accepted;
	ww_flush_workqueue(wq);
	SIM_CHECK(ran >= before);
	ww_os_thread_join(&t);
	before = accepted;
	ww_flush_workqueue(wq);
	SIM_CHECK(ran == before);
	no_time_passed();
}

static void pushes_delayed(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		if (!ww_mod_delayed_work(wq, &dwork, 2 + (uint64_t)i))
			accepted++;
}

SIM_PROGRAM(a_delayed_work_runs_or_is_cancelled_once_per_arming, 1, 2500)
{
	struct ww_os_thread t, u;

	begin(WW_WQ_UNBOUND);
	accepted += ww_queue_delayed_work(wq, &dwork, 1);
	t = sim_thread(pushes_delayed, NULL);
	u = sim_thread(pushes_delayed, NULL);
	sim_go();
	cancelled += ww_cancel_delayed_work(&dwork);
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	ww_clock_sleep_until(ww_clock_ns() + 8000000);
	cancelled += ww_cancel_delayed_work_sync(&dwork);
	gone = 1;
	SIM_CHECK(ran + cancelled == accepted);
}

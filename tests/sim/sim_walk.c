/* SPDX-License-Identifier: MIT */
/* A walk over everything that is queued or runs, against a batch under way and a queue that goes. */
#include "sim/sim_programs.h"

#include <string.h>

#include "base/clock.h"
#include "wheelwork/clock.h"
#include "wheelwork/work.h"
#include "work/internal.h"

#define ITEMS 3

static struct ww_workqueue *wq; /* made in the run that does not count */
static SIM_STATE struct ww_work item[ITEMS];
static SIM_STATE unsigned accepted, cancelled, ran;
static SIM_STATE unsigned waits, runs; /* by one walk */
static SIM_STATE bool gone;
static SIM_STATE uint64_t began;

static void go(void)
{
	began = sim_now_ns();
	sim_prompt();
	sim_go();
}

static void counts(struct ww_work *w)
{
	(void)w;
	ran++;
	sim_step("in the handler");
}

static void begin(void)
{
	if (!wq)
		wq = ww_alloc_workqueue("sim_walk", WW_WQ_UNBOUND, 0);
	SIM_CHECK(wq);
	for (int i = 0; i < ITEMS; i++)
		ww_init_work(&item[i], counts);
}

static void queue_all(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		accepted += ww_queue_work(wq, &item[i]);
}

static void looks(const struct ww_work_view *view, void *arg)
{
	(void)arg;
	SIM_CHECK(!gone || strcmp(view->queue, "sim_gone"));
	if (!view->func || strcmp(view->queue, "sim_walk"))
		return;
	SIM_CHECK(view->func == counts);
	waits += !view->running;
	runs += view->running;
}

/* Each item waits once at most, also one that is put back; each of two workers runs one. */
static void walk(void)
{
	waits = runs = 0;
	ww_work_for_each(looks, NULL);
	SIM_CHECK(waits <= ITEMS && runs <= 2);
}

/* Those whose turn comes are the same after it, and nobody waits for time. */
SIM_PROGRAM(a_walk_that_meets_a_batch_leaves_it_whole, 1, 3000)
{
	struct ww_workqueue_stats s;
	struct ww_os_thread t;

	begin();
	queue_all(NULL); /* so that a worker takes them as one batch */
	t = sim_thread(queue_all, NULL);
	go();
	walk();
	walk();
	ww_os_thread_join(&t);
	ww_flush_workqueue(wq);
	SIM_CHECK(ran == accepted);
	ww_workqueue_get_stats(wq, &s);
	SIM_CHECK(s.in_flight == 0 && s.started == s.completed);
	SIM_CHECK(sim_now_ns() - began < 1000000);
}

static void walks(void *arg)
{
	(void)arg;
	walk();
}

/* What the walk put back can be cancelled for certain, from wherever it stands by then. */
SIM_PROGRAM(a_cancel_during_a_walk_is_certain, 1, 3000)
{
	struct ww_os_thread t;

	begin();
	queue_all(NULL);
	t = sim_thread(walks, NULL);
	go();
	cancelled += ww_cancel_work_sync(&item[1]);
	SIM_CHECK(!ww_work_pending(&item[1]));
	cancelled += ww_cancel_work_sync(&item[2]);
	ww_os_thread_join(&t);
	ww_flush_workqueue(wq);
	SIM_CHECK(ran + cancelled == accepted);
	SIM_CHECK(sim_now_ns() - began < 1000000);
}

static SIM_STATE struct ww_work last;
static SIM_STATE struct ww_workqueue *going;

static void counts_too(struct ww_work *w)
{
	(void)w;
	sim_step("in the last handler");
}

/* A worker shows its queue a little longer than there is one. */
SIM_PROGRAM(a_walk_shows_no_queue_that_is_gone, 1, 3000)
{
	struct ww_os_thread t;

	begin();
	going = ww_alloc_workqueue("sim_gone", WW_WQ_UNBOUND, 0);
	SIM_CHECK(going);
	ww_init_work(&last, counts_too);
	ww_queue_work(going, &last);
	ww_queue_work(wq, &item[0]); /* behind it in the batch */
	t = sim_thread(walks, NULL);
	go();
	ww_destroy_workqueue(going);
	gone = true;
	walk();
	ww_os_thread_join(&t);
	ww_flush_workqueue(wq);
}

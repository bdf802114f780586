/* SPDX-License-Identifier: MIT */
/* Pools: the gap in the inbox, memory that is given away, colours, rescuers, shared room, and
 * workers that go to sleep or leave. */
#include "sim/sim_programs.h"

#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "wheelwork/clock.h"
#include "wheelwork/work.h"
#include "work/internal.h"

static struct ww_workqueue *wq, *ordered, *reclaim,
	*spread; /* made in the run that does not count */
static SIM_STATE unsigned accepted, cancelled, ran, running, gone;
static SIM_STATE uint32_t done;
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

static struct ww_workqueue *queue(struct ww_workqueue **q, const char *name, unsigned flags)
{
	if (!*q)
		*q = ww_alloc_workqueue(name, flags, 0);
	SIM_CHECK(*q);
	return *q;
}

/* An item whose handler gives its memory away: whoever writes there after that is found. */
struct given {
	struct ww_work work;
	bool is_given;
};

static SIM_STATE struct given item[4];

static void gives_itself_away(struct ww_work *w)
{
	struct given *g = ww_container_of(w, struct given, work);

	SIM_CHECK(!g->is_given);
	memset(w, 0x5a, sizeof(*w));
	g->is_given = true;
	ww_fetch_add(&done, 1u);
	ww_futex_wake(&done, INT32_MAX);
}

static void wait_until_done(uint32_t n)
{
	uint32_t d;

	while ((d = ww_load_acquire(&done)) < n)
		ww_futex_wait(&done, d, WW_FOREVER);
}

static void check_given(unsigned n)
{
	struct ww_work poison;

	memset(&poison, 0x5a, sizeof(poison));
	for (unsigned i = 0; i < n; i++)
		SIM_CHECK(item[i].is_given && !memcmp(&item[i].work, &poison, sizeof(poison)));
}

static void queue_one(void *arg)
{
	struct given *g = arg;

	ww_queue_work(wq, &g->work);
}

/* A pusher that links late finds its predecessor still there, and nobody waits for time. */
SIM_PROGRAM(a_pusher_never_writes_into_memory_that_was_given_away, 1, 4000)
{
	struct ww_os_thread t[2];

	queue(&wq, "sim", WW_WQ_UNBOUND);
	for (int i = 0; i < 3; i++)
		ww_init_work(&item[i].work, gives_itself_away);
	for (int i = 0; i < 2; i++)
		t[i] = sim_thread(queue_one, &item[i]);
	go();
	ww_queue_work(wq, &item[2].work);
	wait_until_done(3);
	for (int i = 0; i < 2; i++)
		ww_os_thread_join(&t[i]);
	check_given(3);
	no_time_passed();
}

static void note_run(struct ww_work *w)
{
	SIM_CHECK(!(gone && w == &item[1].work));
	ran++;
	sim_step("in the handler");
	SIM_CHECK(!(gone && w == &item[1].work));
}

/* The item behind a gap, exchanged in and not linked, can be cancelled for certain. */
SIM_PROGRAM(a_cancel_finds_an_item_behind_a_gap, 1, 4000)
{
	struct ww_os_thread t[2];

	queue(&wq, "sim", WW_WQ_UNBOUND);
	for (int i = 0; i < 3; i++)
		ww_init_work(&item[i].work, note_run);
	for (int i = 0; i < 2; i++)
		t[i] = sim_thread(queue_one, &item[2 * i]);
	go();
	accepted = 3;
	ww_queue_work(wq, &item[1].work);
	cancelled += ww_cancel_work_sync(&item[1].work);
	gone = 1;
	for (int i = 0; i < 2; i++)
		ww_os_thread_join(&t[i]);
	ww_flush_workqueue(wq);
	SIM_CHECK(ran + cancelled == accepted);
	no_time_passed();
}

static void note_and_wake(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&done, 1u);
	ww_futex_wake(&done, 1);
}

/*
 * The manager looks at the pool already, and will look again only in a while: nobody but the pusher
 * and the worker's own last look can see to it that the item is run now.
 */
SIM_PROGRAM(a_worker_looks_at_the_inbox_before_it_sleeps, 2, 3000)
{
	struct ww_pool *pool;

	queue(&wq, "sim", WW_WQ_UNBOUND);
	pool = wq->pwqs[0]->pool;
	ww_init_work(&item[0].work, note_and_wake);
	ww_init_work(&item[1].work, note_and_wake);
	ww_fetch_and(&pool->look, ~LOOK_UNARMED);
	ww_manager_kick();
	ww_clock_sleep_until(ww_clock_ns() + 500000);
	go();
	ww_queue_work(wq, &item[0].work);
	wait_until_done(1);
	ww_queue_work(wq, &item[1].work);
	wait_until_done(2);
	no_time_passed();
}

/* ---- colours ---- */

#define FLUSHES 18 /* more than there are colours */

static SIM_STATE struct ww_work many[FLUSHES];
static SIM_STATE uint32_t gate, over;

static void waits_at_the_gate(struct ww_work *w)
{
	while (!ww_load_acquire(&gate))
		ww_futex_wait(&gate, 0, WW_FOREVER);
	SIM_CHECK(w == &many[over]);
	ww_store_relaxed(&over, over + 1);
}

static void flushes(void *arg)
{
	ww_flush_workqueue(ordered);
	SIM_CHECK(ww_load_relaxed(&over) >= (uint32_t)(uintptr_t)arg);
}

static void flush_each(unsigned n)
{
	struct ww_os_thread t[FLUSHES];

	if (!ordered)
		ordered = ww_alloc_ordered_workqueue("sim_ordered", 0);
	for (unsigned i = 0; i < n; i++)
		ww_init_work(&many[i], waits_at_the_gate);
	go();
	for (unsigned i = 0; i < n; i++) {
		ww_queue_work(ordered, &many[i]);
		t[i] = sim_thread(flushes, (void *)(uintptr_t)(i + 1));
		sim_step("queued");
	}
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, INT32_MAX);
	for (unsigned i = 0; i < n; i++)
		ww_os_thread_join(&t[i]);
	SIM_CHECK(over == n);
}

SIM_PROGRAM(each_flush_waits_for_what_came_before_it, 1, 1500)
{
	flush_each(3);
}

SIM_PROGRAM(flushes_that_run_out_of_colours_wait_too, 0, 150)
{
	flush_each(FLUSHES);
}

/* ---- rescue ---- */

static SIM_STATE unsigned by_rescuer;

static void waits_for_the_other(struct ww_work *w)
{
	(void)w;
	ww_block_enter();
	while (!ww_load_acquire(&gate))
		ww_futex_wait(&gate, 0, WW_FOREVER);
	ww_block_leave();
	ran++;
}

static void lets_the_other_go(struct ww_work *w)
{
	(void)w;
	by_rescuer += ww_current_is_workqueue_rescuer();
	ran++;
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, INT32_MAX);
}

/* The pool's workers block, no thread can be made: the rescuer runs what they wait for. */
static void rescue(bool cancel)
{
	unsigned n = 0, n_blocked;

	queue(&reclaim, "sim_reclaim", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM);
	/* Those that the run before had need of have left by then. */
	ww_clock_sleep_until(ww_clock_ns() + 100 * 1000000000ull);
	n_blocked = reclaim->pwqs[0]->pool->nr_workers;
	SIM_CHECK(n_blocked < FLUSHES - 1);
	ww_param_threads_max = 0;
	go();
	for (n = 0; n < n_blocked; n++) {
		ww_init_work(&many[n], waits_for_the_other);
		ww_queue_work(reclaim, &many[n]);
	}
	ww_init_work(&many[n], lets_the_other_go);
	ww_queue_work(reclaim, &many[n]);
	if (cancel && ww_cancel_work_sync(&many[n])) {
		cancelled++;
		ww_store_release(&gate, 1u);
		ww_futex_wake(&gate, INT32_MAX);
	}
	ww_flush_workqueue(reclaim);
	ww_param_threads_max = 4096;
	SIM_CHECK(ran + cancelled == n + 1);
}

SIM_PROGRAM(a_rescuer_runs_what_no_worker_can, 1, 1500)
{
	rescue(false);
}

SIM_PROGRAM(what_a_rescuer_comes_for_can_be_cancelled, 1, 1500)
{
	rescue(true);
}

/* ---- shared room ---- */

static void counts_beside_nobody(struct ww_work *w)
{
	(void)w;
	SIM_CHECK(running++ == 0);
	sim_step("in the handler");
	running--;
	ww_fetch_add(&done, 1u);
	ww_futex_wake(&done, INT32_MAX);
}

static void queue_here(void *arg)
{
	ww_queue_work(spread, arg);
}

/* One place for two pools: one takes it, the other is told when it is free. */
SIM_PROGRAM(room_that_pools_share_is_handed_on, 1, 4000)
{
	struct ww_os_thread t;

	if (!spread) {
		struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();

		spread = ww_alloc_workqueue("sim_spread", WW_WQ_UNBOUND, 1);
		attrs->scope = WW_WQ_SCOPE_CPU;
		SIM_CHECK(ww_apply_workqueue_attrs(spread, attrs) == 0);
		ww_free_workqueue_attrs(attrs);
	}
	for (int i = 0; i < 3; i++)
		ww_init_work(&item[i].work, counts_beside_nobody);
	t = sim_thread(queue_here, &item[0].work); /* sees another CPU than we do */
	go();
	ww_queue_work(spread, &item[1].work);
	ww_os_thread_join(&t);
	wait_until_done(2);
	no_time_passed();
}

/* ---- disabled items ---- */

static void tries_to_queue(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		accepted += ww_queue_work(wq, &item[1].work);
}

SIM_PROGRAM(a_disabled_item_does_not_run_until_it_is_enabled, 2, 2000)
{
	struct ww_os_thread t;

	queue(&wq, "sim", WW_WQ_UNBOUND);
	ww_init_work(&item[1].work, note_run);
	t = sim_thread(tries_to_queue, NULL);
	go();
	cancelled += ww_disable_work_sync(&item[1].work);
	gone = 1;
	sim_step("disabled");
	gone = 0;
	accepted += ww_enable_and_queue_work(wq, &item[1].work);
	ww_os_thread_join(&t);
	ww_flush_work(&item[1].work);
	SIM_CHECK(!ww_work_pending(&item[1].work));
	no_time_passed();
}

/* ---- one item and many callers ---- */

static void queue_and_flush(void *arg)
{
	(void)arg;
	accepted += ww_queue_work(wq, &item[0].work);
	ww_flush_work(&item[0].work);
}

static void queue_and_cancel(void *arg)
{
	(void)arg;
	accepted += ww_queue_work(wq, &item[0].work);
	cancelled += ww_cancel_work_sync(&item[0].work);
}

SIM_PROGRAM(queueing_flushing_and_cancelling_one_item_add_up, 1, 3000)
{
	struct ww_os_thread t[3];

	queue(&wq, "sim", WW_WQ_UNBOUND);
	ww_init_work(&item[0].work, counts_beside_nobody);
	t[0] = sim_thread(queue_and_flush, NULL);
	t[1] = sim_thread(queue_and_cancel, NULL);
	t[2] = sim_thread(queue_and_flush, NULL);
	go();
	for (int i = 0; i < 3; i++)
		ww_os_thread_join(&t[i]);
	SIM_CHECK(!ww_work_pending(&item[0].work));
	SIM_CHECK(done + cancelled == accepted);
	no_time_passed();
}

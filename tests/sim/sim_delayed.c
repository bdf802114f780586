/* SPDX-License-Identifier: MIT */
/* Delayed works: put off by a store against expiry, against a move to another queue, against
 * cancel and flush. */
#include "sim/sim_programs.h"

#include "base/clock.h"
#include "wheelwork/clock.h"
#include "wheelwork/work.h"
#include "work/internal.h"

#define TICK_NS 1000000u

static struct ww_workqueue *one, *two; /* made in the run that does not count */
static SIM_STATE struct ww_delayed_work dwork;
static SIM_STATE uint32_t event[2];
static SIM_STATE bool seen[2], gone, owing;
static SIM_STATE unsigned ran, running, cancelled, accepted;
static SIM_STATE uint64_t owed, near, far;

static void note_run(struct ww_work *w)
{
	(void)w;
	SIM_CHECK(!gone);
	SIM_CHECK(running++ == 0);
	if (owing)
		SIM_CHECK(ww_time_after(ww_jiffies(), owed));
	for (int i = 0; i < 2; i++)
		if (ww_load_relaxed(&event[i]))
			seen[i] = true;
	ran++;
	sim_step("in the handler");
	SIM_CHECK(!gone);
	running--;
}

static void begin(ww_work_fn fn)
{
	ww_clock_configure(1000, UINT64_MAX - 2);
	if (!one) {
		one = ww_alloc_workqueue("sim_one", WW_WQ_UNBOUND, 0);
		two = ww_alloc_workqueue("sim_two", WW_WQ_UNBOUND, 0);
	}
	ww_init_delayed_work(&dwork, fn);
}

static void arm(uint64_t expires)
{
	accepted += !ww_mod_delayed_work_at(one, &dwork, expires);
	ww_mod_delayed_work_at(one, &dwork, expires + 1); /* put off by another thread: opened */
}

static void wait_until_over(void)
{
	while (ww_delayed_work_pending(&dwork))
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS);
	cancelled += ww_cancel_delayed_work_sync(&dwork);
	gone = true;
	SIM_CHECK(!running);
}

struct put_off {
	int i;
	uint64_t to;
};

static void stores_and_puts_off(void *arg)
{
	const struct put_off *p = arg;

	ww_store_relaxed(&event[p->i], 1u);
	if (ww_mod_delayed_work_at(one, &dwork, p->to)) {
		/* The only one that puts it off: its deadline is the last. */
		owed = p->to;
		owing = p->i == 0;
	} else {
		accepted++;
	}
}

SIM_PROGRAM(a_work_put_off_as_it_expires_loses_no_event_and_is_not_early, 1, 2500)
{
	struct put_off p = {0, 0};
	struct ww_os_thread t;
	uint64_t now;

	begin(note_run);
	now = ww_jiffies();
	arm(now + 1);
	p.to = now + 4;
	t = sim_thread(stores_and_puts_off, &p);
	sim_go();
	ww_os_thread_join(&t);
	wait_until_over();
	SIM_CHECK(seen[0]);
	SIM_CHECK(ran == accepted);
}

SIM_PROGRAM(two_who_put_it_off_are_both_seen, 1, 2000)
{
	struct put_off p = {1, 0}, q = {1, 0};
	struct ww_os_thread t;
	uint64_t now;

	begin(note_run);
	now = ww_jiffies();
	arm(now + 1);
	p.to = now + 3;
	q.to = now + 4;
	t = sim_thread(stores_and_puts_off, &p);
	sim_go();
	stores_and_puts_off(&q);
	ww_os_thread_join(&t);
	wait_until_over();
	SIM_CHECK(seen[1]);
	SIM_CHECK(ran == accepted);
}

/* On queue one not after the near deadline, on queue two not before the far one. */
static void one_is_near_two_is_far(struct ww_work *w)
{
	bool on_two = ww_self_worker->current_pwq->wq == two;
	uint64_t now = ww_jiffies();

	(void)w;
	if (on_two)
		SIM_CHECK(ww_time_after(now, far));
	else
		SIM_CHECK(ww_time_before(now, far));
	ran++;
}

static void moves_to_two(void *arg)
{
	(void)arg;
	accepted += !ww_mod_delayed_work_at(two, &dwork, far);
}

SIM_PROGRAM(queue_and_deadline_come_from_the_same_call, 1, 3000)
{
	struct ww_os_thread t;
	uint64_t now;

	begin(one_is_near_two_is_far);
	now = ww_jiffies();
	near = now + 4;
	far = now + 40;
	arm(now + 2);
	t = sim_thread(moves_to_two, NULL);
	sim_prompt();
	sim_go();
	accepted += !ww_mod_delayed_work_at(one, &dwork, near);
	ww_os_thread_join(&t);
	wait_until_over();
	SIM_CHECK(ran + cancelled == accepted);
}

static void cancels(void *arg)
{
	(void)arg;
	cancelled += ww_cancel_delayed_work_sync(&dwork);
	SIM_CHECK(!running);
}

SIM_PROGRAM(cancel_sync_of_a_work_that_expires_is_certain, 2, 2000)
{
	struct ww_os_thread t;

	begin(note_run);
	arm(ww_jiffies());
	t = sim_thread(cancels, NULL);
	sim_go();
	cancels(NULL);
	gone = true;
	ww_os_thread_join(&t);
	SIM_CHECK(!ww_delayed_work_pending(&dwork));
	SIM_CHECK(ran + cancelled == accepted);
}

static void flushes(void *arg)
{
	(void)arg;
	ww_flush_delayed_work(&dwork);
	SIM_CHECK(seen[0]);
}

/* A flush queues it at once, or waits for the run that its expiry began. */
SIM_PROGRAM(a_flush_of_a_work_that_expires_waits_for_its_run, 1, 2000)
{
	struct ww_os_thread t;

	begin(note_run);
	event[0] = 1;
	arm(ww_jiffies());
	t = sim_thread(flushes, NULL);
	sim_go();
	flushes(NULL);
	ww_os_thread_join(&t);
	wait_until_over();
	SIM_CHECK(ran == 1 && accepted == 1);
}

/* SPDX-License-Identifier: MIT */
/* Workers: order, delays, modification, flush, cancel, destroy, misuse. */
#include "thread_util.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
	struct ww_worker_work work;
	int id;
};

static int order[64], nr_run;

static void notes(struct ww_worker_work *work)
{
	struct item *it = ww_container_of(work, struct item, work);
	int n = ww_fetch_add(&nr_run, 1);

	if (n < 64)
		order[n] = it->id;
}

static void items_init(struct item *it, int n)
{
	for (int i = 0; i < n; i++) {
		ww_worker_init_work(&it[i].work, notes);
		it[i].id = i;
	}
}

static int gate_open, gate_entered;

static void waits_at_gate(struct ww_worker_work *work)
{
	(void)work;
	ww_fetch_add(&gate_entered, 1);
	UNTIL(ww_load_acquire(&gate_open));
	ww_fetch_add(&nr_run, 1);
}

TEST(items_run_once_each_in_the_order_of_queueing)
{
	struct ww_worker *w = ww_worker_create(0, "fifo%d", 1);
	struct ww_worker_work gate;
	struct item it[40];

	CHECK(w);
	nap_ms(5);
	CHECK_EQ(ww_load_relaxed(&ww_worker_thread(w)->life), WW_LIFE_NEW); /* not started */
	ww_worker_init_work(&gate, waits_at_gate);
	ww_worker_queue_work(w, &gate);
	UNTIL(ww_load_acquire(&gate_entered));
	items_init(it, 40);
	for (int i = 0; i < 40; i++) {
		CHECK(ww_worker_queue_work(w, &it[i].work));
		CHECK(!ww_worker_queue_work(w, &it[i].work));
	}
	ww_store_release(&gate_open, 1);
	ww_worker_flush(w);
	CHECK_EQ(ww_fetch_sub(&nr_run, 1), 41); /* with the gate itself */
	for (int i = 0; i < 40; i++)
		CHECK_EQ(order[i + 1], i);
	CHECK(ww_worker_queue_work(w, &it[3].work));
	ww_worker_flush_work(&it[3].work);
	CHECK_EQ(nr_run, 41);
	ww_worker_flush_work(&it[3].work); /* idle: returns at once */
	ww_worker_destroy(w);
}

TEST(destroy_runs_what_is_queued_also_on_a_worker_never_woken)
{
	struct ww_worker *w = ww_worker_create(0, "lazy");
	struct item it[3];

	items_init(it, 3);
	for (int i = 0; i < 3; i++)
		ww_worker_queue_work(w, &it[i].work);
	ww_worker_destroy(w);
	CHECK_EQ(nr_run, 3);
}

TEST(an_item_queued_while_it_runs_runs_again)
{
	struct ww_worker *w = ww_worker_run(0, "again");
	struct ww_worker_work gate;

	ww_worker_init_work(&gate, waits_at_gate);
	CHECK(ww_worker_queue_work(w, &gate));
	UNTIL(ww_load_acquire(&gate_entered));
	CHECK(ww_worker_queue_work(w, &gate));
	CHECK(!ww_worker_queue_work(w, &gate));
	ww_store_release(&gate_open, 1);
	ww_worker_flush_work(&gate);
	CHECK_EQ(nr_run, 2);
	ww_worker_destroy(w);
}

static int cancels(void *data)
{
	return ww_worker_cancel_work_sync(data);
}

TEST(cancel_takes_a_queued_item_off_and_waits_for_a_running_one)
{
	struct ww_worker *w = ww_worker_run(0, "cancel");
	struct ww_worker_work gate;
	struct item it;

	ww_worker_init_work(&gate, waits_at_gate);
	items_init(&it, 1);
	CHECK(!ww_worker_cancel_work_sync(&gate)); /* never queued */
	ww_worker_queue_work(w, &gate);
	UNTIL(ww_load_acquire(&gate_entered));
	ww_worker_queue_work(w, &it.work);
	CHECK(ww_worker_cancel_work_sync(&it.work));
	CHECK(!ww_worker_cancel_work_sync(&it.work));
	struct ww_thread *t = ww_thread_create(cancels, &gate, "canceller");
	ww_thread_get(t);
	ww_worker_queue_work(w, &gate);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&t->state) != WW_TASK_RUNNING); /* it waits */
	CHECK(!ww_load_acquire(&t->ended));
	CHECK(!ww_worker_queue_work(w, &gate)); /* kept from queueing */
	ww_store_release(&gate_open, 1);
	UNTIL(ww_load_acquire(&t->ended));
	CHECK_EQ(ww_thread_stop_put(t), 1);
	CHECK_EQ(nr_run, 1);
	CHECK(ww_worker_queue_work(w, &gate));
	ww_worker_destroy(w);
	CHECK_EQ(nr_run, 2);
}

static struct ww_worker *self_worker;

static void requeues_itself(struct ww_worker_work *work)
{
	ww_fetch_add(&nr_run, 1);
	ww_worker_queue_work(self_worker, work);
}

TEST(cancel_ends_an_item_that_queues_itself)
{
	struct ww_worker_work w;

	self_worker = ww_worker_run(0, "self");
	ww_worker_init_work(&w, requeues_itself);
	ww_worker_queue_work(self_worker, &w);
	UNTIL(ww_load_acquire(&nr_run) > 10);
	ww_worker_cancel_work_sync(&w);
	int n = ww_load_acquire(&nr_run);
	nap_ms(5);
	CHECK_EQ(ww_load_acquire(&nr_run), n);
	ww_worker_destroy(self_worker);
}

struct ditem {
	struct ww_worker_delayed_work dwork;
	uint64_t ran_at;
	int runs;
};

static void notes_time(struct ww_worker_work *work)
{
	struct ditem *d = ww_container_of(ww_to_worker_delayed_work(work), struct ditem, dwork);

	d->ran_at = ww_jiffies();
	ww_fetch_add(&d->runs, 1);
}

TEST(a_delayed_item_runs_after_its_delay_and_not_before)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	struct ww_worker *w = ww_worker_run(0, "delayed");
	struct ditem d = {.runs = 0};
	uint64_t t0 = ww_jiffies();

	ww_worker_init_delayed_work(&d.dwork, notes_time);
	CHECK(ww_worker_queue_delayed_work(w, &d.dwork, 1000));
	CHECK(!ww_worker_queue_delayed_work(w, &d.dwork, 1));
	CHECK(!ww_worker_queue_work(w, &d.dwork.work));
	ww_clock_advance(1000);
	CHECK_EQ(ww_load_acquire(&d.runs), 0);
	ww_clock_advance(1);
	CHECK_EQ(ww_load_acquire(&d.runs), 1);
	CHECK_EQ(d.ran_at - t0, 1001);
	CHECK(ww_worker_queue_delayed_work(w, &d.dwork, 0)); /* at once, no timer */
	ww_worker_flush_work(&d.dwork.work);
	CHECK_EQ(d.runs, 2);
	ww_worker_destroy(w);
}

TEST(mod_delayed_work_moves_the_deadline_and_says_whether_it_was_queued)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	struct ww_worker *w = ww_worker_run(0, "mod");
	struct ditem d = {.runs = 0};

	ww_worker_init_delayed_work(&d.dwork, notes_time);
	CHECK(!ww_worker_mod_delayed_work(w, &d.dwork, 100)); /* never queued */
	CHECK(ww_worker_mod_delayed_work(w, &d.dwork, 5000));
	ww_clock_advance(4999);
	CHECK_EQ(ww_load_acquire(&d.runs), 0);
	CHECK(ww_worker_mod_delayed_work(w, &d.dwork, 10));
	ww_clock_advance(11);
	CHECK_EQ(ww_load_acquire(&d.runs), 1);
	CHECK(!ww_worker_mod_delayed_work(w, &d.dwork, 0));
	ww_worker_flush_work(&d.dwork.work);
	CHECK_EQ(ww_load_acquire(&d.runs), 2);
	CHECK(!ww_worker_mod_delayed_work(w, &d.dwork, 70));
	CHECK(ww_worker_cancel_delayed_work_sync(&d.dwork));
	CHECK(!ww_worker_cancel_delayed_work_sync(&d.dwork));
	ww_clock_advance(1000);
	CHECK_EQ(ww_load_acquire(&d.runs), 2);
	ww_worker_destroy(w);
}

static int flushes(void *data)
{
	ww_worker_flush_work(data);
	return 1;
}

TEST(a_flush_of_a_delayed_item_waits_until_it_has_run_or_was_cancelled)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	struct ww_worker *w = ww_worker_run(0, "dflush");
	struct ditem d = {.runs = 0};
	struct ww_thread *t;

	ww_worker_init_delayed_work(&d.dwork, notes_time);
	for (int cancel = 0; cancel < 2; cancel++) {
		CHECK(ww_worker_queue_delayed_work(w, &d.dwork, 500));
		t = ww_thread_create(flushes, &d.dwork.work, "flusher");
		ww_thread_get(t);
		ww_wake_up_process(t);
		ww_clock_advance(100);
		CHECK(!ww_load_acquire(&t->ended));
		if (cancel)
			CHECK(ww_worker_cancel_delayed_work_sync(&d.dwork));
		else
			ww_clock_advance(401);
		UNTIL(ww_load_acquire(&t->ended));
		CHECK_EQ(ww_load_acquire(&d.runs), 1);
		ww_thread_stop_put(t);
	}
	ww_worker_destroy(w);
}

static struct ww_worker_work freed_late;
static struct ww_worker *w_two;

static void flushes_itself(struct ww_worker_work *work)
{
	ww_worker_flush_work(work);
	ww_worker_flush(self_worker);
	ww_worker_cancel_work_sync(work);
	ww_worker_destroy(self_worker);
	ww_fetch_add(&nr_run, 1);
}

TEST(waiting_for_oneself_and_two_owners_are_reported_and_never_hang)
{
	struct item it;

	ww_set_misuse_handler(count_reports);
	self_worker = ww_worker_run(0, "selfish");
	w_two = ww_worker_run(0, "second");
	ww_worker_init_work(&freed_late, flushes_itself);
	ww_worker_queue_work(self_worker, &freed_late);
	UNTIL(ww_load_acquire(&nr_run));
	CHECK_EQ(misuses, 4);
	items_init(&it, 1);
	ww_worker_queue_work(self_worker, &it.work);
	ww_worker_flush(self_worker);
	CHECK(!ww_worker_queue_work(w_two, &it.work));
	CHECK_EQ(misuses, 5);
	ww_worker_init_work(&it.work, notes);
	CHECK(ww_worker_queue_work(w_two, &it.work));
	ww_worker_flush(w_two);
	struct ww_worker_work gate;
	ww_worker_init_work(&gate, waits_at_gate);
	ww_worker_queue_work(w_two, &gate);
	ww_debug_enable(true);
	ww_worker_init_work(&it.work, notes);
	ww_worker_queue_work(w_two, &it.work);
	ww_worker_init_work(&it.work, notes); /* queued: refused */
	CHECK_EQ(misuses, 6);
	ww_store_release(&gate_open, 1);
	ww_worker_destroy(self_worker);
	ww_worker_destroy(w_two);
	CHECK_EQ(misuses, 6);
	CHECK_EQ(nr_run, 5); /* itself, the gate, and the item three times */
}

TEST(a_worker_run_by_a_second_thread_is_reported)
{
	struct ww_worker w;
	struct item it;

	ww_set_misuse_handler(count_reports);
	ww_worker_init(&w);
	items_init(&it, 1);
	ww_worker_queue_work(&w, &it.work); /* before the thread runs */
	struct ww_thread *t = ww_thread_run(ww_worker_fn, &w, "own");
	ww_worker_flush(&w);
	CHECK_EQ(nr_run, 1);
	CHECK_EQ(run_to_end(ww_worker_fn, &w, "second"), -EBUSY);
	CHECK_EQ(misuses, 1);
	CHECK(strstr(last_report, "second"));
	CHECK_EQ(ww_thread_stop(t), 0);
}

TEST(a_delayed_item_left_at_destroy_is_reported_and_never_runs_on_freed_memory)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	ww_set_misuse_handler(count_reports);
	struct ww_worker *w = ww_worker_run(0, "leaves");
	struct ditem *d = calloc(1, sizeof(*d));

	ww_worker_init_delayed_work(&d->dwork, notes_time);
	ww_worker_queue_delayed_work(w, &d->dwork, 50);
	ww_worker_destroy(w);
	CHECK_EQ(misuses, 1);
	CHECK(strstr(last_report, "leaves"));
	CHECK_EQ(d->runs, 0);
	free(d);
	ww_clock_advance(1000);
}

static void frees_itself(struct ww_worker_work *work)
{
	free(ww_container_of(work, struct item, work));
	ww_fetch_add(&nr_run, 1);
}

TEST(an_item_may_free_its_own_memory)
{
	struct ww_worker *w = ww_worker_run(0, "frees");

	for (int i = 0; i < 100; i++) {
		struct item *it = calloc(1, sizeof(*it));

		ww_worker_init_work(&it->work, frees_itself);
		ww_worker_queue_work(w, &it->work);
	}
	ww_worker_destroy(w);
	CHECK_EQ(nr_run, 100);
}

TEST(a_freezable_worker_runs_nothing_while_frozen_and_everything_afterwards)
{
	struct ww_worker *w = ww_worker_run(WW_WORKER_FREEZABLE, "freezable");
	struct ww_worker *free_one = ww_worker_run(0, "notfreezable");
	struct item it[2];

	items_init(it, 2);
	UNTIL(ww_load_relaxed(&ww_worker_thread(w)->flags) & WW_TF_FREEZABLE);
	CHECK_EQ(ww_freeze_threads(20000), 0);
	ww_worker_queue_work(w, &it[0].work);
	ww_worker_queue_work(free_one, &it[1].work);
	ww_worker_flush(free_one);
	nap_ms(5);
	CHECK_EQ(ww_load_acquire(&nr_run), 1);
	CHECK_EQ(order[0], 1);
	ww_thaw_threads();
	ww_worker_flush(w);
	CHECK_EQ(nr_run, 2);
	ww_worker_destroy(w);
	ww_worker_destroy(free_one);
}

TEST(a_freezable_worker_loses_no_item_to_freezes_that_come_and_go)
{
	struct ww_worker *w = ww_worker_run(WW_WORKER_FREEZABLE, "comesandgoes");
	struct ditem d = {.runs = 0};
	struct item it;

	items_init(&it, 1);
	ww_worker_init_delayed_work(&d.dwork, notes_time);
	for (int i = 1; i <= 200; i++) {
		/* One queued around each freeze: before it, while frozen, or after the thaw. */
		if (i % 3 == 0)
			ww_worker_queue_work(w, &it.work);
		CHECK_EQ(ww_freeze_threads(20000), 0);
		if (i % 3 == 1)
			ww_worker_queue_work(w, &it.work);
		if (i % 7 == 0)
			ww_worker_mod_delayed_work(w, &d.dwork, 1);
		ww_thaw_threads();
		if (i % 3 == 2)
			ww_worker_queue_work(w, &it.work);
		ww_worker_flush_work(&it.work);
		CHECK_EQ(ww_load_acquire(&nr_run), i);
	}
	ww_worker_flush_work(&d.dwork.work);
	CHECK(ww_load_acquire(&d.runs) > 0);
	ww_worker_destroy(w);
}

static struct item static_item = {WW_WORKER_WORK_INITIALIZER(notes), 8};
static WW_DEFINE_WORKER_DELAYED_WORK(static_dwork, frees_itself);

TEST(items_set_up_at_program_start_work_and_workers_on_a_cpu_and_node_too)
{
	struct ww_worker *w = ww_worker_run_on_cpu(0, 0, "oncpu/%u");
	struct ww_worker *n = ww_worker_run_on_node(0, 0, "onnode");

	CHECK(w && n);
	CHECK_STR(ww_thread_name(ww_worker_thread(w)), "oncpu/0");
	CHECK(ww_worker_queue_work(w, &static_item.work));
	ww_worker_flush(w);
	CHECK_EQ(order[0], 8);
	CHECK(!ww_worker_mod_delayed_work(n, &static_dwork, 1000000));
	CHECK(ww_worker_cancel_delayed_work_sync(&static_dwork));
	ww_worker_destroy(w);
	ww_worker_destroy(n);
	CHECK(!ww_worker_create_on_cpu(0, 0, "no number"));
}

TEST(after_fork_a_parents_worker_does_not_hang_the_child)
{
	struct ww_worker *w = ww_worker_run(0, "parent");
	struct item it;
	int status;

	NEEDS_FORK();
	items_init(&it, 1);
	ww_set_misuse_handler(count_reports);
	ww_worker_flush(w);
	pid_t pid = fork();
	if (pid == 0) {
		ww_worker_queue_work(w, &it.work);
		ww_worker_flush(w);
		ww_worker_flush_work(&it.work);
		ww_worker_destroy(w);
		w = ww_worker_run(0, "child");
		ww_worker_init_work(&it.work, notes);
		_exit(misuses >= 3 && w ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	ww_worker_destroy(w);
}

#define NR_STRESS 6

static struct ww_worker *stress_worker;
static struct ditem stress[NR_STRESS];
static uint64_t stress_queued, stress_end;

static void counts(struct ww_worker_work *work)
{
	struct ditem *d = ww_container_of(ww_to_worker_delayed_work(work), struct ditem, dwork);

	ww_fetch_add_relaxed(&d->runs, 1);
}

static int stresses(void *data)
{
	uint64_t seed = (uint64_t)(uintptr_t)data;

	while (ww_clock_ns() < stress_end) {
		struct ditem *d = &stress[tap_random(&seed) % NR_STRESS];

		switch (tap_random(&seed) % 7) {
		case 0:
			ww_worker_queue_work(stress_worker, &d->dwork.work);
			break;
		case 1:
			ww_worker_queue_delayed_work(stress_worker, &d->dwork,
						     tap_random(&seed) % 4);
			break;
		case 2:
		case 3:
			ww_worker_mod_delayed_work(stress_worker, &d->dwork, tap_random(&seed) % 4);
			break;
		case 4:
			ww_worker_cancel_delayed_work_sync(&d->dwork);
			break;
		case 5:
			ww_worker_flush_work(&d->dwork.work);
			break;
		case 6:
			ww_worker_flush(stress_worker);
			break;
		}
		ww_fetch_add_relaxed(&stress_queued, 1);
	}
	return 0;
}

TEST_LIMIT(queue_modify_flush_and_cancel_from_many_threads_lose_nothing, 60)
{
	struct ww_thread *t[4];
	uint64_t seed = tap_seed();

	stress_worker = ww_worker_run(0, "stress");
	stress_end = ww_clock_ns() + 1500000000;
	for (int i = 0; i < NR_STRESS; i++)
		ww_worker_init_delayed_work(&stress[i].dwork, counts);
	for (int i = 0; i < 4; i++) {
		t[i] = ww_thread_create(stresses, (void *)(uintptr_t)(seed + (unsigned)i), "s%d",
					i);
		ww_thread_get(t[i]);
		ww_wake_up_process(t[i]);
	}
	for (int i = 0; i < 4; i++) {
		UNTIL(ww_load_acquire(&t[i]->ended));
		CHECK_EQ(ww_thread_stop_put(t[i]), 0);
	}
	for (int i = 0; i < NR_STRESS; i++) {
		ww_worker_cancel_delayed_work_sync(&stress[i].dwork);
		int n = ww_load_acquire(&stress[i].runs);
		/* Idle for certain: it can be queued, and runs exactly once more. */
		CHECK(ww_worker_queue_work(stress_worker, &stress[i].dwork.work));
		ww_worker_flush_work(&stress[i].dwork.work);
		CHECK_EQ(ww_load_acquire(&stress[i].runs), n + 1);
	}
	ww_worker_destroy(stress_worker);
}

static void counts_runs(struct ww_worker_work *work)
{
	(void)work;
	ww_fetch_add(&nr_run, 1);
}

/* The timer that fires just now finds a cancel under way: that one has it, and says so. */
TEST_LIMIT(a_cancel_that_meets_the_timer_says_that_the_item_was_queued, 60)
{
	static struct ww_worker_delayed_work d;
	uint64_t seed = tap_seed();
	int cancelled = 0;

	CHECK_EQ(ww_clock_configure(100000, 0), 0);
	struct ww_worker *w = ww_worker_run(0, "race");

	CHECK(w);
	ww_worker_init_delayed_work(&d, counts_runs);
	for (int i = 1; i <= 10000; i++) {
		CHECK(ww_worker_queue_delayed_work(w, &d, 1 + tap_random(&seed) % 3));
		for (uint64_t spins = tap_random(&seed) % 4000; spins; spins--)
			ww_cpu_relax();
		cancelled += ww_worker_cancel_delayed_work_sync(&d);
		CHECK_EQ(cancelled + ww_load_acquire(&nr_run), i);
	}
	ww_worker_destroy(w);
}

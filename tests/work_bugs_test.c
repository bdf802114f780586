/* SPDX-License-Identifier: MIT */
/* Faults that such software really had: for each the promise that it broke. */
#include "work_helpers.h"

TEST(a_move_to_delay_zero_runs_at_once_without_the_timer)
{
	struct ww_workqueue *wq;
	struct item it = {0};

	CHECK_EQ(ww_clock_use_virtual(), 0);
	wq = ww_alloc_workqueue("now", 0, 0);
	ww_init_delayed_work(&it.dwork, run_counted);
	CHECK(!ww_mod_delayed_work(wq, &it.dwork, 0));
	CHECK(!ww_timer_pending(&it.dwork.timer));
	await(&it.runs, 1); /* though time stands still */
	CHECK(ww_queue_delayed_work(wq, &it.dwork, 1000));
	CHECK(ww_mod_delayed_work(wq, &it.dwork, 0));
	await(&it.runs, 2);
	ww_queue_update_delayed_work(wq, &it.dwork, 0);
	await(&it.runs, 3);
	ww_destroy_workqueue(wq);
}

static uint32_t event, seen;

HANDLER(run_looks)
{
	(void)work;
	ww_store_relaxed(&seen, ww_load_relaxed(&event));
}

/* Also where queueing says false: then the run that is due must see what was stored before. */
TEST_LIMIT(an_event_stored_before_a_queue_call_that_says_false_is_seen_by_the_pending_run, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("events", WW_WQ_UNBOUND, 0);
	struct item it = {0};
	unsigned said_false = 0;

	ww_init_work(&it.dwork.work, run_looks);
	for (unsigned round = 0; round < 3000; round++) {
		for (unsigned i = 0; i < 50; i++) {
			ww_store_relaxed(&event, ww_load_relaxed(&event) + 1);
			said_false += !ww_queue_work(wq, &it.dwork.work);
		}
		/* The last one, by itself, without any other barrier before the look. */
		uint64_t end = ww_clock_os_ns() + 5000000000ull;
		while (ww_load_relaxed(&seen) != ww_load_relaxed(&event))
			CHECK(ww_clock_os_ns() < end);
	}
	CHECK(said_false > 0);
	ww_destroy_workqueue(wq);
}

static int told[2]; /* plain memory: nothing but the queueing calls orders it */
static uint32_t said, told_seen, plain_gate;

static void tell_and_queue(void *arg)
{
	struct item *it = arg;

	told[0]++;
	told[1]--;
	if (!ww_queue_work(it->wq, &it->dwork.work))
		ww_store_relaxed(&said, ww_load_relaxed(&said) + 1);
}

HANDLER(run_reads_told)
{
	(void)work;
	CHECK_EQ(told[0], -told[1]);
	/* For the next round, which writes: the calls under test order what comes before a run. */
	ww_store_release(&told_seen, (uint32_t)told[0]);
}

HANDLER(run_waits_plainly)
{
	(void)work;
	while (!ww_load_relaxed(&plain_gate))
		ww_cpu_relax();
}

/* On weak CPUs, and for ThreadSanitizer, only the failed queueing call stands between the two. */
TEST_LIMIT(a_queue_call_that_says_false_orders_plain_stores_before_the_pending_run, 60)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("plain", 0);
	struct item it = {.wq = wq}, block = {0};
	struct ww_os_thread t;

	ww_init_work(&it.dwork.work, run_reads_told);
	ww_init_work(&block.dwork.work, run_waits_plainly);
	for (uint32_t round = 1; round <= 200; round++) {
		ww_store_relaxed(&plain_gate, 0u);
		CHECK(ww_queue_work(wq, &block.dwork.work));
		CHECK(ww_queue_work(wq, &it.dwork.work));
		CHECK_EQ(ww_os_thread_start(&t, "teller", -1, tell_and_queue, &it), 0);
		while (ww_load_relaxed(&said) != round)
			ww_os_yield();
		ww_store_relaxed(&plain_gate, 1u);
		while (ww_load_acquire(&told_seen) != round)
			ww_os_yield();
		ww_os_thread_join(&t);
	}
	ww_destroy_workqueue(wq);
}

static void cancel_it(void *arg)
{
	ww_cancel_work_sync(&((struct item *)arg)->dwork.work);
}

TEST(two_threads_that_cancel_the_same_running_item_both_return)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("cancel", 0, 0);
	struct item it = {0};
	struct ww_os_thread t[3];

	for (int round = 0; round < 20; round++) {
		it.gate = 0;
		ww_init_work(&it.dwork.work, run_gated);
		ww_queue_work(wq, &it.dwork.work);
		await(&it.running, 1);
		for (int i = 0; i < 3; i++)
			CHECK_EQ(ww_os_thread_start(&t[i], "canceller", -1, cancel_it, &it), 0);
		nap_us(500);
		open_gate(&it);
		for (int i = 0; i < 3; i++)
			ww_os_thread_join(&t[i]);
		CHECK_EQ(it.running, 0);
		/* And it is not left disabled. */
		CHECK(ww_queue_work(wq, &it.dwork.work));
		ww_flush_work(&it.dwork.work);
	}
	ww_destroy_workqueue(wq);
}

TEST(taking_back_an_item_that_waits_over_max_active_leaves_counts_and_flushes_right)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("narrow", WW_WQ_UNBOUND, 1);
	struct item block = {0};
	static struct item parked[4];
	struct ww_workqueue_stats s;

	occupy(wq, &block);
	for (int i = 0; i < 4; i++) {
		ww_init_delayed_work(&parked[i].dwork, run_counted);
		CHECK(ww_queue_delayed_work(wq, &parked[i].dwork, 0));
	}
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.in_flight, 5);
	CHECK(ww_cancel_delayed_work(&parked[0].dwork));
	CHECK(ww_mod_delayed_work(wq, &parked[2].dwork, 1000000));
	CHECK(ww_cancel_delayed_work_sync(&parked[3].dwork));
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.in_flight, 2);
	CHECK(ww_mod_delayed_work(wq, &parked[2].dwork, 1));
	open_gate(&block);
	await(&parked[1].runs, 1);
	await(&parked[2].runs, 1);
	ww_flush_workqueue(wq);
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.in_flight, 0);
	CHECK_EQ(parked[0].runs + parked[3].runs, 0);
	ww_destroy_workqueue(wq);
}

static void flush_it(void *arg)
{
	struct item *it = arg;

	it->answer = ww_flush_work(&it->dwork.work);
	ww_fetch_add(&it->gate, 1);
}

/* Whoever waits for an item that is parked there is told when it is taken away, or put off. */
TEST(a_flush_of_an_item_over_max_active_ends_when_that_is_taken_back)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("narrow", WW_WQ_UNBOUND, 1);
	static struct item parked[3];
	struct item block = {0};
	struct ww_os_thread t[3];

	occupy(wq, &block);
	for (int i = 0; i < 3; i++) {
		ww_init_delayed_work(&parked[i].dwork, run_counted);
		CHECK(ww_queue_delayed_work(wq, &parked[i].dwork, 0));
		CHECK_EQ(ww_os_thread_start(&t[i], "flusher", -1, flush_it, &parked[i]), 0);
	}
	for (int i = 0; i < 3; i++)
		while (!(ww_load_acquire(ww_work_data(&parked[i].dwork.work)) & WORK_WAITED))
			nap_us(200);
	CHECK(ww_cancel_delayed_work(&parked[0].dwork));
	await(&parked[0].gate, 1);
	CHECK(ww_mod_delayed_work(wq, &parked[1].dwork, 1000000));
	await(&parked[1].gate, 1);
	CHECK_EQ(ww_load_acquire(&parked[2].gate), 0); /* still waits for its turn */
	open_gate(&block);
	for (int i = 0; i < 3; i++)
		ww_os_thread_join(&t[i]);
	CHECK_EQ(parked[2].runs, 1);
	CHECK(parked[2].answer);
	CHECK_EQ(parked[0].runs + parked[1].runs, 0);
	CHECK(ww_cancel_delayed_work_sync(&parked[1].dwork));
	ww_destroy_workqueue(wq);
}

TEST(flush_delayed_work_uses_the_queue_that_was_asked_for)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("its own", 0);
	struct ww_workqueue_stats s;
	struct item it = {0};

	ww_init_delayed_work(&it.dwork, run_counted);
	ww_queue_delayed_work(wq, &it.dwork, 1000000);
	CHECK(ww_flush_delayed_work(&it.dwork));
	CHECK_EQ(it.runs, 1);
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.completed, 1);
	ww_destroy_workqueue(wq);
}

/* The cap makes every pool short of workers, so the rescuers have all the work. */
static void starve_pools(void)
{
	ww_system_wq();
	CHECK_EQ(ww_workqueue_set_param("threads_max", 1), 0);
}

TEST_LIMIT(destroying_a_queue_right_after_its_rescuer_was_called_is_clean, 60)
{
	catch_reports();
	for (int i = 0; i < 50; i++) {
		struct item block = {0}, it = {0};
		struct ww_workqueue *wq = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);

		CHECK(wq != NULL);
		CHECK_EQ(ww_workqueue_set_param("threads_max", 1), 0);
		ww_init_work(&it.dwork.work, run_counted);
		ww_init_work(&block.dwork.work, run_gated);
		ww_queue_work_on(0, wq, &block.dwork.work);
		await(&block.running, 1);
		ww_queue_work_on(0, wq, &it.dwork.work);
		/* Before, while, and after it is called; it may itself be the one at the gate. */
		nap_us((unsigned)i * 1000);
		open_gate(&block);
		ww_destroy_workqueue(wq);
		CHECK_EQ(it.runs, 1);
		CHECK_EQ(ww_workqueue_set_param("threads_max", 4096), 0);
	}
	for (unsigned i = 0; i < nr_reports; i++)
		CHECK(strstr(reports[i], "cap of"));
}

TEST(a_queue_with_a_rescuer_goes_on_when_no_worker_can_be_made)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);
	struct item block = {0}, it = {0};
	struct ww_workqueue_stats s;

	catch_reports();
	starve_pools();
	ww_init_work(&block.dwork.work, run_gated);
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work_on(0, wq, &block.dwork.work);
	await(&block.running, 1);
	ww_queue_work_on(0, wq, &it.dwork.work);
	await(&it.runs, 1);
	while (!reported("cap of 1 worker threads", "binds"))
		nap_us(500);
	ww_flush_work(&it.dwork.work);
	ww_workqueue_get_stats(wq, &s);
	CHECK(s.mayday >= 1);
	CHECK_EQ(s.rescued, 1);
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

static unsigned rescuers_in_pools(void)
{
	struct ww_pool *pool;
	unsigned n = 0;

	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++) {
		struct ww_list *l;

		ww_pool_lock(pool);
		ww_list_for_each (l, &pool->workers)
			n += ww_list_entry(l, struct ww_pworker, node)->rescuer;
		ww_pool_unlock(pool);
	}
	return n;
}

/* It runs the queue's last item, so the destroyer comes while it still visits the pool. */
TEST_LIMIT(a_rescuer_has_left_its_pool_when_its_queue_is_gone, 60)
{
	struct ww_workqueue *other = ww_alloc_workqueue("other", 0, 0);

	catch_reports();
	starve_pools();
	for (int i = 0; i < 20; i++) {
		struct ww_workqueue *wq = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);
		struct item block = {0}, it = {0};

		ww_init_work(&it.dwork.work, run_counted);
		ww_init_work(&block.dwork.work, run_gated);
		ww_queue_work_on(0, other, &block.dwork.work);
		await(&block.running, 1);
		ww_queue_work_on(0, wq, &it.dwork.work);
		await(&it.runs, 1);
		ww_destroy_workqueue(wq);
		CHECK_EQ(rescuers_in_pools(), 0);
		CHECK_EQ(ww_debug_check(), 0);
		open_gate(&block);
		ww_flush_work(&block.dwork.work);
	}
	ww_destroy_workqueue(other);
}

TEST(an_ordered_queue_refuses_attributes_that_could_reorder_it)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("ordered", 0);
	struct ww_workqueue *percpu = ww_alloc_workqueue("percpu", 0, 0);
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();

	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), -EINVAL);
	CHECK_EQ(ww_apply_workqueue_attrs(percpu, attrs), -EINVAL);
	ww_free_workqueue_attrs(attrs);
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(percpu);
}

HANDLER(run_reclaims)
{
	struct item *it = item_of(work);

	if (it->answer)
		ww_flush_work(&it->other->dwork.work);
	else
		ww_cancel_work_sync(&it->other->dwork.work);
	ww_fetch_add(&it->runs, 1);
}

TEST(a_reclaim_worker_may_cancel_an_item_of_another_queue_but_not_flush_it)
{
	struct ww_workqueue *reclaim = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);
	struct ww_workqueue *other = ww_alloc_ordered_workqueue("other", 0);
	struct item it = {0}, target = {0};

	catch_reports();
	it.other = &target;
	for (int flush = 0; flush < 2; flush++) {
		target.gate = 0;
		occupy(other, &target);
		it.answer = flush;
		ww_init_work(&it.dwork.work, run_reclaims);
		ww_queue_work(reclaim, &it.dwork.work);
		/* It waits, or is about to. */
		if (flush)
			while (!reported("ww_flush_work", "WW_WQ_MEM_RECLAIM"))
				nap_us(200);
		else
			while (!(ww_load_acquire(ww_work_data(&target.dwork.work)) &
				 WORK_DEPTH_MASK))
				nap_us(200);
		nap_us(5000);
		open_gate(&target);
		ww_flush_work(&it.dwork.work);
		if (!flush)
			CHECK_SILENT();
	}
	CHECK_REPORTED("ww_flush_work", "WW_WQ_MEM_RECLAIM");
	ww_destroy_workqueue(reclaim);
	ww_destroy_workqueue(other);
}

TEST(destroying_a_queue_with_a_delayed_work_on_its_timer_cancels_and_names_it)
{
	struct ww_workqueue *wq, *other;
	static struct item it[3];

	CHECK_EQ(ww_clock_use_virtual(), 0);
	catch_reports();
	wq = ww_alloc_workqueue("going", 0, 0);
	other = ww_alloc_workqueue("staying", 0, 0);
	for (int i = 0; i < 3; i++)
		ww_init_delayed_work(&it[i].dwork, run_counted);
	ww_queue_delayed_work(wq, &it[0].dwork, 10);
	ww_queue_delayed_work(wq, &it[1].dwork, 100000);
	ww_queue_delayed_work(other, &it[2].dwork, 10);
	ww_destroy_workqueue(wq);
	CHECK_REPORTED("ww_destroy_workqueue", "run_counted");
	CHECK_REPORTED("ww_destroy_workqueue", "\"going\"");
	CHECK(!ww_delayed_work_pending(&it[0].dwork));
	ww_clock_advance(200000);
	CHECK_EQ(it[0].runs + it[1].runs, 0);
	CHECK_EQ(it[2].runs, 1);
	CHECK(ww_queue_delayed_work(other, &it[0].dwork, 5)); /* usable elsewhere */
	ww_clock_advance(10);
	CHECK_EQ(it[0].runs, 1);
	ww_destroy_workqueue(other);
}

static void drain_it(void *arg)
{
	ww_drain_workqueue(arg);
}

HANDLER(run_chains)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->running, 1);
	while (!ww_load_acquire(&it->gate))
		nap_us(200);
	if (ww_fetch_add(&it->runs, 1) < 5)
		it->answer = ww_queue_work(it->wq, work);
}

TEST(a_queue_that_drains_takes_items_only_from_itself_and_refuses_others)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("draining", 0, 0);
	struct item chain = {.wq = wq}, it = {0};
	struct ww_os_thread t;

	ww_init_work(&chain.dwork.work, run_chains);
	ww_init_delayed_work(&it.dwork, run_counted);
	ww_queue_work(wq, &chain.dwork.work);
	await(&chain.running, 1);
	CHECK_EQ(ww_os_thread_start(&t, "drainer", -1, drain_it, wq), 0);
	await(&wq->state, 1);
	CHECK(!ww_queue_work(wq, &it.dwork.work));
	CHECK(!ww_queue_delayed_work(wq, &it.dwork, 1));
	CHECK(!ww_work_pending(&it.dwork.work));
	open_gate(&chain);
	ww_os_thread_join(&t);
	CHECK_EQ(chain.runs, 6);
	CHECK(ww_queue_work(wq, &it.dwork.work)); /* open again */
	ww_destroy_workqueue(wq);
	CHECK_EQ(it.runs, 1);
}

/* ---- a timer that queues a work which arms the timer ---- */

static struct ww_timer loop_timer;
static struct item loop_item;

static void timer_queues(struct ww_timer *timer)
{
	(void)timer;
	ww_queue_work(loop_item.wq, &loop_item.dwork.work);
}

HANDLER(run_arms_timer)
{
	ww_fetch_add(&item_of(work)->runs, 1);
	ww_mod_timer(&loop_timer, ww_jiffies() + 1);
}

TEST(a_timer_and_a_work_that_start_each_other_can_be_torn_down)
{
	for (int i = 0; i < 20; i++) {
		uint32_t runs;

		loop_item.wq = ww_alloc_workqueue("loop", 0, 0);
		ww_init_work(&loop_item.dwork.work, run_arms_timer);
		ww_timer_setup(&loop_timer, timer_queues, 0);
		loop_item.runs = 0;
		ww_mod_timer(&loop_timer, ww_jiffies() + 1);
		await(&loop_item.runs, 3);
		/* The work first for good, then the timer that only it arms. */
		ww_disable_work_sync(&loop_item.dwork.work);
		ww_timer_delete_sync(&loop_timer);
		runs = ww_load_relaxed(&loop_item.runs);
		nap_us(5000);
		CHECK_EQ(ww_load_relaxed(&loop_item.runs), runs);
		CHECK(!ww_timer_pending(&loop_timer));
		ww_destroy_workqueue(loop_item.wq);
	}
}

/* SPDX-License-Identifier: MIT */
/* Each misuse is reported, by name, and the call then behaves as the form that does not wait. */
#include "work_helpers.h"

HANDLER(run_flushes_itself)
{
	item_of(work)->answer = ww_flush_work(work);
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST(flushing_ones_own_item_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {.answer = true};

	catch_reports();
	ww_init_work(&it.dwork.work, run_flushes_itself);
	ww_queue_work(wq, &it.dwork.work);
	await(&it.runs, 1);
	CHECK(!it.answer);
	CHECK_REPORTED("ww_flush_work", "run_flushes_itself");
	ww_destroy_workqueue(wq);
}

HANDLER(run_cancels_itself)
{
	item_of(work)->answer = ww_cancel_work_sync(work);
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST(cancel_sync_of_ones_own_item_is_reported_and_does_not_wait)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {.answer = true};

	catch_reports();
	ww_init_work(&it.dwork.work, run_cancels_itself);
	ww_queue_work(wq, &it.dwork.work);
	await(&it.runs, 1);
	CHECK(!it.answer);
	CHECK_REPORTED("ww_cancel_work_sync", "own end");
	ww_flush_workqueue(wq);
	CHECK(ww_queue_work(wq, &it.dwork.work)); /* not disabled by it */
	ww_destroy_workqueue(wq);
}

HANDLER(run_flushes_queue)
{
	ww_flush_workqueue(item_of(work)->wq);
	ww_drain_workqueue(item_of(work)->wq);
	ww_destroy_workqueue(item_of(work)->wq);
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST(flush_drain_and_destroy_of_ones_own_queue_are_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {.wq = wq};

	catch_reports();
	ww_init_work(&it.dwork.work, run_flushes_queue);
	ww_queue_work(wq, &it.dwork.work);
	await(&it.runs, 1);
	CHECK_REPORTED("ww_flush_workqueue", "\"mine\"");
	CHECK_REPORTED("ww_drain_workqueue", "\"mine\"");
	CHECK_REPORTED("ww_destroy_workqueue", "\"mine\"");
	ww_destroy_workqueue(wq);
}

HANDLER(run_waits_for_other)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->running, 1);
	while (!ww_load_acquire(&it->gate))
		nap_us(200);
	it->answer = ww_flush_work(&it->other->dwork.work);
	ww_fetch_add(&it->runs, 1);
}

TEST(an_ordered_item_that_waits_for_the_one_behind_it_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("ordered", 0);
	struct item a = {0}, b = {0};

	catch_reports();
	a.other = &b;
	ww_init_work(&a.dwork.work, run_waits_for_other);
	ww_init_work(&b.dwork.work, run_counted);
	ww_queue_work(wq, &a.dwork.work);
	await(&a.running, 1);
	ww_queue_work(wq, &b.dwork.work);
	open_gate(&a);
	await(&b.runs, 1);
	CHECK_REPORTED("ww_flush_work", "run_waits_for_other");
	ww_destroy_workqueue(wq);
}

TEST(items_of_two_ordered_queues_that_wait_for_each_other_are_reported)
{
	struct ww_workqueue *one = ww_alloc_ordered_workqueue("one", 0);
	struct ww_workqueue *two = ww_alloc_ordered_workqueue("two", 0);
	struct item a = {0}, b = {0}, behind_a = {0}, behind_b = {0};

	/* a waits for what stands behind b, b for what stands behind a. */
	catch_reports();
	a.other = &behind_b;
	b.other = &behind_a;
	ww_init_work(&a.dwork.work, run_waits_for_other);
	ww_init_work(&b.dwork.work, run_waits_for_other);
	ww_init_work(&behind_a.dwork.work, run_counted);
	ww_init_work(&behind_b.dwork.work, run_counted);
	ww_queue_work(one, &a.dwork.work);
	ww_queue_work(two, &b.dwork.work);
	await(&a.running, 1);
	await(&b.running, 1);
	ww_queue_work(one, &behind_a.dwork.work);
	ww_queue_work(two, &behind_b.dwork.work);
	open_gate(&a);
	nap_us(20000);
	open_gate(&b);
	await(&behind_a.runs, 1);
	await(&behind_b.runs, 1);
	CHECK_REPORTED("ww_flush_work", "neither would ever end");
	ww_destroy_workqueue(one);
	ww_destroy_workqueue(two);
}

TEST(init_of_a_queued_item_is_reported_and_leaves_it_queued)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("ordered", 0);
	struct item block = {0}, it = {0};

	catch_reports();
	occupy(wq, &block);
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work(wq, &it.dwork.work);
	ww_init_work(&it.dwork.work, run_gated);
	CHECK_REPORTED("ww_init_work", "run_counted");
	open_gate(&block);
	ww_flush_work(&it.dwork.work);
	CHECK_EQ(it.runs, 1);
	ww_destroy_workqueue(wq);
}

TEST(init_of_a_delayed_work_on_its_timer_is_reported_and_leaves_it_armed)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {0};

	catch_reports();
	ww_init_delayed_work(&it.dwork, run_counted);
	ww_queue_delayed_work(wq, &it.dwork, 100000);
	ww_init_delayed_work(&it.dwork, run_gated);
	CHECK_REPORTED("ww_init_delayed_work", "run_counted");
	CHECK(ww_cancel_delayed_work_sync(&it.dwork));
	ww_destroy_workqueue(wq);
}

TEST(memory_with_a_pending_item_in_it_is_reported_before_it_is_freed)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("ordered", 0);
	struct item block = {0}, *it = calloc(2, sizeof(*it));

	catch_reports();
	occupy(wq, &block);
	ww_init_work(&it[0].dwork.work, run_counted);
	ww_init_delayed_work(&it[1].dwork, run_counted);
	CHECK_EQ(ww_debug_check_no_work_freed(it, 2 * sizeof(*it)), 0);
	CHECK_SILENT();
	ww_queue_work(wq, &it[0].dwork.work);
	ww_queue_delayed_work(wq, &it[1].dwork, 100000);
	CHECK_EQ(ww_debug_check_no_work_freed(it, 2 * sizeof(*it)), 2);
	CHECK_REPORTED("ww_debug_check_no_work_freed", "run_counted");
	CHECK(ww_cancel_work_sync(&it[0].dwork.work));
	CHECK(ww_cancel_delayed_work_sync(&it[1].dwork));
	open_gate(&block);
	ww_destroy_workqueue(wq);
	free(it);
}

#ifndef NDEBUG
static void print_report(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	if (!strstr(line, "freed or overwritten"))
		_exit(3);
}

TEST_DIES(an_item_that_was_overwritten_while_queued_is_found, SIGABRT)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("ordered", 0);
	struct item block = {0};
	static struct item it;

	ww_set_misuse_handler(print_report);
	occupy(wq, &block);
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work(wq, &it.dwork.work);
	memset(&it, 0xdd, sizeof(it));
	open_gate(&block);
	ww_flush_workqueue(wq);
}
#endif

static void flush_it(void *arg)
{
	ww_flush_workqueue(arg);
}

static void open_when_reported(void *arg)
{
	while (!reported("ww_destroy_workqueue", "flush"))
		nap_us(500);
	open_gate(arg);
}

TEST(destroying_a_queue_that_others_flush_is_reported_and_waits_for_them)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("busy", 0);
	struct ww_os_thread t, opener;
	struct item block = {0};

	catch_reports();
	occupy(wq, &block);
	CHECK_EQ(ww_os_thread_start(&t, "flusher", -1, flush_it, wq), 0);
	await(&wq->flushers, 1);
	CHECK_EQ(ww_os_thread_start(&opener, "opener", -1, open_when_reported, &block), 0);
	ww_destroy_workqueue(wq);
	ww_os_thread_join(&t);
	ww_os_thread_join(&opener);
	CHECK_REPORTED("ww_destroy_workqueue", "others still flush");
	CHECK_EQ(block.runs, 1);
}

TEST(an_item_that_was_never_initialised_is_refused)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {0};

	catch_reports();
	CHECK(!ww_queue_work(wq, &it.dwork.work));
	CHECK_REPORTED("ww_queue_work", "never initialised");
	CHECK(!ww_queue_delayed_work(wq, &it.dwork, 1));
	CHECK(!ww_mod_delayed_work(wq, &it.dwork, 1));
	CHECK_REPORTED("ww_mod_delayed_work", "never initialised");
	CHECK(!ww_cancel_work_sync(&it.dwork.work));
	CHECK_REPORTED("ww_cancel_work_sync", "never initialised");
	ww_destroy_workqueue(wq);
}

TEST(a_plain_cancel_of_a_delayed_work_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {0};

	catch_reports();
	ww_init_delayed_work(&it.dwork, run_counted);
	ww_queue_delayed_work(wq, &it.dwork, 100000);
	CHECK(ww_cancel_work_sync(&it.dwork.work));
	CHECK_REPORTED("ww_cancel_work_sync", "delayed");
	ww_destroy_workqueue(wq);
}

TEST(more_enables_than_disables_are_reported)
{
	struct item it = {0};

	catch_reports();
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(!ww_disable_work(&it.dwork.work));
	CHECK(ww_enable_work(&it.dwork.work));
	CHECK(!ww_enable_work(&it.dwork.work));
	CHECK_REPORTED("ww_enable_work", "not disabled");
}

TEST(a_cpu_that_does_not_exist_is_reported_and_the_item_runs)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {0};

	catch_reports();
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(ww_queue_work_on(100000, wq, &it.dwork.work));
	CHECK_REPORTED("ww_queue_work_on", "100000");
	ww_destroy_workqueue(wq);
	CHECK_EQ(it.runs, 1);
}

TEST(an_on_stack_item_that_is_still_pending_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct ww_delayed_work dwork;

	catch_reports();
	ww_init_delayed_work_onstack(&dwork, run_counted);
	ww_queue_delayed_work(wq, &dwork, 100000);
	ww_destroy_delayed_work_on_stack(&dwork);
	CHECK_REPORTED("ww_destroy_delayed_work_on_stack", "on its timer");
	ww_cancel_delayed_work_sync(&dwork);
	ww_destroy_workqueue(wq);
}

static uint32_t rcu_runs;

HANDLER(run_frees_nothing)
{
	(void)work;
	ww_fetch_add(&rcu_runs, 1);
}

TEST(an_on_stack_item_that_is_still_queued_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 1);
	struct item block = {0};
	struct ww_work work;

	catch_reports();
	occupy(wq, &block);
	ww_init_work_onstack(&work, run_frees_nothing);
	CHECK(ww_queue_work(wq, &work));
	ww_destroy_work_on_stack(&work);
	CHECK_REPORTED("ww_destroy_work_on_stack", "still queued");
	CHECK(ww_cancel_work_sync(&work));
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

HANDLER(run_blocks_for_ever)
{
	ww_block_enter();
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST(a_block_without_its_end_is_reported_and_its_worker_goes_on)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", 0, 0);
	struct item it = {0};

	catch_reports();
	ww_init_work(&it.dwork.work, run_blocks_for_ever);
	for (int i = 0; i < 3; i++) {
		ww_queue_work_on(0, wq, &it.dwork.work);
		ww_flush_work(&it.dwork.work);
	}
	CHECK_EQ(it.runs, 3);
	CHECK_REPORTED("ww_block_enter", "run_blocks_for_ever");
	ww_destroy_workqueue(wq);
}

TEST(flags_that_are_not_supported_are_refused)
{
	errno = 0;
	CHECK(!ww_alloc_workqueue("x", WW_WQ_BH, 0));
	CHECK_EQ(errno, EOPNOTSUPP);
	CHECK(!ww_alloc_workqueue("x", WW_WQ_SYSFS, 0));
	CHECK_EQ(errno, EOPNOTSUPP);
	CHECK(!ww_alloc_workqueue("x", 1u << 20, 0));
	CHECK_EQ(errno, EINVAL);
	CHECK(!ww_alloc_workqueue("x", WW_WQ_UNBOUND | WW_WQ_PERCPU, 0));
	CHECK_EQ(errno, EINVAL);
	CHECK(!ww_alloc_ordered_workqueue("x", WW_WQ_PERCPU));
	CHECK_EQ(errno, EINVAL);
}

TEST(limits_out_of_range_are_clamped_with_a_warning)
{
	struct ww_workqueue *wq, *ordered;

	catch_reports();
	wq = ww_alloc_workqueue("wide", WW_WQ_UNBOUND, 1000000);
	CHECK_REPORTED("max_active", "\"wide\"");
	ww_workqueue_set_max_active(wq, 4);
	ww_workqueue_set_min_active(wq, 2);
	ordered = ww_alloc_ordered_workqueue("ordered", 0);
	ww_workqueue_set_max_active(ordered, 4);
	CHECK_REPORTED("ww_workqueue_set_max_active", "ordered");
	ww_workqueue_set_min_active(ordered, 1);
	CHECK_REPORTED("ww_workqueue_set_min_active", "ordered");
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(ordered);
}

TEST(destroying_a_system_queue_is_reported_and_leaves_it)
{
	struct item it = {0};

	catch_reports();
	ww_destroy_workqueue(ww_system_wq());
	CHECK_REPORTED("ww_destroy_workqueue", "\"events\"");
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(ww_schedule_work(&it.dwork.work));
	ww_flush_work(&it.dwork.work);
	CHECK_EQ(it.runs, 1);
}

HANDLER(run_leaves_unasked)
{
	ww_block_leave();
	ww_rcu_read_unlock();
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST(an_end_without_its_beginning_is_reported)
{
	struct item it = {0};

	catch_reports();
	ww_init_work(&it.dwork.work, run_leaves_unasked);
	CHECK(ww_schedule_work(&it.dwork.work));
	ww_flush_work(&it.dwork.work);
	CHECK_EQ(it.runs, 1);
	CHECK_REPORTED("ww_block_leave", "without ww_block_enter");
	CHECK_REPORTED("ww_rcu_read_unlock", "without ww_rcu_read_lock");
}

TEST(calls_that_mean_nothing_for_this_kind_of_queue_are_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("percpu", WW_WQ_PERCPU, 0);
	struct ww_workqueue *wide = ww_alloc_workqueue("wide", WW_WQ_UNBOUND, 4);
	struct item it = {0};

	catch_reports();
	ww_workqueue_set_min_active(wq, 1);
	CHECK_REPORTED("ww_workqueue_set_min_active", "not unbound");
	ww_workqueue_set_min_active(wide, 5);
	CHECK_REPORTED("min_active 5", "\"wide\"");
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(ww_queue_work_node(0, wq, &it.dwork.work));
	CHECK_REPORTED("ww_queue_work_node", "not unbound");
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(wide);
	CHECK_EQ(it.runs, 1);
}

TEST(taking_back_an_rcu_work_is_reported_and_it_runs)
{
	struct ww_rcu_work rwork;
	struct ww_workqueue *wq = ww_alloc_workqueue("rcu", 0, 0);

	catch_reports();
	ww_init_rcu_work(&rwork, run_frees_nothing);
	CHECK(ww_queue_rcu_work(wq, &rwork));
	CHECK(!ww_cancel_work(&rwork.work));
	CHECK_REPORTED("ww_cancel_work", "rcu work");
	CHECK(!ww_disable_work(&rwork.work));
	CHECK_REPORTED("ww_disable_work", "rcu work");
	ww_destroy_workqueue(wq);
	CHECK_EQ(ww_load_acquire(&rcu_runs), 1);
}

TEST(more_disables_than_can_be_counted_are_reported)
{
	struct item it = {0};

	catch_reports();
	ww_init_work(&it.dwork.work, run_counted);
	for (unsigned i = 0; i < 65535; i++)
		ww_disable_work(&it.dwork.work);
	CHECK_SILENT();
	ww_disable_work(&it.dwork.work);
	CHECK_REPORTED("ww_disable_work", "65535 times");
	/* A cancel, which disables it while it waits, leaves the count as it was. */
	ww_cancel_work_sync(&it.dwork.work);
	for (unsigned i = 1; i < 65535; i++)
		CHECK(!ww_enable_work(&it.dwork.work));
	CHECK(ww_enable_work(&it.dwork.work));
}

static void destroy_it(void *arg)
{
	ww_destroy_workqueue(arg);
}

TEST(destroying_a_queue_twice_is_reported)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("twice", 0, 0);
	struct item block = {0};
	struct ww_os_thread t;

	catch_reports();
	occupy(wq, &block);
	CHECK_EQ(ww_os_thread_start(&t, "first", -1, destroy_it, wq), 0);
	while (!ww_load_acquire(&wq->state))
		nap_us(200);
	ww_destroy_workqueue(wq);
	CHECK_REPORTED("ww_destroy_workqueue", "destroyed already");
	open_gate(&block);
	ww_os_thread_join(&t);
}

static void drain_it(void *arg)
{
	ww_drain_workqueue(arg);
}

TEST(a_delayed_work_that_runs_out_while_its_queue_drains_is_reported_and_not_queued)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("draining", 0, 0);
	struct item block = {0}, late = {0};
	struct ww_os_thread t;

	catch_reports();
	occupy(wq, &block);
	ww_init_delayed_work(&late.dwork, run_counted);
	CHECK(ww_queue_delayed_work(wq, &late.dwork, 1000000));
	CHECK_EQ(ww_os_thread_start(&t, "drains", -1, drain_it, wq), 0);
	await(&wq->state, 1);
	CHECK_EQ(ww_mod_timer_pending(&late.dwork.timer, ww_jiffies() + 1), 1);
	while (!reported("the delayed work run_counted ran out", "\"draining\""))
		nap_us(500);
	CHECK(!ww_delayed_work_pending(&late.dwork));
	open_gate(&block);
	ww_os_thread_join(&t);
	CHECK_EQ(late.runs, 0);
	CHECK(ww_queue_delayed_work(wq, &late.dwork, 0)); /* and it can be queued again */
	ww_destroy_workqueue(wq);
	CHECK_EQ(late.runs, 1);
}

HANDLER(run_chains_until_told)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->runs, 1);
	if (!reported("isn't over after 10 flushes", "\"chain\""))
		ww_queue_work(it->wq, work);
}

TEST_LIMIT(a_drain_that_goes_on_and_on_is_reported, 60)
{
	struct item it = {.wq = ww_alloc_workqueue("chain", 0, 0)};

	catch_reports();
	ww_init_work(&it.dwork.work, run_chains_until_told);
	CHECK(ww_queue_work(it.wq, &it.dwork.work));
	ww_drain_workqueue(it.wq);
	CHECK(it.runs >= 10);
	ww_destroy_workqueue(it.wq);
}

TEST(a_queue_name_that_is_too_long_is_cut_with_a_warning)
{
	struct ww_workqueue *wq;

	catch_reports();
	wq = ww_alloc_workqueue("a name of more than one and thirty letters", 0, 0);
	CHECK_REPORTED("a name of more than one and thirty letters", "cut to 31");
	CHECK(!strcmp(wq->name, "a name of more than one and thi"));
	ww_destroy_workqueue(wq);
}

TEST(an_rcu_work_whose_grace_period_ends_while_its_queue_drains_is_reported_and_not_queued)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("draining", 0, 0);
	static struct ww_rcu_work rwork;
	struct ww_os_thread t;
	struct item it = {0};

	catch_reports();
	occupy(wq, &it);
	ww_init_rcu_work(&rwork, run_counted);
	ww_rcu_read_lock();
	CHECK(ww_queue_rcu_work(wq, &rwork));
	CHECK_EQ(ww_os_thread_start(&t, "drainer", -1, drain_it, wq), 0);
	while (!ww_load_acquire(&wq->state))
		nap_us(200);
	ww_rcu_read_unlock();
	/* It is refused first, and then reported. */
	while (!reported("run_counted", "while its queue \"draining\" drains"))
		nap_us(200);
	CHECK(!ww_work_pending(&rwork.work));
	open_gate(&it);
	ww_os_thread_join(&t);
	ww_destroy_workqueue(wq);
}

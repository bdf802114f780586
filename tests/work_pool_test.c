/* SPDX-License-Identifier: MIT */
/* Pools: workers on demand, blocked ones, hogs, stalls, freezing, attributes, and fork. */
#include "work_helpers.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/cpu.h"
#include "wheelwork/completion.h"
#include "wheelwork/freezer.h"

TEST_LIMIT(a_blocked_worker_is_noticed_and_the_next_item_starts, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("blocked", 0, 0);
	double best = 1e9;

	for (int i = 0; i < 10; i++) {
		struct item block = {0}, it = {0};
		int fd[2];

		CHECK_EQ(pipe(fd), 0);
		ww_init_work(&block.dwork.work, run_gated);
		ww_init_work(&it.dwork.work, run_counted);
		ww_queue_work_on(0, wq, &block.dwork.work);
		await(&block.running, 1);
		uint64_t begin = ww_clock_os_ns();
		ww_queue_work_on(0, wq, &it.dwork.work);
		await(&it.runs, 1);
		double ms = (double)(ww_clock_os_ns() - begin) / 1e6;
		best = ms < best ? ms : best;
		open_gate(&block);
		ww_flush_workqueue(wq);
		close(fd[0]);
		close(fd[1]);
	}
	tap_note("the quickest of ten began after %.1f ms", best);
	CHECK(best < 1000); /* the machine may be busy with other things */
	ww_destroy_workqueue(wq);
}

HANDLER(run_announces)
{
	struct item *it = item_of(work);

	ww_block_enter();
	ww_block_enter();
	ww_fetch_add(&it->running, 1);
	while (!ww_load_acquire(&it->gate))
		nap_us(200);
	ww_block_leave();
	ww_block_leave();
	ww_fetch_add(&it->runs, 1);
}

TEST(a_worker_that_says_it_blocks_is_replaced_without_the_manager)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("announced", 0, 0);
	struct item it = {0};
	static struct item block[3];

	/* The manager would need longer than the test may take. */
	CHECK_EQ(ww_workqueue_set_param("blocked_period_us", 1000000), 0);
	for (int i = 0; i < 3; i++) {
		ww_init_work(&block[i].dwork.work, run_announces);
		ww_queue_work_on(0, wq, &block[i].dwork.work);
		await(&block[i].running, 1);
	}
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work_on(0, wq, &it.dwork.work);
	await(&it.runs, 1);
	for (int i = 0; i < 3; i++)
		open_gate(&block[i]);
	ww_destroy_workqueue(wq);
}

HANDLER(run_spins)
{
	struct item *it = item_of(work);
	uint64_t end = ww_clock_thread_cpu_ns() + 30000000;

	while (ww_clock_thread_cpu_ns() < end && !ww_load_relaxed(&it->gate))
		;
	ww_fetch_add(&it->runs, 1);
}

HANDLER(spin_until_gate)
{
	struct item *it = item_of(work);

	ww_store_release(&it->running, 1u);
	while (!ww_load_acquire(&it->gate))
		ww_cpu_relax();
	ww_store_release(&it->running, 0u);
}

/* Short items in quick succession: of two workers, one soon finds that it is not needed. */
static void storm(struct ww_workqueue *wq, struct item *many, unsigned n)
{
	for (unsigned turn = 0; turn < 300; turn++)
		for (unsigned i = 0; i < n; i++)
			ww_queue_work(wq, &many[i].dwork.work);
}

TEST_LIMIT(a_worker_that_dozed_through_short_items_comes_for_one_behind_a_slow_item, 60)
{
	static struct item many[64];
	struct ww_workqueue *wq = ww_alloc_workqueue("storm", WW_WQ_UNBOUND, 0);

	if (ww_cpu_slots() < 2)
		tap_skip("one CPU has no second worker");
	for (unsigned i = 0; i < 64; i++)
		ww_init_work(&many[i].dwork.work, run_counted);
	for (unsigned round = 0; round < 30; round++) {
		struct item slow = {0}, next = {0};

		ww_init_work(&slow.dwork.work, spin_until_gate);
		ww_init_work(&next.dwork.work, run_counted);
		storm(wq, many, 64);
		CHECK(ww_queue_work(wq, &slow.dwork.work));
		await(&slow.running, 1);
		CHECK(ww_queue_work(wq, &next.dwork.work));
		await(&next.runs, 1);
		open_gate(&slow);
		ww_flush_work(&slow.dwork.work);
		ww_flush_work(&next.dwork.work);
	}
	ww_destroy_workqueue(wq);
}

TEST_LIMIT(a_cpu_hog_is_reported_by_its_functions_name_and_others_go_on, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("hogged", 0, 0);
	struct item hog = {0}, it = {0};
	struct ww_workqueue_stats s;

	catch_reports();
	CHECK_EQ(ww_workqueue_set_param("cpu_intensive_warning_thresh", 1), 0);
	ww_init_work(&hog.dwork.work, run_spins);
	ww_init_work(&it.dwork.work, run_counted);
	for (int i = 0; i < 20 && !reported("hogged a CPU", "run_spins"); i++) {
		ww_queue_work_on(0, wq, &hog.dwork.work);
		ww_queue_work_on(0, wq, &it.dwork.work);
		ww_flush_workqueue(wq);
	}
	CHECK_REPORTED("hogged a CPU", "run_spins");
	ww_workqueue_get_stats(wq, &s);
	CHECK(s.cpu_intensive >= 1);
	CHECK(s.cpu_time_us >= 30000);
	ww_destroy_workqueue(wq);
}

/* Three times the threshold that the test sets, of CPU time. */
HANDLER(run_burns)
{
	uint64_t end = ww_clock_thread_cpu_ns() + 6000000;

	while (ww_clock_thread_cpu_ns() < end)
		;
	ww_fetch_add(&item_of(work)->runs, 1);
}

TEST_LIMIT(a_cpu_hog_that_holds_up_nobody_is_reported_too, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("alone", 0, 0);
	struct item hog = {0}, brief = {0};
	struct ww_workqueue_stats s;

	catch_reports();
	CHECK_EQ(ww_workqueue_set_param("cpu_intensive_warning_thresh", 3), 0);
	CHECK_EQ(ww_workqueue_set_param("cpu_intensive_thresh_us", 2000), 0);
	ww_init_work(&hog.dwork.work, run_burns);
	ww_init_work(&brief.dwork.work, run_counted);
	for (unsigned i = 1; i <= 3; i++) {
		ww_queue_work_on(0, wq, &hog.dwork.work);
		do {
			nap_us(1000);
			ww_workqueue_get_stats(wq, &s);
		} while (s.cpu_intensive < i);
		CHECK_EQ(s.cpu_intensive, i);
		if (i < 3)
			CHECK_SILENT();
	}
	while (!reported("run_burns hogged a CPU", "3 times"))
		nap_us(1000);
	for (unsigned i = 0; i < 50; i++) {
		ww_queue_work_on(0, wq, &brief.dwork.work);
		ww_flush_work(&brief.dwork.work);
	}
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.cpu_intensive, 3);
	ww_destroy_workqueue(wq);
}

TEST_LIMIT(a_pool_that_is_stuck_is_described, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("stuck", 0, 0);
	struct item block = {0}, it = {0};

	catch_reports();
	CHECK_EQ(ww_workqueue_set_param("watchdog_thresh_ms", 100), 0);
	CHECK_EQ(ww_workqueue_set_param("threads_max", 1), 0);
	ww_init_work(&block.dwork.work, run_gated);
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work_on(0, wq, &block.dwork.work);
	await(&block.running, 1);
	ww_queue_work_on(0, wq, &it.dwork.work);
	while (!reported("waiting", "run_counted"))
		nap_us(5000);
	CHECK_REPORTED("workqueue lockup", "items wait");
	CHECK_REPORTED("run_gated", "\"stuck\"");
	open_gate(&block);
	ww_destroy_workqueue(wq);
	CHECK_EQ(it.runs, 1);
}

TEST_LIMIT(workers_come_on_demand_and_leave_when_idle, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("grows", WW_WQ_UNBOUND, 0);
	static struct item block[8];
	unsigned before = ww_workers_alive();

	CHECK_EQ(ww_workqueue_set_param("idle_timeout_ms", 20), 0);
	for (int i = 0; i < 8; i++) {
		ww_init_work(&block[i].dwork.work, run_announces);
		ww_queue_work(wq, &block[i].dwork.work);
	}
	for (int i = 0; i < 8; i++)
		await(&block[i].running, 1);
	CHECK(ww_workers_alive() >= 8);
	for (int i = 0; i < 8; i++)
		open_gate(&block[i]);
	ww_flush_workqueue(wq);
	while (ww_workers_alive() > before)
		nap_us(2000);
	ww_destroy_workqueue(wq);
	while (ww_workers_alive() >= before)
		nap_us(2000); /* and the last one with its pool */
}

/* Its structure is used again by the next worker, when that queue may be gone. */
TEST_LIMIT(a_worker_that_left_remembers_no_queue_and_no_batch, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("left", 0, 0);
	struct ww_pool *pool = wq->by_slot[0]->pool;
	static struct item block[4];
	unsigned left = 0;
	struct ww_list *l;

	CHECK_EQ(ww_workqueue_set_param("idle_timeout_ms", 20), 0);
	for (int i = 0; i < 4; i++) {
		ww_init_work(&block[i].dwork.work, run_announces);
		ww_queue_work_on(0, wq, &block[i].dwork.work);
	}
	for (int i = 0; i < 4; i++)
		await(&block[i].running, 1);
	for (int i = 0; i < 4; i++)
		open_gate(&block[i]);
	while (!left) {
		nap_us(2000);
		ww_pool_lock(pool);
		ww_list_for_each (l, &pool->dead) {
			const struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

			CHECK(!w->last_pwq);
			CHECK_EQ(w->n + w->settled + w->pos, 0);
			left++;
		}
		ww_pool_unlock(pool);
	}
	ww_destroy_workqueue(wq);
}

HANDLER(run_for_a_while)
{
	nap_us(500);
	ww_fetch_add(&item_of(work)->runs, 1);
}

/*
 * A worker that goes on to another queue's item has nothing to do with this one: for the thread
 * sanitizer, which sees a look that is not ordered before the queue's end.
 */
TEST_LIMIT(a_queue_may_go_as_soon_as_its_item_is_over, 120)
{
	struct ww_workqueue *other = ww_alloc_workqueue("other", 0, 0);
	struct item first = {0}, it = {0}, last = {0};

	ww_init_work(&first.dwork.work, run_for_a_while);
	ww_init_work(&it.dwork.work, run_counted);
	ww_init_work(&last.dwork.work, run_for_a_while);
	for (uint32_t i = 1; i <= 50; i++) {
		struct ww_workqueue *wq = ww_alloc_workqueue("short", 0, 0);

		/* While the first one runs, the others come to stand in one batch. */
		ww_queue_work_on(0, other, &first.dwork.work);
		nap_us(100);
		ww_queue_work_on(0, wq, &it.dwork.work);
		ww_queue_work_on(0, other, &last.dwork.work);
		await(&it.runs, i);
		nap_us(100); /* and no more than that: the last one runs */
		ww_destroy_workqueue(wq);
		ww_flush_workqueue(other);
	}
	ww_destroy_workqueue(other);
	CHECK_EQ(first.runs + it.runs + last.runs, 150);
}

TEST(an_idle_process_burns_no_cpu_and_wakes_nobody)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("idle", WW_WQ_UNBOUND, 0);
	struct item it = {0};
	struct rusage a, b;

#ifdef WW_TSAN
	tap_skip("the sanitizer has a thread of its own that wakes up");
#endif
	CHECK_EQ(ww_workqueue_set_param("idle_timeout_ms", 10), 0);
	ww_init_work(&it.dwork.work, run_counted);
	for (int i = 0; i < 10; i++) {
		ww_queue_work(wq, &it.dwork.work);
		ww_flush_work(&it.dwork.work);
	}
	nap_us(300000); /* the manager calms down, spare workers leave */
	getrusage(RUSAGE_SELF, &a);
	nap_us(300000);
	getrusage(RUSAGE_SELF, &b);
	/* Our own sleep is one switch; nothing else may have run. */
	CHECK_MSG(b.ru_nvcsw - a.ru_nvcsw <= 3, "%ld switches", b.ru_nvcsw - a.ru_nvcsw);
	ww_destroy_workqueue(wq);
}

TEST(a_freezable_queue_starts_nothing_until_it_thaws)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("cold", WW_WQ_FREEZABLE, 0);
	struct ww_workqueue *warm = ww_alloc_workqueue("warm", 0, 0);
	struct item it = {0}, other = {0}, runs_on = {0};

	ww_init_work(&it.dwork.work, run_counted);
	ww_init_work(&other.dwork.work, run_counted);
	ww_init_work(&runs_on.dwork.work, run_gated);
	ww_queue_work(wq, &runs_on.dwork.work);
	await(&runs_on.running, 1);
	catch_reports();
	CHECK_EQ(ww_freeze_threads(20), -EBUSY); /* what runs is waited for */
	open_gate(&runs_on);
	ww_flush_workqueue(wq);
	CHECK_EQ(ww_freeze_threads(WW_MAX_TIMEOUT), 0);
	CHECK(ww_queue_work(wq, &it.dwork.work));
	ww_queue_work(warm, &other.dwork.work);
	await(&other.runs, 1);
	nap_us(20000);
	CHECK_EQ(it.runs, 0);
	struct ww_workqueue *born_cold = ww_alloc_workqueue("later", WW_WQ_FREEZABLE, 0);
	struct item later = {0};
	ww_init_work(&later.dwork.work, run_counted);
	ww_queue_work(born_cold, &later.dwork.work);
	nap_us(5000);
	CHECK_EQ(later.runs, 0);
	ww_thaw_threads();
	await(&it.runs, 1);
	await(&later.runs, 1);
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(warm);
	ww_destroy_workqueue(born_cold);
}

static int ran_on = -1, ran_nice;

HANDLER(run_looks_where)
{
	(void)work;
	ran_on = sched_getcpu();
	ran_nice = ww_os_thread_get_nice(ww_os_thread_id());
	cpu_set_t set;
	sched_getaffinity(0, sizeof(set), &set);
	if (CPU_COUNT(&set) != 1)
		ran_on = -2;
}

TEST(attributes_of_an_unbound_queue_rule_where_and_how_its_items_run)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("attrs", WW_WQ_UNBOUND, 3);
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();
	struct item block = {0}, it = {0};
	static struct item many[6];
	int cpu = ww_cpu_of_slot(ww_cpu_slots() - 1);

	occupy(wq, &block); /* stays on the old pool */
	memset(attrs->cpumask, 0, sizeof(attrs->cpumask));
	attrs->cpumask[cpu / 64] = 1ull << (cpu % 64);
	attrs->nice = 5;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), 0);
	ww_init_work(&it.dwork.work, run_looks_where);
	ww_queue_work(wq, &it.dwork.work);
	ww_flush_work(&it.dwork.work);
	CHECK_EQ(ran_on, cpu);
	CHECK_EQ(ran_nice, 5);
	/* max_active counts for the whole queue, the item on the old pool included. */
	for (int i = 0; i < 6; i++) {
		ww_init_work(&many[i].dwork.work, run_announces);
		ww_queue_work(wq, &many[i].dwork.work);
	}
	await(&many[1].running, 1);
	nap_us(30000);
	CHECK_EQ(many[2].running, 0);
	open_gate(&block); /* its room goes to the other pool */
	await(&many[2].running, 1);
	for (int i = 0; i < 6; i++)
		open_gate(&many[i]);
	ww_flush_workqueue(wq);
	CHECK_EQ(block.runs, 1);
	attrs->scope = WW_WQ_SCOPE_CPU;
	memset(attrs->cpumask, 0, sizeof(attrs->cpumask)); /* empty counts as all */
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), 0);
	for (int s = 0; s < ww_cpu_slots(); s++) {
		ww_queue_work_on(ww_cpu_of_slot(s), wq, &it.dwork.work);
		ww_flush_work(&it.dwork.work);
		CHECK_EQ(ran_on, ww_cpu_of_slot(s));
	}
	attrs->nice = 20;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), -EINVAL);
	attrs->nice = 0;
	attrs->spare[0] = 1;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), -EINVAL);
	ww_free_workqueue_attrs(attrs);
	ww_destroy_workqueue(wq);
}

static void play_file(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p $(dirname %s/%s)", root, name);
	CHECK_EQ(system(path), 0);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	CHECK(f != NULL);
	fputs(text, f);
	fclose(f);
}

/* A machine of two nodes with two CPUs each. */
static void play_two_nodes(void)
{
	char root[] = "/tmp/ww-nodes-XXXXXX", remove[64];

	CHECK(mkdtemp(root) != NULL);
	play_file(root, "devices/system/cpu/possible", "0-3\n");
	play_file(root, "devices/system/node/online", "0-1\n");
	play_file(root, "devices/system/node/node0/cpulist", "0-1\n");
	play_file(root, "devices/system/node/node1/cpulist", "2-3\n");
	ww_cpu_set_topology_root(root);
	CHECK_EQ(ww_cpu_slots(), 4);
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	CHECK_EQ(system(remove), 0);
}

static void queue_on_node(struct ww_workqueue *wq, int node, struct item *items, int n)
{
	for (int i = 0; i < n; i++) {
		items[i] = (struct item){0};
		ww_init_work(&items[i].dwork.work, run_gated);
		CHECK(ww_queue_work_on(2 * node, wq, &items[i].dwork.work));
	}
}

static void open_and_flush(struct ww_workqueue *wq, struct item *items, int n)
{
	for (int i = 0; i < n; i++)
		open_gate(&items[i]);
	(void)wq;
	for (int i = 0; i < n; i++)
		ww_flush_work(&items[i].dwork.work);
}

TEST(each_numa_node_has_its_min_active_also_where_the_others_use_all_of_max_active)
{
	static struct item first[2], second[3];
	struct ww_workqueue_attrs *attrs;
	struct ww_workqueue *wq;

	play_two_nodes();
	wq = ww_alloc_workqueue("nodes", WW_WQ_UNBOUND, 2);
	attrs = ww_alloc_workqueue_attrs();
	attrs->scope = WW_WQ_SCOPE_NUMA;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), 0);
	ww_free_workqueue_attrs(attrs);
	/* By default it is max_active here. */
	queue_on_node(wq, 0, first, 2);
	await(&first[1].running, 1);
	queue_on_node(wq, 1, second, 3);
	await(&second[1].running, 1);
	nap_us(30000);
	CHECK_EQ(second[2].running, 0);
	open_and_flush(wq, first, 2);
	open_and_flush(wq, second, 3);

	ww_workqueue_set_min_active(wq, 0);
	queue_on_node(wq, 0, first, 2);
	await(&first[1].running, 1);
	queue_on_node(wq, 1, second, 1);
	nap_us(30000);
	CHECK_EQ(second[0].running, 0);
	ww_workqueue_set_min_active(wq, 1); /* and it starts at once */
	await(&second[0].running, 1);
	CHECK_EQ(ww_debug_check(), 0);
	open_and_flush(wq, first, 2);
	open_and_flush(wq, second, 1);
	ww_destroy_workqueue(wq);
}

static uint32_t cpus_seen[WW_SLOTS_MAX];

HANDLER(run_marks_cpu)
{
	(void)work;
	ww_fetch_add(&cpus_seen[ww_cpu_current_slot()], 1);
}

TEST(schedule_on_each_cpu_runs_once_on_each)
{
	CHECK_EQ(ww_schedule_on_each_cpu(run_marks_cpu), 0);
	for (int s = 0; s < ww_cpu_slots(); s++)
		CHECK_EQ(cpus_seen[s], 1);
}

static long add_one(void *arg)
{
	return *(long *)arg + 1;
}

HANDLER(run_on_stack)
{
	(void)work;
}

TEST(work_on_cpu_and_execute_in_process_context_run_the_function)
{
	struct ww_execute_work ew;
	long n = 41;

	CHECK_EQ(ww_work_on_cpu(0, add_one, &n), 42);
	CHECK_EQ(ww_execute_in_process_context(run_on_stack, &ew), 0);
}

TEST(max_active_can_be_raised_and_lowered)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("limits", WW_WQ_UNBOUND, 1);
	static struct item it[4];

	for (int i = 0; i < 4; i++) {
		ww_init_work(&it[i].dwork.work, run_announces);
		ww_queue_work(wq, &it[i].dwork.work);
	}
	await(&it[0].running, 1);
	nap_us(20000);
	CHECK_EQ(it[1].running, 0);
	ww_workqueue_set_max_active(wq, 3);
	await(&it[2].running, 1);
	nap_us(20000);
	CHECK_EQ(it[3].running, 0);
	ww_workqueue_set_max_active(wq, 1);
	open_gate(&it[0]);
	await(&it[0].runs, 1);
	nap_us(20000);
	CHECK_EQ(it[3].running, 0); /* two still run */
	for (int i = 0; i < 4; i++)
		open_gate(&it[i]);
	ww_flush_workqueue(wq);
	CHECK_EQ(it[3].runs, 1);
	ww_destroy_workqueue(wq);
}

TEST(a_disabled_item_is_not_queued_until_every_disable_is_undone)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("off", 0, 0);
	struct item it = {0};

	ww_init_delayed_work(&it.dwork, run_counted);
	CHECK(ww_queue_delayed_work(wq, &it.dwork, 100000));
	CHECK(ww_disable_delayed_work(&it.dwork));
	CHECK(!ww_disable_delayed_work_sync(&it.dwork));
	CHECK(!ww_queue_delayed_work(wq, &it.dwork, 0));
	CHECK(!ww_mod_delayed_work(wq, &it.dwork, 0));
	ww_queue_update_delayed_work(wq, &it.dwork, 0);
	CHECK(!ww_enable_delayed_work(&it.dwork));
	CHECK(!ww_queue_delayed_work(wq, &it.dwork, 0));
	CHECK(ww_enable_delayed_work(&it.dwork));
	ww_flush_workqueue(wq);
	CHECK_EQ(it.runs, 0);
	CHECK(ww_queue_delayed_work(wq, &it.dwork, 0));
	ww_flush_delayed_work(&it.dwork);
	CHECK_EQ(it.runs, 1);
	CHECK(!ww_disable_delayed_work_sync(&it.dwork));
	CHECK(ww_enable_and_queue_work(wq, &it.dwork.work));
	ww_flush_workqueue(wq);
	CHECK_EQ(it.runs, 2);
	ww_destroy_workqueue(wq);
}

TEST(a_static_item_works_without_init)
{
	static WW_DECLARE_WORK(work, run_on_stack);
	static WW_DECLARE_DELAYED_WORK(dwork, run_on_stack);

	CHECK(ww_schedule_work(&work));
	ww_flush_work(&work);
	CHECK(ww_schedule_delayed_work(&dwork, 1));
	ww_schedule_update_delayed_work(&dwork, 1);
	ww_flush_delayed_work(&dwork);
	CHECK(!ww_delayed_work_pending(&dwork));
}

TEST(every_system_queue_runs_items)
{
	struct item it = {0};

	ww_init_work(&it.dwork.work, run_counted);
	for (int q = 0; q < WW_SYSTEM_WQS; q++) {
		CHECK(ww_queue_work(ww_system_queue((enum ww_system_queue)q), &it.dwork.work));
		ww_flush_work(&it.dwork.work);
		CHECK_EQ(it.runs, q + 1);
	}
	CHECK(!ww_system_queue(WW_SYSTEM_WQS));
}

TEST(the_state_is_shown_in_words)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("shown", 0);
	struct item block = {0}, it = {0};
	static char text[65536];
	int fd[2];

	occupy(wq, &block);
	ww_init_work(&it.dwork.work, run_counted);
	ww_queue_work(wq, &it.dwork.work);
	CHECK_EQ(pipe(fd), 0);
	CHECK_EQ(ww_show_workqueues(fd[1]), 0);
	CHECK(read(fd[0], text, sizeof(text) - 1) > 0);
	CHECK(strstr(text, "queue \"shown\": ordered"));
	CHECK(strstr(text, "runs run_gated of \"shown\""));
	CHECK(strstr(text, "run_counted"));
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

static struct ww_completion described, silent, go_on;

HANDLER(run_described)
{
	(void)work;
	ww_set_worker_desc("not yet");
	ww_set_worker_desc("disk %d, and more than there is room for", 7);
	ww_complete(&described);
	ww_wait_for_completion(&go_on);
}

HANDLER(run_silent)
{
	(void)work;
	ww_complete(&silent);
	ww_wait_for_completion(&go_on);
}

static const char *state_now(void)
{
	static char text[65536];
	ssize_t n;
	int fd[2];

	CHECK_EQ(pipe(fd), 0);
	CHECK_EQ(ww_show_workqueues(fd[1]), 0);
	n = read(fd[0], text, sizeof(text) - 1);
	CHECK(n > 0);
	text[n] = 0;
	close(fd[0]);
	close(fd[1]);
	return text;
}

TEST(what_a_run_says_of_itself_is_shown_until_it_is_over)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("shown", 0);
	struct ww_work a, b;
	const char *text;

	ww_set_worker_desc("nobody works here");
	ww_init_work(&a, run_described);
	ww_init_work(&b, run_silent);
	ww_queue_work(wq, &a);
	ww_wait_for_completion(&described);
	text = state_now();
	CHECK(strstr(text, "runs run_described of \"shown\" (disk 7, and more than there is )"));
	CHECK(!strstr(text, "not yet") && !strstr(text, "nobody works"));
	ww_queue_work(wq, &b);
	ww_complete(&go_on);
	ww_wait_for_completion(&silent); /* by the same worker, most likely */
	text = state_now();
	CHECK(strstr(text, "runs run_silent of \"shown\""));
	CHECK(!strstr(text, "disk 7"));
	ww_complete(&go_on);
	ww_destroy_workqueue(wq);
}

TEST(flushes_are_not_starved_by_newcomers)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("busy", WW_WQ_UNBOUND, 2);
	struct item again = {.wq = wq};
	extern void run_again(struct ww_work *);

	/* An item that queues itself for ever. */
	ww_init_work(&again.dwork.work, run_again);
	ww_queue_work(wq, &again.dwork.work);
	for (int i = 0; i < 50; i++)
		ww_flush_workqueue(wq);
	open_gate(&again);
	ww_destroy_workqueue(wq);
	CHECK(again.runs > 1);
}

HANDLER(run_again)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->runs, 1);
	if (!ww_load_acquire(&it->gate))
		ww_queue_work(it->wq, work);
}

/* ---- rcu ---- */

struct node {
	struct ww_rcu_work rwork;
	uint32_t freed;
};
static uint32_t inside;

HANDLER(run_frees)
{
	ww_fetch_add(&ww_container_of(ww_to_rcu_work(work), struct node, rwork)->freed, 1);
}

static void reader(void *arg)
{
	struct ww_work *work = arg;

	ww_rcu_read_lock();
	ww_rcu_read_lock();
	ww_store_release(&inside, 1u);
	/* Until somebody flushes it: he then finds it pending, however slow this machine is. */
	while (!(ww_load_relaxed(ww_work_data(work)) & WORK_WAITED))
		nap_us(200);
	ww_rcu_read_unlock();
	ww_rcu_read_unlock();
}

TEST(an_rcu_work_runs_only_after_the_readers_before_it_have_left)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("rcu", 0, 0);
	struct ww_os_thread t;
	struct node n = {.freed = 0};

	catch_reports();
	ww_init_rcu_work(&n.rwork, run_frees);
	CHECK_EQ(ww_os_thread_start(&t, "reader", -1, reader, &n.rwork.work), 0);
	await(&inside, 1);
	CHECK(ww_queue_rcu_work(wq, &n.rwork));
	CHECK(!ww_queue_rcu_work(wq, &n.rwork));
	nap_us(30000);
	CHECK_EQ(n.freed, 0);
	CHECK(!ww_cancel_work_sync(&n.rwork.work));
	CHECK_REPORTED("ww_cancel_work_sync", "run_frees");
	CHECK(ww_flush_rcu_work(&n.rwork));
	CHECK_EQ(n.freed, 1);
	ww_os_thread_join(&t);
	ww_rcu_read_lock();
	ww_synchronize_rcu();
	CHECK_REPORTED("ww_synchronize_rcu", "never end");
	ww_rcu_read_unlock();
	ww_synchronize_rcu();
	/* One that waits for its grace period when the queue goes still runs. */
	CHECK(ww_queue_rcu_work(wq, &n.rwork));
	ww_destroy_workqueue(wq);
	CHECK_EQ(n.freed, 2);
}

static uint32_t *shared_ptr;
static uint32_t rcu_stop;

static void chase(void *arg)
{
	(void)arg;
	while (!ww_load_relaxed(&rcu_stop)) {
		ww_rcu_read_lock();
		uint32_t *p = ww_load_acquire(&shared_ptr);
		for (int i = 0; i < 10; i++)
			if (ww_load_relaxed(p) != 42)
				abort();
		ww_rcu_read_unlock();
	}
}

TEST_LIMIT(nothing_is_reused_under_a_reader, 60)
{
	struct ww_os_thread t[2];
	uint32_t *p = malloc(sizeof(*p));

	*p = 42;
	shared_ptr = p;
	for (int i = 0; i < 2; i++)
		CHECK_EQ(ww_os_thread_start(&t[i], "reader", -1, chase, NULL), 0);
	for (int i = 0; i < 300; i++) {
		uint32_t *n = malloc(sizeof(*n)), *old;

		*n = 42;
		old = ww_xchg(&shared_ptr, n);
		ww_synchronize_rcu();
		ww_store_relaxed(old, 0u);
		free(old);
	}
	ww_store_relaxed(&rcu_stop, 1u);
	for (int i = 0; i < 2; i++)
		ww_os_thread_join(&t[i]);
	free(shared_ptr);
}

/* ---- fork ---- */

TEST_LIMIT(after_fork_the_child_has_empty_queues_that_work, 30)
{
	struct ww_workqueue *wq =
		ww_alloc_workqueue("forked", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM, 0);
	struct item block = {0}, it = {0};
	int status;

#ifdef WW_TSAN
	tap_skip("the sanitizer allows no threads after a fork with threads");
#endif
	occupy(wq, &block);
	ww_init_work(&it.dwork.work, run_counted);
	pid_t pid = fork();
	if (!pid) {
		struct item fresh = {0};

		alarm(20);
		ww_init_delayed_work(&fresh.dwork, run_counted);
		for (int i = 0; i < 10; i++) {
			if (!ww_queue_delayed_work(wq, &fresh.dwork, (uint64_t)i % 2))
				_exit(1);
			ww_flush_delayed_work(&fresh.dwork);
		}
		ww_schedule_work(&it.dwork.work);
		ww_flush_work(&it.dwork.work);
		ww_destroy_workqueue(wq);
		_exit(fresh.runs == 10 && it.runs == 1 ? 0 : 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_MSG(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with 0x%x", status);
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

/* Blocks, says so, and is back when every licence to run is with others, who sleep. */
HANDLER(run_blocked_at_gate)
{
	ww_block_enter();
	run_gated(work);
	ww_block_leave();
}

/* Each worker of the pool sleeps and has looked for the last time, or is blocked in its item. */
static bool all_sleep(struct ww_pool *pool)
{
	struct ww_list *l;
	bool all = true;

	ww_pool_lock(pool);
	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		all = all && (w->state == WORKER_IDLE || w->state == WORKER_RESERVE || w->blocked);
	}
	all = all && pool->licensed >= pool->target && ww_list_empty(&pool->dozers);
	ww_pool_unlock(pool);
	return all;
}

TEST_LIMIT(room_given_by_a_worker_that_may_not_go_on_wakes_a_sleeper, 20)
{
	struct ww_workqueue *narrow = ww_alloc_workqueue("narrow", WW_WQ_UNBOUND, 1);
	struct ww_workqueue *wide = ww_alloc_workqueue("wide", WW_WQ_UNBOUND, 0);
	static struct item first, behind, others[WW_SLOTS_MAX];
	int n = ww_cpu_slots();

	/* No idle worker comes by chance and finds it. */
	CHECK_EQ(ww_workqueue_set_param("idle_timeout_ms", 3600000), 0);
	ww_init_work(&first.dwork.work, run_blocked_at_gate);
	ww_init_work(&behind.dwork.work, run_counted);
	CHECK(ww_queue_work(narrow, &first.dwork.work));
	await(&first.running, 1);
	CHECK(ww_queue_work(narrow, &behind.dwork.work));
	for (int i = 0; i < n; i++) {
		ww_init_work(&others[i].dwork.work, run_gated);
		CHECK(ww_queue_work(wide, &others[i].dwork.work));
	}
	for (int i = 0; i < n; i++)
		await(&others[i].running, 1);
	for (int i = 0; i < n; i++)
		open_gate(&others[i]);
	ww_flush_workqueue(wide);
	/* They go to sleep, with their licences, and the manager, which would find the item, too. */
	while (!all_sleep(narrow->by_slot[0]->pool))
		nap_us(1000);
	for (unsigned i = 1; i < ww_nr_pools; i++)
		while (ww_pool_armed(ww_pools[i]))
			nap_us(1000);
	open_gate(&first);
	await(&behind.runs, 1);
	ww_destroy_workqueue(narrow);
	ww_destroy_workqueue(wide);
}

/* ---- an idle pool ---- */

static pid_t last_tid;

HANDLER(run_noting_its_thread)
{
	ww_store_relaxed(&last_tid, ww_os_thread_id());
	ww_fetch_add(&item_of(work)->runs, 1);
}

/* How often a thread of this process went to sleep by itself; 0 where it is gone. */
static unsigned long sleeps_of(pid_t tid)
{
	unsigned long n = 0;
	char path[64], line[128];

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			break;
	fclose(f);
	return n;
}

static unsigned sleepers(struct ww_pool *pool)
{
	return (unsigned)__builtin_popcountll(ww_load_seq_cst(&pool->look) & LOOK_SEATS);
}

TEST_LIMIT(an_idle_pool_wakes_the_same_worker_once_an_item_and_nobody_else, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("idle", WW_WQ_UNBOUND, 0);
	struct ww_pool *pool = wq->by_slot[0]->pool;
	struct item first = {0}, second = {0}, it = {0};
	unsigned long before[8] = {0}, after;
	unsigned n = 0, asleep, awake;
	struct ww_list *l;
	pid_t tid[8], worked;

	/* As many workers as there are CPUs for it, two at least where there are two. */
	occupy(wq, &first);
	if (pool->target > 1)
		occupy(wq, &second);
	open_gate(&first);
	open_gate(&second);
	ww_flush_workqueue(wq);
	/* All of them asleep, and the manager, who came for the second, too. */
	do {
		nap_us(2000);
		awake = 0;
		ww_pool_lock(pool);
		ww_list_for_each (l, &pool->workers) {
			const struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

			awake += w->state != WORKER_IDLE && w->state != WORKER_RESERVE;
		}
		awake += !ww_list_empty(&pool->dozers);
		ww_pool_unlock(pool);
		asleep = sleepers(pool);
	} while (awake || !asleep || ww_pool_armed(pool));
	ww_init_work(&it.dwork.work, run_noting_its_thread);
	ww_queue_work(wq, &it.dwork.work);
	await(&it.runs, 1);
	worked = last_tid;
	ww_pool_lock(pool);
	ww_list_for_each (l, &pool->workers)
		if (n < 8)
			tid[n++] = ww_list_entry(l, struct ww_pworker, node)->tid;
	ww_pool_unlock(pool);
	for (unsigned i = 0; i < n; i++)
		before[i] = sleeps_of(tid[i]);
	for (uint32_t k = 2; k <= 21; k++) {
		while (sleepers(pool) != asleep)
			nap_us(200);
		ww_queue_work(wq, &it.dwork.work);
		await(&it.runs, k);
		CHECK_EQ(last_tid, worked);
	}
	while (sleepers(pool) != asleep)
		nap_us(200);
	CHECK(!ww_pool_armed(pool));
	for (unsigned i = 0; i < n; i++) {
		after = sleeps_of(tid[i]);
		/* It may meet the lock's holder, or be looked at before its first sleep is over. */
		if (tid[i] == worked)
			CHECK_MSG(after - before[i] <= 30, "%lu sleeps", after - before[i]);
		else
			CHECK_MSG(after - before[i] <= 1, "another slept %lu times",
				  after - before[i]);
	}
	ww_destroy_workqueue(wq);
}

TEST(what_waits_behind_a_blocked_handler_is_counted_as_moved)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("moved", 0, 0);
	struct ww_workqueue_stats s;
	static struct item gate, block, behind[2];

	/* The manager, who would see that the first sleeps, has its own way to move them. */
	CHECK_EQ(ww_workqueue_set_param("blocked_period_us", 1000000), 0);
	ww_init_work(&gate.dwork.work, run_gated);
	ww_queue_work_on(0, wq, &gate.dwork.work);
	await(&gate.running, 1);
	/* One batch: the first blocks, and says so. */
	ww_init_work(&block.dwork.work, run_announces);
	ww_queue_work_on(0, wq, &block.dwork.work);
	for (int i = 0; i < 2; i++) {
		ww_init_work(&behind[i].dwork.work, run_counted);
		ww_queue_work_on(0, wq, &behind[i].dwork.work);
	}
	ww_workqueue_get_stats(wq, &s);
	CHECK_EQ(s.in_flight, 4);
	open_gate(&gate);
	await(&behind[1].runs, 1);
	ww_workqueue_get_stats(wq, &s);
	CHECK_MSG(s.moved >= 2, "%lu moved", (unsigned long)s.moved);
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

/* ---- a walk over everything ---- */

struct seen {
	const char *queue;
	unsigned queues, running, waiting;
};

static void see(const struct ww_work_view *view, void *arg)
{
	struct seen *s = arg;

	if (!view->queue || strcmp(view->queue, s->queue) != 0)
		return;
	if (!view->func)
		s->queues++;
	else if (view->running)
		s->running += view->func == run_gated;
	else
		s->waiting += view->func == run_counted;
}

TEST(a_walk_shows_each_queue_each_run_and_whatever_waits)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("walked", 0, 2);
	struct seen s = {.queue = "walked"};
	static struct item first, behind[6];

	CHECK_EQ(ww_workqueue_set_param("blocked_period_us", 1000000), 0);
	ww_init_work(&first.dwork.work, run_gated);
	ww_queue_work_on(0, wq, &first.dwork.work);
	await(&first.running, 1);
	/* One more than the first may be active: the others wait for their turn. */
	for (int i = 0; i < 6; i++) {
		ww_init_work(&behind[i].dwork.work, run_counted);
		ww_queue_work_on(0, wq, &behind[i].dwork.work);
	}
	ww_work_for_each(see, &s);
	CHECK_EQ(s.queues, 1);
	CHECK_EQ(s.running, 1);
	CHECK_EQ(s.waiting, 6);
	/* Looking took nothing away. */
	open_gate(&first);
	for (int i = 0; i < 6; i++)
		await(&behind[i].runs, 1);
	ww_flush_workqueue(wq);
	s = (struct seen){.queue = "walked"};
	ww_work_for_each(see, &s);
	CHECK_EQ(s.queues, 1);
	CHECK_EQ(s.running + s.waiting, 0);
	ww_destroy_workqueue(wq);
	s.queues = 0;
	ww_work_for_each(see, &s);
	CHECK_EQ(s.queues, 0);
}

/* SPDX-License-Identifier: MIT */
/* What each flag of a queue does, and reports that belong to some kinds of queues alone. */
#include "work_helpers.h"

#include <fcntl.h>
#include <sched.h>

#include "base/cpu.h"

static int nice_seen, cpu_seen;

HANDLER(run_looks_around)
{
	nice_seen = ww_os_thread_get_nice(ww_os_thread_id());
	cpu_seen = ww_cpu_current();
	ww_fetch_add(&item_of(work)->runs, 1);
}

static void run_one(struct ww_workqueue *wq)
{
	struct item it = {0};

	CHECK(wq != NULL);
	ww_init_work(&it.dwork.work, run_looks_around);
	CHECK(ww_queue_work(wq, &it.dwork.work));
	ww_destroy_workqueue(wq);
	CHECK_EQ(it.runs, 1);
}

TEST(items_of_a_highpri_queue_run_at_nice_minus_twenty_where_that_is_permitted)
{
	catch_reports();
	run_one(ww_alloc_workqueue("plain", 0, 0));
	CHECK_EQ(nice_seen, ww_os_thread_get_nice(ww_os_thread_id()));
	run_one(ww_alloc_workqueue("high", WW_WQ_HIGHPRI, 0));
	if (reported("nice -20", "not permitted"))
		tap_skip("no priorities here: %s", reports[0]);
	CHECK_EQ(nice_seen, -20);
	run_one(ww_alloc_workqueue("high too", WW_WQ_HIGHPRI | WW_WQ_UNBOUND, 0));
	CHECK_EQ(nice_seen, -20);
}

TEST(items_of_a_percpu_queue_run_on_the_cpu_that_queues)
{
	for (int slot = 0; slot < ww_cpu_slots(); slot++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((unsigned)ww_cpu_of_slot(slot), &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			tap_skip("threads can't be bound here");
		run_one(ww_alloc_workqueue("bound", slot % 2 ? WW_WQ_PERCPU : 0, 0));
		CHECK_EQ(cpu_seen, ww_cpu_of_slot(slot));
	}
}

HANDLER(run_spins_at_gate)
{
	struct item *it = item_of(work);

	ww_store_release(&it->running, 1u);
	while (!ww_load_acquire(&it->gate))
		ww_cpu_relax();
	ww_fetch_add(&it->runs, 1);
}

/* The second item's start says whether the first one, which never sleeps, counts on its CPU. */
static void run_behind_a_spinner(unsigned flags, bool at_once)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("spins", flags, 0);
	struct ww_workqueue *other = ww_alloc_workqueue("other", 0, 0);
	struct item spin = {0}, it = {0};

	ww_init_work(&spin.dwork.work, run_spins_at_gate);
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(ww_queue_work_on(0, wq, &spin.dwork.work));
	await(&spin.running, 1);
	CHECK(ww_queue_work_on(0, other, &it.dwork.work));
	if (at_once) {
		await(&it.runs, 1);
	} else {
		nap_us(50000);
		CHECK_EQ(ww_load_acquire(&it.runs), 0);
	}
	open_gate(&spin);
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(other);
	CHECK_EQ(spin.runs + it.runs, 2);
}

TEST(an_item_of_a_cpu_intensive_queue_holds_up_nobody_on_its_cpu)
{
	/* Nobody else finds out that it burns the CPU. */
	CHECK_EQ(ww_workqueue_set_param("cpu_intensive_thresh_us", 1ull << 40), 0);
	run_behind_a_spinner(WW_WQ_CPU_INTENSIVE, true);
	run_behind_a_spinner(WW_WQ_UNBOUND, true);
	run_behind_a_spinner(0, false);
}

static bool shown_as(struct ww_workqueue *wq, const char *kind)
{
	static char text[16384];
	ssize_t n;
	int fd[2];

	CHECK_EQ(pipe2(fd, O_CLOEXEC), 0);
	CHECK_EQ(ww_show_one_workqueue(wq, fd[1]), 0);
	n = read(fd[0], text, sizeof(text) - 1);
	CHECK(n > 0);
	text[n] = 0;
	close(fd[0]);
	close(fd[1]);
	ww_destroy_workqueue(wq);
	return strstr(text, kind) != NULL;
}

TEST(a_power_efficient_queue_is_unbound_if_the_parameter_says_so)
{
	CHECK(shown_as(ww_alloc_workqueue("thrifty", WW_WQ_POWER_EFFICIENT, 0), ": per-CPU"));
	CHECK_EQ(ww_workqueue_set_param("power_efficient", 1), 0);
	CHECK(shown_as(ww_alloc_workqueue("thrifty", WW_WQ_POWER_EFFICIENT, 0), ": unbound"));
	CHECK(shown_as(ww_alloc_workqueue("plain", 0, 0), ": per-CPU"));
	CHECK(shown_as(ww_alloc_workqueue("bound", WW_WQ_POWER_EFFICIENT | WW_WQ_PERCPU, 0),
		       ": per-CPU"));
	CHECK(shown_as(ww_alloc_ordered_workqueue("in order", 0), ": ordered"));
}

/* ---- reports ---- */

HANDLER(run_flushes_a_queue)
{
	struct item *it = item_of(work);

	ww_flush_workqueue(it->wq);
	ww_fetch_add(&it->runs, 1);
}

TEST(a_reclaim_worker_that_flushes_a_queue_without_a_rescuer_is_reported)
{
	struct ww_workqueue *reclaim = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);
	struct ww_workqueue *too = ww_alloc_workqueue("too", WW_WQ_MEM_RECLAIM, 0);
	struct ww_workqueue *plain = ww_alloc_workqueue("plain", 0, 0);
	struct item it = {.wq = too};

	catch_reports();
	ww_init_work(&it.dwork.work, run_flushes_a_queue);
	CHECK(ww_queue_work(reclaim, &it.dwork.work));
	ww_flush_work(&it.dwork.work);
	CHECK_SILENT();
	it.wq = plain;
	CHECK(ww_queue_work(reclaim, &it.dwork.work));
	ww_flush_work(&it.dwork.work);
	CHECK_EQ(it.runs, 2);
	CHECK_REPORTED("run_flushes_a_queue of the WW_WQ_MEM_RECLAIM queue \"reclaim\"",
		       "waits for \"plain\"");
	ww_destroy_workqueue(reclaim);
	ww_destroy_workqueue(too);
	ww_destroy_workqueue(plain);
}

TEST(a_grace_period_that_is_waited_for_inside_of_a_section_is_reported)
{
	catch_reports();
	ww_rcu_read_lock();
	ww_synchronize_rcu();
	CHECK_REPORTED("ww_synchronize_rcu", "inside of a read-side section");
	ww_rcu_read_unlock();
	ww_synchronize_rcu();
	CHECK_EQ(nr_reports, 1);
}

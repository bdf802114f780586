/* SPDX-License-Identifier: MIT */
/* Work items and queues: what is queued runs, once, in order where promised, and is taken back. */
#include "tap.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "work/internal.h"

struct item {
	struct ww_work work;
	uint32_t runs;
	uint32_t running, peak;
	uint32_t gate; /* the function waits until it is not 0 */
	uint32_t nap_us;
};

static void nap(unsigned us)
{
	ww_clock_sleep_until(ww_clock_os_ns() + us * 1000ull);
}

static void body(struct item *it)
{
	uint32_t now = ww_fetch_add(&it->running, 1) + 1;

	if (now > ww_load_relaxed(&it->peak))
		ww_store_relaxed(&it->peak, now);
	if (it->nap_us)
		nap(it->nap_us);
	ww_fetch_add(&it->runs, 1);
	ww_fetch_sub(&it->running, 1);
}

static void run(struct ww_work *work)
{
	body(ww_container_of(work, struct item, work));
}

static void run_gated(struct ww_work *work)
{
	struct item *it = ww_container_of(work, struct item, work);

	ww_store_release(&it->running, 1u);
	while (!ww_load_acquire(&it->gate))
		nap(200);
	ww_fetch_add(&it->runs, 1);
	ww_store_release(&it->running, 0u);
}

static void open_gate(struct item *it)
{
	ww_store_release(&it->gate, 1u);
}

static void await(const uint32_t *word, uint32_t at_least)
{
	while (ww_load_acquire(word) < at_least)
		nap(200);
}

TEST(a_queued_item_runs_once_and_flush_waits_for_it)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("test", 0, 0);
	struct item it = {0};

	CHECK(wq != NULL);
	ww_init_work(&it.work, run);
	CHECK(!ww_flush_work(&it.work));
	CHECK(ww_queue_work(wq, &it.work));
	ww_flush_work(&it.work);
	CHECK_EQ(it.runs, 1);
	CHECK(!ww_work_pending(&it.work));
	CHECK_EQ(ww_work_busy(&it.work), 0);
	ww_destroy_workqueue(wq);
}

TEST(a_pending_item_is_not_queued_twice)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("test", 0);
	struct item block = {0}, it = {0};

	ww_init_work(&block.work, run_gated);
	ww_init_work(&it.work, run);
	CHECK(ww_queue_work(wq, &block.work));
	await(&block.running, 1);
	CHECK(ww_queue_work(wq, &it.work));
	CHECK(!ww_queue_work(wq, &it.work));
	CHECK(ww_work_pending(&it.work));
	CHECK_EQ(ww_work_busy(&it.work), WW_WORK_BUSY_PENDING);
	CHECK_EQ(ww_work_busy(&block.work), WW_WORK_BUSY_RUNNING);
	open_gate(&block);
	ww_flush_work(&it.work); /* it may be over already */
	CHECK_EQ(it.runs, 1);
	ww_destroy_workqueue(wq);
}

TEST(an_item_queued_from_its_own_function_runs_again)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("test", 0, 0);
	struct item it = {0};

	ww_init_work(&it.work, run_gated);
	CHECK(ww_queue_work(wq, &it.work));
	await(&it.running, 1);
	CHECK(ww_queue_work(wq, &it.work));
	open_gate(&it);
	await(&it.runs, 2);
	ww_flush_workqueue(wq);
	CHECK_EQ(it.runs, 2);
	ww_destroy_workqueue(wq);
}

TEST(cancel_sync_takes_a_waiting_item_back_and_waits_for_a_running_one)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("test", 0);
	struct item block = {0}, it = {0};

	ww_init_work(&block.work, run_gated);
	ww_init_work(&it.work, run);
	ww_queue_work(wq, &block.work);
	await(&block.running, 1);
	ww_queue_work(wq, &it.work);
	CHECK(ww_cancel_work_sync(&it.work));
	CHECK(!ww_cancel_work_sync(&it.work));
	open_gate(&block);
	CHECK(!ww_cancel_work_sync(&block.work));
	CHECK_EQ(block.runs, 1);
	ww_flush_workqueue(wq);
	CHECK_EQ(it.runs, 0);
	ww_destroy_workqueue(wq);
}

#define MANY 200000
static struct item many[MANY];
static uint32_t order_next, order_broken;

static void run_in_order(struct ww_work *work)
{
	uint32_t at = (uint32_t)(ww_container_of(work, struct item, work) - many);

	if (at != ww_fetch_add(&order_next, 1))
		ww_store_relaxed(&order_broken, 1u);
}

TEST_LIMIT(an_ordered_queue_keeps_the_order_of_queueing, 60)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("test", 0);

	for (unsigned i = 0; i < MANY; i++) {
		ww_init_work(&many[i].work, run_in_order);
		CHECK(ww_queue_work(wq, &many[i].work));
	}
	ww_flush_workqueue(wq);
	CHECK_EQ(order_next, MANY);
	CHECK_EQ(order_broken, 0);
	ww_destroy_workqueue(wq);
}

TEST_LIMIT(many_items_all_run_on_each_kind_of_queue, 60)
{
	static const unsigned kinds[] = {0,
					 WW_WQ_UNBOUND,
					 WW_WQ_HIGHPRI,
					 WW_WQ_CPU_INTENSIVE,
					 WW_WQ_MEM_RECLAIM,
					 WW_WQ_UNBOUND | WW_WQ_HIGHPRI};

	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct ww_workqueue *wq = ww_alloc_workqueue("test", kinds[k], 0);

		CHECK(wq != NULL);
		for (unsigned i = 0; i < MANY / 4; i++) {
			many[i].runs = 0;
			ww_init_work(&many[i].work, run);
			CHECK(ww_queue_work(wq, &many[i].work));
		}
		ww_flush_workqueue(wq);
		for (unsigned i = 0; i < MANY / 4; i++)
			CHECK_EQ(many[i].runs, 1);
		ww_destroy_workqueue(wq);
	}
}

TEST(an_item_may_free_itself)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("test", WW_WQ_UNBOUND, 0);

	for (int i = 0; i < 1000; i++) {
		struct ww_work *work = malloc(sizeof(*work));

		ww_init_work(work, (ww_work_fn)(void (*)(void))free);
		CHECK(ww_queue_work(wq, work));
	}
	ww_destroy_workqueue(wq);
}

TEST(two_items_that_block_run_at_the_same_time)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("test", 0, 0);
	struct item a = {0}, b = {0};
	uint64_t begin;

	ww_init_work(&a.work, run_gated);
	ww_init_work(&b.work, run);
	CHECK(ww_queue_work_on(0, wq, &a.work));
	await(&a.running, 1);
	begin = ww_clock_os_ns();
	CHECK(ww_queue_work_on(0, wq, &b.work));
	await(&b.runs, 1);
	tap_note("the second began after %.1f ms", (double)(ww_clock_os_ns() - begin) / 1e6);
	open_gate(&a);
	ww_destroy_workqueue(wq);
	CHECK_EQ(a.runs, 1);
}

struct delayed {
	struct ww_delayed_work dwork;
	uint32_t runs;
	uint64_t at;
};

static void run_delayed(struct ww_work *work)
{
	struct delayed *d = ww_container_of(ww_to_delayed_work(work), struct delayed, dwork);

	d->at = ww_jiffies();
	ww_fetch_add(&d->runs, 1);
}

TEST(a_delayed_work_runs_on_its_tick_on_the_virtual_clock)
{
	struct ww_workqueue *wq;
	struct delayed d = {0};
	uint64_t begin;

	CHECK_EQ(ww_clock_use_virtual(), 0);
	wq = ww_alloc_workqueue("test", 0, 0);
	begin = ww_jiffies();
	ww_init_delayed_work(&d.dwork, run_delayed);
	CHECK(ww_queue_delayed_work(wq, &d.dwork, 100));
	CHECK(!ww_queue_delayed_work(wq, &d.dwork, 5));
	CHECK(ww_delayed_work_pending(&d.dwork));
	ww_clock_advance(100);
	CHECK_EQ(d.runs, 0);
	ww_clock_advance(1);
	CHECK_EQ(d.runs, 1);
	CHECK_EQ(d.at - begin, 101);
	CHECK(!ww_mod_delayed_work(wq, &d.dwork, 50));
	for (int i = 0; i < 1000; i++) {
		ww_clock_advance(10);
		CHECK(ww_mod_delayed_work(wq, &d.dwork, 50));
		ww_queue_update_delayed_work(wq, &d.dwork, 50);
	}
	CHECK_EQ(d.runs, 1);
	CHECK(ww_cancel_delayed_work_sync(&d.dwork));
	ww_clock_advance(1000);
	CHECK_EQ(d.runs, 1);
	CHECK(ww_queue_delayed_work(wq, &d.dwork, 1000000));
	CHECK(!ww_flush_work(&d.dwork.work));
	CHECK(ww_flush_delayed_work(&d.dwork));
	CHECK_EQ(d.runs, 2);
	ww_destroy_workqueue(wq);
}

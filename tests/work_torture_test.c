/* SPDX-License-Identifier: MIT */
/*
 * Everything at once, with accounting. Threads queue, move, cancel, disable and flush the same
 * items at random; in the end, for each item, accepted + moves that found it idle = runs + taken
 * back. WW_TORTURE_S seconds a case (default 1).
 */
#include "tap.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/lock.h"
#include "base/thread.h"
#include "work/internal.h"

#define ITEMS	24
#define THREADS 4

struct item {
	struct ww_delayed_work dwork;
	struct ww_workqueue *wq;
	struct queue_peak *peak;
	bool delayed, stops;
	uint64_t accepted, found_idle, cancelled, runs; /* atomic */
	uint64_t voids;					/* void updates that found it idle */
	int running;
	int twice;
	uint64_t payload, seen; /* what a producer stored, what the last run saw */
} ww_aligned_line;

struct queue_peak {
	int running, peak;
};

static struct item items[ITEMS];
static struct ww_workqueue *queues[4];
static struct queue_peak peaks[4];
static uint32_t stop;
static uint64_t seed;

static unsigned seconds(void)
{
	const char *s = getenv("WW_TORTURE_S");

	return s ? (unsigned)atoi(s) : 1;
}

static void raise_peak(struct queue_peak *p)
{
	int now = ww_fetch_add(&p->running, 1) + 1, was = ww_load_relaxed(&p->peak);

	while (now > was && !ww_cmpxchg(&p->peak, &was, now))
		;
}

static void run(struct ww_work *work)
{
	struct item *it = ww_container_of(work, struct item, dwork.work);
	static __thread uint64_t rng;

	if (ww_fetch_add(&it->running, 1) != 0)
		ww_store_relaxed(&it->twice, 1);
	raise_peak(it->peak);
	ww_store_relaxed(&it->seen, ww_load_relaxed(&it->payload));
	if (!rng)
		rng = seed ^ (uintptr_t)&rng;
	switch (tap_random(&rng) % 64) {
	case 0:
		ww_clock_sleep_until(ww_clock_os_ns() + tap_random(&rng) % 300000);
		break;
	case 1: /* from its own function */
		if (!it->delayed && ww_queue_work(it->wq, work))
			ww_fetch_add(&it->accepted, 1);
		break;
	case 2:
		ww_block_enter();
		ww_os_yield();
		ww_block_leave();
		break;
	default:
		break;
	}
	ww_fetch_sub(&it->peak->running, 1);
	ww_fetch_sub(&it->running, 1);
	ww_fetch_add(&it->runs, 1);
}

static void act_work(struct item *it, uint64_t r)
{
	struct ww_work *w = &it->dwork.work;

	switch (r % 16) {
	case 0:
		if (ww_cancel_work(w))
			ww_fetch_add(&it->cancelled, 1);
		break;
	case 1:
		if (ww_cancel_work_sync(w))
			ww_fetch_add(&it->cancelled, 1);
		break;
	case 2:
		ww_flush_work(w);
		break;
	case 3:
		if (ww_disable_work_sync(w))
			ww_fetch_add(&it->cancelled, 1);
		ww_enable_work(w);
		break;
	case 4:
		if (r & 0x100)
			ww_flush_workqueue(it->wq);
		break;
	case 5:
		if (ww_queue_work_on((int)(r >> 8) % ww_cpu_slots(), it->wq, w))
			ww_fetch_add(&it->accepted, 1);
		break;
	default:
		if (ww_queue_work(it->wq, w))
			ww_fetch_add(&it->accepted, 1);
	}
}

static void act_delayed(struct item *it, uint64_t r)
{
	uint64_t delay = (r >> 16) % 4;

	switch (r % 16) {
	case 0:
		if (ww_cancel_delayed_work(&it->dwork))
			ww_fetch_add(&it->cancelled, 1);
		break;
	case 1:
		if (it->stops && ww_cancel_delayed_work_sync(&it->dwork))
			ww_fetch_add(&it->cancelled, 1);
		break;
	case 2:
		ww_flush_delayed_work(&it->dwork);
		break;
	case 3:
		if (!it->stops)
			break;
		if (ww_disable_delayed_work_sync(&it->dwork))
			ww_fetch_add(&it->cancelled, 1);
		ww_enable_delayed_work(&it->dwork);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		if (ww_queue_delayed_work(it->wq, &it->dwork, delay))
			ww_fetch_add(&it->accepted, 1);
		break;
	case 8:
	case 9:
		ww_queue_update_delayed_work(it->wq, &it->dwork, delay);
		break;
	default:
		/* Of a disabled item it says "false" too, so the two don't meet here. */
		if (it->stops)
			ww_queue_update_delayed_work(it->wq, &it->dwork, delay);
		else if (!ww_mod_delayed_work(it->wq, &it->dwork, delay))
			ww_fetch_add(&it->found_idle, 1);
	}
}

static void actor(void *arg)
{
	uint64_t rng = seed + (uintptr_t)arg * 77;

	while (!ww_load_relaxed(&stop)) {
		uint64_t r = tap_random(&rng);
		struct item *it = &items[(r >> 32) % ITEMS];

		ww_fetch_add(&it->payload, 1);
		if (it->delayed)
			act_delayed(it, r);
		else
			act_work(it, r);
	}
}

static void torture(bool delayed, bool stops)
{
	struct ww_os_thread threads[THREADS];
	uint64_t voids = 0, sum = 0;

	seed = tap_seed();
	queues[0] = ww_alloc_workqueue("percpu", 0, 2);
	queues[1] = ww_alloc_workqueue("unbound", WW_WQ_UNBOUND, 3);
	queues[2] = ww_alloc_ordered_workqueue("ordered", WW_WQ_MEM_RECLAIM);
	queues[3] = ww_alloc_workqueue("intensive", WW_WQ_CPU_INTENSIVE, 0);
	for (unsigned i = 0; i < ITEMS; i++) {
		items[i].wq = queues[i % 4];
		items[i].peak = &peaks[i % 4];
		items[i].delayed = delayed;
		items[i].stops = stops;
		if (delayed)
			ww_init_delayed_work(&items[i].dwork, run);
		else
			ww_init_work(&items[i].dwork.work, run);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(ww_os_thread_start(&threads[i], "actor", -1, actor,
					    (void *)(uintptr_t)(i + 1)),
			 0);
	for (unsigned i = 0; i < 20; i++) {
		ww_clock_sleep_until(ww_clock_os_ns() + seconds() * 50000000ull);
		CHECK_EQ(ww_debug_check(), 0);
	}
	ww_store_relaxed(&stop, 1u);
	for (unsigned i = 0; i < THREADS; i++)
		ww_os_thread_join(&threads[i]);
	for (unsigned i = 0; i < ITEMS && delayed; i++)
		ww_flush_delayed_work(&items[i].dwork);
	for (unsigned i = 0; i < 4; i++) {
		struct ww_workqueue_stats s;

		ww_flush_workqueue(queues[i]);
		ww_workqueue_get_stats(queues[i], &s);
		CHECK_EQ(s.in_flight, 0);
		CHECK_EQ(s.started, s.completed);
		voids += s.updates_idle;
	}
	for (unsigned i = 0; i < ITEMS; i++) {
		struct item *it = &items[i];
		int64_t missing = (int64_t)(it->runs + it->cancelled) -
				  (int64_t)(it->accepted + it->found_idle);

		CHECK_EQ(it->twice, 0);
		CHECK_EQ(it->running, 0);
		if (!delayed)
			CHECK_MSG(!missing, "item %u: %" PRId64 " too many", i, missing);
		sum += (uint64_t)missing;
		CHECK_EQ(ww_work_busy(&it->dwork.work), 0);
	}
	tap_note("%" PRIu64 " runs of item 0, %" PRIu64 " void updates found it idle",
		 items[0].runs, voids);
	CHECK_EQ(sum, voids);
	CHECK(peaks[0].peak <= 2 * ww_cpu_slots());
	CHECK(peaks[1].peak <= 3);
	CHECK_EQ(peaks[2].peak, 1);
	for (unsigned i = 0; i < 4; i++)
		ww_destroy_workqueue(queues[i]);
}

TEST_LIMIT(queue_cancel_disable_flush_at_random_and_every_item_is_accounted_for, 120)
{
	torture(false, true);
}

TEST_LIMIT(moved_and_cancelled_delayed_works_are_accounted_for, 120)
{
	torture(true, false);
}

TEST_LIMIT(updated_stopped_and_disabled_delayed_works_are_accounted_for, 120)
{
	torture(true, true);
}

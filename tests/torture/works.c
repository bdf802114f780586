/* SPDX-License-Identifier: MIT */
/*
 * Works and delayed works on queues that last: accepted + found idle = runs + taken back, for each
 * item; never two at once; never more of a queue than its limit.
 */
#include "torture.h"

#define ITEMS  32
#define QUEUES 5

static struct lasting {
	struct ww_workqueue *wq;
	int running, most; /* most is what may run at once, whatever max_active says just now */
} lasting[QUEUES];

static struct item {
	struct ww_delayed_work dwork;
	struct lasting *on;
	bool delayed, stops;
	uint64_t accepted, cancelled, runs;
	int inside;
	uint64_t stored, seen;
} items[ITEMS];

static void item_ran(struct ww_work *work)
{
	struct item *it = ww_container_of(work, struct item, dwork.work);
	uint64_t *rng = torture_rng();
	int now = ww_fetch_add(&it->on->running, 1) + 1;

	CHECK_EQ(ww_fetch_add(&it->inside, 1), 0);
	CHECK_MSG(now <= it->on->most, "%d items run at once on queue %d, whose limit is %d", now,
		  (int)(it->on - lasting), it->on->most);
	ww_store_relaxed(&it->seen, GET(it->stored));
	switch (tap_random(rng) % 32) {
	case 0:
		torture_sleep_us(tap_random(rng) % 500);
		break;
	case 1: /* from its own function */
		if (!it->delayed && !ww_load_acquire(&torture_calm) &&
		    ww_queue_work(it->on->wq, work))
			COUNT(it->accepted);
		break;
	case 2:
		ww_block_enter();
		torture_sleep_us(tap_random(rng) % 2000);
		ww_block_leave();
		break;
	}
	COUNT(it->runs);
	ww_fetch_sub(&it->inside, 1);
	ww_fetch_sub(&it->on->running, 1);
}

static void act_work(struct item *it, uint64_t r)
{
	struct ww_work *w = &it->dwork.work;

	switch (r % 16) {
	case 0:
		if (ww_cancel_work(w))
			COUNT(it->cancelled);
		break;
	case 1:
		if (ww_cancel_work_sync(w))
			COUNT(it->cancelled);
		break;
	case 2:
		ww_flush_work(w);
		break;
	case 3:
		if (ww_disable_work_sync(w))
			COUNT(it->cancelled);
		ww_enable_work(w);
		break;
	case 4:
		if (ww_queue_work_on((int)(r >> 8) % ww_cpu_slots(), it->on->wq, w))
			COUNT(it->accepted);
		break;
	case 5:
		if (ww_disable_work(w))
			COUNT(it->cancelled);
		ww_enable_work(w);
		break;
	default:
		if (ww_queue_work(it->on->wq, w))
			COUNT(it->accepted);
	}
}

static void act_delayed(struct item *it, uint64_t r)
{
	uint64_t delay = (r >> 16) % 5;

	switch (r % 16) {
	case 0:
		if (ww_cancel_delayed_work(&it->dwork))
			COUNT(it->cancelled);
		break;
	case 1:
		/* While it waits a move says "false", too, and nothing is queued. */
		if (it->stops && ww_cancel_delayed_work_sync(&it->dwork))
			COUNT(it->cancelled);
		break;
	case 2:
		ww_flush_delayed_work(&it->dwork);
		break;
	case 3:
		if (!it->stops)
			break;
		if (ww_disable_delayed_work_sync(&it->dwork))
			COUNT(it->cancelled);
		ww_enable_delayed_work(&it->dwork);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		if (ww_queue_delayed_work(it->on->wq, &it->dwork, delay))
			COUNT(it->accepted);
		break;
	default:
		/* Of a disabled item it says "false" too, so the two don't meet. */
		if (!it->stops && !ww_mod_delayed_work(it->on->wq, &it->dwork, delay))
			COUNT(it->accepted);
	}
}

static void act_queue(uint64_t r)
{
	struct lasting *q = &lasting[(r >> 8) % QUEUES];

	switch ((r >> 16) % 4) {
	case 0:
		ww_flush_workqueue(q->wq);
		break;
	case 1:
		if (q == &lasting[1])
			ww_workqueue_set_max_active(q->wq, 1 + (int)((r >> 24) % 4));
		break;
	case 2: {
		struct ww_workqueue_stats s;

		ww_workqueue_get_stats(q->wq, &s);
		break;
	}
	default:
		if (q == &lasting[4]) {
			struct ww_workqueue_attrs *a = ww_alloc_workqueue_attrs();

			CHECK(a);
			a->scope = (enum ww_wq_scope)((r >> 24) % 3);
			if (r >> 32 & 1)
				a->cpumask[0] = 1 + (r >> 33) % 3;
			CHECK_EQ(ww_apply_workqueue_attrs(q->wq, a), 0);
			ww_free_workqueue_attrs(a);
		}
	}
}

static void works_begin(void)
{
	lasting[0] = (struct lasting){.wq = ww_alloc_workqueue("percpu", 0, 2),
				      .most = 2 * ww_cpu_slots()};
	lasting[1] =
		(struct lasting){.wq = ww_alloc_workqueue("unbound", WW_WQ_UNBOUND, 3), .most = 4};
	lasting[2] = (struct lasting){
		.wq = ww_alloc_ordered_workqueue("ordered", WW_WQ_MEM_RECLAIM), .most = 1};
	lasting[3] = (struct lasting){
		.wq = ww_alloc_workqueue("mixed", WW_WQ_CPU_INTENSIVE | WW_WQ_FREEZABLE, 0),
		.most = ITEMS};
	lasting[4] = (struct lasting){
		.wq = ww_alloc_workqueue("moved", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM, 0),
		.most = ITEMS};
	for (int i = 0; i < ITEMS; i++) {
		struct item *it = &items[i];

		it->on = &lasting[i % QUEUES];
		CHECK(it->on->wq);
		it->delayed = i & 1;
		it->stops = i & 2;
		if (it->delayed)
			ww_init_delayed_work(&it->dwork, item_ran);
		else
			ww_init_work(&it->dwork.work, item_ran);
	}
}

static void works_act(uint64_t *rng)
{
	for (unsigned n = tap_random(rng) % 8; n; n--) {
		uint64_t r = tap_random(rng);
		struct item *it = &items[(r >> 32) % ITEMS];

		COUNT(it->stored);
		if (it->delayed)
			act_delayed(it, r);
		else
			act_work(it, r);
	}
	if (tap_random(rng) % 32 == 0)
		act_queue(tap_random(rng));
}

static void works_settle(void)
{
	for (int i = 0; i < ITEMS; i++) {
		struct item *it = &items[i];
		uint64_t last = GET(it->stored);
		bool wait = tap_random(torture_rng()) % 2;

		if (it->delayed) {
			/* The last thing stored must be seen by a run that is still to come. */
			if (wait && ww_flush_delayed_work(&it->dwork) && !it->stops)
				CHECK(GET(it->seen) <= last);
			if (ww_cancel_delayed_work_sync(&it->dwork))
				it->cancelled++;
		} else {
			if (wait)
				ww_flush_work(&it->dwork.work);
			if (ww_cancel_work_sync(&it->dwork.work))
				it->cancelled++;
		}
		CHECK_EQ(ww_work_busy(&it->dwork.work), 0);
		CHECK_MSG(it->accepted == it->runs + it->cancelled,
			  "item %d (%s): accepted %" PRIu64 ", ran %" PRIu64
			  ", taken back %" PRIu64,
			  i, it->delayed ? "delayed" : "plain", it->accepted, it->runs,
			  it->cancelled);
		/* One stored thing, one queueing: its run sees it. */
		COUNT(it->stored);
		if (it->delayed ? ww_queue_delayed_work(it->on->wq, &it->dwork, 1)
				: ww_queue_work(it->on->wq, &it->dwork.work))
			it->accepted++;
	}
	for (int i = 0; i < ITEMS; i++) {
		struct item *it = &items[i];

		if (it->delayed)
			ww_flush_delayed_work(&it->dwork);
		else
			ww_flush_work(&it->dwork.work);
		CHECK_EQ(GET(it->seen), it->stored);
	}
	for (int i = 0; i < QUEUES; i++) {
		struct ww_workqueue_stats s;

		ww_flush_workqueue(lasting[i].wq);
		ww_workqueue_get_stats(lasting[i].wq, &s);
		CHECK_EQ(s.in_flight, 0);
		CHECK_EQ(s.started, s.completed);
	}
}

static void works_end(void)
{
	for (int i = 0; i < QUEUES; i++)
		ww_destroy_workqueue(lasting[i].wq);
}

struct torture_area torture_works = {.name = "works",
				     .weight = 200,
				     .begin = works_begin,
				     .act = works_act,
				     .settle = works_settle,
				     .end = works_end};

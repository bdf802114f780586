/* SPDX-License-Identifier: MIT */
/*
 * The library used for the first time in a process: a queue, a timer, a thread, a worker, a base. Each
 * use gives a clear error or works, and can be repeated.
 */
#ifndef WW_TESTS_USES_H
#define WW_TESTS_USES_H

#include "tap.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/report.h"
#include "wheelwork/wheelwork.h"

static uint32_t ran;

static inline void quiet(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	(void)line;
}

static void has_run(void)
{
	ww_fetch_add(&ran, 1u);
	ww_futex_wake(&ran, 1);
}

/* A generous limit: the machine may be busy. */
static void await_run(uint32_t n)
{
	uint64_t end = ww_clock_ns() + 20000000000u;
	uint32_t seen;

	while ((seen = ww_load_acquire(&ran)) < n && ww_clock_ns() < end)
		ww_futex_wait(&ran, seen, end);
	CHECK(ww_load_acquire(&ran) >= n);
}

static void work_ran(struct ww_work *w)
{
	(void)w;
	has_run();
}

static void timer_ran(struct ww_timer *t)
{
	(void)t;
	has_run();
}

static bool sane(const void *made)
{
	CHECK(made || errno == ENOMEM || errno == EAGAIN);
	return made;
}

static void use_queue(void)
{
	struct ww_workqueue *wq =
		ww_alloc_workqueue("faulty", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM, 0);
	static struct ww_work work;
	static struct ww_delayed_work dwork;

	if (!sane(wq))
		return;
	ww_init_work(&work, work_ran);
	ww_init_delayed_work(&dwork, work_ran);
	CHECK(ww_queue_work(wq, &work));
	await_run(1);
	ww_flush_workqueue(wq);
	ww_queue_delayed_work(wq, &dwork, 1);
	ww_cancel_delayed_work_sync(&dwork);
	ww_destroy_workqueue(wq);
}

static void use_timer(void)
{
	static struct ww_timer timer;

	ww_timer_setup(&timer, timer_ran, 0);
	ww_mod_timer(&timer, ww_jiffies() + 1);
	/* If there was no memory for the base it was not armed, which was reported; then again. */
	if (!ww_timer_pending(&timer) && !ww_load_acquire(&ran))
		ww_clock_sleep_until(ww_clock_ns() + 50000000);
	ww_alloc_fail_nth(0);
	if (!ww_load_acquire(&ran))
		ww_mod_timer(&timer, ww_jiffies() + 1);
	await_run(1);
	ww_timer_shutdown_sync(&timer);
}

static int body(void *data)
{
	(void)data;
	while (!ww_thread_should_stop())
		ww_schedule_timeout_interruptible(1000);
	return 5;
}

static void use_thread(void)
{
	struct ww_thread *t = ww_thread_run(body, NULL, "faulty");

	if (sane(t)) {
		int rc = ww_thread_stop(t);

		CHECK(rc == 5 || rc == -EINTR);
	}
}

static void use_worker(void)
{
	struct ww_worker *w = ww_worker_run(0, "faulty");

	if (sane(w))
		ww_worker_destroy(w);
}

static void use_base(void)
{
	struct ww_base *b = ww_base_create("faulty");

	if (sane(b))
		CHECK_EQ(ww_base_destroy(b), 0);
}

static void (*const uses[])(void) = {use_queue, use_timer, use_thread, use_worker, use_base};

#endif

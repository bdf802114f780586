// SPDX-License-Identifier: MIT
// The thread room as a C++17 program uses it: macros, static objects and calls, against the shared
// library. Plain TAP; "alarm" ends a hang.
#include <wheelwork/wheelwork.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <unistd.h>

static int number;
static bool failed;

static void ok(bool good, const char *name)
{
	std::printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
	failed |= !good;
}

static ww_wait_queue_head queue;
static std::atomic<int> condition;
static ww_completion done;

static int waits(void *)
{
	ww_wait_event(&queue, condition.load() >= 1);
	int rc = ww_wait_event_interruptible(&queue, condition.load() >= 2);
	ww_complete(&done);
	return rc;
}

static std::atomic<int> runs;

static void item_runs(ww_worker_work *)
{
	runs++;
}

static WW_DEFINE_WORKER_WORK(item, item_runs);
static WW_DEFINE_WORKER_DELAYED_WORK(delayed_item, item_runs);

static void waiting()
{
	ww_thread *t = ww_thread_create(waits, nullptr, "cxx%d", 1);

	ww_thread_get(t);
	ww_wake_up_process(t);
	condition = 1;
	ww_wake_up(&queue);
	condition = 2;
	ww_wake_up_all(&queue);
	ww_wait_for_completion(&done);
	ok(ww_thread_stop_put(t) == 0, "wait_event_and_a_completion_between_threads");
	ok(ww_wait_event_timeout(&queue, false, 3) == 0 &&
		   ww_wait_event_interruptible_timeout(&queue, true, 3) == 3 &&
		   ww_wait_event_killable_timeout(&queue, condition == 2, 0) == 1,
	   "timeouts_follow_the_rules");
}

static void locked()
{
	std::mutex m;
	int n = 0;

	m.lock();
	ww_wait_event_cmd(&queue, n == 0, m.unlock(), m.lock());
	n = ww_wait_event_interruptible_cmd(&queue, n == 0, m.unlock(), m.lock());
	m.unlock();
	ww_wait_event_idle(&queue, n == 0);
	ok(n == 0 && ww_wait_event_freezable(&queue, true) == 0, "a_lock_around_the_sleep");
}

static void working()
{
	ww_worker *w = ww_worker_run(WW_WORKER_FREEZABLE, "worker");

	ww_worker_queue_work(w, &item);
	ww_worker_mod_delayed_work(w, &delayed_item, 2);
	ww_worker_flush_work(&item);
	ww_worker_flush_work(&delayed_item.work);
	ww_worker_destroy(w);
	ok(runs == 2, "static_items_run_on_a_worker");
}

static ww_control control;

static int obeys(void *)
{
	uint32_t seen = 0;

	while (!ww_thread_should_stop())
		if (ww_control_wait(&control, ~0u, WW_MAX_TIMEOUT))
			seen |= ww_control_take(&control, ~0u);
	return static_cast<int>(seen);
}

static void controlling()
{
	ww_thread *t = ww_thread_run(obeys, nullptr, "obeys");

	ww_control_post(&control, 5);
	ww_control_wait_taken(&control, 5, WW_MAX_TIMEOUT);
	ok(ww_thread_stop(t) == 5 && ww_control_peek(&control) == 0, "a_control_word_is_obeyed");
}

int main()
{
	alarm(60);
	std::puts("1..5");
	waiting();
	locked();
	working();
	controlling();
	return failed;
}

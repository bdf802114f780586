// SPDX-License-Identifier: MIT
/* Our threads: what a busy loop pays to be told to stop, and what sleeping and waking cost. */
#include <wheelwork/control.h>
#include <wheelwork/thread.h>

#include "../bench.h"

/* Waking -------------------------------------------------------------------------------------- */

static struct ww_thread *sleeper;
static uint32_t asked;
static void woken(void);

static int sleep_again(void *data)
{
	(void)data;
	for (uint32_t seen = 0;; seen++) {
		for (;;) {
			ww_set_current_state(WW_TASK_INTERRUPTIBLE);
			if (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) != seen)
				break;
			ww_schedule();
		}
		ww_set_current_state_plain(WW_TASK_RUNNING);
		woken();
	}
	return 0;
}

static void rival_open(void)
{
	sleeper = ww_thread_run_on_cpu(sleep_again, NULL, (unsigned)bench_cpu(1), "sleeper%u");
}

static void rival_wake(void)
{
	__atomic_fetch_add(&asked, 1, __ATOMIC_RELEASE);
	ww_wake_up_process(sleeper);
}

#include "../thread_rows.h"

/* A busy loop, which runs in one of our threads ------------------------------------------------- */

struct inside {
	struct bench *b;
	bench_loop loop;
	bool finished;
};

static int measure(void *data)
{
	struct inside *in = data;

	bench_figure(in->b, NULL, "ns", bench_ns_per_op(in->b, in->loop));
	__atomic_store_n(&in->finished, true, __ATOMIC_RELEASE);
	for (;;) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (ww_thread_should_stop())
			break;
		ww_schedule();
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	return 0;
}

static void in_a_thread(struct bench *b, bench_loop loop)
{
	struct inside in = {b, loop, false};
	struct ww_thread *t = ww_thread_run(measure, &in, "measure");

	if (!t)
		bench_cannot("no thread");
	/* Only then: the loop that is measured ignores the answer. */
	while (!__atomic_load_n(&in.finished, __ATOMIC_ACQUIRE))
		bench_sleep(1000000);
	ww_thread_stop(t);
}

static struct ww_control control;

static void do_should_stop(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(ww_thread_should_stop());
}

static void do_control(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(ww_control_peek(&control));
}

static void do_state(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		ww_set_current_state(WW_TASK_RUNNING);
}

static void run_should_stop(struct bench *b)
{
	in_a_thread(b, do_should_stop);
}
BENCH("thread", "should-stop", NULL, run_should_stop)

static void run_control(struct bench *b)
{
	in_a_thread(b, do_control);
}
BENCH("thread", "control-word", NULL, run_control)

static void run_state(struct bench *b)
{
	in_a_thread(b, do_state);
}
BENCH("thread", "full-barrier", NULL, run_state)

/* Park and unpark, create and stop -------------------------------------------------------------- */

static int park_when_told(void *data)
{
	while (!ww_thread_should_stop()) {
		if (ww_thread_should_park())
			ww_thread_parkme();
		ww_schedule_timeout_interruptible(WW_MAX_TIMEOUT);
	}
	return data != NULL;
}

static void do_park(struct bench *b, int thread, long iters)
{
	static struct ww_thread *t;

	(void)b;
	(void)thread;
	if (!t)
		t = ww_thread_run_on_cpu(park_when_told, NULL, (unsigned)bench_cpu(0), "parker%u");
	for (long k = 0; k < iters; k++) {
		ww_thread_park(t);
		ww_thread_unpark(t);
	}
}

static void do_create(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		ww_thread_stop(ww_thread_run_on_cpu(park_when_told, NULL, (unsigned)bench_cpu(0),
						    "brief%u"));
}

static void run_park(struct bench *b)
{
	bench_figure(b, NULL, "us", bench_ns_per_op(b, do_park) / 1e3);
}

static void run_create(struct bench *b)
{
	bench_figure(b, NULL, "us", bench_ns_per_op(b, do_create) / 1e3);
}
BENCH("thread", "park-unpark", NULL, run_park)
BENCH("thread", "create-stop", NULL, run_create)

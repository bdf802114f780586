/* SPDX-License-Identifier: MIT */
/* What the tests of threads share. */
#ifndef WW_TESTS_THREAD_UTIL_H
#define WW_TESTS_THREAD_UTIL_H

#include "base/atomic.h"
#include "base/clock.h"
#include "tap.h"
#include "thread/thread.h"
#include "wheelwork/wheelwork.h"

#ifdef WW_TSAN
#define FORK_WORKS false
#else
#define FORK_WORKS true
#endif
#define NEEDS_FORK()                                                                               \
	do {                                                                                       \
		if (!FORK_WORKS)                                                                   \
			tap_skip("ThreadSanitizer knows no new threads after a fork");             \
	} while (0)

static int misuses, warnings;
static char last_report[256];

__attribute__((unused)) static void count_reports(enum ww_report_kind kind, const char *line)
{
	ww_fetch_add(kind == WW_REPORT_MISUSE ? &misuses : &warnings, 1);
	snprintf(last_report, sizeof(last_report), "%s", line);
}

__attribute__((unused)) static void nap_ms(unsigned ms)
{
	ww_clock_sleep_until(ww_clock_ns() + ms * 1000000ull);
}

/* Until cond; the case's time limit catches what never comes. */
#define UNTIL(cond)                                                                                \
	do {                                                                                       \
		while (!(cond))                                                                    \
			nap_ms(1);                                                                 \
	} while (0)

/* Sleeps until it is stopped; *data, if any, counts that it ran. Returns 42. */
__attribute__((unused)) static int until_stopped(void *data)
{
	if (data)
		ww_fetch_add((int *)data, 1);
	for (;;) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (ww_thread_should_stop())
			break;
		ww_schedule();
	}
	ww_set_current_state_plain(WW_TASK_RUNNING);
	return 42;
}

/* Runs fn(data) in a thread to its own end; its value. */
__attribute__((unused)) static int run_to_end(ww_thread_fn fn, void *data, const char *name)
{
	struct ww_thread *t = ww_thread_create(fn, data, "%s", name);

	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&t->ended));
	return ww_thread_stop_put(t);
}

#endif

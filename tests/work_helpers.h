/* SPDX-License-Identifier: MIT */
/* What the tests of work items share: items that count, that wait at a gate, and a report catcher. */
#ifndef WW_TESTS_WORK_HELPERS_H
#define WW_TESTS_WORK_HELPERS_H

#include "tap.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/thread.h"
#include "wheelwork/rcu.h"
#include "work/internal.h"

struct item {
	struct ww_delayed_work dwork; /* .dwork.work is the item where no delay is needed */
	uint32_t runs, running, gate;
	uint64_t at;
	struct ww_workqueue *wq;
	struct item *other;
	bool answer;
};

static inline struct item *item_of(struct ww_work *work)
{
	return ww_container_of(work, struct item, dwork.work);
}

static inline void nap_us(unsigned us)
{
	ww_clock_sleep_until(ww_clock_os_ns() + us * 1000ull);
}

static inline void await(const uint32_t *word, uint32_t at_least)
{
	while (ww_load_acquire(word) < at_least)
		nap_us(200);
}

/* A function whose name reports can find. */
#define HANDLER(name)                                                                              \
	void name(struct ww_work *work);                                                           \
	void name(struct ww_work *work)

HANDLER(run_counted)
{
	struct item *it = item_of(work);

	it->at = ww_jiffies();
	ww_fetch_add(&it->runs, 1);
}

HANDLER(run_gated)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->running, 1);
	while (!ww_load_acquire(&it->gate))
		nap_us(200);
	ww_fetch_add(&it->runs, 1);
	ww_fetch_sub(&it->running, 1);
}

static inline void open_gate(struct item *it)
{
	ww_store_release(&it->gate, 1u);
}

/* A queue on which everything else waits: its only item runs until the gate opens. */
static inline void occupy(struct ww_workqueue *wq, struct item *it)
{
	ww_init_work(&it->dwork.work, run_gated);
	CHECK(ww_queue_work(wq, &it->dwork.work));
	await(&it->running, 1);
}

/* ---- reports ---- */

static struct ww_lock reports_lock;
static char reports[64][512];
static unsigned nr_reports;

static inline void catch_report(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	ww_lock(&reports_lock);
	if (nr_reports < 64)
		snprintf(reports[nr_reports++], sizeof(reports[0]), "%s", line);
	ww_unlock(&reports_lock);
}

static inline void catch_reports(void)
{
	ww_set_misuse_handler(catch_report);
}

/* Whether a line with both texts came. */
static inline bool reported(const char *a, const char *b)
{
	bool found = false;

	ww_lock(&reports_lock);
	for (unsigned i = 0; i < nr_reports; i++)
		found |= strstr(reports[i], a) && strstr(reports[i], b);
	ww_unlock(&reports_lock);
	return found;
}

#define CHECK_REPORTED(a, b)                                                                       \
	CHECK_MSG(reported(a, b), "no report with \"%s\" and \"%s\"; the first of %u is \"%s\"",   \
		  a, b, nr_reports, reports[0])
#define CHECK_SILENT() CHECK_MSG(!nr_reports, "reported: %s", reports[0])

#endif

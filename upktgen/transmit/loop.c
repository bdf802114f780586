// SPDX-License-Identifier: MIT
/*
 * The transmit thread, kpktgend_N. It is RUNNING; it says otherwise only where it decides to sleep,
 * and there alone stands the full barrier. In between, a burst costs one relaxed load of the
 * control word.
 */
#include <sys/prctl.h>

#include "base/alloc.h"
#include "transmit/internal.h"

/* The running device whose turn is first. */
static struct pg_device *next_device(const struct pg_thread *t)
{
	struct pg_device *best = NULL;

	for (unsigned i = 0; i < t->nr_run; i++)
		if (!best || t->run[i]->next_ns < best->next_ns)
			best = t->run[i];
	return best;
}

/* Devices whose run is over leave the list; the last one ends the thread's run. */
static void settle(struct pg_thread *t)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < t->nr_run; i++)
		if (ww_load_relaxed(&t->run[i]->running))
			t->run[kept++] = t->run[i];
	t->nr_run = kept;
	if (kept || !t->in_run)
		return;
	ww_free(t->run);
	t->run = NULL;
	t->in_run = false;
	ww_fetch_sub(&t->engine->active, 1u); /* pairs: ENGINE-3 */
	ww_wake_up_all(&t->engine->done);
}

static void stop_all(struct pg_thread *t)
{
	for (unsigned i = 0; i < t->nr_run; i++)
		pg_device_end(t->run[i], NULL);
}

/* The devices as they are now; NULL where there is no memory. Only this thread removes any. */
static struct pg_device **collect(struct pg_thread *t, unsigned *n)
{
	struct pg_device **all;
	struct ww_list *l;

	*n = 0;
	ww_lock(&t->engine->lock);
	all = ww_alloc((t->nr_devices + 1) * sizeof(struct pg_device *));
	if (all)
		ww_list_for_each (l, &t->devices)
			all[(*n)++] = ww_list_entry(l, struct pg_device, link);
	ww_unlock(&t->engine->lock);
	return all;
}

static void run_all(struct pg_thread *t)
{
	unsigned n;
	struct pg_device **all = collect(t, &n);

	if (t->in_run) /* told twice: this one is not counted again */
		ww_fetch_sub(&t->engine->active, 1u);
	t->in_run = true;
	for (unsigned i = 0; i < n; i++)
		if (!ww_load_relaxed(&all[i]->running))
			pg_device_begin(all[i]);
	ww_free(t->run);
	t->run = all;
	t->nr_run = n;
}

static void remove_all(struct pg_thread *t)
{
	struct ww_list gone = WW_LIST_INIT(gone), *l, *n;
	uint32_t asked = ww_load_acquire(&t->removals_asked);

	stop_all(t);
	settle(t);
	ww_lock(&t->engine->lock);
	ww_list_splice_tail(&t->devices, &gone);
	ww_store_relaxed(&t->nr_devices, 0u);
	ww_unlock(&t->engine->lock);
	ww_list_for_each_safe (l, n, &gone)
		pg_device_free(ww_list_entry(l, struct pg_device, link));
	ww_store_release(&t->removals_done, asked);
	ww_wake_up_all(&t->engine->done);
}

/* In the kernel's order. */
static void serve(struct pg_thread *t)
{
	uint32_t bits = ww_control_take(&t->control, ~0u);

	if (bits & PG_T_STOP)
		stop_all(t);
	if (bits & PG_T_RUN) {
		/* A stop that stands beside it was posted after it: see pg_engine_start(). */
		if (bits & PG_T_STOP) {
			ww_fetch_sub(&t->engine->active, 1u); /* pairs: ENGINE-3 */
			ww_wake_up_all(&t->engine->done);
		} else {
			run_all(t);
		}
	}
	if (bits & PG_T_REMDEVALL)
		remove_all(t);
	if (bits & PG_T_ATTEND)
		for (unsigned i = 0; i < t->nr_run; i++)
			if (ww_load_relaxed(&t->run[i]->attention) &&
			    ww_load_relaxed(&t->run[i]->running))
				pg_device_attend(t->run[i]);
	settle(t);
}

int pg_transmit_thread(void *arg)
{
	struct pg_thread *t = arg;

	prctl(PR_SET_TIMERSLACK, 1); /* a paced sleep ends when it should */
	while (!ww_thread_should_stop()) {
		struct pg_device *d = next_device(t);

		if (!d)
			ww_control_wait(&t->control, ~0u, WW_MAX_TIMEOUT);
		else if (!pg_device_burst(d))
			settle(t);
		if (ww_unlikely(ww_control_peek(&t->control)))
			serve(t);
	}
	remove_all(t);
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * usage: guard PATH COUNT - goes COUNT times through one hot path. tests/guard_test.py runs it under
 * callgrind with two counts; the difference is what one pass costs in instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wheelwork/work.h>

#include "packet/config.h"
#include "transmit/engine.h"

enum { AWAY = 3600000 };

static void timer_fn(struct ww_timer *t)
{
	(void)t;
}

static void work_fn(struct ww_work *w)
{
	(void)w;
}

static void rearm(long count)
{
	static struct ww_timer t;
	uint64_t expires = ww_jiffies() + AWAY;

	ww_timer_setup(&t, timer_fn, 0);
	for (long i = 0; i < count; i++)
		ww_mod_timer(&t, expires++);
}

static void delete_sync(long count)
{
	static struct ww_timer t;

	ww_timer_setup(&t, timer_fn, 0);
	ww_mod_timer(&t, ww_jiffies() + AWAY);
	ww_timer_delete(&t);
	for (long i = 0; i < count; i++)
		ww_timer_delete_sync(&t);
}

static void add_cancel(long count)
{
	static struct ww_timer first, t;
	uint64_t expires = ww_jiffies() + AWAY;

	/* The base sleeps until this one: the others wake nobody. */
	ww_timer_setup(&first, timer_fn, 0);
	ww_mod_timer(&first, expires - 1000);
	ww_timer_setup(&t, timer_fn, 0);
	for (long i = 0; i < count; i++) {
		ww_mod_timer(&t, expires++);
		ww_timer_delete(&t);
	}
}

static void update(long count)
{
	static struct ww_delayed_work d;
	struct ww_workqueue *wq = ww_system_wq();
	uint64_t expires = ww_jiffies() + AWAY;

	ww_init_delayed_work(&d, work_fn);
	ww_queue_delayed_work(wq, &d, AWAY - 1000);
	for (long i = 0; i < count; i++)
		ww_queue_update_delayed_work_at(wq, &d, expires++);
}

/* By a delay from now; the base sleeps until another one. */
static void cancel_queue(long count)
{
	static struct ww_delayed_work first, d;
	struct ww_workqueue *wq = ww_system_wq();

	ww_init_delayed_work(&first, work_fn);
	ww_queue_delayed_work(wq, &first, AWAY / 2);
	ww_init_delayed_work(&d, work_fn);
	for (long i = 0; i < count; i++) {
		ww_queue_delayed_work(wq, &d, AWAY + (uint64_t)i);
		ww_cancel_delayed_work(&d);
	}
}

/* Of what is pending already: the part of queueing that does not depend on who runs when. */
static void queue(long count)
{
	static struct ww_delayed_work d;
	struct ww_workqueue *wq = ww_system_wq();

	ww_init_delayed_work(&d, work_fn);
	ww_queue_delayed_work(wq, &d, AWAY);
	for (long i = 0; i < count; i++)
		ww_queue_work(wq, &d.work);
}

static void null_packet(long count)
{
	struct pg_engine_options options = {.seed = 1, .backend = "null", .stamp_every = 16};
	struct pg_engine *e = pg_engine_create(&options);
	struct pg_device *d;
	struct pg_config c;

	if (!e || pg_engine_add(e, pg_engine_thread_cpu(e, 0), "null0", &d) != 0)
		exit(1);
	pg_device_get_config(d, &c);
	c.count = (uint64_t)count;
	c.min_pkt_size = c.max_pkt_size = 60;
	pg_device_set_config(d, &c);
	pg_engine_start(e);
}

static const struct {
	const char *name;
	void (*run)(long count);
} paths[] = {
	{"rearm", rearm},
	{"add-cancel", add_cancel},
	{"delete-sync", delete_sync},
	{"update", update},
	{"queue", queue},
	{"null-packet", null_packet},
	{"cancel-queue", cancel_queue},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(paths) / sizeof(paths[0]); i++)
		if (strcmp(argv[1], paths[i].name) == 0) {
			paths[i].run(atol(argv[2]));
			fflush(stdout);
			_Exit(0);
		}
	fprintf(stderr,
		"usage: guard rearm|add-cancel|delete-sync|update|queue|cancel-queue|null-packet "
		"COUNT\n");
	return 2;
}

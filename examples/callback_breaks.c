/* SPDX-License-Identifier: MIT */
/*
 * A client of a distributed file system gives promises of its server back in batches: each one that
 * is to be given back goes to a ring and puts the sending off a little, so that more can join; a
 * ring that is full enough is sent at once (afs_flush_callback_breaks).
 */
#include "example.h"

#define WAIT_MS 40
#define BATCH	10

static struct server {
	struct ww_delayed_work breaks;
	unsigned waiting, sent, calls;
} server;

static void dispatch(struct ww_work *work)
{
	struct server *s = (struct server *)(void *)ww_to_delayed_work(work);
	unsigned n = s->waiting < BATCH ? s->waiting : BATCH;

	s->waiting -= n;
	s->sent += n;
	say("call %u gives %u promises back", ++s->calls, n);
	if (s->waiting)
		put_off(&s->breaks, 0);
}

static void flush_callback_breaks(struct server *s)
{
	put_off(&s->breaks, 0);
	ww_flush_delayed_work(&s->breaks);
}

static void give_up(struct server *s)
{
	s->waiting++;
	if (s->waiting == BATCH)
		flush_callback_breaks(s);
	else
		put_off(&s->breaks, WAIT_MS);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&server.breaks, dispatch);
	for (int i = 0; i < 4; i++) {
		give_up(&server);
		pass(10);
	}
	pass(100);
	say("many at once");
	for (int i = 0; i < 25; i++)
		give_up(&server);
	pass(100);
	ww_cancel_delayed_work_sync(&server.breaks);
	example_end();
	return !(server.sent == 29 && !server.waiting);
}

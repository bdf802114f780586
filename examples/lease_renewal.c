/* SPDX-License-Identifier: MIT */
/*
 * A network file system's client holds a lease of its server. Every answer of the server renews it,
 * so the renewal that the client would have to send by itself is put off by each; only when nothing
 * was heard for two thirds of the lease does it send one (nfs4_schedule_state_renewal), and its
 * answer starts the next period (nfs4_renew_state).
 */
#include "example.h"

#define LEASE_MS 900

static struct client {
	struct ww_delayed_work renewal;
	unsigned operations, renewals;
} client;

static void schedule_state_renewal(struct client *c)
{
	put_off(&c->renewal, LEASE_MS * 2 / 3);
}

/* An operation's answer came: the lease is good for its whole time again. */
static void answered(struct client *c)
{
	c->operations++;
	schedule_state_renewal(c);
}

static void renew_state(struct ww_work *work)
{
	struct client *c = (struct client *)(void *)ww_to_delayed_work(work);

	c->renewals++;
	say("nothing heard: renewal %u is sent", c->renewals);
	schedule_state_renewal(c);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&client.renewal, renew_state);
	say("mounted, a lease of %d ms", LEASE_MS);
	for (int i = 0; i < 50; i++) {
		answered(&client);
		pass(20);
	}
	say("after %u operations %u renewals were needed; now the client is idle",
	    client.operations, client.renewals);
	pass(1500);
	answered(&client);
	pass(100);
	ww_cancel_delayed_work_sync(&client.renewal);
	say("unmounted: %u operations, %u renewals", client.operations, client.renewals);
	example_end();
	return 0;
}

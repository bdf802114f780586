/* SPDX-License-Identifier: MIT */
/*
 * A distributed file system's client remembers servers and volume locations that nobody uses just
 * now, and throws them away when they have been unused for a while. One work for each kind sleeps
 * until the oldest is due (afs_reap_server, afs_vlocation_reaper); on unload it is told to come at
 * once and throws away all (afs_purge_servers, afs_vlocation_purge).
 */
#include "example.h"

#define RECORDS 6

struct graveyard {
	struct ww_delayed_work reaper;
	const char *kind;
	unsigned keep_ms, buried, reaped;
	bool purge;
	uint64_t died[RECORDS]; /* in the order of their deaths; ticks */
};

static struct graveyard servers = {.kind = "server", .keep_ms = 300};
static struct graveyard locations = {.kind = "volume location", .keep_ms = 450};

static void reap(struct ww_work *work)
{
	struct graveyard *g = (struct graveyard *)(void *)ww_to_delayed_work(work);
	uint64_t keep = ww_msecs_to_jiffies(g->keep_ms);

	while (g->reaped < g->buried) {
		uint64_t due = g->died[g->reaped] + keep, now = ww_jiffies();

		if (!g->purge && ww_time_before(now, due)) {
			put_off(&g->reaper, (unsigned)ww_jiffies_to_msecs(due - now));
			return;
		}
		say("%s %u is thrown away", g->kind, ++g->reaped);
	}
}

/* Its last user is gone: it is kept for a while, in case it is wanted again. */
static void unused(struct graveyard *g)
{
	g->died[g->buried++] = ww_jiffies();
	if (g->buried - g->reaped == 1)
		put_off(&g->reaper, g->keep_ms);
}

static void purge(struct graveyard *g)
{
	g->purge = true;
	put_off(&g->reaper, 0);
	ww_flush_delayed_work(&g->reaper);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&servers.reaper, reap);
	ww_init_delayed_work(&locations.reaper, reap);
	for (int i = 0; i < RECORDS; i++) {
		unused(&servers);
		unused(&locations);
		pass(100);
	}
	say("unloaded");
	purge(&servers);
	purge(&locations);
	example_end();
	return !(servers.reaped == RECORDS && locations.reaped == RECORDS);
}

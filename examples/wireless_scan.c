/* SPDX-License-Identifier: MIT */
/*
 * A wireless card's driver and its three works that are put off: a scan in steps, each started a
 * little after the one before (lbs_scan_networks); the association, which waits until the settings
 * that come one by one are all there (lbs_postpone_association_work); and the report of a finished
 * scan, held back so that scans in quick succession give one event (isr_scan_complete).
 */
#include "example.h"

#define STEP_MS	      50
#define ASSOCIATE_MS  100
#define SCAN_EVENT_MS 80
#define CHANNELS      4

static struct card {
	struct ww_delayed_work scan, associate, event;
	unsigned channel, settings, events, associations;
} card;

#define CARD(work, member) ((struct card *)(void *)((char *)(work)-offsetof(struct card, member)))

/* The interrupt: a scan is complete. */
static void scan_complete(struct card *c)
{
	put_off(&c->event, SCAN_EVENT_MS);
}

static void send_event(struct ww_work *work)
{
	struct card *c = CARD(work, event);

	say("event %u: scan results are there", ++c->events);
}

static void scan_step(struct ww_work *work)
{
	struct card *c = CARD(work, scan);

	say("channels of step %u scanned", ++c->channel);
	if (c->channel < CHANNELS) {
		put_off(&c->scan, STEP_MS);
		return;
	}
	c->channel = 0;
	scan_complete(c);
}

static void scan_networks(struct card *c)
{
	c->channel = 0;
	put_off(&c->scan, STEP_MS);
}

static void associate(struct ww_work *work)
{
	struct card *c = CARD(work, associate);

	say("association %u with %u settings", ++c->associations, c->settings);
	c->settings = 0;
}

static void postpone_association(struct card *c)
{
	c->settings++;
	put_off(&c->associate, ASSOCIATE_MS);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&card.scan, scan_step);
	ww_init_delayed_work(&card.associate, associate);
	ww_init_delayed_work(&card.event, send_event);
	say("a scan is asked for, and begun anew after its second step");
	scan_networks(&card);
	pass(120);
	scan_networks(&card);
	pass(400);
	say("name, mode, key and channel are set, 30 ms apart");
	for (int i = 0; i < 4; i++) {
		postpone_association(&card);
		pass(30);
	}
	pass(200);
	say("three scans complete in quick succession");
	for (int i = 0; i < 3; i++) {
		scan_complete(&card);
		pass(20);
	}
	pass(200);
	ww_cancel_delayed_work_sync(&card.scan);
	ww_cancel_delayed_work_sync(&card.associate);
	ww_cancel_delayed_work_sync(&card.event);
	example_end();
	return !(card.events == 2 && card.associations == 1);
}

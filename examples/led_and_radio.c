/* SPDX-License-Identifier: MIT */
/*
 * A wireless card's lamp and switch. The activity lamp goes on with each packet and off a while after
 * the last (__ipw_led_activity_on). While the radio is off by its hardware switch, that is polled; each
 * interrupt that says so, and each software switch, starts the poll's period anew
 * (isr_indicate_rf_kill, ipw_radio_kill_sw).
 */
#include "example.h"

#define LED_OFF_MS 60
#define POLL_MS	   100

static struct card {
	struct ww_delayed_work led_off, poll;
	unsigned packets, blinks, polls;
	bool led, hardware_off, software_off;
} card;

static void led_off(struct ww_work *work)
{
	struct card *c = (struct card *)(void *)ww_to_delayed_work(work);

	c->led = false;
	say("lamp off after %u packets", c->packets);
}

static void activity_on(struct card *c)
{
	c->packets++;
	if (!c->led) {
		c->led = true;
		c->blinks++;
		say("lamp on");
	}
	put_off(&c->led_off, LED_OFF_MS);
}

static void poll_switch(struct ww_work *work)
{
	struct card *c = (struct card *)(void *)((char *)work - offsetof(struct card, poll));

	c->polls++;
	if (!c->hardware_off) {
		say("poll %u: the switch is on again", c->polls);
		return;
	}
	say("poll %u: still off", c->polls);
	put_off(&c->poll, POLL_MS);
}

/* The interrupt. */
static void indicate_rf_kill(struct card *c)
{
	c->hardware_off = true;
	put_off(&c->poll, POLL_MS);
}

static void radio_kill_sw(struct card *c, bool off)
{
	c->software_off = off;
	say("the radio is switched %s by software", off ? "off" : "on");
	if (!off && c->hardware_off)
		put_off(&c->poll, POLL_MS);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&card.led_off, led_off);
	ww_init_delayed_work(&card.poll, poll_switch);
	for (int burst = 0; burst < 2; burst++) {
		for (int i = 0; i < 30; i++) {
			activity_on(&card);
			pass(10);
		}
		pass(150);
	}
	say("the switch bounces off: five interrupts");
	for (int i = 0; i < 5; i++) {
		indicate_rf_kill(&card);
		pass(15);
	}
	pass(250);
	radio_kill_sw(&card, true);
	radio_kill_sw(&card, false);
	pass(90);
	card.hardware_off = false;
	pass(200);
	ww_cancel_delayed_work_sync(&card.led_off);
	ww_cancel_delayed_work_sync(&card.poll);
	example_end();
	return !(card.blinks == 2 && !card.led && !card.hardware_off);
}

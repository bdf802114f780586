/* SPDX-License-Identifier: MIT */
/*
 * A battery is asked for its charge every so often. After a suspend the old reading is worth
 * nothing, so on resume the next poll is brought forward, wherever its period stood
 * (ds2760_battery_resume).
 */
#include "example.h"

#define POLL_MS	  600
#define RESUME_MS 50

static struct battery {
	struct ww_delayed_work monitor;
	unsigned polls;
	int charge;
} battery = {.charge = 90};

static void poll(struct ww_work *work)
{
	struct battery *b = (struct battery *)(void *)ww_to_delayed_work(work);

	b->charge -= 5;
	say("poll %u: %d %%", ++b->polls, b->charge);
	ww_schedule_delayed_work(&b->monitor, ww_msecs_to_jiffies(POLL_MS));
}

static void suspended(struct battery *b)
{
	say("suspended");
	b->charge -= 20;
}

static void resume(struct battery *b)
{
	say("resumed");
	put_off(&b->monitor, RESUME_MS);
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&battery.monitor, poll);
	ww_schedule_delayed_work(&battery.monitor, ww_msecs_to_jiffies(100));
	pass(900);
	suspended(&battery);
	resume(&battery);
	pass(800);
	ww_cancel_delayed_work_sync(&battery.monitor);
	example_end();
	return battery.polls != 4;
}

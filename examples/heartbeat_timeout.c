/* SPDX-License-Identifier: MIT */
/*
 * A cluster's node writes a heartbeat to a shared disk. If its own writes do not complete for too
 * long, the others will think it dead, so it must stop by itself first: every completed write pushes
 * that deadline out (o2hb_arm_write_timeout).
 */
#include "example.h"

#define BEAT_MS	   20
#define TIMEOUT_MS 300

static struct region {
	struct ww_delayed_work beat, write_timeout;
	unsigned beats;
	bool disk_hangs, dead;
} region;

static void arm_write_timeout(struct region *reg)
{
	put_off(&reg->write_timeout, TIMEOUT_MS);
}

static void write_timed_out(struct ww_work *work)
{
	struct region *reg =
		(struct region *)(void *)((char *)work - offsetof(struct region, write_timeout));

	reg->dead = true;
	say("no write completed for %d ms after beat %u: this node leaves the cluster", TIMEOUT_MS,
	    reg->beats);
}

static void beat(struct ww_work *work)
{
	struct region *reg = (struct region *)(void *)ww_to_delayed_work(work);

	if (!reg->disk_hangs) {
		reg->beats++;
		arm_write_timeout(reg);
	}
	ww_schedule_delayed_work(&reg->beat, ww_msecs_to_jiffies(BEAT_MS));
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&region.beat, beat);
	ww_init_delayed_work(&region.write_timeout, write_timed_out);
	arm_write_timeout(&region);
	ww_schedule_delayed_work(&region.beat, ww_msecs_to_jiffies(BEAT_MS));
	pass(1000);
	say("after a second of beats the node is %s", region.dead ? "dead" : "alive");
	region.disk_hangs = true;
	say("the disk hangs");
	pass(500);
	ww_cancel_delayed_work_sync(&region.beat);
	ww_cancel_delayed_work_sync(&region.write_timeout);
	say("the node is %s", region.dead ? "dead" : "alive");
	example_end();
	return !region.dead;
}

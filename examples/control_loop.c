/* SPDX-License-Identifier: MIT */
/*
 * A busy loop that obeys at once and pays nothing for it: a thread that counts as fast as it can
 * while it is told to, sleeps otherwise, parks while somebody looks at its figures, and stops.
 *
 * Build: cc control_loop.c $(pkg-config --cflags --libs wheelwork)
 */
#include <inttypes.h>
#include <stdio.h>

#include <wheelwork/wheelwork.h>

#define GO   0x1u
#define HALT 0x2u

struct counter {
	struct ww_control control;
	uint64_t bursts; /* the loop's own; others look while it is parked or stopped */
};

static int count(void *data)
{
	struct counter *c = data;
	bool going = false;

	while (!ww_thread_should_stop()) {
		if (ww_thread_should_park())
			ww_thread_parkme();
		if (going)
			c->bursts++; /* the work: no lock, no barrier, no clock */
		else
			ww_control_wait(&c->control, GO | HALT, WW_MAX_TIMEOUT);
		if (ww_control_peek(&c->control)) {
			uint32_t told = ww_control_take(&c->control, GO | HALT);

			going = !(told & HALT) && (going || (told & GO));
		}
	}
	return going;
}

static void look(struct ww_thread *t, const struct counter *c, const char *when)
{
	ww_thread_park(t); /* returns once it sleeps */
	printf("%s: %" PRIu64 " bursts\n", when, c->bursts);
	ww_thread_unpark(t);
}

int main(void)
{
	static struct counter c; /* all zero is a control word without a bit */
	struct ww_thread *t = ww_thread_run(count, &c, "counter");

	if (!t) {
		perror("ww_thread_run");
		return 1;
	}
	look(t, &c, "before");
	ww_control_post(&c.control, GO);
	ww_schedule_timeout_uninterruptible((int64_t)ww_msecs_to_jiffies(50));
	look(t, &c, "after 50 ms");
	ww_control_post(&c.control, HALT);
	ww_control_wait_taken(&c.control, HALT, WW_MAX_TIMEOUT); /* it has obeyed */
	look(t, &c, "halted");
	ww_control_post(&c.control, GO);
	printf("stopped: it was %s\n", ww_thread_stop(t) ? "going" : "halted");
	printf("stopped: %" PRIu64 " bursts\n", c.bursts);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * What the examples share. Each runs by itself in real time, or with --virtual on the virtual clock,
 * where it is over at once and prints the same every time. --old does it as it was done before the
 * update call: cancel, then queue again.
 */
#ifndef WW_EXAMPLES_EXAMPLE_H
#define WW_EXAMPLES_EXAMPLE_H

#include <wheelwork/wheelwork.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool example_old, example_virtual;
static uint64_t example_begin;
static unsigned example_updates;

static inline void example_start(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--old")) {
			example_old = true;
		} else if (!strcmp(argv[i], "--virtual")) {
			example_virtual = true;
		} else {
			fprintf(stderr,
				"%s: unknown argument '%s'; usage: %s [--virtual] [--old]\n",
				argv[0], argv[i], argv[0]);
			exit(2);
		}
	}
	if (example_virtual)
		ww_clock_use_virtual();
	example_begin = ww_jiffies();
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* One line with the time since the start. */
static inline void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void say(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("%6llu ms  %s\n",
	       (unsigned long long)ww_jiffies_to_msecs(ww_jiffies() - example_begin), text);
}

/* Let time pass, in whichever way it passes. */
static inline void pass(unsigned ms)
{
	struct timespec ts = {ms / 1000, (long)(ms % 1000) * 1000000};

	if (example_virtual)
		ww_clock_advance(ww_msecs_to_jiffies(ms));
	else
		nanosleep(&ts, NULL);
}

/* Let it run ms from now, whether it waits already or not: the old way and the new. */
static inline void put_off(struct ww_delayed_work *dwork, unsigned ms)
{
	uint64_t delay = ww_msecs_to_jiffies(ms);

	example_updates++;
	if (example_old) {
		ww_cancel_delayed_work(dwork);
		ww_schedule_delayed_work(dwork, delay);
	} else {
		ww_schedule_update_delayed_work(dwork, delay);
	}
}

static inline void example_end(void)
{
	say("done after %u updates", example_updates);
}

#endif

// SPDX-License-Identifier: MIT
#include "control/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "transmit/backend.h"

enum {
	KEY_SEED = 0x100,
	KEY_STRICT,
	KEY_NO_BURST,
	KEY_STAMP,
	KEY_STAMP_UNIT,
	KEY_JSON,
	KEY_PROGRESS,
	KEY_RECEIVER
};

static const struct argp_option engine_options[] = {
	{"seed", KEY_SEED, "N", 0, "fix every random choice; the seed of a run is printed", 0},
	{"backend", 'b', "NAME", 0, "how to send; \"upktgen probe\" lists the ways", 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "refuse and answer as the kernel does, also where ours is kinder", 0},
	{"no-burst", KEY_NO_BURST, NULL, 0, "after a stall, do not catch up with the schedule", 0},
	{"stamp", KEY_STAMP_UNIT, "UNIT", 0,
	 "us: the kernel's time stamps; ns: finer ones, which only upktgen's receiver reads (us)",
	 0},
	{"stamp-every", KEY_STAMP, "N", 0, "packets that share one reading of the clock (1)", 0},
	{0},
};

static const struct argp_option watch_options[] = {
	{"receiver", KEY_RECEIVER, "DEV", 0,
	 "receive on DEV, the far end, meanwhile, and settle the books of both ends", 0},
	{"time", 't', "TIME", 0, "stop each start after TIME: 5, 300ms, 2m", 0},
	{"json", KEY_JSON, NULL, 0, "one JSON document instead of text", 0},
	{"progress", KEY_PROGRESS, "HOW", OPTION_ARG_OPTIONAL,
	 "a line each second on standard error: text or json", 0},
	{0},
};

uint64_t upk_number(struct argp_state *state, const char *what, const char *text, uint64_t max)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || *text < '0' || *text > '9' || n > max)
		argp_error(state, "%s: '%s' is not a number from 0 to %llu", what, text,
			   (unsigned long long)max);
	return n;
}

uint64_t upk_duration(struct argp_state *state, const char *what, const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},
		     {"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double n = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && !strcmp(end, units[i].unit) && n >= 0 && n * units[i].ns < 9e18)
			return (uint64_t)(n * units[i].ns);
	argp_error(state, "%s: '%s' is no time; right is 5, 2.5s, 300ms, 2m or 1h", what, text);
	return 0;
}

error_t upk_one_argument(int key, char *arg, struct argp_state *state, const char **to,
			 const char *what, const char *question)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*to)
			argp_error(state, "one %s at a time: '%s' is a second one", what, arg);
		*to = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*to)
			argp_error(state, "%s", question);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_backend(struct argp_state *state, const char *name)
{
	char list[320] = "";
	const char *arg;
	size_t n = 0;

	if (pg_backend_find(name, &arg))
		return;
	for (unsigned i = 0; pg_backends[i] && n < sizeof(list); i++) {
		const char *const *ways = pg_backends[i]->ways;

		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      pg_backends[i]->name);
		for (; ways && *ways && n < sizeof(list); ways++)
			n += (size_t)snprintf(list + n, sizeof(list) - n, ", %s:%s",
					      pg_backends[i]->name, *ways);
	}
	argp_error(state, "no backend '%s'; there are: %s", name, list);
}

static error_t parse_engine(int key, char *arg, struct argp_state *state)
{
	struct upk_options *o = state->input;

	switch (key) {
	case KEY_SEED:
		o->engine.seed = upk_number(state, "--seed", arg, UINT64_MAX);
		o->seed_given = true;
		return 0;
	case 'b':
		check_backend(state, arg);
		o->engine.backend = arg;
		return 0;
	case KEY_STRICT:
		o->engine.strict = true;
		return 0;
	case KEY_NO_BURST:
		o->engine.no_burst = true;
		return 0;
	case KEY_STAMP_UNIT:
		if (strcmp(arg, "us") != 0 && strcmp(arg, "ns") != 0)
			argp_error(state, "--stamp: '%s' is neither us nor ns", arg);
		o->engine.stamp_ns = !strcmp(arg, "ns");
		return 0;
	case KEY_STAMP:
		o->engine.stamp_every = (unsigned)upk_number(state, "--stamp-every", arg, 1 << 20);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_watch(int key, char *arg, struct argp_state *state)
{
	struct upk_options *o = state->input;

	switch (key) {
	case KEY_RECEIVER:
		o->receiver = arg;
		return 0;
	case 't':
		o->limit_ms = upk_duration(state, "--time", arg) / 1000000;
		if (!o->limit_ms)
			argp_error(state, "--time: '%s' is less than a millisecond", arg);
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	case KEY_PROGRESS:
		if (!arg || !strcmp(arg, "text"))
			o->progress = UPK_PROGRESS_TEXT;
		else if (!strcmp(arg, "json"))
			o->progress = UPK_PROGRESS_JSON;
		else
			argp_error(state, "--progress: '%s' is neither text nor json", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp upk_engine_argp = {.options = engine_options, .parser = parse_engine};
const struct argp upk_watch_argp = {.options = watch_options, .parser = parse_watch};

void upk_options_settle(struct upk_options *o)
{
	if (o->seed_given)
		return;
	/* short enough to be typed again */
	if (getrandom(&o->engine.seed, sizeof(o->engine.seed), 0) != sizeof(o->engine.seed))
		o->engine.seed = ww_clock_real_ns();
	o->engine.seed &= 0xffffffff;
}

/* SPDX-License-Identifier: MIT */
/*
 * The library's own code under the simulator (src/base/sim.h): each program of this folder is run
 * under every schedule that departs from the plain one at most so many times, and under many at
 * random. "sim_test NAME" runs one; a failure prints what to set in WW_SIM_REPLAY to see its trace.
 * WW_SIM_LONG=N makes N times as many random runs, WW_SIM_BOUND raises the bound by so much.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "sim/sim_programs.h"
#include "wheelwork/base.h"

static struct sim_program *programs;

void sim_announce(struct sim_program *p)
{
	struct sim_program **at = &programs;

	while (*at && strcmp((*at)->name, p->name) < 0)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 10) : otherwise;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* One search of p's schedules; told where it finds something. True: nothing was found. */
static bool search(const struct sim_program *p, struct sim_options *o, struct sim_result *r)
{
	unsigned long replay = setting("WW_SIM_REPLAY", 0);
	double begin = seconds();

	*r = replay ? sim_replay(p->fn, o, replay) : sim_explore(p->fn, o);
	if (r->error[0]) {
		printf("# %s\n", r->error);
		if (!p->fails)
			printf("# to see it: %sWW_TEST_SEED=%" PRIu64 " WW_SIM_REPLAY=%" PRIu64
			       " sim_test %s\n",
			       o->all_weak ? "WW_SIM_WEAK=1 " : "", o->seed, r->runs, p->name);
		return false;
	}
	printf("# %s%s: %" PRIu64 " runs, at most %u decisions%s, %.1f s\n", p->name,
	       o->all_weak ? ", weak" : "", r->runs, r->longest, r->whole ? "" : ", cut short",
	       seconds() - begin);
	return true;
}

/* On x86 with some random runs on the weaker machine; then a shorter search of all of that. */
static bool try(const struct sim_program *p, unsigned number)
{
	unsigned bound = p->bound + (unsigned)setting("WW_SIM_BOUND", 0);
	struct sim_options o = {
		.bound = bound,
		.schedules = setting("WW_SIM_SCHEDULES", 0),
		.random = p->random * setting("WW_SIM_LONG", 1),
		.seed = setting("WW_TEST_SEED", 1),
		.no_membarrier = p->no_membarrier,
		.no_weak = setting("WW_SIM_WEAK", 1) == 0,
	};
	struct sim_result r = {{0}, 0, false, 0, 0};
	bool good = setting("WW_SIM_WEAK", 0) == 1 || search(p, &o, &r);

	if (good && !o.no_weak) {
		o.all_weak = true;
		o.bound = setting("WW_SIM_WEAK", 0) == 1 || !bound ? bound : bound - 1;
		o.random = setting("WW_SIM_WEAK", 0) == 1 ? o.random : 0;
		good = search(p, &o, &r);
	}
	if (p->fails)
		good = r.error[0] && strncmp(r.error, "ended by", 8) != 0;
	printf("%sok %u - %s\n", good ? "" : "not ", number, p->name);
	return good;
}

static void heed_report(enum ww_report_kind kind, const char *line)
{
	/* Warnings are expected: in simulated time a whole minute may pass. */
	if (kind == WW_REPORT_MISUSE)
		sim_fail("%s", line);
}

int main(int argc, char **argv)
{
	unsigned n = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ww_set_misuse_handler(heed_report);
	ww_cpu_set_topology_root("/nonexistent");
	for (struct sim_program *p = programs; p; p = p->next) {
		bool wanted = argc < 2;

		for (int i = 1; i < argc; i++)
			wanted |= strcmp(argv[i], p->name) == 0;
		if (wanted)
			failed += !try(p, ++n);
	}
	printf("1..%u\n", n);
	if (argc > 1 && !n)
		fprintf(stderr, "sim_test: no such program\n");
	return failed || !n;
}

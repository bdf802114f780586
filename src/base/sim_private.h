/* SPDX-License-Identifier: MIT */
/* Between the simulator's machine (sim.c) and its chooser of schedules (sim_explore.c). */
#ifndef WW_BASE_SIM_PRIVATE_H
#define WW_BASE_SIM_PRIVATE_H

#include <inttypes.h>

#include "base/sim.h"

#define SIM_DECISIONS_MAX (1 << 20)

enum sim_kind { SIM_RUN, SIM_DRAIN, SIM_EXPIRE };

struct sim_option {
	enum sim_kind kind;
	int thread;
	int store; /* SIM_DRAIN: which in its buffer */
};

/* Shared with the child that makes the runs. */
struct sim_shared {
	struct sim_options options;
	bool trace;
	bool random;	    /* this run's decisions come from seed */
	bool weak;	    /* this run is on the weaker machine */
	uint64_t trace_run; /* a replay: trace this run, and end */
	bool finished;	    /* all schedules were tried */
	bool cut_short;
	uint64_t seed;
	uint64_t runs, random_runs;
	uint32_t longest;
	uint64_t digest;
	uint32_t fixed; /* the first so many decisions are given */
	uint32_t n;	/* made so far */
	char error[512];
	uint8_t chosen[SIM_DECISIONS_MAX], among[SIM_DECISIONS_MAX];
};

extern struct sim_shared *sim_shared;

/* Which of n options, of which the first is the plain one. */
int sim_choose(const struct sim_option *o, int n);
/* The thread has nothing better to do than to look again. */
void sim_yields(int thread);
/* In the child: runs program as thread 0, again and again. */
_Noreturn void sim_run(void (*program)(void));
/* Before and after each run; false: this child has done enough. */
void sim_before(bool warm_up);
bool sim_after(void);

#endif

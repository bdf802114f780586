/* SPDX-License-Identifier: MIT */
/*
 * What the live backend needs rights for: its program loaded with a configuration, its trace points
 * attached, and an anchor for it. Everything after that needs the descriptors alone.
 */
#ifndef UPKTGEN_TRANSMIT_LIVE_OPEN_H
#define UPKTGEN_TRANSMIT_LIVE_OPEN_H

#include <stdbool.h>

#include "privilege/ask.h"
#include "transmit/live.h"

struct pg_live {
	struct pg_live_memory *memory; /* the program's own */
	int prog, flows;	       /* among fds */
	bool anchored;
	unsigned nr_fds;
	int fds[PG_ASK_FDS];
};

extern const struct pg_op pg_op_live;

/* cpu: which will run it. 0, or -errno and why. */
int pg_live_open(struct pg_live *l, const char *ifname, int cpu, const struct pg_live_config *cfg,
		 char why[128]);
/* What the trace points count from now on: the packets of the calling thread. 0 or -errno. */
int pg_live_mine(const struct pg_live *l);
void pg_live_close(struct pg_live *l);

#endif

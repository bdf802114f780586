/* SPDX-License-Identifier: MIT */
/*
 * Watching a run from the start to its result: a progress line, and where the far end is in reach
 * of this process, a receiver on it and the books of both ends.
 */
#ifndef UPKTGEN_RECEIVE_WATCH_H
#define UPKTGEN_RECEIVE_WATCH_H

#include <stdio.h>

#include "receive/receiver.h"
#include "transmit/engine.h"

struct pg_watch; /* opaque */

struct pg_watch_options {
	const char *receiver; /* device of the far end; NULL: none */
	FILE *progress;	      /* NULL: no progress */
	uint64_t limit_ms;    /* stop the engine after this time; 0: never */
	const uint32_t *stop; /* not 0: the user wants an end (may be NULL) */
	bool json;	      /* progress as JSON lines */
	/* Filled in by the finish, where there is a receiver, and then the caller's to free; may be
	 * NULL. */
	struct pg_receive_summary *summary;
};

/* Before pg_engine_start(), devices added. NULL + errno and why. Sleeps. */
struct pg_watch *pg_watch_start(struct pg_engine *e, const struct pg_watch_options *options,
				char why[128]);
/* After pg_engine_start(): no more progress, no more limit. Harmless twice. */
void pg_watch_end_progress(struct pg_watch *w);
/*
 * After pg_engine_start() has returned: waits for what is under way, prints what was sent by the
 * devices' own counters and what arrived. Frees w. 0; -EBADMSG if the books of both ends disagree.
 */
int pg_watch_finish(struct pg_watch *w, FILE *out);

#endif

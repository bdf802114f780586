/* SPDX-License-Identifier: MIT */
/* One frame as the receiver's books see it, whichever way it was captured. */
#ifndef UPKTGEN_RECEIVE_ARRIVAL_H
#define UPKTGEN_RECEIVE_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "receive/frame.h"

struct pg_arrival {
	enum pg_frame_kind kind;
	uint32_t seq;
	bool fine;	     /* stamps of 1 ns rather than 1 us */
	uint64_t sent_ns;    /* CLOCK_REALTIME; 0: not stamped */
	uint64_t arrived_ns; /* CLOCK_REALTIME; 0: not read for this one */
	uint32_t bytes;	     /* with tags, without CRC */
	uint64_t flow;	     /* hash of addresses and ports; 0: they can't be trusted */
	/* Who that is: one of the two may be there, or neither where it was told before. */
	const struct pg_frame_facts *facts;
	const struct pg_flow_id *told; /* then there is no frame, only this */
};

typedef void (*pg_arrival_fn)(void *arg, const struct pg_arrival *a);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What arrived of each flow (addresses and ports). Bounded: flows beyond the limit are counted
 * together. One thread writes it.
 */
#ifndef UPKTGEN_RECEIVE_FLOWS_H
#define UPKTGEN_RECEIVE_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "receive/frame.h"

#define PG_FLOWS_MAX 65536u

struct pg_flow {
	uint64_t key; /* hash of addresses and ports */
	struct pg_flow_id id;
	uint64_t packets; /* with our magic, whole: duplicates too */
	uint64_t bytes;
	uint64_t duplicated, reordered, extent_max, extent_sum;
	uint64_t damaged;
	uint32_t stream; /* serial of the sender's stream that it was last part of; 0: none */
	bool shared;	 /* was part of another before */
};

struct pg_flows {
	struct pg_flow *flow;
	uint32_t *slot; /* index + 1, by hash; 0: free */
	uint32_t nr;
	uint64_t beyond; /* packets of flows that found no room */
};

/* 0 or -ENOMEM. */
int pg_flows_init(struct pg_flows *f);
void pg_flows_free(struct pg_flows *f);
/* The flow, made if it is new; NULL: no room. */
struct pg_flow *pg_flows_get(struct pg_flows *f, uint64_t key);
/* NULL if there is none. */
struct pg_flow *pg_flows_find(const struct pg_flows *f, uint64_t key);
/* "10.0.0.1:9 > 10.0.0.2:9" */
const char *pg_flow_name(const struct pg_flow *f, char out[112]);

#endif

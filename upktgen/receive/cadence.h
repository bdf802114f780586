/* SPDX-License-Identifier: MIT */
/*
 * The order in which a sender's flows take turns. Its numbers count the packets of all its flows
 * together, so a number that is missing says nothing of a flow, unless the flows come round in a fixed
 * order: ports that count up, addresses that count up, flows in sequence. Then each number is one
 * flow's, and what a flow lost is what it should have had less what came. Learnt from the arrivals, and
 * checked with every one of them: a single one out of turn, and nothing is said.
 */
#ifndef UPKTGEN_RECEIVE_CADENCE_H
#define UPKTGEN_RECEIVE_CADENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "receive/flows.h"
#include "receive/sequence.h"

#define PG_CADENCE_MAX (2 * PG_FLOWS_MAX) /* numbers in a round; 8 bytes each */

struct pg_cadence {
	uint64_t
		*key; /* whose each number of a round is; 0: not known yet. NULL before the first */
	uint64_t
		base; /* number at which a turn of the first flow began, seen together with the one before */
	uint64_t prev, prev_key; /* the arrival before, while learning */
	uint64_t next;		 /* number that key[at] is for */
	uint32_t at;
	uint32_t room, nr; /* while learning */
	uint32_t period;   /* 0: not known yet */
	bool none;	   /* they come in no fixed order, or in too long a round */
};

void pg_cadence_free(struct pg_cadence *c);
void pg_cadence_slow(struct pg_cadence *c, uint64_t number, uint64_t key);

/* One arrival that is no duplicate. */
static inline void pg_cadence_note(struct pg_cadence *c, uint64_t number, uint64_t key)
{
	if (c->none)
		return;
	if (c->period) {
		if (__builtin_expect(number == c->next && c->key[c->at] == key, 1)) {
			c->next++;
			c->at = c->at + 1 == c->period ? 0 : c->at + 1;
			return;
		}
	} else if (!c->key && c->prev_key == key) {
		c->prev = number; /* one flow so far */
		return;
	}
	pg_cadence_slow(c, number, key);
}

/*
 * How many packets each flow should have had: of all numbers of the sequence, added to expected, by
 * index in flows. False where that can't be known.
 */
bool pg_cadence_expected(const struct pg_cadence *c, const struct pg_sequence *s,
			 const struct pg_flows *flows, uint64_t *expected);

#endif

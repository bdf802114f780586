/* SPDX-License-Identifier: MIT */
/*
 * What became of a numbered stream, from its 32-bit sequence numbers alone. A window of the last
 * numbers is kept as a bitmap; numbers are widened to 64 bits by their distance from the newest, so
 * a wrap is nothing special (at 13 million packets/s it comes every 330 s).
 *
 * Each arrival is exactly one of: the next or a later number (in order; numbers jumped over are
 * holes), a number that fills a hole (reordered, by how many), a number seen before (duplicate), or
 * one far outside of the window (stray: too late to tell the two apart, or damaged). What stays a
 * hole is lost. A sender that begins anew is known by an old number with a stamp newer than any,
 * or, where there are no stamps, by many strays in a row. One thread writes it.
 */
#ifndef UPKTGEN_RECEIVE_SEQUENCE_H
#define UPKTGEN_RECEIVE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define PG_SEQ_WINDOW (1u << 20) /* numbers; 80 ms at 13 million packets/s */
/* A stream whose first number is at most this began while we listened: what is missing is lost. */
#define PG_SEQ_FROM_START 65536u
/* Consecutive strays that are believed: behind the window (begun anew), ahead of it (a long loss).
 */
#define PG_SEQ_BELIEVE_BEHIND 32u
#define PG_SEQ_BELIEVE_AHEAD  2u

struct pg_sequence {
	uint64_t received;   /* distinct numbers */
	uint64_t duplicated; /* arrivals of a number seen before */
	uint64_t reordered;  /* of received: came after a later one */
	uint64_t stray;	     /* far outside of the window, and not believed */
	uint64_t holes;	     /* numbers jumped over and not (yet) filled */
	uint64_t restarts;   /* streams that began anew */
	uint64_t extent_max; /* of reordering: how many numbers behind the newest */
	uint64_t extent_sum;
	uint32_t first; /* number seen first */
	bool started;

	uint64_t top;	 /* newest number, widened; 2^32 is added so that it can go below */
	uint64_t bottom; /* numbers below were never part of the stream */
	uint64_t stamp;	 /* newest, 0 if there are none */
	uint32_t stray_last, stray_run;
	uint64_t *seen; /* bitmap of PG_SEQ_WINDOW numbers, bit n % window */
};

/* from_start: number 1 is the first whatever arrives first. 0 or -ENOMEM. */
int pg_sequence_init(struct pg_sequence *s, bool from_start);
void pg_sequence_free(struct pg_sequence *s);

void pg_sequence_slow(struct pg_sequence *s, uint32_t number, uint64_t stamp);

static inline void pg_sequence_mark(struct pg_sequence *s, uint64_t wide)
{
	s->seen[(wide % PG_SEQ_WINDOW) / 64] |= (uint64_t)1 << (wide % 64);
}

/* stamp: when it was sent, in any unit; 0 if unknown. */
static inline void pg_sequence_add(struct pg_sequence *s, uint32_t number, uint64_t stamp)
{
	if (__builtin_expect(s->started && number == (uint32_t)(s->top + 1), 1)) {
		s->top++;
		s->received++;
		s->stamp = stamp;
		/* A fresh word of the window: forget what it said a window ago. */
		if (s->top % 64 == 0)
			s->seen[(s->top % PG_SEQ_WINDOW) / 64] = 0;
		pg_sequence_mark(s, s->top);
		return;
	}
	pg_sequence_slow(s, number, stamp);
}

/* The sender's last number: everything up to it that did not come is a hole. */
void pg_sequence_close(struct pg_sequence *s, uint32_t last);
/* Newest number seen; 0 before the first. */
static inline uint32_t pg_sequence_top(const struct pg_sequence *s)
{
	return s->started ? (uint32_t)s->top : 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What became of one numbered stream, from its 32-bit sequence numbers alone. A window of the last
 * numbers is kept, with a mark of who sent each and when; numbers are widened to 64 bits by their
 * distance from the newest, so a wrap is nothing special (at 13 million packets/s it comes every
 * 330 s).
 *
 * Each arrival is exactly one of: the next or a later number (in order; numbers jumped over are
 * holes), a number that fills a hole (reordered, by how many), a number seen before with the same
 * mark (duplicate) or with another (it is of another sender), or one outside of the window. What
 * stays a hole is lost. Which stream an arrival belongs to is decided in streams.h. One thread
 * writes it.
 */
#ifndef UPKTGEN_RECEIVE_SEQUENCE_H
#define UPKTGEN_RECEIVE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define PG_SEQ_WINDOW (1u << 18) /* numbers; 20 ms at 13 million packets/s */
/* A stream whose first number is at most this began while we listened: what is missing is lost. */
#define PG_SEQ_FROM_START 65536u

enum pg_verdict {
	PG_SEQ_NEXT,
	PG_SEQ_AHEAD, /* numbers were jumped over */
	PG_SEQ_HOLE,
	PG_SEQ_SAME,  /* seen before, from the same sender at the same time */
	PG_SEQ_OTHER, /* seen before, but not that one */
	PG_SEQ_FAR,   /* outside of the window */
};

struct pg_sequence {
	uint64_t received;   /* distinct numbers */
	uint64_t duplicated; /* arrivals of a number seen before */
	uint64_t reordered;  /* of received: came after a later one */
	uint64_t stray;	     /* far outside of every window, and not believed */
	uint64_t holes;	     /* numbers jumped over and not (yet) filled */
	uint64_t restarts;   /* streams that began anew */
	uint64_t extent_max; /* of reordering: how many numbers behind the newest */
	uint64_t extent_sum;
	uint32_t first; /* number seen first */

	uint64_t top;	 /* newest number, widened; 2^32 is added so that it can go below */
	uint64_t bottom; /* numbers below were never part of the stream */
	uint16_t *seen;	 /* marks of PG_SEQ_WINDOW numbers, of n at n % window; 0: not seen */
};

/*
 * A stream that begins with this number. from_start, or a low number: 1 was the first, whatever
 * arrives first. mark: not 0. 0 or -ENOMEM.
 */
int pg_sequence_begin(struct pg_sequence *s, uint32_t number, uint16_t mark, bool from_start);
void pg_sequence_free(struct pg_sequence *s);

/* To 64 bits, by its distance from the newest. */
static inline uint64_t pg_sequence_widened(const struct pg_sequence *s, uint32_t number)
{
	return s->top + (uint64_t)(int64_t)(int32_t)(number - (uint32_t)s->top);
}

enum pg_verdict pg_sequence_judge(const struct pg_sequence *s, uint32_t number, uint16_t mark);
/* Takes an arrival that was judged to be one of the first four. By how many it came late. */
uint64_t pg_sequence_take(struct pg_sequence *s, enum pg_verdict v, uint32_t number, uint16_t mark);
/* So much was lost that the window was left: numbers up to last, the last count of them arrived. */
void pg_sequence_jump(struct pg_sequence *s, uint32_t last, uint32_t count, uint16_t mark);

/* The next number, which most are: true if it was that, and is taken. */
static inline bool pg_sequence_next(struct pg_sequence *s, uint32_t number, uint16_t mark)
{
	if (__builtin_expect(number != (uint32_t)(s->top + 1), 0))
		return false;
	s->top++;
	s->received++;
	s->seen[s->top % PG_SEQ_WINDOW] = mark;
	return true;
}

/* The sender's last number: everything up to it that did not come is a hole. */
void pg_sequence_close(struct pg_sequence *s, uint32_t last);
/* Adds the counters of one to those of another. */
void pg_sequence_sum(struct pg_sequence *to, const struct pg_sequence *from);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Several senders on one device, each with numbers of its own: which stream an arrival belongs to.
 * Nothing in a packet names its sender, so each arrival goes where it fits: to the stream that it
 * continues, best to the one that its flow was part of before. A number that a stream has seen already
 * with another flow or another time stamp is somebody else's. Two senders whose packets are alike in
 * everything, stamps included, can't be told apart.
 */
#ifndef UPKTGEN_RECEIVE_STREAMS_H
#define UPKTGEN_RECEIVE_STREAMS_H

#include "receive/cadence.h"
#include "receive/flows.h"
#include "receive/sequence.h"

#define PG_STREAMS_MAX 64u /* at once; 0.5 MB each. The one silent for longest makes room */
/* Consecutive numbers outside of every window that are believed. */
#define PG_STREAMS_BELIEVE    4u
#define PG_STREAMS_CANDIDATES 16u

struct pg_stream {
	struct pg_sequence sequence;
	uint32_t serial; /* from 1 */
	uint32_t after;	 /* serial of the stream that its first flow was part of before; 0: none */
	uint64_t first_at, last_at; /* arrivals, counted over all streams */
	uint64_t packets;
	uint64_t damaged;
	uint32_t nr_flows;  /* that were ever part of it */
	uint64_t only_flow; /* key, while nr_flows is 1 */
	uint64_t stamp;	    /* newest that was measured */
	uint64_t latency;   /* of the sample before */
	struct pg_cadence cadence;
};

/* Numbers that fit nowhere, and may be believed if more follow. */
struct pg_candidate {
	uint32_t next, run; /* run 0: none */
	uint64_t flow;
	uint64_t begun_at;
};

struct pg_streams {
	struct pg_stream *all[PG_STREAMS_MAX];
	unsigned nr;
	uint32_t serials;
	bool from_start;
	uint64_t at; /* arrivals */
	struct pg_candidate candidate[PG_STREAMS_CANDIDATES];
	unsigned next_candidate;
	struct pg_stream *last;	 /* that something was added to */
	struct pg_sequence past; /* of streams that made room */
	uint64_t past_restarts;
	uint64_t stray;
	uint64_t no_room; /* no memory for a stream */
};

void pg_streams_init(struct pg_streams *s, bool from_start);
void pg_streams_free(struct pg_streams *s);

struct pg_stream *pg_streams_slow(struct pg_streams *s, struct pg_flow *flow, uint32_t number,
				  uint16_t mark);
struct pg_stream *pg_streams_by_serial(const struct pg_streams *s, uint32_t serial);

/* Did it begin when the one before it, of the same flow, had come to its end? */
bool pg_stream_is_restart(const struct pg_streams *s, const struct pg_stream *t);

/* Of who sent it and when, 16 bits, never 0. */
static inline uint16_t pg_stream_mark(uint64_t flow, uint64_t stamp)
{
	uint64_t h = (flow ^ stamp) * 0x9e3779b97f4a7c15u;

	return (uint16_t)(h >> 48) | 1;
}

/*
 * One arrival, which is counted for its flow and its stream. stamp: when it was sent, in any unit, 0
 * if unknown. The stream, or NULL where it fits none.
 */
static inline struct pg_stream *pg_streams_add(struct pg_streams *s, struct pg_flow *flow,
					       uint32_t number, uint64_t stamp)
{
	struct pg_stream *last = s->last;
	uint16_t mark = pg_stream_mark(flow->key, stamp);

	s->at++;
	flow->packets++;
	if (__builtin_expect(last && last->serial == flow->stream, 1) &&
	    pg_sequence_next(&last->sequence, number, mark)) {
		last->last_at = s->at;
		last->packets++;
		pg_cadence_note(&last->cadence, last->sequence.top, flow->key);
		return last;
	}
	return pg_streams_slow(s, flow, number, mark);
}

/* The senders' last numbers, as far as known: what is missing up to them is lost. */
void pg_streams_close(struct pg_streams *s, const uint32_t *lasts, unsigned n);
/* All counters together. */
void pg_streams_total(const struct pg_streams *s, struct pg_sequence *out);
/* Of the stream that something came for last; 0 before the first. */
static inline uint32_t pg_streams_top(const struct pg_streams *s)
{
	return s->last ? (uint32_t)s->last->sequence.top : 0;
}

#endif

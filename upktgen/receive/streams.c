// SPDX-License-Identifier: MIT
#include "receive/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pg_streams_init(struct pg_streams *s, bool from_start)
{
	memset(s, 0, sizeof(*s));
	s->from_start = from_start;
}

static void free_stream(struct pg_stream *t)
{
	pg_sequence_free(&t->sequence);
	pg_cadence_free(&t->cadence);
	ww_free(t);
}

void pg_streams_free(struct pg_streams *s)
{
	for (unsigned i = 0; i < s->nr; i++)
		free_stream(s->all[i]);
	s->nr = 0;
	s->last = NULL;
}

struct pg_stream *pg_streams_by_serial(const struct pg_streams *s, uint32_t serial)
{
	for (unsigned i = 0; i < s->nr && serial; i++)
		if (s->all[i]->serial == serial)
			return s->all[i];
	return NULL;
}

bool pg_stream_is_restart(const struct pg_streams *s, const struct pg_stream *t)
{
	const struct pg_stream *before = pg_streams_by_serial(s, t->after);

	return t->after && (!before || before->last_at < t->first_at);
}

/* The one that was silent for longest makes room. */
static void retire(struct pg_streams *s)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < s->nr; i++)
		if (s->all[i]->last_at < s->all[oldest]->last_at)
			oldest = i;
	struct pg_stream *t = s->all[oldest];

	pg_sequence_sum(&s->past, &t->sequence);
	s->past_restarts += pg_stream_is_restart(s, t);
	if (s->last == t)
		s->last = NULL;
	free_stream(t);
	s->all[oldest] = s->all[--s->nr];
}

static struct pg_stream *begin(struct pg_streams *s, const struct pg_flow *flow, uint32_t number,
			       uint16_t mark)
{
	struct pg_stream *t = ww_alloc(sizeof(*t));

	if (!t || pg_sequence_begin(&t->sequence, number, mark, s->from_start)) {
		ww_free(t);
		s->no_room++;
		return NULL;
	}
	if (s->nr == PG_STREAMS_MAX)
		retire(s);
	t->serial = ++s->serials;
	t->after = flow->stream;
	t->first_at = s->at;
	s->all[s->nr++] = t;
	return t;
}

/* The flow is part of the stream from here on. */
static void join(struct pg_stream *t, struct pg_flow *flow)
{
	if (flow->stream == t->serial)
		return;
	flow->shared = flow->stream != 0;
	flow->stream = t->serial;
	/* One that comes and goes is counted more than once, which is as good as "several". */
	t->nr_flows++;
	t->only_flow = flow->key;
}

static struct pg_stream *took(struct pg_streams *s, struct pg_stream *t, struct pg_flow *flow,
			      uint32_t number)
{
	join(t, flow);
	pg_cadence_note(&t->cadence, pg_sequence_widened(&t->sequence, number), flow->key);
	t->last_at = s->at;
	t->packets++;
	s->last = t;
	return t;
}

static struct pg_stream *take(struct pg_streams *s, struct pg_stream *t, struct pg_flow *flow,
			      enum pg_verdict v, uint32_t number, uint16_t mark)
{
	uint64_t late = pg_sequence_take(&t->sequence, v, number, mark);

	if (v == PG_SEQ_SAME) {
		flow->duplicated++;
		t->packets++;
		t->last_at = s->at;
		join(t, flow);
		s->last = t;
		return t;
	}
	if (v == PG_SEQ_HOLE) {
		flow->reordered++;
		flow->extent_sum += late;
		if (late > flow->extent_max)
			flow->extent_max = late;
	}
	return took(s, t, flow, number);
}

/* How well an arrival fits: less is better. */
static uint64_t rank(const struct pg_stream *t, enum pg_verdict v, uint32_t number)
{
	switch (v) {
	case PG_SEQ_NEXT:
		return 0;
	case PG_SEQ_SAME:
		return 1;
	case PG_SEQ_HOLE:
		return 2;
	case PG_SEQ_AHEAD:
		return 2 + (number - (uint32_t)t->sequence.top);
	default:
		return UINT64_MAX;
	}
}

/* What this number goes on with, of those that fitted nowhere; or NULL. */
static struct pg_candidate *waiting(struct pg_streams *s, const struct pg_flow *flow,
				    uint32_t number)
{
	for (unsigned i = 0; i < PG_STREAMS_CANDIDATES; i++) {
		struct pg_candidate *c = &s->candidate[i];

		if (c->run && c->next == number && c->flow == flow->key)
			return c;
	}
	return NULL;
}

/*
 * A number that fits nowhere: alone it is nothing (damage that no checksum told), in a row with others
 * it is a sender that we did not know, one that began anew, or the end of a long loss.
 */
static struct pg_stream *far_away(struct pg_streams *s, struct pg_flow *flow, uint32_t number,
				  uint16_t mark)
{
	struct pg_candidate *c = waiting(s, flow, number);
	struct pg_stream *own = pg_streams_by_serial(s, flow->stream);

	if (!c) {
		c = &s->candidate[s->next_candidate++ % PG_STREAMS_CANDIDATES];
		*c = (struct pg_candidate){.next = number, .flow = flow->key, .begun_at = s->at};
	}
	c->next++;
	if (++c->run < PG_STREAMS_BELIEVE) {
		s->stray++;
		return NULL;
	}
	/* Those that waited belong to a stream after all: to their own, if it has come no further. */
	uint64_t begun_at = c->begun_at;

	s->stray -= PG_STREAMS_BELIEVE - 1;
	c->run = 0;
	if (own && own->last_at < begun_at && (int32_t)(number - (uint32_t)own->sequence.top) > 0) {
		pg_sequence_jump(&own->sequence, number, PG_STREAMS_BELIEVE, mark);
	} else {
		own = begin(s, flow, number - (PG_STREAMS_BELIEVE - 1), mark);
		if (!own)
			return NULL;
		own->first_at = begun_at;
		for (uint32_t i = 1; i < PG_STREAMS_BELIEVE; i++)
			pg_sequence_next(&own->sequence, number - (PG_STREAMS_BELIEVE - 1) + i,
					 mark);
	}
	own->packets += PG_STREAMS_BELIEVE - 1;
	return took(s, own, flow, number);
}

struct pg_stream *pg_streams_slow(struct pg_streams *s, struct pg_flow *flow, uint32_t number,
				  uint16_t mark)
{
	struct pg_stream *own = pg_streams_by_serial(s, flow->stream), *best = NULL;
	enum pg_verdict v, best_v = PG_SEQ_FAR;
	uint64_t best_rank = UINT64_MAX;

	if (own) {
		v = pg_sequence_judge(&own->sequence, number, mark);
		/* A flow that was never anybody else's stays where it is. */
		if (v == PG_SEQ_NEXT || (!flow->shared && v < PG_SEQ_OTHER))
			return take(s, own, flow, v, number, mark);
	}
	/* Of a sender that is about to be known: it must not stand in for another's next. */
	if (waiting(s, flow, number))
		return far_away(s, flow, number, mark);
	for (unsigned i = 0; i < s->nr; i++) {
		v = pg_sequence_judge(&s->all[i]->sequence, number, mark);
		if (v == PG_SEQ_SAME && !flow->stream)
			continue; /* a new flow repeats nothing: the marks are alike by chance */
		uint64_t r = rank(s->all[i], v, number);

		/* Of two alike, its own. */
		if (r < best_rank || (r == best_rank && s->all[i] == own && r != UINT64_MAX)) {
			best = s->all[i];
			best_v = v;
			best_rank = r;
		}
	}
	if (best)
		return take(s, best, flow, best_v, number, mark);
	if (s->nr)
		return far_away(s, flow, number, mark);
	best = begin(s, flow, number, mark);
	return best ? took(s, best, flow, number) : NULL;
}

static int higher_top_first(const void *a, const void *b)
{
	const struct pg_stream *const *x = a, *const *y = b;

	return (*x)->sequence.top < (*y)->sequence.top	 ? 1
	       : (*x)->sequence.top > (*y)->sequence.top ? -1
							 : 0;
}

static int higher_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

void pg_streams_close(struct pg_streams *s, const uint32_t *lasts, unsigned n)
{
	struct pg_stream *by_top[PG_STREAMS_MAX];
	uint32_t sorted[PG_STREAMS_MAX];

	/* Whose is which is not known; the sum of what is missing is the same however they pair. */
	if (n > PG_STREAMS_MAX)
		n = PG_STREAMS_MAX;
	memcpy(by_top, s->all, s->nr * sizeof(by_top[0]));
	memcpy(sorted, lasts, n * sizeof(sorted[0]));
	if (n > 1) {
		qsort(by_top, s->nr, sizeof(by_top[0]), higher_top_first);
		qsort(sorted, n, sizeof(sorted[0]), higher_first);
	} else if (s->last) {
		by_top[0] = s->last;
	}
	for (unsigned i = 0; i < n; i++) {
		if (n == 1 ? s->last != NULL : i < s->nr)
			pg_sequence_close(&by_top[i]->sequence, sorted[i]);
		else
			s->past.holes += sorted[i]; /* nothing came of it at all */
	}
}

void pg_streams_total(const struct pg_streams *s, struct pg_sequence *out)
{
	*out = s->past;
	out->restarts = s->past_restarts;
	out->stray += s->stray;
	for (unsigned i = 0; i < s->nr; i++) {
		pg_sequence_sum(out, &s->all[i]->sequence);
		out->restarts += pg_stream_is_restart(s, s->all[i]);
	}
	/* The order of the streams in memory is not that of their beginning. */
	const struct pg_stream *first = NULL;

	for (unsigned i = 0; i < s->nr; i++)
		if (!first || s->all[i]->serial < first->serial)
			first = s->all[i];
	out->first = first ? first->sequence.first : 0;
	out->top = s->last ? s->last->sequence.top : 0;
	out->seen = NULL;
}

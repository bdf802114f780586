// SPDX-License-Identifier: MIT
#include "receive/sequence.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

enum { WORDS = PG_SEQ_WINDOW / 64 };

int pg_sequence_init(struct pg_sequence *s, bool from_start)
{
	memset(s, 0, sizeof(*s));
	s->seen = ww_alloc_lines(WORDS * sizeof(s->seen[0]));
	if (!s->seen)
		return -ENOMEM;
	if (from_start) {
		s->started = true;
		s->first = 1;
		s->top = (uint64_t)1 << 32;
		s->bottom = s->top + 1;
	}
	return 0;
}

void pg_sequence_free(struct pg_sequence *s)
{
	ww_free(s->seen);
	s->seen = NULL;
}

/* The oldest number that the window still knows: whole words enter and leave it. */
static uint64_t oldest(const struct pg_sequence *s)
{
	return s->top / 64 * 64 + 64 - PG_SEQ_WINDOW;
}

/* Moves the window up to wide, with nothing seen on the way. */
static void advance(struct pg_sequence *s, uint64_t wide)
{
	uint64_t from = s->top / 64 + 1, to = wide / 64;

	if (to >= from && to - from + 1 >= WORDS)
		memset(s->seen, 0, WORDS * sizeof(s->seen[0]));
	else
		for (uint64_t w = from; w <= to; w++)
			s->seen[w % WORDS] = 0;
	s->top = wide;
}

/* count numbers up to last came in a row, the first of a stream. */
static void begin(struct pg_sequence *s, uint32_t last, uint32_t count, uint64_t stamp)
{
	uint32_t first = last - (count - 1);

	memset(s->seen, 0, WORDS * sizeof(s->seen[0]));
	s->started = true;
	s->top = ((uint64_t)1 << 32) + last;
	s->bottom = ((uint64_t)1 << 32) + first;
	if (first >= 1 && first <= PG_SEQ_FROM_START) {
		s->holes += first - 1;
		s->bottom = ((uint64_t)1 << 32) + 1;
	}
	for (uint32_t i = 0; i < count; i++)
		pg_sequence_mark(s, s->top - i);
	s->received += count;
	s->stamp = stamp;
	s->stray_run = 0;
}

static void ahead(struct pg_sequence *s, uint64_t wide, uint32_t count, uint64_t stamp)
{
	s->holes += wide - s->top - count;
	advance(s, wide);
	for (uint32_t i = 0; i < count; i++)
		pg_sequence_mark(s, wide - i);
	s->received += count;
	if (stamp > s->stamp)
		s->stamp = stamp;
}

static bool seen_before(const struct pg_sequence *s, uint64_t wide)
{
	return s->seen[(wide % PG_SEQ_WINDOW) / 64] >> (wide % 64) & 1;
}

/* True if enough strays came in a row, this one included, to be believed. */
static bool stray_believed(struct pg_sequence *s, uint32_t number, uint32_t enough)
{
	if (s->stray_run > 0 && number == s->stray_last + 1)
		s->stray_run++;
	else
		s->stray_run = 1;
	s->stray_last = number;
	if (s->stray_run < enough) {
		s->stray++;
		return false;
	}
	s->stray -= enough - 1; /* those that waited belong to the stream after all */
	s->stray_run = 0;
	return true;
}

void pg_sequence_slow(struct pg_sequence *s, uint32_t number, uint64_t stamp)
{
	if (s->received == 0)
		s->first = number;
	if (!s->started) {
		begin(s, number, 1, stamp);
		return;
	}
	int32_t delta = (int32_t)(number - (uint32_t)s->top);
	uint64_t wide = s->top + (uint64_t)(int64_t)delta;

	if (delta > 0) {
		if ((uint32_t)delta <= PG_SEQ_WINDOW)
			ahead(s, wide, 1, stamp);
		else if (stray_believed(s, number, PG_SEQ_BELIEVE_AHEAD))
			ahead(s, wide, PG_SEQ_BELIEVE_AHEAD, stamp);
		return;
	}
	bool known = wide >= oldest(s) && wide >= s->bottom;

	bool hole = known && !seen_before(s, wide);

	/* A copy is no newer than what it copies: a low number sent later is a new run's. */
	if (!hole && stamp > s->stamp && s->stamp > 0 && number <= PG_SEQ_FROM_START) {
		s->restarts++;
		begin(s, number, 1, stamp);
	} else if (!known) {
		if (stray_believed(s, number, PG_SEQ_BELIEVE_BEHIND)) {
			s->restarts++;
			begin(s, number, PG_SEQ_BELIEVE_BEHIND, stamp);
		}
	} else if (!hole) {
		s->duplicated++;
	} else {
		pg_sequence_mark(s, wide);
		s->holes--;
		s->received++;
		s->reordered++;
		s->extent_sum += s->top - wide;
		if (s->top - wide > s->extent_max)
			s->extent_max = s->top - wide;
	}
}

void pg_sequence_close(struct pg_sequence *s, uint32_t last)
{
	if (!s->started) {
		s->holes += last;
		return;
	}
	int32_t delta = (int32_t)(last - (uint32_t)s->top);

	if (delta > 0) {
		s->holes += (uint64_t)delta;
		advance(s, s->top + (uint64_t)delta);
	}
}

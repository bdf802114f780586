// SPDX-License-Identifier: MIT
#include "receive/sequence.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

#define BASE ((uint64_t)1 << 32)

int pg_sequence_begin(struct pg_sequence *s, uint32_t number, uint16_t mark, bool from_start)
{
	memset(s, 0, sizeof(*s));
	s->seen = ww_alloc_lines(PG_SEQ_WINDOW * sizeof(s->seen[0]));
	if (!s->seen)
		return -ENOMEM;
	s->first = number;
	s->top = s->bottom = BASE + number;
	if (number >= 1 && number <= (from_start ? PG_SEQ_WINDOW : PG_SEQ_FROM_START)) {
		s->holes = number - 1;
		s->bottom = BASE + 1;
	}
	s->received = 1;
	s->seen[s->top % PG_SEQ_WINDOW] = mark;
	return 0;
}

void pg_sequence_free(struct pg_sequence *s)
{
	ww_free(s->seen);
	s->seen = NULL;
}

enum pg_verdict pg_sequence_judge(const struct pg_sequence *s, uint32_t number, uint16_t mark)
{
	uint64_t wide = pg_sequence_widened(s, number);

	if (wide > s->top) {
		if (wide == s->top + 1)
			return PG_SEQ_NEXT;
		return wide - s->top <= PG_SEQ_WINDOW ? PG_SEQ_AHEAD : PG_SEQ_FAR;
	}
	if (wide < s->bottom || s->top - wide >= PG_SEQ_WINDOW)
		return PG_SEQ_FAR;
	uint16_t was = s->seen[wide % PG_SEQ_WINDOW];

	return !was ? PG_SEQ_HOLE : was == mark ? PG_SEQ_SAME : PG_SEQ_OTHER;
}

/* Moves the window up to wide, with nothing seen on the way. */
static void advance(struct pg_sequence *s, uint64_t wide)
{
	if (wide - s->top >= PG_SEQ_WINDOW)
		memset(s->seen, 0, PG_SEQ_WINDOW * sizeof(s->seen[0]));
	else
		for (uint64_t n = s->top + 1; n <= wide; n++)
			s->seen[n % PG_SEQ_WINDOW] = 0;
	s->top = wide;
}

static void ahead(struct pg_sequence *s, uint64_t wide, uint32_t count, uint16_t mark)
{
	s->holes += wide - s->top - count;
	advance(s, wide);
	for (uint32_t i = 0; i < count; i++)
		s->seen[(wide - i) % PG_SEQ_WINDOW] = mark;
	s->received += count;
}

uint64_t pg_sequence_take(struct pg_sequence *s, enum pg_verdict v, uint32_t number, uint16_t mark)
{
	uint64_t wide = pg_sequence_widened(s, number), late = s->top - wide;

	switch (v) {
	case PG_SEQ_NEXT:
	case PG_SEQ_AHEAD:
		ahead(s, wide, 1, mark);
		return 0;
	case PG_SEQ_HOLE:
		s->seen[wide % PG_SEQ_WINDOW] = mark;
		s->holes--;
		s->received++;
		s->reordered++;
		s->extent_sum += late;
		if (late > s->extent_max)
			s->extent_max = late;
		return late;
	case PG_SEQ_SAME:
		s->duplicated++;
		return late;
	default:
		return 0;
	}
}

void pg_sequence_jump(struct pg_sequence *s, uint32_t last, uint32_t count, uint16_t mark)
{
	ahead(s, pg_sequence_widened(s, last), count, mark);
}

void pg_sequence_close(struct pg_sequence *s, uint32_t last)
{
	uint64_t wide = pg_sequence_widened(s, last);

	if (wide > s->top) {
		s->holes += wide - s->top;
		advance(s, wide);
	}
}

void pg_sequence_sum(struct pg_sequence *to, const struct pg_sequence *from)
{
	to->received += from->received;
	to->duplicated += from->duplicated;
	to->reordered += from->reordered;
	to->stray += from->stray;
	to->holes += from->holes;
	to->restarts += from->restarts;
	to->extent_sum += from->extent_sum;
	if (from->extent_max > to->extent_max)
		to->extent_max = from->extent_max;
}

// SPDX-License-Identifier: MIT
#include "receive/cadence.h"

#include <string.h>

#include "base/alloc.h"

void pg_cadence_free(struct pg_cadence *c)
{
	ww_free(c->key);
	c->key = NULL;
}

static void give_up(struct pg_cadence *c)
{
	pg_cadence_free(c);
	c->none = true;
}

/* Room for pos, and nothing known of the numbers before it. */
static bool make_room(struct pg_cadence *c, uint64_t pos)
{
	uint32_t room = c->room ? c->room : 64;

	if (pos >= PG_CADENCE_MAX)
		return false;
	while (room <= pos)
		room *= 2;
	if (c->key && room == c->room)
		return true;
	uint64_t *key = ww_alloc(room * sizeof(key[0]));

	if (!key)
		return false;
	memset(key, 0, room * sizeof(key[0]));
	if (c->key)
		memcpy(key, c->key, c->nr * sizeof(key[0]));
	ww_free(c->key);
	c->key = key;
	c->room = room;
	return true;
}

/* The table begins with a turn's first packet, and ends before the first flow's next one. */
static void learn(struct pg_cadence *c, uint64_t number, uint64_t key)
{
	bool turn = c->prev_key && number == c->prev + 1 && key != c->prev_key;

	c->prev = number;
	c->prev_key = key;
	if (!c->key) {
		if (!turn)
			return;
		c->base = number;
	}
	uint64_t pos = number - c->base;

	if (turn && pos && key == c->key[0]) {
		c->period = (uint32_t)pos;
		c->next = number + 1;
		c->at = 1 % c->period;
		return;
	}
	if (number < c->base || !make_room(c, pos) || c->key[pos]) {
		give_up(c);
		return;
	}
	c->key[pos] = key;
	if (pos >= c->nr)
		c->nr = (uint32_t)pos + 1;
}

/* Of a number below the base, too. */
static uint32_t place(const struct pg_cadence *c, uint64_t number)
{
	if (number >= c->base)
		return (uint32_t)((number - c->base) % c->period);
	uint32_t back = (uint32_t)((c->base - number) % c->period);

	return back ? c->period - back : 0;
}

void pg_cadence_slow(struct pg_cadence *c, uint64_t number, uint64_t key)
{
	if (key == 0) { /* of a flow that is not kept apart */
		give_up(c);
		return;
	}
	if (!c->period) {
		learn(c, number, key);
		return;
	}
	uint32_t at = place(c, number);

	if (!c->key[at])
		c->key[at] = key; /* it was lost in the round that was learnt */
	if (c->key[at] != key) {
		give_up(c);
		return;
	}
	if (number >= c->next) {
		c->next = number + 1;
		c->at = at + 1 == c->period ? 0 : at + 1;
	}
}

bool pg_cadence_expected(const struct pg_cadence *c, const struct pg_sequence *s,
			 const struct pg_flows *flows, uint64_t *expected)
{
	/* A round to learn and one to check, at the least. */
	if (c->none || !c->period || s->top < c->base || s->top - c->base < 2ull * c->period)
		return false;
	uint64_t all = s->top - s->bottom + 1;
	uint32_t first = place(c, s->bottom);

	for (uint32_t i = 0; i < c->period && i < all; i++) {
		uint64_t key = c->key[(first + (uint64_t)i) % c->period];
		const struct pg_flow *f = key ? pg_flows_find(flows, key) : NULL;

		if (f)
			expected[f - flows->flow] += (all - i - 1) / c->period + 1;
	}
	return true;
}

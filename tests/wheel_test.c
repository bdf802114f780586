/* SPDX-License-Identifier: MIT */
/* The pure wheel against the plainest oracle: a list of ticks. */
#include "tap.h"

#include "timer/wheel.h"

#define NODES 512

struct item {
	struct ww_list node;
	uint64_t tick;
	uint64_t bound;
	bool in;
};

static struct ww_wheel wheel;
static struct item items[NODES];

static uint64_t distance(uint64_t *seed)
{
	return tap_random(seed) >> (1 + tap_random(seed) % 63) & ((1ull << 62) - 1);
}

static void add(struct item *it, uint64_t tick)
{
	it->tick = tick;
	it->in = true;
	it->bound = ww_wheel_add(&wheel, &it->node, tick);
	/* A lower bound, and never before the next tick to look at. */
	CHECK((int64_t)(it->tick - it->bound) >= 0);
	CHECK((int64_t)(it->bound - wheel.clk) >= 0);
}

/* Take the next bucket; everything in it that is not due goes back. */
static void look(uint64_t *ran)
{
	struct ww_list due = WW_LIST_INIT(due), rest = WW_LIST_INIT(rest);
	uint64_t at, earliest = UINT64_MAX, clk = wheel.clk;

	CHECK(ww_wheel_next(&wheel, &at));
	for (int i = 0; i < NODES; i++)
		if (items[i].in && items[i].bound - clk < earliest)
			earliest = items[i].bound - clk;
	CHECK_EQ(at - clk, earliest);
	ww_wheel_take(&wheel, at, &due, &rest);
	for (struct ww_list *n = due.next; n != &due; n = n->next)
		CHECK_EQ(ww_container_of(n, struct item, node)->tick, at);
	ww_list_splice_tail(&rest, &due);
	while (!ww_list_empty(&due)) {
		struct item *it = ww_list_first(&due, struct item, node);

		ww_list_del(&it->node);
		CHECK_EQ(it->bound, at);
		it->in = false;
		if (it->tick == at)
			++*ran;
		else
			add(it, it->tick);
	}
	for (int i = 0; i < NODES; i++) /* nothing due was left behind */
		CHECK(!items[i].in || (int64_t)(items[i].tick - at) > 0);
}

TEST_LIMIT(the_wheel_agrees_with_a_list_at_every_distance_across_the_wrap, 60)
{
	uint64_t seed = tap_seed(), ran = 0, added = 0, deleted = 0;

	ww_wheel_init(&wheel, UINT64_MAX - 5000);
	for (int step = 0; step < 300000; step++) {
		struct item *it = &items[tap_random(&seed) % NODES];

		switch (tap_random(&seed) % 4) {
		case 0:
		case 1:
			if (it->in)
				break;
			add(it, wheel.clk + distance(&seed));
			added++;
			break;
		case 2:
			if (it->in) {
				ww_wheel_del(&wheel, &it->node);
				it->in = false;
				deleted++;
			}
			break;
		default:
			if (ww_wheel_empty(&wheel))
				ww_wheel_forward(&wheel, wheel.clk + distance(&seed));
			else if (tap_random(&seed) % 4)
				look(&ran);
			else
				ww_wheel_forward(&wheel, wheel.clk + distance(&seed));
		}
		if (step % 1000 == 0)
			CHECK(!ww_wheel_check(&wheel));
	}
	uint64_t left = 0;
	for (int i = 0; i < NODES; i++)
		left += items[i].in;
	CHECK_EQ(added, ran + deleted + left);
	tap_note("%" PRIu64 " filed, %" PRIu64 " ran", added, ran);
}

TEST(an_empty_wheel_has_no_next_tick)
{
	struct ww_list due = WW_LIST_INIT(due), rest = WW_LIST_INIT(rest);
	uint64_t tick;

	ww_wheel_init(&wheel, 7);
	CHECK(!ww_wheel_next(&wheel, &tick));
	ww_wheel_forward(&wheel, 1ull << 60);
	CHECK(!ww_wheel_next(&wheel, &tick));
	ww_wheel_add(&wheel, &items[0].node, (1ull << 60) + 5);
	ww_wheel_del(&wheel, &items[0].node);
	CHECK(!ww_wheel_next(&wheel, &tick));
	ww_wheel_add(&wheel, &items[0].node, (1ull << 60) + 5);
	CHECK(ww_wheel_next(&wheel, &tick));
	ww_wheel_take(&wheel, tick, &due, &rest);
	CHECK(due.next == &items[0].node);
	CHECK(!ww_wheel_next(&wheel, &tick));
}

TEST(the_clock_of_a_wheel_never_moves_backward)
{
	ww_wheel_init(&wheel, 100);
	items[0].bound = ww_wheel_add(&wheel, &items[0].node, 200);
	ww_wheel_forward(&wheel, 50);
	CHECK_EQ(wheel.clk, 100);
	ww_wheel_forward(&wheel, 150);
	CHECK_EQ(wheel.clk, 150);
	ww_wheel_forward(&wheel, 500); /* not past what is filed */
	CHECK_EQ(wheel.clk, items[0].bound);
}

TEST(a_far_deadline_is_looked_at_at_most_once_per_level)
{
	for (uint64_t far = 1; far < 1ull << 62; far = far * 3 + 1) {
		uint64_t at, due;
		int looks = 0;

		ww_wheel_init(&wheel, UINT64_MAX - far / 2);
		due = wheel.clk + far;
		ww_wheel_add(&wheel, &items[0].node, due);
		while (ww_wheel_next(&wheel, &at)) {
			struct ww_list now = WW_LIST_INIT(now), rest = WW_LIST_INIT(rest);

			looks++;
			ww_wheel_take(&wheel, at, &now, &rest);
			CHECK_EQ(!ww_list_empty(&now), at == due);
			CHECK_EQ(!ww_list_empty(&rest), at != due);
			ww_list_del(&items[0].node);
			if (at != due)
				ww_wheel_add(&wheel, &items[0].node, due);
		}
		CHECK_EQ(at, due);
		CHECK(looks <= WW_WHEEL_LEVELS);
	}
}

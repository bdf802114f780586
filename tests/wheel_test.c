/* SPDX-License-Identifier: MIT */
/* The pure wheel against the plainest oracle: a list of ticks. */
#include "tap.h"

#include "timer/wheel.h"

#define NODES 512

struct item {
	struct ww_hnode node;
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
	struct ww_hlist list = {NULL};
	struct ww_hnode *n;
	uint64_t at, earliest = UINT64_MAX, clk = wheel.clk;

	CHECK(ww_wheel_next(&wheel, &at));
	for (int i = 0; i < NODES; i++)
		if (items[i].in && items[i].bound - clk < earliest)
			earliest = items[i].bound - clk;
	CHECK_EQ(at - clk, earliest);
	ww_wheel_take(&wheel, at, &list);
	while ((n = list.first) != NULL) {
		struct item *it = ww_container_of(n, struct item, node);

		ww_hlist_del(n);
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
	struct ww_hlist list = {NULL};
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
	ww_wheel_take(&wheel, tick, &list);
	CHECK(list.first == &items[0].node);
	CHECK(!ww_wheel_next(&wheel, &tick));
}

TEST(the_clock_of_a_wheel_never_moves_backward)
{
	ww_wheel_init(&wheel, 100);
	ww_wheel_add(&wheel, &items[0].node, 200);
	ww_wheel_forward(&wheel, 50);
	CHECK_EQ(wheel.clk, 100);
	ww_wheel_forward(&wheel, 150);
	CHECK_EQ(wheel.clk, 150);
	ww_wheel_forward(&wheel, 500); /* not past what is filed */
	CHECK_EQ(wheel.clk, items[0].node.pprev ? 192 : 0);
}

TEST(a_far_deadline_is_looked_at_at_most_once_per_level)
{
	for (uint64_t far = 1; far < 1ull << 62; far = far * 3 + 1) {
		uint64_t at, due;
		int looks = 0;

		memset(&wheel, 0, sizeof(wheel));
		ww_wheel_init(&wheel, UINT64_MAX - far / 2);
		due = wheel.clk + far;
		ww_wheel_add(&wheel, &items[0].node, due);
		while (ww_wheel_next(&wheel, &at)) {
			struct ww_hlist list = {NULL};

			looks++;
			ww_wheel_take(&wheel, at, &list);
			CHECK(list.first == &items[0].node);
			ww_hlist_del(list.first);
			if (at != due)
				ww_wheel_add(&wheel, &items[0].node, due);
		}
		CHECK_EQ(at, due);
		CHECK(looks <= WW_WHEEL_LEVELS);
	}
}

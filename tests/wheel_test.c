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
static struct ww_bucket buckets[WW_WHEEL_BUCKETS(WW_WHEEL_FINE)];
static struct item items[NODES];
static uint64_t seed, added, ran, deleted;

static void start(uint64_t clk, unsigned fine)
{
	memset(buckets, 0, sizeof(buckets));
	ww_wheel_init(&wheel, clk, fine, buckets);
}

static uint64_t distance(void)
{
	return tap_random(&seed) >> (1 + tap_random(&seed) % 63) & ((1ull << 62) - 1);
}

static void add(struct item *it, uint64_t tick)
{
	it->tick = tick;
	it->in = true;
	added++;
	it->bound = ww_wheel_add(&wheel, &it->node, tick);
	/* A lower bound, and never before the next tick to look at. */
	CHECK((int64_t)(it->tick - it->bound) >= 0);
	CHECK((int64_t)(it->bound - wheel.clk) >= 0);
}

static void unlink_item(struct item *it)
{
	ww_wheel_del(&wheel, &it->node);
	it->in = false;
	deleted++;
}

/* Empty a bucket that begins at tick `at`: what is not due goes back. Some of what it still holds,
 * or of what is elsewhere, is unlinked meanwhile. */
static void empty(struct ww_bucket *bucket, uint64_t at, bool near)
{
	struct ww_hnode *n;
	unsigned lane = 0;

	while ((n = ww_bucket_pop(bucket, &lane))) {
		struct item *it = ww_container_of(n, struct item, node);

		CHECK(it->in);
		CHECK_EQ(it->bound, at);
		it->in = false;
		if (near) {
			CHECK_EQ(it->tick, at);
			ran++;
			memset(&it->node, 0xff, sizeof(it->node)); /* its owner may free it */
		} else {
			add(it, it->tick);
			added--; /* it was in already */
		}
		it = &items[tap_random(&seed) % NODES];
		if (it->in && tap_random(&seed) % 4 == 0)
			unlink_item(it);
		it = &items[tap_random(&seed) % NODES];
		if (near && !it->in && tap_random(&seed) % 4 == 0)
			add(it, at + 1 + (tap_random(&seed) % 4 ? 4095 : distance()));
	}
	ww_wheel_drained(&wheel);
}

/* Look at the earliest bound. */
static void look(void)
{
	struct ww_bucket *bucket;
	uint64_t at, earliest = UINT64_MAX, clk = wheel.clk;

	CHECK(ww_wheel_next(&wheel, &at));
	for (int i = 0; i < NODES; i++)
		if (items[i].in && items[i].bound - clk < earliest)
			earliest = items[i].bound - clk;
	CHECK_EQ(at - clk, earliest);
	ww_wheel_turn(&wheel, at);
	while ((bucket = ww_wheel_drain_coarse(&wheel)))
		empty(bucket, at, false);
	bucket = ww_wheel_drain_near(&wheel);
	if (bucket)
		empty(bucket, at, true);
	ww_wheel_forward(&wheel, at + 1);
	for (int i = 0; i < NODES; i++) /* nothing due was left behind */
		CHECK(!items[i].in || (int64_t)(items[i].tick - at) > 0);
}

static void against_a_list(unsigned fine)
{
	seed = tap_seed();
	ran = added = deleted = 0;
	memset(items, 0, sizeof(items));
	start(UINT64_MAX - 5000, fine);
	for (int step = 0; step < 200000; step++) {
		struct item *it = &items[tap_random(&seed) % NODES];

		switch (tap_random(&seed) % 4) {
		case 0:
		case 1:
			if (it->in)
				break;
			add(it, wheel.clk + distance());
			break;
		case 2:
			if (it->in)
				unlink_item(it);
			break;
		default:
			if (!ww_wheel_next(&wheel, &(uint64_t){0}))
				ww_wheel_forward(&wheel, wheel.clk + distance());
			else if (tap_random(&seed) % 4)
				look();
			else
				ww_wheel_forward(&wheel, wheel.clk + distance());
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

TEST_LIMIT(the_wheel_agrees_with_a_list_at_every_distance_across_the_wrap, 60)
{
	against_a_list(WW_WHEEL_COARSE);
}

TEST_LIMIT(the_wheel_with_a_fine_first_level_agrees_with_a_list, 60)
{
	against_a_list(WW_WHEEL_FINE);
}

TEST(an_empty_wheel_has_no_next_tick)
{
	uint64_t tick;

	seed = tap_seed();
	ran = 0;
	start(7, WW_WHEEL_FINE);
	CHECK(!ww_wheel_next(&wheel, &tick));
	ww_wheel_forward(&wheel, 1ull << 60);
	CHECK(!ww_wheel_next(&wheel, &tick));
	ww_wheel_add(&wheel, &items[0].node, (1ull << 60) + 5);
	ww_wheel_del(&wheel, &items[0].node);
	CHECK(!ww_wheel_next(&wheel, &tick));
	add(&items[0], (1ull << 60) + 5);
	CHECK(ww_wheel_next(&wheel, &tick));
	CHECK_EQ(tick, (1ull << 60) + 5);
	ww_wheel_turn(&wheel, tick);
	CHECK(!ww_wheel_drain_coarse(&wheel));
	struct ww_bucket *bucket = ww_wheel_drain_near(&wheel);
	CHECK(bucket);
	empty(bucket, tick, true);
	CHECK_EQ(ran, 1);
	for (int i = 0; i < NODES; i++) /* what empty() added */
		if (items[i].in)
			unlink_item(&items[i]);
	CHECK(!ww_wheel_next(&wheel, &tick));
}

TEST(a_node_added_a_turn_ahead_while_a_bucket_is_emptied_stays_for_its_own_tick)
{
	for (unsigned fine = WW_WHEEL_COARSE; fine <= WW_WHEEL_FINE; fine += 6) {
		struct ww_bucket *bucket;
		struct ww_hnode *popped;
		unsigned lane = 0;
		uint64_t next;

		start(1000, fine);
		ww_wheel_add(&wheel, &items[0].node, 1000);
		ww_wheel_add(&wheel, &items[1].node, 1000);
		ww_wheel_turn(&wheel, 1000);
		bucket = ww_wheel_drain_near(&wheel);
		popped = ww_bucket_pop(bucket, &lane);
		/* The other one goes, the clock is asked to go on, and it is filed a turn ahead. */
		struct ww_hnode *other = popped == &items[0].node ? &items[1].node : &items[0].node;
		ww_wheel_del(&wheel, other);
		ww_wheel_forward(&wheel, 1001);
		ww_wheel_add(&wheel, other, 1000 + (1u << fine));
		CHECK(!ww_bucket_pop(bucket, &lane));
		ww_wheel_drained(&wheel);
		CHECK(ww_wheel_next(&wheel, &next));
		CHECK(next > 1000 && next <= 1000 + (1u << fine));
	}
}

TEST(what_was_unlinked_is_never_the_next_tick)
{
	uint64_t tick;

	for (unsigned fine = WW_WHEEL_COARSE; fine <= WW_WHEEL_FINE; fine += 6) {
		unsigned buckets_seen = 0, at = 0;

		start(UINT64_MAX - 100, fine);
		/* Once through every bucket there is, on every level. */
		for (unsigned level = 0; level < WW_WHEEL_LEVELS; level++)
			for (uint64_t i = 0; i < (level ? WW_WHEEL_SIZE : 1u << fine); i++) {
				uint64_t far = (i + 1) << level * WW_WHEEL_BITS;

				if (far >> 62)
					break;
				ww_wheel_add(&wheel, &items[0].node, wheel.clk + far);
				ww_wheel_del(&wheel, &items[0].node);
			}
		for (unsigned i = 0; ww_wheel_scan(&wheel, &i); i++)
			buckets_seen++;
		CHECK(buckets_seen > 600);
		add(&items[1], wheel.clk + (1ull << 40));
		CHECK(!ww_wheel_check(&wheel));
		CHECK(ww_wheel_next(&wheel, &tick));
		CHECK_EQ(tick, items[1].bound);
		unlink_item(&items[1]);
		CHECK(!ww_wheel_next(&wheel, &tick));
		CHECK(!ww_wheel_scan(&wheel, &at));
		CHECK(!ww_wheel_check(&wheel));
	}
}

TEST(the_clock_of_a_wheel_never_moves_backward)
{
	start(100, WW_WHEEL_COARSE);
	items[0].bound = ww_wheel_add(&wheel, &items[0].node, 200);
	ww_wheel_forward(&wheel, 50);
	CHECK_EQ(wheel.clk, 100);
	ww_wheel_forward(&wheel, 150);
	CHECK_EQ(wheel.clk, 150);
	ww_wheel_forward(&wheel, 500); /* not past what is filed */
	CHECK_EQ(wheel.clk, items[0].bound);
}

static int looks_at(uint64_t far, unsigned fine)
{
	uint64_t at, due;
	int looks = 0;
	bool done = false;

	start(UINT64_MAX - far / 2, fine);
	due = wheel.clk + far;
	ww_wheel_add(&wheel, &items[0].node, due);
	while (!done && ww_wheel_next(&wheel, &at)) {
		struct ww_bucket *bucket;
		unsigned lane = 0;

		looks++;
		ww_wheel_turn(&wheel, at);
		bucket = ww_wheel_drain_coarse(&wheel);
		done = !bucket;
		if (done)
			bucket = ww_wheel_drain_near(&wheel);
		CHECK(ww_bucket_pop(bucket, &lane) == &items[0].node);
		ww_wheel_drained(&wheel);
		if (!done)
			ww_wheel_add(&wheel, &items[0].node, due);
	}
	CHECK_EQ(at, due);
	return looks;
}

TEST(a_far_deadline_is_looked_at_at_most_once_per_level)
{
	for (uint64_t far = 1; far < 1ull << 62; far = far * 3 + 1) {
		CHECK(looks_at(far, WW_WHEEL_COARSE) <= WW_WHEEL_LEVELS);
		CHECK(looks_at(far, WW_WHEEL_FINE) <= (far < 4096 ? 1 : WW_WHEEL_LEVELS - 1));
	}
}

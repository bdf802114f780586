// SPDX-License-Identifier: MIT
/* What the receiver makes of sequence numbers, stamps and frames; no network needed. */
#include "tap.h"

#include <arpa/inet.h>
#include <math.h>

#include "packet/packet.h"
#include "receive/frame.h"
#include "receive/streams.h"
#include "transmit/histogram.h"

/* --- sequence numbers ------------------------------------------------------------------------ */

/* One sender, as far as we know. */
struct books {
	struct pg_streams streams;
	struct pg_flow flow;
	struct pg_sequence sum;
};

static void opened(struct books *b, bool from_start)
{
	memset(b, 0, sizeof(*b));
	b->flow.key = 1;
	pg_streams_init(&b->streams, from_start);
}

static void fresh(struct books *b)
{
	opened(b, true);
}

static void add(struct books *b, uint32_t number, uint64_t stamp)
{
	pg_streams_add(&b->streams, &b->flow, number, stamp);
}

static void feed(struct books *b, uint32_t from, uint32_t to)
{
	for (uint32_t n = from; n != to + 1; n++)
		add(b, n, 1000);
}

static const struct pg_sequence *sum(struct books *b)
{
	pg_streams_total(&b->streams, &b->sum);
	return &b->sum;
}

static void closed(struct books *b, uint32_t last)
{
	pg_streams_close(&b->streams, &last, 1);
}

TEST(in_order_is_all_received)
{
	struct books b;

	fresh(&b);
	feed(&b, 1, 100000);
	closed(&b, 100000);
	CHECK_EQ(sum(&b)->received, 100000);
	CHECK_EQ(b.sum.holes + b.sum.duplicated + b.sum.reordered + b.sum.stray + b.sum.restarts,
		 0);
	CHECK_EQ(b.streams.nr, 1);
	pg_streams_free(&b.streams);
}

TEST(a_gap_is_lost_until_it_is_filled)
{
	struct books b;

	fresh(&b);
	feed(&b, 1, 10);
	feed(&b, 14, 20);
	CHECK_EQ(sum(&b)->holes, 3);
	add(&b, 12, 1000);
	CHECK_EQ(sum(&b)->holes, 2);
	CHECK_EQ(b.sum.reordered, 1);
	CHECK_EQ(b.sum.extent_max, 8);
	add(&b, 12, 1000);
	CHECK_EQ(sum(&b)->duplicated, 1);
	CHECK_EQ(b.sum.holes, 2);
	CHECK_EQ(b.sum.received, 18);
	CHECK_EQ(b.flow.reordered, 1);
	CHECK_EQ(b.flow.duplicated, 1);
	CHECK_EQ(b.flow.extent_max, 8);
	pg_streams_free(&b.streams);
}

TEST(the_last_number_closes_the_tail)
{
	struct books b;

	fresh(&b);
	closed(&b, 7);
	CHECK_EQ(sum(&b)->holes, 7);
	pg_streams_free(&b.streams);
	fresh(&b);
	feed(&b, 1, 90);
	closed(&b, 100);
	CHECK_EQ(sum(&b)->holes, 10);
	pg_streams_free(&b.streams);
}

TEST(a_lost_beginning_is_lost)
{
	struct books b;

	opened(&b, false);
	feed(&b, 5, 10);
	CHECK_EQ(sum(&b)->holes, 4);
	add(&b, 1, 1000);
	CHECK_EQ(sum(&b)->holes, 3);
	CHECK_EQ(b.sum.first, 5);
	pg_streams_free(&b.streams);
}

TEST(a_stream_joined_in_the_middle_has_no_loss_before_it)
{
	struct books b;

	opened(&b, false);
	feed(&b, 3000000, 3000100);
	CHECK_EQ(sum(&b)->holes, 0);
	CHECK_EQ(b.sum.received, 101);
	add(&b, 2999999, 900); /* left before we listened */
	CHECK_EQ(sum(&b)->stray, 1);
	CHECK_EQ(b.sum.holes, 0);
	pg_streams_free(&b.streams);
}

TEST(numbers_wrap_at_32_bits)
{
	struct books b;

	opened(&b, false);
	feed(&b, UINT32_MAX - 1000, UINT32_MAX - 10);
	add(&b, 5, 1000);
	CHECK_EQ(sum(&b)->holes, 15);
	feed(&b, UINT32_MAX - 9, UINT32_MAX);
	CHECK_EQ(sum(&b)->holes, 5);
	CHECK_EQ(b.sum.reordered, 10);
	feed(&b, 0, 4);
	CHECK_EQ(sum(&b)->holes, 0);
	add(&b, UINT32_MAX, 1000);
	CHECK_EQ(sum(&b)->duplicated, 1);
	CHECK_EQ(b.sum.holes + b.sum.stray + b.sum.restarts, 0);
	CHECK_EQ((uint32_t)b.sum.top, 5);
	pg_streams_free(&b.streams);
}

/* Whatever happens to a stream, every number is counted once: against a plain table. */
TEST_LIMIT(counts_agree_with_a_plain_table, 30)
{
	enum { N = 300000, LATE = 2000 };
	uint64_t rng = tap_seed();
	static uint32_t order[2 * N];
	static uint8_t times[N + 1];
	uint64_t lost = 0, dup = 0, late = 0, n = 0;
	uint32_t top = 0;
	struct books b;

	for (uint32_t i = 1; i <= N; i++) {
		uint64_t r = tap_random(&rng);

		if (r % 100 < 3)
			continue;
		order[n++] = i;
		if (r % 100 < 6)
			order[n++] = i;
	}
	for (uint64_t i = 0; i + LATE < n; i++)
		if (tap_random(&rng) % 50 == 0) {
			uint64_t j = i + tap_random(&rng) % LATE;
			uint32_t was = order[i];

			order[i] = order[j];
			order[j] = was;
		}
	fresh(&b);
	for (uint64_t i = 0; i < n; i++) {
		add(&b, order[i], 0);
		if (times[order[i]]++)
			dup++;
		else if (order[i] < top)
			late++;
		if (order[i] > top)
			top = order[i];
	}
	for (uint32_t i = 1; i <= N; i++)
		lost += times[i] == 0;
	closed(&b, N);
	CHECK_EQ(sum(&b)->duplicated, dup);
	CHECK_EQ(b.sum.reordered, late);
	CHECK_EQ(b.sum.holes, lost);
	CHECK_EQ(b.sum.received + b.sum.holes, N);
	CHECK_EQ(b.sum.stray, 0);
	CHECK_EQ(b.flow.reordered, late);
	CHECK_EQ(b.flow.duplicated, dup);
	pg_streams_free(&b.streams);
}

TEST(a_loss_longer_than_the_window_is_counted)
{
	struct books b;

	fresh(&b);
	feed(&b, 1, 1000);
	feed(&b, 1001 + 5 * PG_SEQ_WINDOW, 2000 + 5 * PG_SEQ_WINDOW);
	CHECK_EQ(sum(&b)->holes, 5 * PG_SEQ_WINDOW);
	CHECK_EQ(b.sum.received, 2000);
	CHECK_EQ(b.sum.stray, 0);
	CHECK_EQ(b.streams.nr, 1);
	pg_streams_free(&b.streams);
}

/* Damage that no checksum told: neither a loss of what lies between, nor another sender. */
TEST(one_wild_number_is_not_believed)
{
	static const uint32_t wild[] = {0x40000000, 4096, 1, 4999};
	struct books b;

	fresh(&b);
	feed(&b, 1, 5000);
	for (unsigned i = 0; i < 4; i++)
		add(&b, wild[i], 2000);
	feed(&b, 5001, 10000);
	CHECK_EQ(sum(&b)->stray, 4);
	CHECK_EQ(b.sum.holes, 0);
	CHECK_EQ(b.sum.received, 10000);
	CHECK_EQ(b.streams.nr, 1);
	pg_streams_free(&b.streams);
}

TEST(a_sender_that_begins_anew_is_not_a_duplicate)
{
	struct books b;

	fresh(&b);
	for (uint32_t i = 1; i <= 1000; i++)
		add(&b, i, 100 + i);
	for (uint32_t i = 3; i <= 1000; i++)
		add(&b, i, 5000 + i);
	CHECK_EQ(sum(&b)->restarts, 1);
	CHECK_EQ(b.sum.duplicated, 0);
	CHECK_EQ(b.sum.received, 1998);
	CHECK_EQ(b.sum.holes, 2);
	CHECK_EQ(b.sum.stray, 0);
	pg_streams_free(&b.streams);
}

TEST(without_stamps_a_new_beginning_is_found_by_its_run_of_numbers)
{
	struct books b;

	fresh(&b);
	for (uint32_t i = 1; i <= 3 * PG_SEQ_WINDOW; i++)
		add(&b, i, 0);
	for (uint32_t i = 1; i <= 1000; i++)
		add(&b, i, 0);
	CHECK_EQ(sum(&b)->restarts, 1);
	CHECK_EQ(b.sum.received, 3 * PG_SEQ_WINDOW + 1000);
	CHECK_EQ(b.sum.stray + b.sum.holes + b.sum.duplicated, 0);
	pg_streams_free(&b.streams);
}

/* --- several senders -------------------------------------------------------------------------- */

/*
 * Senders with numbers of their own, interleaved at random, each losing, doubling and swapping some:
 * what is counted of each against what was done to it. alike: all of one flow, so that nothing but
 * numbers and stamps tells them apart.
 */
static void interleaved(unsigned nr_senders, bool alike, uint64_t seed)
{
	enum { N = 20000, MOST = 8 };
	static struct {
		uint32_t n; /* next number */
		uint64_t lost, doubled, swapped, received;
		struct pg_flow flow;
	} sender[MOST];
	uint64_t rng = seed, stamp = 1000000, lost = 0, doubled = 0, swapped = 0;
	uint32_t lasts[MOST];
	struct books b;
	unsigned left = nr_senders;

	fresh(&b);
	memset(sender, 0, sizeof(sender));
	for (unsigned i = 0; i < nr_senders; i++) {
		sender[i].n = 1;
		sender[i].flow.key = alike ? 1 : 100 + i;
		lasts[i] = N;
	}
	while (left) {
		unsigned i = (unsigned)(tap_random(&rng) % nr_senders);
		uint32_t n = sender[i].n;
		uint64_t what = tap_random(&rng) % 100;
		struct pg_flow *f = alike ? &b.flow : &sender[i].flow;

		stamp += 7;
		if (n > N)
			continue;
		/* The first and last few are left alone: they are how it is known. */
		if (n < 10 || n > N - 10)
			what = 99;
		if (what < 2) {
			sender[i].lost++;
			sender[i].n++;
		} else if (what == 3) {
			pg_streams_add(&b.streams, f, n, stamp);
			pg_streams_add(&b.streams, f, n, stamp);
			sender[i].doubled++;
			sender[i].n++;
		} else if (what == 4) {
			pg_streams_add(&b.streams, f, n + 1, stamp + 1);
			pg_streams_add(&b.streams, f, n, stamp);
			sender[i].swapped++;
			sender[i].n += 2;
		} else {
			pg_streams_add(&b.streams, f, n, stamp);
			sender[i].n++;
		}
		left -= sender[i].n > N;
	}
	pg_streams_close(&b.streams, lasts, nr_senders);
	for (unsigned i = 0; i < nr_senders; i++) {
		lost += sender[i].lost;
		doubled += sender[i].doubled;
		swapped += sender[i].swapped;
		if (alike)
			continue;
		const struct pg_stream *t = pg_streams_by_serial(&b.streams, sender[i].flow.stream);

		CHECK(t && t->nr_flows == 1);
		CHECK_EQ(t->sequence.holes, sender[i].lost);
		CHECK_EQ(t->sequence.duplicated, sender[i].doubled);
		CHECK_EQ(t->sequence.reordered, sender[i].swapped);
		CHECK_EQ(sender[i].flow.duplicated, sender[i].doubled);
		CHECK_EQ(sender[i].flow.reordered, sender[i].swapped);
	}
	sum(&b);
	tap_note("%u %s: lost %" PRIu64 " of %" PRIu64 ", doubled %" PRIu64 " of %" PRIu64
		 ", reordered %" PRIu64 " of %" PRIu64 ", stray %" PRIu64 ", streams %u",
		 nr_senders, alike ? "alike" : "flows", b.sum.holes, lost, b.sum.duplicated,
		 doubled, b.sum.reordered, swapped, b.sum.stray, b.streams.nr);
	CHECK_EQ(b.streams.nr, nr_senders);
	CHECK_EQ(b.sum.restarts, 0);
	CHECK_EQ(b.sum.stray, 0);
	CHECK_EQ(b.sum.holes, lost);
	CHECK_EQ(b.sum.duplicated, doubled);
	if (!alike)
		CHECK_EQ(b.sum.reordered, swapped);
	pg_streams_free(&b.streams);
}

TEST_LIMIT(senders_with_flows_of_their_own_are_counted_each, 60)
{
	uint64_t rng = tap_seed();

	for (unsigned n = 1; n <= 8; n++)
		interleaved(n, false, tap_random(&rng));
}

TEST(two_senders_in_step_and_alike_are_told_apart_by_their_stamps)
{
	struct books b;
	uint32_t lasts[2] = {50000, 50000};

	fresh(&b);
	for (uint32_t n = 1; n <= 50000; n++) {
		add(&b, n, 10 * n);
		add(&b, n, 10 * n + 5);
	}
	pg_streams_close(&b.streams, lasts, 2);
	CHECK_EQ(sum(&b)->received, 100000);
	CHECK_EQ(b.sum.duplicated + b.sum.reordered + b.sum.holes + b.sum.stray + b.sum.restarts,
		 0);
	CHECK_EQ(b.streams.nr, 2);
	pg_streams_free(&b.streams);
}

TEST(a_sender_of_many_flows_is_one_sender)
{
	static struct pg_flow flow[1000];
	struct books b;
	uint64_t rng = tap_seed();
	uint32_t last = 100000, lost = 0;

	fresh(&b);
	memset(flow, 0, sizeof(flow));
	for (unsigned i = 0; i < 1000; i++)
		flow[i].key = 2 * i + 1;
	for (uint32_t n = 1; n <= last; n++)
		if (n > 1 && tap_random(&rng) % 50 == 0)
			lost++;
		else
			pg_streams_add(&b.streams, &flow[tap_random(&rng) % 1000], n, 3 * n);
	closed(&b, last);
	CHECK_EQ(sum(&b)->holes, lost);
	CHECK_EQ(b.sum.received, last - lost);
	CHECK_EQ(b.streams.nr, 1);
	CHECK_EQ(b.sum.restarts + b.sum.stray + b.sum.duplicated + b.sum.reordered, 0);
	pg_streams_free(&b.streams);
}

/* More runs one after another than there is room for: all are counted. */
TEST_LIMIT(a_thousand_restarts_are_counted_in_bounded_memory, 60)
{
	struct books b;
	uint64_t stamp = 0;

	fresh(&b);
	for (unsigned run = 0; run < 1000; run++)
		for (uint32_t n = 1; n <= 100; n++)
			if (n != 50)
				add(&b, n, ++stamp);
	CHECK_EQ(sum(&b)->received, 99000);
	CHECK_EQ(b.sum.holes, 1000);
	CHECK_EQ(b.sum.restarts, 999);
	CHECK_EQ(b.sum.duplicated + b.sum.stray, 0);
	CHECK(b.streams.nr <= PG_STREAMS_MAX);
	pg_streams_free(&b.streams);
}

/* --- flows ------------------------------------------------------------------------------------ */

TEST(flows_beyond_the_limit_are_counted_together)
{
	struct pg_flows f;
	uint64_t rng = 1;
	unsigned refused = 0;

	CHECK_EQ(pg_flows_init(&f), 0);
	for (unsigned i = 0; i < PG_FLOWS_MAX + 1000; i++) {
		struct pg_flow *w = pg_flows_get(&f, tap_random(&rng));

		if (w)
			w->packets++;
		else
			refused++;
	}
	CHECK_EQ(refused, 1000);
	rng = 1;
	for (unsigned i = 0; i < PG_FLOWS_MAX; i++) {
		const struct pg_flow *w = pg_flows_find(&f, tap_random(&rng));

		CHECK(w && w->packets == 1);
	}
	CHECK(!pg_flows_find(&f, 12345));
	pg_flows_free(&f);
}

TEST(a_flow_is_named_by_its_addresses)
{
	struct pg_flow f = {.key = 0xabc};
	char name[112];

	CHECK_STR(pg_flow_name(&f, name), "flow 0000000000000abc");
	f.id = (struct pg_flow_id){{10, 0, 0, 1}, {10, 0, 0, 2}, 1000, 9, 4};
	CHECK_STR(pg_flow_name(&f, name), "10.0.0.1:1000 > 10.0.0.2:9");
	f.id.version = 6;
	memset(f.id.src, 0, 16);
	f.id.src[15] = 1;
	memcpy(f.id.dst, f.id.src, 16);
	CHECK_STR(pg_flow_name(&f, name), "[::1]:1000 > [::1]:9");
}

/* --- the histogram ------------------------------------------------------------------------------
 */

TEST(every_value_from_100_ns_to_100_s_is_within_one_percent)
{
	for (double v = 100; v < 1e11; v *= 1.0007) {
		uint64_t ns = (uint64_t)v;
		unsigned i = pg_histogram_index(ns);
		uint64_t low = pg_histogram_low(i), width = pg_histogram_width(i);
		double middle = (double)low + (double)(width - 1) / 2;

		CHECK(ns >= low && ns < low + width);
		CHECK_MSG(fabs(middle - (double)ns) <= (double)ns / 100, "%g in [%g, +%g)", v,
			  (double)low, (double)width);
	}
}

TEST(buckets_touch_and_none_is_missing)
{
	for (unsigned i = 1; i < PG_HIST_BUCKETS; i++) {
		CHECK_EQ(pg_histogram_low(i), pg_histogram_low(i - 1) + pg_histogram_width(i - 1));
		CHECK_EQ(pg_histogram_index(pg_histogram_low(i)), i);
	}
	CHECK_EQ(pg_histogram_index(UINT64_MAX), PG_HIST_BUCKETS - 1);
}

TEST(shares_are_those_of_the_sorted_values)
{
	static struct pg_histogram h;

	for (uint64_t i = 1; i <= 100000; i++)
		pg_histogram_add(&h, i * 1000);
	CHECK_EQ(h.min, 1000);
	CHECK_EQ(h.max, 100000000);
	CHECK(fabs((double)pg_histogram_share(&h, 500000) - 50000000) < 500000);
	CHECK(fabs((double)pg_histogram_share(&h, 990000) - 99000000) < 990000);
	CHECK(fabs((double)pg_histogram_share(&h, 999000) - 99900000) < 999000);
	CHECK_EQ(pg_histogram_share(&h, 1000000), 100000000);
}

TEST(the_text_histogram_shows_every_sample_once)
{
	static struct pg_histogram h;
	uint64_t rng = 1, shown = 0;
	char *text = NULL;
	size_t len = 0;

	for (int i = 0; i < 10000; i++)
		pg_histogram_add(&h, 2000 + tap_random(&rng) % 3000);
	pg_histogram_add(&h, 900000000);
	FILE *f = open_memstream(&text, &len);

	pg_histogram_print(&h, 12, f);
	fclose(f);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		shown += strtoull(strrchr(line, '|') + 1, NULL, 10);
	CHECK_EQ(shown, 10001);
	free(text);
}

/* --- frames
 * ---------------------------------------------------------------------------------------- */

static struct pg_packet *generator(void (*change)(struct pg_config *))
{
	struct pg_config c;
	char why[128];

	pg_config_init(&c);
	c.flags |= PG_UDPCSUM;
	c.min_pkt_size = c.max_pkt_size = 100;
	snprintf(c.dst_min, sizeof(c.dst_min), "10.0.0.2");
	snprintf(c.src_min, sizeof(c.src_min), "10.0.0.1");
	if (change)
		change(&c);
	struct pg_packet *p = pg_packet_start(&c, 7, 0, 1, why);

	CHECK_MSG(p, "%s", why);
	return p;
}

static enum pg_frame_kind read_back(const uint8_t *buf, uint32_t len, struct pg_frame_facts *f)
{
	return pg_frame_read(buf, len, len, true, 9, f);
}

static void with_vlans(struct pg_config *c)
{
	c->vlan_id = 5;
	c->svlan_id = 7;
}

static void with_mpls(struct pg_config *c)
{
	c->nr_mpls = 3;
	c->mpls[0] = 0x10000;
	c->mpls[1] = 0x20000;
	c->mpls[2] = 0x30000;
}

static void with_ns(struct pg_config *c)
{
	c->stamp_ns = true;
}

static void with_ip6(struct pg_config *c)
{
	c->flags |= PG_IPV6;
	inet_pton(AF_INET6, "fd00::1", &c->in6_daddr);
	inet_pton(AF_INET6, "fd00::2", &c->in6_saddr);
}

TEST(what_the_generator_writes_is_read_back)
{
	void (*const shapes[])(struct pg_config *) = {NULL, with_vlans, with_mpls, with_ip6,
						      with_ns};
	static uint8_t buf[2048];
	struct pg_frame_facts f;
	struct pg_flow_id id;

	for (unsigned i = 0; i < 5; i++) {
		struct pg_packet *p = generator(shapes[i]);

		for (uint32_t n = 1; n < 300; n++) {
			uint32_t len = pg_packet_next(p, buf, 1234567890123456789u);

			pg_packet_sent(p, 1);
			CHECK_EQ(read_back(buf, len, &f), PG_FRAME_OURS);
			CHECK_EQ(f.seq, n);
			CHECK_EQ(f.sent_ns, i == 4 ? 1234567890123456789u : 1234567890123456000u);
			CHECK_EQ(f.fine, i == 4);
			CHECK_EQ(f.dport, 9);
			CHECK(f.flow);
			pg_frame_flow_id(&f, &id);
			CHECK_EQ(id.version, i == 3 ? 6 : 4);
			CHECK_EQ(id.dport, 9);
			CHECK_EQ(id.dst[0], i == 3 ? 0xfd : 10);
			CHECK_EQ(id.dst[i == 3 ? 15 : 3], i == 3 ? 1 : 2);
		}
		pg_packet_end(p);
	}
}

/* Any one bit of the IP header, the UDP header or the payload. */
TEST(a_flipped_bit_never_passes)
{
	static uint8_t buf[2048];
	struct pg_packet *p = generator(NULL);
	uint32_t len = pg_packet_next(p, buf, 1234567890123456789u);
	struct pg_frame_facts f;

	for (uint32_t bit = 14 * 8; bit < len * 8; bit++) {
		buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK_MSG(read_back(buf, len, &f) != PG_FRAME_OURS, "bit %u", bit);
		if (bit >= 34 * 8 && bit / 8 != 36 && bit / 8 != 37)
			CHECK_EQ(read_back(buf, len, &f), PG_FRAME_DAMAGED);
		buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	CHECK_EQ(read_back(buf, len, &f), PG_FRAME_OURS);
	pg_packet_end(p);
}

TEST(a_cut_frame_is_not_read_beyond_its_end)
{
	static uint8_t buf[2048];
	struct pg_packet *p = generator(with_vlans);
	uint32_t len = pg_packet_next(p, buf, 1);
	struct pg_frame_facts f;

	for (uint32_t n = 0; n < len; n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, buf, n);
		CHECK(read_back(exact, n, &f) != PG_FRAME_OURS || n >= 66);
		free(exact);
	}
	pg_packet_end(p);
}

/* --- flows that take turns -------------------------------------------------------------------- */

/* Numbers 1 to n of one sender: what each flow had, and what the receiver says that it should have had. */
static bool turns(unsigned n, uint64_t (*key)(unsigned number), bool (*lost)(unsigned number),
		  uint64_t expected[64])
{
	struct pg_streams s;
	struct pg_flows flows;

	pg_streams_init(&s, true);
	CHECK_EQ(pg_flows_init(&flows), 0);
	for (unsigned i = 1; i <= n; i++) {
		/* Pairs change places now and then. */
		unsigned number = i % 50 == 7 ? i + 1 : i % 50 == 8 ? i - 1 : i;

		if (!lost(number))
			pg_streams_add(&s, pg_flows_get(&flows, key(number)), number, number);
	}
	CHECK_EQ(s.nr, 1);
	pg_streams_close(&s, &n, 1);
	memset(expected, 0, 64 * sizeof(expected[0]));
	bool known = pg_cadence_expected(&s.all[0]->cadence, &s.all[0]->sequence, &flows, expected);

	/* By key, for the test. */
	uint64_t by_key[64] = {0};

	for (unsigned i = 0; i < flows.nr; i++)
		by_key[flows.flow[i].key] = expected[i];
	memcpy(expected, by_key, sizeof(by_key));
	pg_streams_free(&s);
	pg_flows_free(&flows);
	return known;
}

static uint64_t three_each(unsigned number)
{
	return 1 + (number - 1) / 3 % 5;
}

static uint64_t one_each(unsigned number)
{
	return 1 + (number - 1) % 7;
}

static uint64_t one_alone(unsigned number)
{
	(void)number;
	return 1;
}

static uint64_t changes_once(unsigned number)
{
	return number < 2000 ? one_each(number) : 1 + number % 5;
}

static uint64_t at_random(unsigned number)
{
	return 1 + (number * 2654435761u >> 16) % 7;
}

static bool none_lost(unsigned number)
{
	(void)number;
	return false;
}

/* The first of all, the places where a round ends, and one of a hundred. */
static bool some_lost(unsigned number)
{
	return number == 1 || number == 8 || number == 15 || number == 16 || number % 100 == 99;
}

TEST(what_flows_that_take_turns_should_have_had_is_known)
{
	uint64_t expected[64];

	CHECK(turns(3000, three_each, none_lost, expected));
	for (int i = 1; i <= 5; i++)
		CHECK_EQ(expected[i], 600);
	CHECK(turns(3000, three_each, some_lost, expected));
	for (int i = 1; i <= 5; i++)
		CHECK_EQ(expected[i], 600);
	/* A round is cut off: 3002 is 428 of 7 and 6 more. */
	CHECK(turns(3002, one_each, some_lost, expected));
	for (int i = 1; i <= 7; i++)
		CHECK_EQ(expected[i], 428 + (i <= 6));
	/* The last ones lost, too. */
	CHECK(turns(3000, one_each, some_lost, expected));
}

TEST(of_flows_in_no_fixed_order_nothing_is_said)
{
	uint64_t expected[64];

	CHECK(!turns(3000, at_random, none_lost, expected));
	CHECK(!turns(3000, changes_once, none_lost, expected));
	CHECK(!turns(3000, one_alone, none_lost, expected));
	CHECK(!turns(12, three_each, none_lost, expected)); /* not one round */
}

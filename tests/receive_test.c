// SPDX-License-Identifier: MIT
/* What the receiver makes of sequence numbers, stamps and frames; no network needed. */
#include "tap.h"

#include <arpa/inet.h>
#include <math.h>

#include "packet/packet.h"
#include "receive/frame.h"
#include "receive/sequence.h"
#include "transmit/histogram.h"

/* --- sequence numbers ------------------------------------------------------------------------ */

static void fresh(struct pg_sequence *s)
{
	CHECK_EQ(pg_sequence_init(s, true), 0);
}

static void feed(struct pg_sequence *s, uint32_t from, uint32_t to)
{
	for (uint32_t n = from; n != to + 1; n++)
		pg_sequence_add(s, n, 1000);
}

TEST(in_order_is_all_received)
{
	struct pg_sequence s;

	fresh(&s);
	feed(&s, 1, 100000);
	pg_sequence_close(&s, 100000);
	CHECK_EQ(s.received, 100000);
	CHECK_EQ(s.holes + s.duplicated + s.reordered + s.stray + s.restarts, 0);
	pg_sequence_free(&s);
}

TEST(a_gap_is_lost_until_it_is_filled)
{
	struct pg_sequence s;

	fresh(&s);
	feed(&s, 1, 10);
	feed(&s, 14, 20);
	CHECK_EQ(s.holes, 3);
	pg_sequence_add(&s, 12, 1000);
	CHECK_EQ(s.holes, 2);
	CHECK_EQ(s.reordered, 1);
	CHECK_EQ(s.extent_max, 8);
	pg_sequence_add(&s, 12, 1000);
	CHECK_EQ(s.duplicated, 1);
	CHECK_EQ(s.holes, 2);
	CHECK_EQ(s.received, 18);
	pg_sequence_free(&s);
}

TEST(the_last_number_closes_the_tail)
{
	struct pg_sequence s;

	fresh(&s);
	pg_sequence_close(&s, 7);
	CHECK_EQ(s.holes, 7);
	pg_sequence_free(&s);
	fresh(&s);
	feed(&s, 1, 90);
	pg_sequence_close(&s, 100);
	CHECK_EQ(s.holes, 10);
	pg_sequence_free(&s);
}

TEST(a_lost_beginning_is_lost)
{
	struct pg_sequence s;

	CHECK_EQ(pg_sequence_init(&s, false), 0);
	feed(&s, 5, 10);
	CHECK_EQ(s.holes, 4);
	pg_sequence_add(&s, 1, 1000);
	CHECK_EQ(s.holes, 3);
	CHECK_EQ(s.first, 5);
	pg_sequence_free(&s);
}

TEST(a_stream_joined_in_the_middle_has_no_loss_before_it)
{
	struct pg_sequence s;

	CHECK_EQ(pg_sequence_init(&s, false), 0);
	feed(&s, 3000000, 3000100);
	CHECK_EQ(s.holes, 0);
	CHECK_EQ(s.received, 101);
	pg_sequence_add(&s, 2999999, 900); /* left before we listened */
	CHECK_EQ(s.stray, 1);
	CHECK_EQ(s.holes, 0);
	pg_sequence_free(&s);
}

TEST(numbers_wrap_at_32_bits)
{
	struct pg_sequence s;

	CHECK_EQ(pg_sequence_init(&s, false), 0);
	feed(&s, UINT32_MAX - 1000, UINT32_MAX - 10);
	pg_sequence_add(&s, 5, 1000);
	CHECK_EQ(s.holes, 15);
	feed(&s, UINT32_MAX - 9, UINT32_MAX);
	CHECK_EQ(s.holes, 5);
	CHECK_EQ(s.reordered, 10);
	feed(&s, 0, 4);
	CHECK_EQ(s.holes, 0);
	pg_sequence_add(&s, UINT32_MAX, 1000);
	CHECK_EQ(s.duplicated, 1);
	pg_sequence_free(&s);
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
	struct pg_sequence s;

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
	fresh(&s);
	for (uint64_t i = 0; i < n; i++) {
		pg_sequence_add(&s, order[i], 0);
		if (times[order[i]]++)
			dup++;
		else if (order[i] < top)
			late++;
		if (order[i] > top)
			top = order[i];
	}
	for (uint32_t i = 1; i <= N; i++)
		lost += times[i] == 0;
	pg_sequence_close(&s, N);
	CHECK_EQ(s.duplicated, dup);
	CHECK_EQ(s.reordered, late);
	CHECK_EQ(s.holes, lost);
	CHECK_EQ(s.received + s.holes, N);
	CHECK_EQ(s.stray, 0);
	pg_sequence_free(&s);
}

TEST(a_loss_longer_than_the_window_is_counted)
{
	struct pg_sequence s;

	fresh(&s);
	feed(&s, 1, 1000);
	feed(&s, 1001 + 5 * PG_SEQ_WINDOW, 2000 + 5 * PG_SEQ_WINDOW);
	CHECK_EQ(s.holes, 5 * PG_SEQ_WINDOW);
	CHECK_EQ(s.received, 2000);
	CHECK_EQ(s.stray, 0);
	pg_sequence_free(&s);
}

TEST(one_wild_number_is_not_believed)
{
	struct pg_sequence s;

	fresh(&s);
	feed(&s, 1, 5000);
	pg_sequence_add(&s, 0x40000000, 1000);
	feed(&s, 5001, 10000);
	CHECK_EQ(s.stray, 1);
	CHECK_EQ(s.holes, 0);
	CHECK_EQ(s.received, 10000);
	pg_sequence_free(&s);
}

TEST(a_sender_that_begins_anew_is_not_a_duplicate)
{
	struct pg_sequence s;

	fresh(&s);
	for (uint32_t i = 1; i <= 1000; i++)
		pg_sequence_add(&s, i, 100 + i);
	for (uint32_t i = 3; i <= 1000; i++)
		pg_sequence_add(&s, i, 5000 + i);
	CHECK_EQ(s.restarts, 1);
	CHECK_EQ(s.duplicated, 0);
	CHECK_EQ(s.received, 1998);
	CHECK_EQ(s.holes, 2);
	pg_sequence_free(&s);
}

TEST(without_stamps_a_new_beginning_is_found_by_its_run_of_numbers)
{
	struct pg_sequence s;

	fresh(&s);
	for (uint32_t i = 1; i <= 3 * PG_SEQ_WINDOW; i++)
		pg_sequence_add(&s, i, 0);
	for (uint32_t i = 1; i <= 1000; i++)
		pg_sequence_add(&s, i, 0);
	CHECK_EQ(s.restarts, 1);
	CHECK_EQ(s.received, 3 * PG_SEQ_WINDOW + 1000);
	CHECK_EQ(s.stray + s.holes + s.duplicated, 0);
	pg_sequence_free(&s);
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

/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>

#include "base/alloc.h"
#include "frame.h"
#include "packet/packet.h"

#define NOW (1700000000ull * 1000000000 + 123456789)

static struct pg_config plain(void)
{
	struct pg_config c;

	pg_config_init(&c);
	c.min_pkt_size = c.max_pkt_size = 60;
	strcpy(c.dst_min, "10.10.11.2");
	strcpy(c.dst_max, "10.10.11.2");
	memcpy(c.dst_mac, "\x00\x04\x23\x08\x91\xdc", 6);
	memcpy(c.dev_mac, "\x02\x00\x00\x00\x00\x01", 6);
	c.dev_addr = 0x0a0a0b01;
	return c;
}

static struct pg_packet *start(const struct pg_config *c)
{
	char why[128];
	struct pg_packet *p = pg_packet_start(c, tap_seed(), 1, 4, why);

	CHECK_MSG(p, "%s", why);
	return p;
}

static uint8_t buf[PG_FRAME_MAX + 64];

/* The next frame, whatever was in the buffer. */
static void next(struct pg_packet *p, struct frame *f)
{
	uint32_t len;

	memset(buf, 0xa5, pg_packet_room(p));
	len = pg_packet_next(p, buf, NOW);
	CHECK(len <= pg_packet_room(p));
	frame_read(f, buf, len);
	CHECK_EQ(buf[pg_packet_room(p)], 0);
	pg_packet_sent(p, 1);
}

static void one(const struct pg_config *c, struct frame *f)
{
	struct pg_packet *p = start(c);

	next(p, f);
	pg_packet_end(p);
}

TEST(the_plain_frame_is_the_kernels_to_the_byte)
{
	static const uint8_t want[60] = {
		0x00, 0x04, 0x23, 0x08, 0x91, 0xdc, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x08, 0x00, 0x45, 0x00, 0x00, 0x2e, 0x00, 0x00, 0x00, 0x00, 0x20, 0x11,
		0x70, 0xa9, 0x0a, 0x0a, 0x0b, 0x01, 0x0a, 0x0a, 0x0b, 0x02, 0x00, 0x09,
		0x00, 0x09, 0x00, 0x1a, 0x00, 0x00, 0xbe, 0x9b, 0xe9, 0x55, 0x00, 0x00,
		0x00, 0x01, 0x65, 0x53, 0xf1, 0x00, 0x00, 0x01, 0xe2, 0x40, 0x00, 0x00};
	struct pg_config c = plain();
	struct pg_packet *p = start(&c);

	memset(buf, 0xff, 256);
	CHECK_EQ(pg_packet_next(p, buf, NOW), 60);
	for (int i = 0; i < 60; i++)
		CHECK_MSG(buf[i] == want[i], "byte %d is %02x, not %02x", i, buf[i], want[i]);
	pg_packet_end(p);
}

TEST(sequence_starts_at_1_and_moves_only_when_told)
{
	struct pg_config c = plain();
	struct pg_packet *p = start(&c);
	struct frame f;

	frame_read(&f, buf, pg_packet_next(p, buf, NOW));
	CHECK_EQ(f.seq, 1);
	frame_read(&f, buf, pg_packet_next(p, buf, NOW));
	CHECK_EQ(f.seq, 1);
	pg_packet_sent(p, 5);
	frame_read(&f, buf, pg_packet_next(p, buf, NOW));
	CHECK_EQ(f.seq, 6);
	CHECK_EQ(f.ip_id, 2);
	pg_packet_end(p);
}

TEST(no_timestamp_leaves_zeros)
{
	struct pg_config c = plain();
	struct frame f;

	one(&c, &f);
	CHECK_EQ(f.sec, 1700000000);
	CHECK_EQ(f.usec, 123456);
	c.flags |= PG_NO_TIMESTAMP;
	one(&c, &f);
	CHECK_EQ(f.sec, 0);
	CHECK_EQ(f.usec, 0);
}

TEST(a_frame_never_has_less_than_its_headers)
{
	struct pg_config c = plain();
	struct pg_cursor cur;
	struct pg_packet *p;
	struct frame f;

	c.min_pkt_size = c.max_pkt_size = 42;
	p = start(&c);
	next(p, &f);
	CHECK_EQ(f.len, 58);
	pg_packet_cursor(p, &cur);
	CHECK_EQ(cur.cur_pkt_size, 42);
	pg_packet_end(p);
	c.min_pkt_size = c.max_pkt_size = 0;
	one(&c, &f);
	CHECK_EQ(f.len, 58);
	c.flags |= PG_IPV6;
	one(&c, &f);
	CHECK_EQ(f.len, 78);
	c.flags &= ~(uint32_t)PG_IPV6;
	c.vlan_id = 7;
	one(&c, &f);
	CHECK_EQ(f.len, 62);
}

TEST(linear_ports_begin_at_min_plus_1_and_never_reach_max)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	static const int src[] = {11, 12, 10, 11, 12, 10};

	c.udp_src_min = 10;
	c.udp_src_max = 13;
	c.udp_dst_min = 65534;
	c.udp_dst_max = 65535;
	p = start(&c);
	for (int i = 0; i < 6; i++) {
		next(p, &f);
		CHECK_EQ(f.sport, src[i]);
		CHECK_EQ(f.dport, 65534);
	}
	pg_packet_end(p);
}

TEST(random_ports_stay_below_max_and_take_every_value)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	int seen[4] = {0};

	c.udp_src_min = 100;
	c.udp_src_max = 104;
	c.udp_dst_min = 9;
	c.udp_dst_max = 8;
	c.flags |= PG_UDPSRC_RND | PG_UDPDST_RND | PG_UDPCSUM;
	p = start(&c);
	for (int i = 0; i < 400; i++) {
		next(p, &f);
		CHECK(f.sport >= 100 && f.sport < 104);
		CHECK_EQ(f.dport, 9);
		CHECK(f.udp_sum != 0);
		seen[f.sport - 100]++;
	}
	for (int i = 0; i < 4; i++)
		CHECK(seen[i] > 40);
	pg_packet_end(p);
}

TEST(linear_addresses_include_max)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	static const uint32_t want[] = {1, 2, 0, 1, 2, 0};

	strcpy(c.dst_min, "10.0.0.0");
	strcpy(c.dst_max, "10.0.0.2");
	strcpy(c.src_min, "192.168.255.255");
	strcpy(c.src_max, "192.169.0.0");
	p = start(&c);
	for (int i = 0; i < 6; i++) {
		next(p, &f);
		CHECK_EQ(f.daddr, 0x0a000000 + want[i]);
		CHECK_EQ(f.saddr, i & 1 ? 0xc0a8ffff : 0xc0a90000);
	}
	pg_packet_end(p);
}

TEST(random_addresses_exclude_max)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;

	c.flags |= PG_IPSRC_RND | PG_IPDST_RND;
	strcpy(c.dst_min, "10.0.0.0");
	strcpy(c.dst_max, "10.0.0.2");
	strcpy(c.src_min, "1.0.0.0");
	strcpy(c.src_max, "1.0.0.1");
	p = start(&c);
	for (int i = 0; i < 100; i++) {
		next(p, &f);
		CHECK(f.daddr == 0x0a000000 || f.daddr == 0x0a000001);
		CHECK_EQ(f.saddr, 0x01000000);
	}
	pg_packet_end(p);
}

TEST(random_destinations_are_never_loopback_multicast_broadcast_or_zeronet)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	unsigned low = 0, high = 0;

	c.flags |= PG_IPDST_RND;
	strcpy(c.dst_min, "126.255.255.0");
	strcpy(c.dst_max, "128.0.1.0");
	p = start(&c);
	for (int i = 0; i < 1000; i++) {
		next(p, &f);
		CHECK(f.daddr >> 24 != 127);
		low += f.daddr >> 24 == 126;
		high += f.daddr >> 24 == 128;
	}
	CHECK(low > 300 && high > 300);
	pg_packet_end(p);

	strcpy(c.dst_min, "0.0.0.0");
	strcpy(c.dst_max, "255.255.255.255");
	p = start(&c);
	for (int i = 0; i < 5000; i++) {
		next(p, &f);
		CHECK(f.daddr >> 24 != 0 && f.daddr >> 24 != 127 && f.daddr >> 28 != 0xe);
	}
	pg_packet_end(p);
}

TEST(a_range_without_one_allowed_destination_is_refused_not_searched_for_ever)
{
	struct pg_config c = plain();
	char why[128] = "";

	c.flags |= PG_IPDST_RND;
	strcpy(c.dst_min, "224.0.0.1");
	strcpy(c.dst_max, "239.255.255.255");
	CHECK(!pg_packet_start(&c, 1, 0, 1, why));
	CHECK_EQ(errno, EINVAL);
	CHECK(strstr(why, "multicast"));
}

TEST(mac_addresses_rotate_with_carry)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;

	memcpy(c.dst_mac, "\x02\x11\x22\x33\xff\xff", 6);
	memcpy(c.src_mac, "\x02\x00\x00\x00\x00\xfe", 6);
	c.dst_mac_count = 2;
	c.src_mac_count = 3;
	p = start(&c);
	next(p, &f);
	CHECK(!memcmp(f.dst, "\x02\x11\x22\x33\xff\xff", 6));
	next(p, &f);
	CHECK(!memcmp(f.dst, "\x02\x11\x22\x34\x00\x00", 6));
	CHECK(!memcmp(f.src, "\x02\x00\x00\x00\x00\xff", 6));
	next(p, &f);
	CHECK(!memcmp(f.dst, "\x02\x11\x22\x33\xff\xff", 6));
	CHECK(!memcmp(f.src, "\x02\x00\x00\x00\x01\x00", 6));
	next(p, &f);
	CHECK(!memcmp(f.src, "\x02\x00\x00\x00\x00\xfe", 6));
	pg_packet_end(p);
}

TEST(vlan_tags_stand_outer_before_inner)
{
	struct pg_config c = plain();
	struct frame f;

	c.vlan_id = 0x123;
	c.vlan_p = 5;
	c.vlan_cfi = 1;
	one(&c, &f);
	CHECK_EQ(f.nr_tags, 1);
	CHECK_EQ(f.tci[0], 0xb123);
	c.svlan_id = 0x456;
	c.svlan_p = 1;
	one(&c, &f);
	CHECK_EQ(f.nr_tags, 2);
	CHECK_EQ(f.tci[0], 0x2456);
	CHECK_EQ(f.tci[1], 0xb123);
	CHECK_EQ(f.len, 66);
}

TEST(random_vlan_ids_keep_priority_and_cfi)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	uint16_t seen = 0;

	c.vlan_id = 1;
	c.vlan_p = 7;
	c.svlan_id = 2;
	c.svlan_cfi = 1;
	c.flags |= PG_VID_RND | PG_SVID_RND;
	p = start(&c);
	for (int i = 0; i < 200; i++) {
		next(p, &f);
		CHECK_EQ(f.tci[0] >> 12, 1);
		CHECK_EQ(f.tci[1] >> 12, 14);
		seen |= f.tci[0] ^ f.tci[1];
	}
	CHECK_EQ(seen & 0xfff, 0xfff);
	pg_packet_end(p);
}

TEST(only_the_last_mpls_label_has_the_bottom_bit)
{
	struct pg_config c = plain();
	struct frame f;

	c.nr_mpls = 16;
	c.min_pkt_size = c.max_pkt_size = 200;
	for (uint32_t i = 0; i < 16; i++)
		c.mpls[i] = 0x00010020 + (i << 12) + (i == 3 ? 0x100 : 0);
	one(&c, &f);
	CHECK_EQ(f.nr_mpls, 16);
	for (uint32_t i = 0; i < 16; i++)
		CHECK_EQ(f.mpls[i], (0x00010020 + (i << 12)) | (i == 15 ? 0x100 : 0));
	CHECK_EQ(f.len, 200);
}

TEST(marked_mpls_labels_are_random_in_their_low_20_bits)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	uint32_t seen = 0;

	c.nr_mpls = 2;
	c.mpls[0] = 0x00001100;
	c.mpls[1] = 0x12345020;
	c.flags |= PG_MPLS_RND | PG_UDPCSUM;
	p = start(&c);
	for (int i = 0; i < 200; i++) {
		next(p, &f);
		CHECK_EQ(f.mpls[0] >> 20, 0);
		CHECK_EQ(f.mpls[1], 0x12345120);
		seen |= f.mpls[0];
	}
	CHECK_EQ(seen, 0xffeff);
	pg_packet_end(p);
}

TEST(sizes_step_from_min_plus_1_through_max)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	static const unsigned want[] = {61, 62, 60, 61};

	c.max_pkt_size = 62;
	c.flags |= PG_UDPCSUM;
	p = start(&c);
	for (int i = 0; i < 4; i++) {
		next(p, &f);
		CHECK_EQ(f.len, want[i]);
	}
	pg_packet_end(p);
	c.flags |= PG_TXSIZE_RND | PG_IPV6;
	c.min_pkt_size = 100;
	c.max_pkt_size = 102;
	p = start(&c);
	for (int i = 0; i < 100; i++) {
		next(p, &f);
		CHECK(f.len == 100 || f.len == 101);
	}
	pg_packet_end(p);
}

TEST(imix_sizes_come_in_the_ratio_of_their_weights)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct pg_cursor cur;
	struct frame f;
	int n[3] = {0};

	c.nr_imix = 3;
	c.imix[0] = (struct pg_imix){60, 7};
	c.imix[1] = (struct pg_imix){566, 4};
	c.imix[2] = (struct pg_imix){1514, 1};
	p = start(&c);
	CHECK(pg_packet_room(p) >= 1514);
	for (int i = 0; i < 3000; i++) {
		next(p, &f);
		n[f.len == 60 ? 0 : f.len == 566 ? 1 : 2]++;
		CHECK(f.len == 60 || f.len == 566 || f.len == 1514);
	}
	pg_packet_cursor(p, &cur);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(cur.imix_counts[i], n[i]);
	/* 58, 33 and 9 of the 100 slots */
	CHECK(abs(n[0] - 1740) < 200 && abs(n[1] - 990) < 200 && abs(n[2] - 270) < 120);
	pg_packet_end(p);
}

TEST(an_imix_entry_too_rare_for_a_slot_is_never_taken)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	int last = 0;

	c.nr_imix = 3;
	c.imix[0] = (struct pg_imix){70, 1};
	c.imix[1] = (struct pg_imix){80, 1};
	c.imix[2] = (struct pg_imix){90, 1000000000};
	p = start(&c);
	for (int i = 0; i < 300; i++) {
		next(p, &f);
		last += f.len == 90;
	}
	CHECK_EQ(last, 300);
	pg_packet_end(p);
}

TEST(flows_in_order_send_flowlen_packets_each)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	uint32_t addr[12];

	c.flags |= PG_IPDST_RND | PG_FLOW_SEQ;
	c.flows = 2;
	c.flowlen = 3;
	strcpy(c.dst_min, "10.0.0.0");
	strcpy(c.dst_max, "10.255.255.255");
	p = start(&c);
	for (int i = 0; i < 12; i++) {
		next(p, &f);
		addr[i] = f.daddr;
	}
	for (int i = 0; i < 12; i++)
		CHECK((addr[i] == addr[i - i % 3]));
	for (int i = 3; i < 12; i += 3)
		CHECK(addr[i] != addr[i - 1]);
	pg_packet_end(p);
}

TEST(random_flows_keep_their_destination_until_renewed)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct pg_cursor cur;
	struct frame f;
	uint32_t distinct[64], n = 0;

	c.flags |= PG_IPDST_RND;
	c.flows = 8;
	c.flowlen = 1000;
	strcpy(c.dst_min, "10.0.0.0");
	strcpy(c.dst_max, "10.255.255.255");
	p = start(&c);
	for (int i = 0; i < 500; i++) {
		uint32_t k = 0;

		next(p, &f);
		while (k < n && distinct[k] != f.daddr)
			k++;
		if (k == n)
			distinct[n++] = f.daddr;
		CHECK(n <= 8);
	}
	pg_packet_cursor(p, &cur);
	CHECK_EQ(cur.nr_flows, 8);
	pg_packet_end(p);
}

TEST(ip6_frames_carry_their_addresses_and_class)
{
	struct pg_config c = plain();
	struct frame f;

	c.flags |= PG_IPV6 | PG_UDPCSUM;
	c.traffic_class = 0xb8;
	inet_pton(AF_INET6, "fd00::1", &c.in6_daddr);
	inet_pton(AF_INET6, "fe80::42", &c.dev_addr6);
	one(&c, &f);
	CHECK_EQ(f.tos, 0xb8);
	CHECK(!memcmp(f.daddr6, &c.in6_daddr, 16));
	CHECK(!memcmp(f.saddr6, &c.dev_addr6, 16));
	CHECK(f.udp_sum);
	inet_pton(AF_INET6, "fd00::2", &c.in6_saddr);
	one(&c, &f);
	CHECK(!memcmp(f.saddr6, &c.in6_saddr, 16));
}

TEST(ip6_ranges_are_random_or_min_and_max)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct frame f;
	uint8_t seen = 0;

	c.flags |= PG_IPV6 | PG_UDPCSUM;
	inet_pton(AF_INET6, "fd00:100::1", &c.min_in6_daddr);
	inet_pton(AF_INET6, "fd00:1ff::ff:ff", &c.max_in6_daddr);
	p = start(&c);
	for (int i = 0; i < 100; i++) {
		next(p, &f);
		for (int k = 0; k < 16; k++) {
			uint8_t min = c.min_in6_daddr.s6_addr[k];
			uint8_t max = c.max_in6_daddr.s6_addr[k];

			CHECK_EQ(f.daddr6[k] & ~max, 0);
			CHECK_EQ(~f.daddr6[k] & (min & max), 0);
		}
		seen |= f.daddr6[13];
	}
	CHECK_EQ(seen, 0xff);
	pg_packet_end(p);
}

TEST(queues_take_turns_within_the_range_and_the_device)
{
	struct pg_config c = plain();
	struct pg_packet *p;
	struct pg_cursor cur;
	struct frame f;
	static const int want[] = {3, 2, 3, 2};

	c.queue_map_min = 2;
	c.queue_map_max = 9; /* of 4 */
	p = start(&c);
	CHECK(pg_packet_moves_queue(p));
	for (int i = 0; i < 4; i++) {
		next(p, &f);
		pg_packet_cursor(p, &cur);
		CHECK_EQ(cur.cur_queue_map, want[i]);
	}
	pg_packet_end(p);
	c.flags |= PG_QUEUE_MAP_CPU;
	p = start(&c);
	CHECK(!pg_packet_moves_queue(p));
	pg_packet_cursor(p, &cur);
	CHECK_EQ(cur.cur_queue_map, 1);
	pg_packet_end(p);
}

static struct pg_config everything(void)
{
	struct pg_config c = plain();

	c.min_pkt_size = 90;
	c.max_pkt_size = 1400;
	c.src_mac_count = c.dst_mac_count = 1000;
	c.vlan_id = 5;
	c.udp_src_min = 1;
	c.udp_src_max = 60000;
	c.udp_dst_max = 60000;
	c.flows = 50;
	c.flowlen = 4;
	strcpy(c.dst_min, "10.0.0.0");
	strcpy(c.dst_max, "10.255.255.255");
	strcpy(c.src_min, "10.0.0.0");
	strcpy(c.src_max, "10.255.255.255");
	c.flags |= PG_IPSRC_RND | PG_IPDST_RND | PG_TXSIZE_RND | PG_UDPSRC_RND | PG_UDPDST_RND |
		   PG_UDPCSUM | PG_MACSRC_RND | PG_MACDST_RND | PG_VID_RND;
	return c;
}

TEST(one_seed_gives_the_same_packets_byte_for_byte)
{
	struct pg_config c = everything();
	struct pg_packet *a = pg_packet_start(&c, 42, 0, 1, NULL);
	struct pg_packet *b = pg_packet_start(&c, 42, 0, 1, NULL);
	struct pg_packet *other = pg_packet_start(&c, 43, 0, 1, NULL);
	static uint8_t x[2048], y[2048];
	int differ = 0;

	for (int i = 0; i < 1000; i++) {
		uint32_t n = pg_packet_next(a, x, NOW);

		CHECK_EQ(pg_packet_next(b, y, NOW), n);
		CHECK(!memcmp(x, y, n));
		differ += pg_packet_next(other, y, NOW) != n || memcmp(x, y, n) != 0;
		pg_packet_sent(a, 1);
		pg_packet_sent(b, 1);
	}
	CHECK(differ > 990);
	pg_packet_end(a);
	pg_packet_end(b);
	pg_packet_end(other);
}

TEST(a_filled_burst_equals_the_same_frames_one_by_one)
{
	struct pg_config c = everything();

	for (int round = 0; round < 8; round++) {
		struct pg_packet *a, *b;
		static uint8_t slot[16][2048];
		struct iovec v[16];

		c.flags = round & 1 ? c.flags | PG_UDPCSUM : c.flags & ~(uint32_t)PG_UDPCSUM;
		c.flags = round & 2 ? c.flags | PG_IPV6 : c.flags & ~(uint32_t)PG_IPV6;
		if (round == 4)
			c = plain();
		a = start(&c);
		b = start(&c);
		for (int i = 0; i < 16; i++) {
			memset(slot[i], 0xee, sizeof(slot[i]));
			pg_packet_prepare(a, slot[i]);
			v[i].iov_base = slot[i];
		}
		for (int burst = 0; burst < 20; burst++) {
			pg_packet_fill(a, v, 16, NOW);
			for (int i = 0; i < 16; i++) {
				struct frame f;

				frame_read(&f, slot[i], (uint32_t)v[i].iov_len);
				CHECK_EQ(f.seq, burst * 16 + i + 1);
				CHECK_EQ(pg_packet_next(b, buf, NOW), v[i].iov_len);
				CHECK(!memcmp(buf, slot[i], v[i].iov_len));
				pg_packet_sent(b, 1);
			}
		}
		pg_packet_end(a);
		pg_packet_end(b);
	}
}

TEST(a_changed_configuration_goes_on_where_the_run_stood)
{
	struct pg_config c = plain();
	struct pg_packet *a, *b;
	struct frame f;

	c.udp_src_min = 10;
	c.udp_src_max = 20;
	a = start(&c);
	next(a, &f);
	next(a, &f);
	c.min_pkt_size = c.max_pkt_size = 100;
	b = start(&c);
	pg_packet_carry(b, a);
	next(b, &f);
	CHECK_EQ(f.seq, 3);
	CHECK_EQ(f.sport, 13);
	CHECK_EQ(f.ip_id, 2);
	CHECK_EQ(f.len, 100);
	pg_packet_end(a);
	pg_packet_end(b);
}

TEST(sequence_numbers_wrap)
{
	struct pg_config c = plain();
	struct pg_packet *p = start(&c);
	struct frame f;

	c.flags |= PG_UDPCSUM;
	pg_packet_set_seq(p, UINT32_MAX);
	next(p, &f);
	CHECK_EQ(f.seq, UINT32_MAX);
	next(p, &f);
	CHECK_EQ(f.seq, 0);
	pg_packet_end(p);
}

TEST(a_frame_above_64_kilobytes_is_refused_with_the_reason)
{
	struct pg_config c = plain();
	char why[128] = "";

	c.min_pkt_size = c.max_pkt_size = 65536;
	CHECK(!pg_packet_start(&c, 1, 0, 1, why));
	CHECK_EQ(errno, EMSGSIZE);
	CHECK(strstr(why, "65536"));
	c.min_pkt_size = c.max_pkt_size = 65535;
	pg_packet_end(start(&c));
}

TEST(a_failed_allocation_leaks_nothing_and_is_told)
{
	struct pg_config c = everything();

	for (long n = 1;; n++) {
		char why[128] = "";

		ww_alloc_fail_nth(n);
		struct pg_packet *p = pg_packet_start(&c, 1, 0, 1, why);
		ww_alloc_fail_nth(0);
		pg_packet_end(p);
		if (p)
			break;
		CHECK_EQ(errno, ENOMEM);
		CHECK(strstr(why, "memory"));
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads a generated frame back, byte by byte, with nothing of the generator's: offsets, orders and
 * checksums are worked out here from the protocols themselves.
 */
#ifndef WW_TESTS_FRAME_H
#define WW_TESTS_FRAME_H

#include "tap.h"

struct frame {
	uint32_t len;
	uint8_t dst[6], src[6];
	unsigned nr_mpls;
	uint32_t mpls[32];
	unsigned nr_tags; /* outermost first */
	uint16_t tci[4];
	bool ip6;
	uint8_t tos; /* or traffic class */
	uint16_t ip_id;
	uint32_t saddr, daddr;
	uint8_t saddr6[16], daddr6[16];
	uint16_t sport, dport, udp_len, udp_sum;
	uint32_t magic, seq, sec, usec;
};

static inline uint32_t frame_be(const uint8_t *b, unsigned n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *b++;
	return v;
}

static inline uint32_t frame_sum(uint32_t sum, const uint8_t *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		sum += i & 1 ? b[i] : (uint32_t)b[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/* Fails the case unless the frame is whole, its lengths agree, and its checksums hold. */
static inline void frame_read(struct frame *f, const uint8_t *b, uint32_t len)
{
	uint32_t at = 12, type, pseudo = 17, ip_at;

	memset(f, 0, sizeof(*f));
	CHECK(len >= 58);
	f->len = len;
	memcpy(f->dst, b, 6);
	memcpy(f->src, b + 6, 6);
	type = frame_be(b + at, 2);
	at += 2;
	if (type == 0x8847) {
		do {
			CHECK(f->nr_mpls < 32);
			f->mpls[f->nr_mpls] = frame_be(b + at, 4);
			at += 4;
		} while (!(f->mpls[f->nr_mpls++] & 0x100));
		type = b[at] >> 4 == 6 ? 0x86dd : 0x0800;
	}
	while (type == 0x8100) {
		CHECK(f->nr_tags < 4);
		f->tci[f->nr_tags++] = (uint16_t)frame_be(b + at, 2);
		type = frame_be(b + at + 2, 2);
		at += 4;
	}
	ip_at = at;
	if (type == 0x0800) {
		CHECK_EQ(b[at], 0x45);
		f->tos = b[at + 1];
		CHECK_EQ(frame_be(b + at + 2, 2), len - at);
		f->ip_id = (uint16_t)frame_be(b + at + 4, 2);
		CHECK_EQ(frame_be(b + at + 6, 2), 0);
		CHECK_EQ(b[at + 8], 32);
		CHECK_EQ(b[at + 9], 17);
		CHECK_EQ(frame_sum(0, b + at, 20), 0xffff);
		f->saddr = frame_be(b + at + 12, 4);
		f->daddr = frame_be(b + at + 16, 4);
		pseudo = frame_sum(pseudo, b + at + 12, 8);
		at += 20;
	} else {
		CHECK_EQ(type, 0x86dd);
		f->ip6 = true;
		CHECK_EQ(b[at] >> 4, 6);
		f->tos = (uint8_t)(frame_be(b + at, 2) >> 4);
		CHECK_EQ(frame_be(b + at, 4) & 0xfffff, 0);
		CHECK_EQ(frame_be(b + at + 4, 2), len - at - 40);
		CHECK_EQ(b[at + 6], 17);
		CHECK_EQ(b[at + 7], 32);
		memcpy(f->saddr6, b + at + 8, 16);
		memcpy(f->daddr6, b + at + 24, 16);
		pseudo = frame_sum(pseudo, b + at + 8, 32);
		at += 40;
	}
	f->sport = (uint16_t)frame_be(b + at, 2);
	f->dport = (uint16_t)frame_be(b + at + 2, 2);
	f->udp_len = (uint16_t)frame_be(b + at + 4, 2);
	f->udp_sum = (uint16_t)frame_be(b + at + 6, 2);
	CHECK_EQ(f->udp_len, len - at);
	CHECK(ip_at + (f->ip6 ? 40u : 20u) == at);
	if (f->udp_sum) {
		pseudo = frame_sum(pseudo, b + at + 4, 2);
		CHECK_EQ(frame_sum(pseudo, b + at, len - at), 0xffff);
	}
	at += 8;
	f->magic = frame_be(b + at, 4);
	f->seq = frame_be(b + at + 4, 4);
	f->sec = frame_be(b + at + 8, 4);
	f->usec = frame_be(b + at + 12, 4);
	CHECK_EQ(f->magic, 0xbe9be955);
	for (at += 16; at < len; at++)
		CHECK_MSG(b[at] == 0, "byte %u of the payload is %02x", at, b[at]);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Is this frame one of pktgen's, is it whole, and what does its header say? */
#ifndef UPKTGEN_RECEIVE_FRAME_H
#define UPKTGEN_RECEIVE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum pg_frame_kind {
	PG_FRAME_OURS,
	PG_FRAME_DAMAGED, /* a checksum or the magic is wrong */
	PG_FRAME_OTHER,	  /* somebody else's */
};

/* Who sends to whom: addresses as they stand in the frame, IPv4 in the first four bytes. */
struct pg_flow_id {
	uint8_t src[16], dst[16];
	uint16_t sport, dport;
	uint8_t version; /* 4 or 6; 0: not known */
};

struct pg_frame_facts {
	uint32_t seq;
	uint64_t sent_ns;  /* CLOCK_REALTIME; 0: not stamped */
	uint64_t flow;	   /* hash of addresses and ports, never 0; 0: they can't be trusted */
	bool fine;	   /* stamps of 1 ns rather than 1 us */
	const uint8_t *ip; /* the IP header; NULL: none */
	uint16_t sport, dport;
	uint8_t version; /* 4 or 6 */
};

/*
 * data: the frame from its Ethernet header, captured up to caplen bytes of len. check_udp: verify a
 * UDP checksum that is not 0 (off where the sender's kernel left it to hardware). expect_dport: a
 * UDP frame to this port that lacks the magic is damaged rather than somebody else's; -1: none.
 */
enum pg_frame_kind pg_frame_read(const uint8_t *data, uint32_t caplen, uint32_t len, bool check_udp,
				 int expect_dport, struct pg_frame_facts *out);
/* Of a frame that was read and has one. */
void pg_frame_flow_id(const struct pg_frame_facts *f, struct pg_flow_id *out);

#endif

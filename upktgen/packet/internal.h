/* SPDX-License-Identifier: MIT */
/* One generator: what a packet touches first, what only a start touches last. */
#ifndef UPKTGEN_PACKET_INTERNAL_H
#define UPKTGEN_PACKET_INTERNAL_H

#include "packet/packet.h"
#include "packet/random.h"
#include "packet/source.h"
#include "packet/wire.h"

#define PG_TEMPLATE 160 /* the longest header (IPv6, 16 labels), up to whole vectors */
#define PG_PATCHES  12

/*
 * Moves one field on and writes it. The value is what the field adds to the two checksums: IPv4
 * header in the upper 32 bits, UDP with its pseudo-header in the lower.
 */
typedef uint64_t (*pg_patch_fn)(struct pg_packet *p, uint8_t *buf);
/* n frames, with one stamp, or each with its own reading of clock. */
typedef void (*pg_fill_fn)(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp,
			   struct pg_stamp *clock);

struct pg_flow {
	uint32_t count;
	uint32_t daddr;
	bool known; /* daddr is this flow's */
};

struct pg_range {
	uint32_t first, size;
};

struct pg_packet {
	/* what every packet touches */
	uint64_t rng;
	uint32_t seq;
	uint32_t ip_id;
	uint32_t len; /* of the next frame */
	uint16_t ip_off, udp_off;
	uint32_t ip_base, udp_base; /* sums of all that never changes */
	uint32_t magic;
	uint32_t saddr, daddr;
	uint16_t udp_src, udp_dst;
	uint16_t queue;
	bool moves_queue;
	uint32_t pkt_size; /* configured; len may be more */
	uint8_t template[PG_TEMPLATE] __attribute__((aligned(32)));
	pg_patch_fn patch[PG_PATCHES + 1]; /* in the kernel's order, up to a NULL */

	uint64_t src_mac_low, dst_mac_low; /* the five lower bytes */
	uint64_t dst_total;
	struct pg_flow *flows;
	uint64_t imix_counts[PG_MAX_IMIX];
	uint32_t src_mac_offset, dst_mac_offset;
	struct in6_addr daddr6;
	struct pg_range dst[3]; /* what a random destination may be */
	uint32_t dst_ranges;
	uint32_t cur_flow, nr_flows;
	uint8_t imix_slot[PG_IMIX_SLOTS];

	/* frames out of a file */
	struct pg_source source;
	uint32_t source_next;

	/* what a start touches */
	pg_fill_fn fill, fill_each;
	uint32_t room;
	int cpu;
	unsigned nr_queues;
	struct pg_config config;
};

/* The loop for this shape of frame (fill.c). */
pg_fill_fn pg_choose_fill(bool ip6, bool checksum, bool patches, bool each, uint32_t header_len);
/* Fill p->patch with what its configuration moves (patch.c). 0 or -errno, with why. */
int pg_choose_patches(struct pg_packet *p, char *why);

#define PG_WHY 128

#endif

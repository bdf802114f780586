/* SPDX-License-Identifier: MIT */
/*
 * Frames from a configuration. pg_packet_start() chooses a template and the patchers of the fields
 * that change, once per run; pg_packet_next() then writes one frame and holds no test of a flag
 * that can't change within a run.
 */
#ifndef UPKTGEN_PACKET_PACKET_H
#define UPKTGEN_PACKET_PACKET_H

#include <stddef.h>

#include "packet/config.h"

#define PG_FRAME_MAX 65535u

struct pg_packet; /* one generator: one thread at a time */

/* The moving fields as the device file prints them. */
struct pg_cursor {
	uint32_t seq_num;
	uint32_t cur_pkt_size;
	uint32_t cur_dst_mac_offset, cur_src_mac_offset;
	uint32_t cur_saddr, cur_daddr;
	struct in6_addr cur_saddr6, cur_daddr6;
	uint16_t cur_udp_dst, cur_udp_src;
	uint16_t cur_queue_map;
	uint32_t nr_flows; /* in use */
	uint64_t imix_counts[PG_MAX_IMIX];
};

/*
 * A generator for config (copied), every random choice from seed. NULL + errno; why (may be NULL,
 * else at least 128 bytes) then says what is wrong. nr_queues: transmit queues of the device.
 */
struct pg_packet *pg_packet_start(const struct pg_config *config, uint64_t seed, int cpu,
				  unsigned nr_queues, char *why);
void pg_packet_end(struct pg_packet *p);

/*
 * Write the next frame into buf (as large as pg_packet_room()) and return its length. now_real_ns
 * is CLOCK_REALTIME for the stamp; one reading may serve a whole burst. The frame carries the
 * present sequence number: pg_packet_sent() moves it on once the frame was accepted.
 */
uint32_t pg_packet_next(struct pg_packet *p, uint8_t *buf, uint64_t now_real_ns);
void pg_packet_sent(struct pg_packet *p);
uint32_t pg_packet_room(const struct pg_packet *p);
void pg_packet_cursor(const struct pg_packet *p, struct pg_cursor *out);

#endif

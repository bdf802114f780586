/* SPDX-License-Identifier: MIT */
/*
 * Frames from a configuration. pg_packet_start() chooses a template and the patchers of the fields
 * that change, once per run; pg_packet_next() then writes one frame and holds no test of a flag
 * that can't change within a run.
 */
#ifndef UPKTGEN_PACKET_PACKET_H
#define UPKTGEN_PACKET_PACKET_H

#include <stddef.h>
#include <sys/uio.h>

#include "packet/config.h"
#include "packet/stamp.h"

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
 * A generator for config (copied and settled), every random choice from seed. NULL + errno; why
 * (may be NULL, else at least 128 bytes) then says what is wrong. nr_queues: transmit queues of the
 * device; cpu: where the thread runs.
 */
struct pg_packet *pg_packet_start(const struct pg_config *config, uint64_t seed, int cpu,
				  unsigned nr_queues, char *why);
void pg_packet_end(struct pg_packet *p);

/* Bytes that a frame buffer must have: at least the longest frame. */
uint32_t pg_packet_room(const struct pg_packet *p);

/*
 * Write the next frame into buf, whatever is in it, and return its length. now_real_ns is
 * CLOCK_REALTIME for the stamp. The frame carries the present sequence number: pg_packet_sent()
 * moves it on by the number of packets that were accepted (several, when one frame is sent more
 * than once).
 */
uint32_t pg_packet_next(struct pg_packet *p, uint8_t *buf, uint64_t now_real_ns);
void pg_packet_sent(struct pg_packet *p, unsigned n);

/*
 * The fast way: the next n frames, each with a sequence number of its own (no pg_packet_sent()),
 * all with the stamp now_real_ns. v[i].iov_base is a buffer that was made ready once by
 * pg_packet_prepare() and whose bytes nobody else changed since; only headers are written.
 * v[i].iov_len becomes the frame's length.
 */
void pg_packet_prepare(const struct pg_packet *p, uint8_t *buf);
void pg_packet_fill(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t now_real_ns);

/*
 * Both with a stamp as pg_stamp_now() gives it, for callers that keep a clock; fill_each reads it
 * for each frame as it is made. Where pg_packet_stamped() is false no frame carries a time, and
 * there is nothing to read.
 */
bool pg_packet_stamped(const struct pg_packet *p);
void pg_packet_clock(const struct pg_packet *p, struct pg_stamp *clock);
uint32_t pg_packet_next_stamped(struct pg_packet *p, uint8_t *buf, uint64_t stamp);
void pg_packet_fill_stamped(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp);
void pg_packet_fill_each(struct pg_packet *p, struct iovec *v, unsigned n, struct pg_stamp *clock);

/*
 * Frames out of a file with gaps of their own: from the frame made last to the next one. 0 where
 * there are none; then pg_packet_has_gaps() is false.
 */
bool pg_packet_has_gaps(const struct pg_packet *p);
uint64_t pg_packet_gap_ns(const struct pg_packet *p);

/* True if frames of one run go to different queues: then look at the cursor after each. */
bool pg_packet_moves_queue(const struct pg_packet *p);

void pg_packet_cursor(const struct pg_packet *p, struct pg_cursor *out);
/* Sequence number of the next frame; clear_counters sets it to 1. */
void pg_packet_set_seq(struct pg_packet *p, uint32_t seq);
/* The configuration was changed during a run: to goes on where from stood. */
void pg_packet_carry(struct pg_packet *to, const struct pg_packet *from);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the receiver's program in the kernel tells its user side: a record for each frame of ours,
 * in a ring for each receive queue that is shared memory of both. (A queue is served by one CPU at a
 * time, whichever it is, so that a ring has one writer, and the order is that of arrival.) The program writes a record and then moves
 * head; the reader moves tail. A frame that finds the ring full is counted, and is our drop. Before the
 * first frame of a flow, and again when others have taken its place in a small table, come two
 * records that say who sends to whom.
 */
#ifndef UPKTGEN_RECEIVE_TAP_RING_H
#define UPKTGEN_RECEIVE_TAP_RING_H

#include <linux/types.h>

#define PG_TAP_RECORDS (1u << 20) /* 32 MB: 80 ms at 13 million frames/s */
#define PG_TAP_QUEUES  64	  /* most of them */
#define PG_TAP_KNOWN   (1u << 14) /* flows that were told lately, by their hash */

/* In meta, above the length. */
enum {
	PG_TAP_DAMAGED = 1u << 16,
	PG_TAP_FINE = 1u << 17,
	PG_TAP_SOURCE = 1u << 18, /* no frame: a flow's source */
	PG_TAP_DEST = 1u << 19,	  /* its destination; the source stands before it */
	PG_TAP_IP6 = 1u << 20,
	PG_TAP_NO_FLOW = 1u << 21, /* the addresses can't be trusted */
};

struct pg_tap_record {
	__u64 flow; /* hash of addresses and ports */
	__u32 seq;
	__u32 meta; /* length, flags */
	union {
		struct {
			__u64 stamp; /* seconds << 32 | microseconds, as it stands in the frame */
			__u64 arrived_ns; /* CLOCK_TAI; 0 where the clock was not read */
		};
		__u8 address[16]; /* of a source or destination, whose port is seq */
	};
};

struct pg_tap_ring {
	__u64 head __attribute__((aligned(64))); /* the program's */
	__u64 dropped, other;
	__u64 last_stamp;			 /* the clock is read when it changes */
	__u32 untimed;				 /* or after so many */
	__u32 dport;				 /* of the last good frame + 1; 0 before */
	__u64 tail __attribute__((aligned(64))); /* the reader's */
	__u64 known[PG_TAP_KNOWN] __attribute__((aligned(64)));
	struct pg_tap_record record[PG_TAP_RECORDS] __attribute__((aligned(64)));
};

#endif

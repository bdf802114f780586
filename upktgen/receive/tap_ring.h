/* SPDX-License-Identifier: MIT */
/*
 * What the receiver's program in the kernel tells its user side: a record for each frame of ours,
 * in a ring for each CPU that is shared memory of both. The program writes a record and then moves
 * head; the reader moves tail. A frame that finds the ring full is counted, and is our drop.
 */
#ifndef UPKTGEN_RECEIVE_TAP_RING_H
#define UPKTGEN_RECEIVE_TAP_RING_H

#include <linux/types.h>

#define PG_TAP_RECORDS (1u << 20) /* 32 MB: 80 ms at 13 million frames/s */

enum { PG_TAP_DAMAGED = 1u << 16, PG_TAP_FINE = 1u << 17 }; /* in meta, above the length */

struct pg_tap_record {
	__u32 seq;
	__u32 meta;	  /* length, flags */
	__u64 stamp;	  /* seconds << 32 | microseconds, as it stands in the frame */
	__u64 arrived_ns; /* CLOCK_TAI; 0 where the clock was not read for this one */
	__u32 flow;	  /* hash of addresses and ports */
	__u32 dport;
};

struct pg_tap_ring {
	__u64 head __attribute__((aligned(64))); /* the program's */
	__u64 dropped, other;
	__u64 last_stamp;			 /* the clock is read when it changes */
	__u32 untimed;				 /* or after so many */
	__u32 dport;				 /* of the last good frame + 1; 0 before */
	__u64 tail __attribute__((aligned(64))); /* the reader's */
	struct pg_tap_record record[PG_TAP_RECORDS] __attribute__((aligned(64)));
};

#endif

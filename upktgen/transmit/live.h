/* SPDX-License-Identifier: MIT */
/*
 * What the live backend's two halves share: the program in the kernel that makes the frames, and
 * the user side that loads and runs it. Only fixed-width types of the kernel's headers.
 */
#ifndef UPKTGEN_TRANSMIT_LIVE_H
#define UPKTGEN_TRANSMIT_LIVE_H

#include <linux/types.h>

#define PG_LIVE_WORDS  18 /* of 8 bytes: the longest header before pktgen's own, IPv6 + 16 labels */
#define PG_LIVE_LABELS 16
#define PG_LIVE_SLOTS  100
#define PG_LIVE_FLOWS  65536
#define PG_LIVE_LATE   48 /* log2 buckets of lateness */

enum pg_live_way { PG_WAY_FIXED, PG_WAY_LINEAR, PG_WAY_RANDOM, PG_WAY_IMIX };

/* Constant in a run: the verifier takes what does not apply out of the program. */
struct pg_live_config {
	__u32 inject;	  /* hand to the device's receive side instead */
	__u32 header_len; /* up to and with UDP */
	__u32 ip_off, udp_off;
	__u32 ip6, checksum;
	__u32 stamp_mask; /* read the clock when (seq & mask) == 0 */
	__u32 stamped;	  /* 0: NO_TIMESTAMP */
	__u32 copies;	  /* packets sent of each frame */
	__u32 paced;
	__u64 period_ns; /* of a unit */
	__u32 unit;	 /* packets that leave together */
	__u32 catch_up;
	__u32 ip_base, udp_base;
	__u32 magic, stamp_ns;

	/* Headers as they stand in memory, in the pieces that are written at once. */
	__u64 link_last;			       /* the eight bytes before the IP header */
	__u32 ip_first;				       /* version, TOS, length */
	__u32 saddr, daddr, udp_src, udp_dst, udp_len; /* where they do not move; host order */
	__u64 ip6_word[5];			       /* IPv6 */

	__u32 flow_way; /* LINEAR: in order; RANDOM; FIXED: no flows */
	__u32 flows, flowlen;
	__u32 src_mac_way, dst_mac_way, src_mac_count, dst_mac_count;
	__u64 src_mac_low, dst_mac_low;
	__u32 mpls_random, nr_mpls, mpls[PG_LIVE_LABELS];
	__u32 vid_random, vid_off, vid_bits; /* bits: priority and CFI */
	__u32 svid_random, svid_off, svid_bits;
	__u32 udp_src_way, udp_src_min, udp_src_max;
	__u32 udp_dst_way, udp_dst_min, udp_dst_max;
	__u32 saddr_way, saddr_min, saddr_max;
	__u32 daddr_way, daddr_min, daddr_max;
	__u32 dst_ranges;
	__u32 dst_first[3];
	__u32 dst_size[3];
	__u64 dst_total;
	__u32 daddr6_random;
	__u64 daddr6_min[2], daddr6_max[2]; /* as they stand in memory */
	__u32 size_way, min_size, max_size, max_len;
	__u32 imix_size[20];
	__u8 imix_slot[PG_LIVE_SLOTS];
	__u64 template[PG_LIVE_WORDS];
};

/* Eight bytes: with thousands of flows each packet misses the first cache. */
struct pg_live_flow {
	__u32 count; /* and PG_LIVE_KNOWN once daddr is this flow's */
	__u32 daddr;
};
#define PG_LIVE_KNOWN 0x80000000u

/* Moves from packet to packet; its first lines are all that most runs touch. */
struct pg_live_state {
	__u64 rng;
	__u64 bytes; /* of frames handed over, where their sizes differ */
	__u64 stamp; /* as it stands in the frame, host order: seconds << 32 | microseconds */
	__s64 tai_offset_ns; /* TAI - REALTIME */
	__u64 second_ns;     /* where the stamp's second began, by the program's clock */
	__u32 seq, ip_id;
	__u32 end;	/* the sequence number that is not made any more */
	__u32 stamp_at; /* the sequence number from which the clock is due */
	__u32 copies_left;

	__u64 due_ns, first_ns, last_ns;
	__u64 late_sum, late_max, departures;
	__u32 unit_left;
	__u32 late[PG_LIVE_LATE];

	__u32 saddr, daddr, udp_src, udp_dst;
	__u32 pkt_size;
	__u32 src_mac_offset, dst_mac_offset;
	__u32 cur_flow, nr_flows;
	__u32 frame_len;
	__u64 frame[PG_LIVE_WORDS]; /* what copies_left is about */
	__u64 daddr6[2];
	__u64 imix_counts[20];
} __attribute__((aligned(64)));

/*
 * Written by the trace points. They are called for the packets of every live sender, and look whose
 * each is: so that stands on a line, and for pairs of lines that are fetched together on two, that
 * nobody writes in a run.
 */
struct pg_live_truth {
	__u32 tid; /* of the sending thread, as the first process namespace has it; 0: do not count */
	__u32 ifindex;
	__u64 sent __attribute__((aligned(128)));
	__u64 drops;
	__u64 drops_full; /* err 0: the device's ring */
	__u64 refused;	  /* redirects that failed */
	__s32 last_drop_err, last_refuse_err;
	__u64 refused_by[5]; /* enum pg_cause */
	__u64 drops_by[5];
} __attribute__((aligned(128)));

/* The two as they lie in the program's memory. */
struct pg_live_memory {
	struct pg_live_state state;
	struct pg_live_truth truth;
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What one pktgen device is told to send: the kernel's own parameters, in host byte order. Written
 * by the commands (upktgen/command), read by the packet builder and the transmit loop. Nothing
 * here points at anything: a copy of it is a snapshot that a run can use.
 */
#ifndef UPKTGEN_PACKET_CONFIG_H
#define UPKTGEN_PACKET_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "packet/numbers.h"

#define PG_NEVER      UINT64_MAX /* delay: transmit nothing, but run */
#define PG_MIN_PKT    42u	 /* Ethernet + IPv4 + UDP */
#define PG_MAX_IMIX   20
#define PG_IMIX_SLOTS 100
#define PG_MAX_FLOWS  65536u
#define PG_DEV_NAME   32 /* "eth0@3" with its end */
#define PG_RESULT     512

/* Bits in the order of the Flags: line. */
enum pg_flag {
	PG_IPV6 = 1u << 0,
	PG_IPSRC_RND = 1u << 1,
	PG_IPDST_RND = 1u << 2,
	PG_TXSIZE_RND = 1u << 3,
	PG_UDPSRC_RND = 1u << 4,
	PG_UDPDST_RND = 1u << 5,
	PG_UDPCSUM = 1u << 6,
	PG_NO_TIMESTAMP = 1u << 7,
	PG_MPLS_RND = 1u << 8,
	PG_QUEUE_MAP_RND = 1u << 9,
	PG_QUEUE_MAP_CPU = 1u << 10,
	PG_FLOW_SEQ = 1u << 11,
	PG_IPSEC = 1u << 12,
	PG_MACSRC_RND = 1u << 13,
	PG_MACDST_RND = 1u << 14,
	PG_VID_RND = 1u << 15,
	PG_SVID_RND = 1u << 16,
	PG_NODE = 1u << 17,
	PG_SHARED = 1u << 18,
};

enum pg_xmit_mode { PG_START_XMIT, PG_NETIF_RECEIVE, PG_QUEUE_XMIT };

struct pg_imix {
	uint32_t size;
	uint32_t weight;
};

struct pg_config {
	uint64_t count; /* 0: until stopped */
	uint64_t delay; /* ns between packet starts, PG_NEVER */
	uint32_t min_pkt_size, max_pkt_size;
	uint32_t frags;
	uint32_t clone_skb;
	uint32_t burst; /* at least 1 */
	uint32_t flags; /* enum pg_flag */
	enum pg_xmit_mode xmit_mode;
	int node;
	uint32_t skb_priority;

	uint8_t dst_mac[6], src_mac[6]; /* src: the device's own until set */
	uint32_t src_mac_count, dst_mac_count;

	/* What the device has, put here by the engine when it is added and again at each start. */
	uint8_t dev_mac[6];
	bool stamp_ns;		   /* PG_MAGIC_NS; only our receiver knows it */
	uint32_t dev_addr;	   /* its first IPv4 address, 0 if none */
	struct in6_addr dev_addr6; /* its link-local address, all 0 if none */

	/* The texts as they were set are what the device file prints. */
	char dst_min[32], dst_max[32], src_min[32], src_max[32];
	uint32_t saddr_min, saddr_max, daddr_min, daddr_max; /* by pg_config_settle() */
	struct in6_addr in6_saddr, in6_daddr;
	struct in6_addr min_in6_saddr, max_in6_saddr, min_in6_daddr, max_in6_daddr;
	uint16_t udp_src_min, udp_src_max, udp_dst_min, udp_dst_max;
	uint8_t tos, traffic_class;

	uint16_t vlan_id; /* 0xffff: none */
	uint8_t vlan_p, vlan_cfi;
	uint16_t svlan_id;
	uint8_t svlan_p, svlan_cfi;
	uint32_t nr_mpls;
	uint32_t mpls[PG_MAX_MPLS];

	uint32_t flows, flowlen;
	uint16_t queue_map_min, queue_map_max;
	uint32_t nr_imix;
	struct pg_imix imix[PG_MAX_IMIX];

	/* Not the kernel's: frames out of a capture file, as they are; empty if made. */
	char pcap[256];
	uint32_t pcap_longest;
	uint32_t pcap_speed; /* thousandths: 1000 = the gaps of the file, 0 = no gaps */
};

/* What add_device gives a new device. */
void pg_config_init(struct pg_config *c);

/*
 * What a start makes final, as the kernel stores it back: sizes of 0 become the smallest frame,
 * max_pkt_size is at least min_pkt_size, the queue range is clamped to nr_queues, and the IPv4
 * texts (empty src_min: the device's own address) become numbers.
 */
void pg_config_settle(struct pg_config *c, unsigned nr_queues);

/* Bytes of MPLS labels and VLAN tags. */
uint32_t pg_config_overhead(const struct pg_config *c);
/* Length on the wire of a frame whose configured size is size. */
uint32_t pg_config_frame_len(const struct pg_config *c, uint32_t size);
/* The longest and the shortest frame that this (settled) configuration can send. */
uint32_t pg_config_longest(const struct pg_config *c);
uint32_t pg_config_shortest(const struct pg_config *c);

/* The kernel's lenient reading of "a.b.c.d", host byte order; junk is 0.0.0.0. */
uint32_t pg_in_aton(const char *text);

#endif

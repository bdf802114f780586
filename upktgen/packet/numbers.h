/* SPDX-License-Identifier: MIT */
/* Numbers of what is on the wire: no include, so that programs for the kernel have them, too. */
#ifndef UPKTGEN_PACKET_NUMBERS_H
#define UPKTGEN_PACKET_NUMBERS_H

enum {
	PG_ETH_LEN = 14,
	PG_IP4_LEN = 20,
	PG_IP6_LEN = 40,
	PG_UDP_LEN = 8,
	PG_HDR_LEN = 16, /* magic, sequence, seconds, microseconds */
	PG_TTL = 32,
	PG_ETHERTYPE_IP4 = 0x0800,
	PG_ETHERTYPE_IP6 = 0x86dd,
	PG_ETHERTYPE_VLAN = 0x8100,
	PG_ETHERTYPE_QINQ = 0x88a8,
	PG_ETHERTYPE_MPLS = 0x8847,
	PG_IPPROTO_UDP = 17,
	PG_MPLS_BOTTOM = 0x100,
};

#define PG_MAGIC    0xbe9be955u
#define PG_MAGIC_NS 0xbe9be95bu /* ours: the eight bytes of time are nanoseconds */
#define PG_MAX_MPLS 16

#endif

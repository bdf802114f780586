/* SPDX-License-Identifier: MIT */
/*
 * Reading a frame of pktgen's, written once for both halves of the receiver: the program in the
 * kernel (tap.bpf.c) and user space (frame.c). So every access is checked against end in the form
 * that the kernel's verifier follows, and there is no call but to inlines.
 */
#ifndef UPKTGEN_RECEIVE_PARSE_H
#define UPKTGEN_RECEIVE_PARSE_H

#include <linux/types.h>

#include "../packet/numbers.h"

#define pg_parse_inline static inline __attribute__((always_inline))

/* A frame's headers need not be aligned. In the kernel that is its own to know. */
#ifdef __bpf__
#define pg_raw16(at) (*(const __u16 *)(at))
#define pg_raw32(at) (*(const __u32 *)(at))
#else
struct pg_parse_16 {
	__u16 v;
} __attribute__((packed));
struct pg_parse_32 {
	__u32 v;
} __attribute__((packed));

#define pg_raw16(at) (((const struct pg_parse_16 *)(at))->v)
#define pg_raw32(at) (((const struct pg_parse_32 *)(at))->v)
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define pg_be16(v) __builtin_bswap16(v)
#define pg_be32(v) __builtin_bswap32(v)
#else
#define pg_be16(v) (v)
#define pg_be32(v) (v)
#endif
#define pg_get16(at) pg_be16(pg_raw16(at))
#define pg_get32(at) pg_be32(pg_raw32(at))

/* What the headers say. sum: the UDP pseudo header's addresses, in the machine's own byte order. */
struct pg_parsed {
	const __u8 *ip, *udp;
	__u32 version; /* 4 or 6 */
	__u32 whole;   /* the IP header's sum is right */
	__u64 sum;
	__u64 flow; /* of addresses and ports: never 0 */
};

/* Does a one's complement sum with its checksum in it come out as it should? */
pg_parse_inline __u32 pg_sum_is_whole(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Past two tags and the labels: the network header and its type; 0 if it is none of ours. */
pg_parse_inline const __u8 *pg_parse_network(const __u8 *d, const __u8 *end, __u32 *type)
{
	const __u8 *at = d + PG_ETH_LEN;

	if (at > end)
		return 0;
	*type = pg_get16(d + 12);
	for (int i = 0; i < 2; i++) {
		if (*type != PG_ETHERTYPE_VLAN && *type != PG_ETHERTYPE_QINQ)
			break;
		if (at + 4 > end)
			return 0;
		*type = pg_get16(at + 2);
		at += 4;
	}
	if (*type != PG_ETHERTYPE_MPLS)
		return at;
	for (int i = 0; i < PG_MAX_MPLS; i++) {
		__u32 bottom;

		if (at + 5 > end)
			return 0;
		bottom = at[2] & 1;
		at += 4;
		if (bottom) {
			*type = *at >> 4 == 4	? PG_ETHERTYPE_IP4
				: *at >> 4 == 6 ? PG_ETHERTYPE_IP6
						: 0;
			return at;
		}
	}
	return 0;
}

/* Spreads every bit over all. */
pg_parse_inline __u64 pg_mix(__u64 h)
{
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/* An IPv4 header without options, as pktgen's are. */
pg_parse_inline int pg_parse_ip4(const __u8 *ip, const __u8 *end, struct pg_parsed *p)
{
	if (ip + 20 > end || ip[0] != 0x45 || ip[9] != 17 || pg_get16(ip + 6) & 0x1fff)
		return 0;
	__u32 src = pg_raw32(ip + 12), dst = pg_raw32(ip + 16);

	p->sum = (__u64)src + dst;
	p->whole = pg_sum_is_whole(p->sum + pg_raw32(ip) + pg_raw32(ip + 4) + pg_raw32(ip + 8));
	p->flow = pg_mix((__u64)src << 32 | dst);
	p->version = 4;
	p->udp = ip + 20;
	return 1;
}

pg_parse_inline int pg_parse_ip6(const __u8 *ip, const __u8 *end, struct pg_parsed *p)
{
	if (ip + 40 > end || ip[0] >> 4 != 6 || ip[6] != 17)
		return 0;
	p->sum = 0;
	p->flow = 0;
	for (int i = 0; i < 8; i++) {
		__u32 w = pg_raw32(ip + 8 + 4 * i);

		p->sum += w;
		p->flow = pg_mix(p->flow + w);
	}
	p->whole = 1;
	p->version = 6;
	p->udp = ip + 40;
	return 1;
}

/* True if there is room for pktgen's header behind a UDP header. */
pg_parse_inline int pg_parse(const __u8 *d, const __u8 *end, struct pg_parsed *p)
{
	__u32 type = 0;
	const __u8 *ip = pg_parse_network(d, end, &type);

	if (!ip)
		return 0;
	p->ip = ip;
	if (type == PG_ETHERTYPE_IP4) {
		if (!pg_parse_ip4(ip, end, p))
			return 0;
	} else if (type != PG_ETHERTYPE_IP6 || !pg_parse_ip6(ip, end, p)) {
		return 0;
	}
	if (p->udp + PG_UDP_LEN + PG_HDR_LEN > end)
		return 0;
	p->flow = pg_mix(p->flow + pg_raw32(p->udp)) | 1;
	return 1;
}

#endif

// SPDX-License-Identifier: MIT
#include "receive/frame.h"

#include <endian.h>
#include <string.h>

#include "packet/config.h"

enum {
	ETH_LEN = 14,
	UDP_LEN = 8,
	HDR_LEN = 16,
	TYPE_IP4 = 0x0800,
	TYPE_IP6 = 0x86dd,
	TYPE_VLAN = 0x8100,
	TYPE_QINQ = 0x88a8,
	TYPE_MPLS = 0x8847,
	PROTO_UDP = 17,
};

static uint32_t get16(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return be16toh(v);
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return be32toh(v);
}

/* One's complement sum in the machine's own byte order (the result only meets 0xffff). */
static uint64_t sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (; n >= 4; p += 4, n -= 4) {
		uint32_t v;

		memcpy(&v, p, sizeof(v));
		sum += v;
	}
	if (n) {
		uint32_t v = 0;

		memcpy(&v, p, n);
		sum += v;
	}
	return sum;
}

static bool sum_is_whole(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Skips tags and labels; the offset of the network header, 0 if there is none of ours. */
static uint32_t network_offset(const uint8_t *d, uint32_t caplen, uint32_t *type)
{
	uint32_t at = ETH_LEN;

	*type = get16(d + 12);
	while ((*type == TYPE_VLAN || *type == TYPE_QINQ) && at + 4 <= caplen) {
		*type = get16(d + at + 2);
		at += 4;
	}
	if (*type != TYPE_MPLS)
		return at;
	bool bottom = false;

	while (!bottom && at + 4 < caplen) {
		bottom = d[at + 2] & 1;
		at += 4;
	}
	if (!bottom)
		return 0;
	*type = d[at] >> 4 == 4 ? TYPE_IP4 : d[at] >> 4 == 6 ? TYPE_IP6 : 0;
	return at;
}

static uint32_t hash16(const uint8_t *p)
{
	return get32(p) * 31 + get32(p + 4) * 17 + get32(p + 8) * 7 + get32(p + 12);
}

/* Reads the IP header at d + at. Returns the UDP offset, 0 if not UDP; *sum the pseudo header. */
static uint32_t read_ip(const uint8_t *d, uint32_t at, uint32_t caplen, uint32_t type,
			struct pg_frame_facts *out, uint64_t *sum, bool *whole)
{
	const uint8_t *ip = d + at;

	if (type == TYPE_IP4) {
		if (at + 20 > caplen || ip[0] >> 4 != 4)
			return 0;
		uint32_t ihl = (ip[0] & 15u) * 4;

		if (ihl < 20 || at + ihl > caplen || ip[9] != PROTO_UDP || (get16(ip + 6) & 0x1fff))
			return 0;
		*whole = sum_is_whole(sum_bytes(ip, ihl));
		*sum = sum_bytes(ip + 12, 8);
		out->version = 4;
		out->saddr = get32(ip + 12);
		out->daddr = get32(ip + 16);
		return at + ihl;
	}
	if (type != TYPE_IP6 || at + 40 > caplen || ip[0] >> 4 != 6 || ip[6] != PROTO_UDP)
		return 0;
	*sum = sum_bytes(ip + 8, 32);
	out->version = 6;
	out->saddr = hash16(ip + 8);
	out->daddr = hash16(ip + 24);
	return at + 40;
}

static bool udp_whole(const uint8_t *udp, uint32_t room, uint64_t sum)
{
	uint32_t len = get16(udp + 4);

	if (len < UDP_LEN || len > room)
		return false;
	sum += htobe16((uint16_t)len) + htobe16(PROTO_UDP);
	return sum_is_whole(sum + sum_bytes(udp, len));
}

enum pg_frame_kind pg_frame_read(const uint8_t *d, uint32_t caplen, uint32_t len, bool check_udp,
				 int expect_dport, struct pg_frame_facts *out)
{
	uint32_t type;
	uint64_t sum = 0;
	bool whole = true;

	if (caplen < ETH_LEN + 20)
		return PG_FRAME_OTHER;
	uint32_t at = network_offset(d, caplen, &type);
	uint32_t udp = at ? read_ip(d, at, caplen, type, out, &sum, &whole) : 0;

	if (udp == 0 || udp + UDP_LEN + HDR_LEN > caplen)
		return PG_FRAME_OTHER;
	const uint8_t *h = d + udp + UDP_LEN;
	bool fine = get32(h) == PG_MAGIC_NS, magic = fine || get32(h) == PG_MAGIC;

	out->sport = (uint16_t)get16(d + udp);
	out->dport = (uint16_t)get16(d + udp + 2);
	if (!magic && (int)out->dport != expect_dport)
		return PG_FRAME_OTHER;
	if (!magic || !whole)
		return PG_FRAME_DAMAGED;
	if (check_udp && get16(d + udp + 6) != 0 && caplen == len &&
	    !udp_whole(d + udp, caplen - udp, sum))
		return PG_FRAME_DAMAGED;
	out->seq = get32(h + 4);
	out->fine = fine;
	out->sent_ns = fine ? (uint64_t)get32(h + 8) << 32 | get32(h + 12)
			    : get32(h + 8) * 1000000000ull + get32(h + 12) * 1000ull;
	return PG_FRAME_OURS;
}

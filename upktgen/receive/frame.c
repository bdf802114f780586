// SPDX-License-Identifier: MIT
#include "receive/frame.h"

#include <string.h>

#include "packet/config.h"
#include "receive/parse.h"

/* One's complement sum in the machine's own byte order (the result only meets 0xffff). */
static uint64_t sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (; n >= 4; p += 4, n -= 4)
		sum += pg_raw32(p);
	if (n) {
		uint32_t v = 0;

		memcpy(&v, p, n);
		sum += v;
	}
	return sum;
}

static bool udp_whole(const struct pg_parsed *p, const uint8_t *end)
{
	uint32_t len = pg_get16(p->udp + 4);
	uint64_t sum = p->sum + pg_raw16(p->udp + 4) + pg_be16((uint16_t)17);

	if (len < PG_UDP_LEN || len > (uint32_t)(end - p->udp))
		return false;
	return pg_sum_is_whole(sum + sum_bytes(p->udp, len));
}

enum pg_frame_kind pg_frame_read(const uint8_t *d, uint32_t caplen, uint32_t len, bool check_udp,
				 int expect_dport, struct pg_frame_facts *out)
{
	struct pg_parsed p;
	const uint8_t *end = d + caplen;

	if (!pg_parse(d, end, &p))
		return PG_FRAME_OTHER;
	const uint8_t *h = p.udp + PG_UDP_LEN;
	bool fine = pg_get32(h) == PG_MAGIC_NS, magic = fine || pg_get32(h) == PG_MAGIC;

	out->ip = p.ip;
	out->version = (uint8_t)p.version;
	out->sport = pg_get16(p.udp);
	out->dport = pg_get16(p.udp + 2);
	out->flow = p.whole ? p.flow : 0;
	if (!magic && (int)out->dport != expect_dport)
		return PG_FRAME_OTHER;
	if (!magic || !p.whole)
		return PG_FRAME_DAMAGED;
	if (check_udp && pg_raw16(p.udp + 6) != 0 && caplen == len && !udp_whole(&p, end))
		return PG_FRAME_DAMAGED;
	out->seq = pg_get32(h + 4);
	out->fine = fine;
	out->sent_ns = fine ? (uint64_t)pg_get32(h + 8) << 32 | pg_get32(h + 12)
			    : pg_get32(h + 8) * 1000000000ull + pg_get32(h + 12) * 1000ull;
	return PG_FRAME_OURS;
}

void pg_frame_flow_id(const struct pg_frame_facts *f, struct pg_flow_id *out)
{
	memset(out, 0, sizeof(*out));
	out->version = f->version;
	out->sport = f->sport;
	out->dport = f->dport;
	if (f->version == 4) {
		memcpy(out->src, f->ip + 12, 4);
		memcpy(out->dst, f->ip + 16, 4);
	} else {
		memcpy(out->src, f->ip + 8, 16);
		memcpy(out->dst, f->ip + 24, 16);
	}
}

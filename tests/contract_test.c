/* SPDX-License-Identifier: MIT */
/*
 * Random configurations, said in pktgen's words, against a model of the contract that knows only
 * what was said: sizes, addresses, ports, tags, queues, checksums, copies, sequence and stamps of
 * every frame, first as the generator makes them, then as they arrive over a real device.
 *
 * WW_CONTRACT_WIRE=N: only so many of them over the device.
 */
#include "tap.h"

#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>

#include "command/flags.h"
#include "command/words.h"
#include "frame.h"
#include "netns.h"

#define CONFIGURATIONS 10000
#define PACKETS	       12

/* A field that stands still, steps or jumps within [first, last]. */
struct moves {
	uint64_t first, last;
	bool random;
	uint64_t at; /* linear: the value to come next */
};

struct model {
	uint64_t rng;
	bool ip6, checksum, no_stamp, flows, ip6_range, mpls_random, vid_random, svid_random;
	unsigned flow_count, flow_len;
	bool flows_in_order;
	struct moves size, sport, dport, saddr, daddr, smac, dmac, queue;
	unsigned nr_queues, cpu, copies;
	bool daddr_over_bad; /* the range covers addresses that a random draw leaves out */
	unsigned nr_imix;
	uint32_t imix[20];
	uint8_t smac_base[6], dmac_base[6];
	unsigned nr_mpls;
	uint32_t mpls[16];
	int vlan, vlan_p, vlan_cfi, svlan, svlan_p, svlan_cfi; /* id -1: none */
	uint8_t tos, tclass;
	uint8_t saddr6[16], daddr6[16], min6[16], max6[16];
	/* what the device has of its own */
	uint8_t dev_mac[6], dev_addr6[16];
	uint32_t dev_addr;
	uint32_t seq;
	uint16_t id;
	/* flows in order: the destination of the present one */
	unsigned in_flow;
	uint64_t flow_daddr;
	char said[8192];
	size_t said_len;
};

static uint64_t below(struct model *m, uint64_t n)
{
	return tap_random(&m->rng) % n;
}

static bool chance(struct model *m, unsigned in)
{
	return below(m, in) == 0;
}

static __attribute__((format(printf, 2, 3))) void say(struct model *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->said_len +=
		(size_t)vsnprintf(m->said + m->said_len, sizeof(m->said) - m->said_len, fmt, ap);
	va_end(ap);
	m->said[m->said_len++] = '\n';
	m->said[m->said_len] = 0;
	CHECK(m->said_len < sizeof(m->said) - 600);
}

/* What is off is now and then said to be, too. */
static void flag(struct model *m, bool on, const char *name)
{
	if (on)
		say(m, "flag %s", name);
	else if (chance(m, 8))
		say(m, "flag !%s", name);
}

static const char *dotted(uint64_t a)
{
	static char text[2][16];
	static int turn;

	turn = !turn;
	snprintf(text[turn], 16, "%d.%d.%d.%d", (int)(a >> 24), (int)(a >> 16 & 255),
		 (int)(a >> 8 & 255), (int)(a & 255));
	return text[turn];
}

/* Ports: max is one above the last; no range unless max > min. */
static void choose_port(struct model *m, struct moves *v, const char *which, const char *flag_name)
{
	uint64_t min = below(m, 65536), max = min;

	if (chance(m, 2))
		max = min + 1 + below(m, 65536 - min ? 65535 - min + 1 : 1);
	if (max > 65535)
		max = 65535;
	v->first = min;
	v->last = max > min ? max - 1 : min;
	v->random = max > min && chance(m, 2);
	/* the first packet carries min + 1, or min again where that would be max */
	v->at = max > min && min + 1 < max ? min + 1 : min;
	say(m, "udp_%s_min %d", which, (int)min);
	say(m, "udp_%s_max %d", which, (int)max);
	flag(m, v->random, flag_name);
}

/* Addresses: linear takes max too, random stays below it. */
static void choose_addr(struct model *m, struct moves *v, const char *which, const char *flag_name)
{
	uint64_t min = (10ull << 24) + below(m, 1 << 24), max = min;

	if (chance(m, 2))
		max = min + 1 + below(m, chance(m, 2) ? 4 : 1 << 20);
	v->random = max > min && chance(m, 2);
	if (v->random && which[0] == 'd' && chance(m, 3)) {
		min = below(m, 2) ? 0x7f000000 - 50 : 0xe0000000 - 50;
		max = (min >> 24 == 0x7e ? 0x80000000 : 0xf0000000) + 50;
		m->daddr_over_bad = true;
	}
	v->first = min;
	v->last = v->random ? max - 1 : max;
	v->at = max > min ? min + 1 : min;
	say(m, "%s_min %s", which, dotted(min));
	if (max > min || chance(m, 2))
		say(m, "%s_max=%s", which, dotted(max));
	flag(m, v->random, flag_name);
}

static void choose_size(struct model *m)
{
	uint64_t min = 42 + below(m, 1400), max = min;

	if (chance(m, 4)) {
		m->nr_imix = 1 + (unsigned)below(m, 20);
		m->said_len += (size_t)sprintf(m->said + m->said_len, "imix_weights");
		for (unsigned i = 0; i < m->nr_imix; i++) {
			m->imix[i] = (uint32_t)below(m, 1400);
			m->said_len += (size_t)sprintf(m->said + m->said_len, " %u,%d", m->imix[i],
						       (int)(1 + below(m, 50)));
			if (m->imix[i] < 42)
				m->imix[i] = 42;
		}
		say(m, "%s", "");
		if (chance(m, 2))
			say(m, "pkt_size %d", (int)min);
		return;
	}
	if (chance(m, 2))
		max = min + 1 + below(m, chance(m, 2) ? 4 : 1455 - min + 42);
	if (max > 1496)
		max = 1496;
	m->size.random = max > min && chance(m, 2);
	m->size.first = min;
	m->size.last = m->size.random ? max - 1 : max;
	m->size.at = max > min ? min + 1 : min;
	if (max == min) {
		say(m, "pkt_size %d", (int)min);
	} else {
		say(m, "min_pkt_size %d", (int)min);
		say(m, "max_pkt_size %d", (int)max);
	}
	flag(m, m->size.random, "TXSIZE_RND");
}

static void choose_mac(struct model *m, struct moves *v, uint8_t base[6], const char *which,
		       const char *flag_name)
{
	uint64_t count = chance(m, 2) ? below(m, 5) : below(m, 1 << 20);

	for (int i = 0; i < 6; i++)
		base[i] = (uint8_t)tap_random(&m->rng);
	base[0] = 2;
	if (which[0] == 's' && chance(m, 5))
		memcpy(base, m->dev_mac, 6);
	else
		say(m, "%s_mac %02x:%02x:%02x:%02x:%02x:%02x", which, base[0], base[1], base[2],
		    base[3], base[4], base[5]);
	if (chance(m, 2))
		count = 0;
	v->first = 0;
	v->last = count > 1 ? count - 1 : 0;
	v->random = count > 1 && chance(m, 2);
	v->at = 0;
	say(m, "%s_mac_count %d", which, (int)count);
	flag(m, v->random, flag_name);
}

static void choose_tags(struct model *m)
{
	m->vlan = m->svlan = -1;
	if (chance(m, 4)) {
		m->nr_mpls = 1 + (unsigned)below(m, 16);
		m->said_len += (size_t)sprintf(m->said + m->said_len, "mpls ");
		for (unsigned i = 0; i < m->nr_mpls; i++) {
			m->mpls[i] = (uint32_t)tap_random(&m->rng) | 1;
			m->said_len += (size_t)sprintf(m->said + m->said_len, "%s%08x",
						       i ? "," : "", m->mpls[i]);
		}
		say(m, "%s", "");
		m->mpls_random = true; /* by any label with the bottom bit */
		if (chance(m, 3)) {
			say(m, "flag !MPLS_RND");
			m->mpls_random = false;
		}
		return;
	}
	if (chance(m, 2))
		return;
	m->vlan = (int)below(m, 4096);
	say(m, "vlan_id %d", m->vlan);
	if (chance(m, 2))
		say(m, "vlan_p %d", m->vlan_p = (int)below(m, 8));
	if (chance(m, 2))
		say(m, "vlan_cfi %d", m->vlan_cfi = (int)below(m, 2));
	flag(m, m->vid_random = chance(m, 3), "VID_RND");
	if (chance(m, 2))
		return;
	m->svlan = (int)below(m, 4096);
	say(m, "svlan_id %d", m->svlan);
	if (chance(m, 2))
		say(m, "svlan_p %d", m->svlan_p = (int)below(m, 8));
	if (chance(m, 2))
		say(m, "svlan_cfi %d", m->svlan_cfi = (int)below(m, 2));
	flag(m, m->svid_random = chance(m, 3), "SVID_RND");
}

static void say6(struct model *m, const char *word, uint8_t a[16])
{
	for (int i = 0; i < 16; i++)
		a[i] = chance(m, 3) ? 0 : (uint8_t)tap_random(&m->rng);
	a[0] = 0xfd;
	a[1] |= 1;
	m->said_len += (size_t)sprintf(m->said + m->said_len, "%s ", word);
	for (int i = 0; i < 16; i += 2)
		m->said_len += (size_t)sprintf(m->said + m->said_len, "%s%x", i ? ":" : "",
					       a[i] << 8 | a[i + 1]);
	say(m, "%s", "");
}

static void choose_network(struct model *m)
{
	m->ip6 = chance(m, 3);
	if (m->ip6) {
		say6(m, chance(m, 2) ? "dst6" : "dst6=", m->daddr6);
		if (chance(m, 5))
			memcpy(m->saddr6, m->dev_addr6, 16);
		else
			say6(m, "src6", m->saddr6);
		m->ip6_range = chance(m, 2);
		if (m->ip6_range) {
			say6(m, "dst6_min", m->min6);
			say6(m, "dst6_max", m->max6);
		}
		m->tclass = (uint8_t)below(m, 256);
		say(m, "traffic_class %02x", m->tclass);
		return;
	}
	if (chance(m, 5))
		m->saddr.first = m->saddr.last = m->saddr.at = m->dev_addr;
	else
		choose_addr(m, &m->saddr, "src", "IPSRC_RND");
	choose_addr(m, &m->daddr, "dst", "IPDST_RND");
	m->tos = (uint8_t)below(m, 256);
	say(m, "tos %02x", m->tos);
	m->flows = chance(m, 4);
	if (!m->flows)
		return;
	m->flow_count = 1 + (unsigned)below(m, 4);
	m->flow_len = 1 + (unsigned)below(m, 5);
	m->flows_in_order = chance(m, 2);
	say(m, "flows %u", m->flow_count);
	say(m, "flowlen %u", m->flow_len);
	if (chance(m, 2))
		flag(m, m->flows_in_order, "FLOW_SEQ");
	else
		say(m, "flag %sFLOW_RND", m->flows_in_order ? "!" : "");
}

/* Both ends count; beyond the device's last queue there is that one. */
static void choose_queues(struct model *m)
{
	uint64_t min = below(m, 4), max = min + below(m, 10), last = m->nr_queues - 1;
	bool by_cpu = chance(m, 3);

	m->queue.random = !by_cpu && chance(m, 3);
	flag(m, by_cpu, "QUEUE_MAP_CPU");
	flag(m, m->queue.random, "QUEUE_MAP_RND");
	if (chance(m, 2)) {
		min = max = 0;
	} else {
		say(m, "queue_map_min %d", (int)min);
		say(m, "queue_map_max %d", (int)max);
	}
	m->queue.first = by_cpu ? m->cpu % m->nr_queues : min < last ? min : last;
	m->queue.last = by_cpu ? m->queue.first : max < last ? max : last;
	m->queue.random &= m->queue.last > m->queue.first;
	m->queue.at = m->queue.first + (m->queue.last > m->queue.first);
}

/* How often a frame goes out, and what a frame itself shows nothing of. */
static void choose_copies(struct model *m)
{
	unsigned clone = 0, burst = 1;
	bool shared = !chance(m, 8), queued = chance(m, 8);

	if (shared && !m->nr_imix && chance(m, 6))
		say(m, "clone_skb %u", clone = (unsigned)below(m, 5));
	if (queued)
		say(m, "xmit_mode queue_xmit");
	else if (shared && chance(m, 6))
		say(m, "burst %u", burst = 1 + (unsigned)below(m, 4));
	flag(m, shared, "SHARED");
	m->copies = (clone > 1 ? clone : 1) * burst;
	if (chance(m, 6))
		say(m, "frags %d", (int)below(m, 20));
	if (chance(m, 6)) {
		say(m, "node 0");
		flag(m, chance(m, 2), "NODE");
	}
	if (chance(m, 12))
		say(m, "skb_priority %d", (int)below(m, 8));
	if (chance(m, 12))
		say(m, "delay %d", (int)below(m, 20000));
	else if (chance(m, 12))
		say(m, chance(m, 2) ? "rate 9000" : "ratep 400000");
}

/* With devices of up to so many queues and, if own, addresses of their own. */
static void choose(struct model *m, uint64_t seed, unsigned queues, bool own)
{
	memset(m, 0, sizeof(*m));
	m->rng = seed;
	m->seq = 1;
	m->nr_queues = 1 + (unsigned)below(m, queues);
	m->cpu = (unsigned)below(m, 16);
	memcpy(m->dev_mac, "\x02\xaa\x01\xff\xff\xfe", 6);
	if (own) {
		m->dev_addr = 0xac100001;
		memcpy(m->dev_addr6, "\xfe\x80\0\0\0\0\0\0\0\xaa\x01\xff\xfe\xff\xff\xfe", 16);
	}
	choose_size(m);
	choose_tags(m);
	choose_network(m);
	choose_port(m, &m->sport, "src", "UDPSRC_RND");
	choose_port(m, &m->dport, "dst", "UDPDST_RND");
	choose_mac(m, &m->smac, m->smac_base, "src", "MACSRC_RND");
	choose_mac(m, &m->dmac, m->dmac_base, "dst", "MACDST_RND");
	flag(m, m->checksum = chance(m, 2), "UDPCSUM");
	flag(m, m->no_stamp = chance(m, 4), "NO_TIMESTAMP");
	choose_queues(m);
	choose_copies(m);
	say(m, "count %d", PACKETS);
}

/* --- what a frame must be --------------------------------------------------------------------- */

#define WANT(cond, ...)                                                                            \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s", m->said);                                            \
			tap_fail(__FILE__, __LINE__, __VA_ARGS__);                                 \
		}                                                                                  \
	} while (0)

static void want_moved(const struct model *m, struct moves *v, uint64_t got, const char *what)
{
	if (v->random) {
		WANT(got >= v->first && got <= v->last,
		     "%s is %" PRIu64 ", not within %" PRIu64 " and %" PRIu64, what, got, v->first,
		     v->last);
		return;
	}
	WANT(got == v->at, "packet %u: %s is %" PRIu64 ", not %" PRIu64, m->seq, what, got, v->at);
	v->at = v->at == v->last ? v->first : v->at + 1;
}

static uint32_t least_size(const struct model *m)
{
	return 14 + 4 * m->nr_mpls + (m->vlan >= 0 ? 4 : 0) + (m->svlan >= 0 ? 4 : 0) +
	       (m->ip6 ? 40 : 20) + 8 + 16;
}

static void want_size(struct model *m, uint32_t len)
{
	uint32_t least = least_size(m);

	if (m->nr_imix) {
		bool found = false;

		for (unsigned i = 0; i < m->nr_imix; i++)
			found |= len == (m->imix[i] < least ? least : m->imix[i]);
		WANT(found, "no imix entry has %u bytes", len);
		return;
	}
	if (m->size.random) {
		uint32_t first = (uint32_t)m->size.first, last = (uint32_t)m->size.last;

		WANT(len >= first && len >= least && (len <= last || len == least), "size %u", len);
		return;
	}
	WANT(len == (m->size.at < least ? least : m->size.at), "packet %u: size %u, not %d", m->seq,
	     len, (int)m->size.at);
	m->size.at = m->size.at == m->size.last ? m->size.first : m->size.at + 1;
}

static uint64_t low_bytes(const uint8_t mac[6])
{
	uint64_t v = 0;

	for (int i = 1; i < 6; i++)
		v = v << 8 | mac[i];
	return v;
}

static void want_mac(struct model *m, struct moves *v, const uint8_t base[6], const uint8_t got[6],
		     const char *what)
{
	WANT(got[0] == base[0], "first byte of the %s", what);
	want_moved(m, v, (low_bytes(got) - low_bytes(base)) & 0xffffffffff, what);
}

static void want_tags(struct model *m, const struct frame *f)
{
	unsigned nr = (m->vlan >= 0) + (m->svlan >= 0);

	WANT(f->nr_tags == nr, "%u tags, not %u", f->nr_tags, nr);
	WANT(f->nr_mpls == m->nr_mpls, "%u labels, not %u", f->nr_mpls, m->nr_mpls);
	for (unsigned i = 0; i < m->nr_mpls; i++) {
		uint32_t bottom = i + 1 == m->nr_mpls ? 0x100 : 0;

		if (m->mpls_random && m->mpls[i] & 0x100)
			WANT((f->mpls[i] & 0xfff00100) == bottom, "random label %08x", f->mpls[i]);
		else
			WANT(f->mpls[i] == ((m->mpls[i] & ~0x100u) | bottom), "label %08x",
			     f->mpls[i]);
	}
	if (m->svlan >= 0)
		WANT((f->tci[0] & (m->svid_random ? 0xf000 : 0xffff)) ==
			     (m->svlan_p << 13 | m->svlan_cfi << 12 |
			      (m->svid_random ? 0 : m->svlan)),
		     "outer tag %04x", f->tci[0]);
	if (m->vlan >= 0)
		WANT((f->tci[nr - 1] & (m->vid_random ? 0xf000 : 0xffff)) ==
			     (m->vlan_p << 13 | m->vlan_cfi << 12 | (m->vid_random ? 0 : m->vlan)),
		     "inner tag %04x", f->tci[nr - 1]);
}

/* A flow keeps its destination: only a new one moves the address on. */
static void want_daddr(struct model *m, uint32_t got)
{
	if (m->daddr_over_bad)
		WANT(got >> 24 != 0 && got >> 24 != 127 && got >> 28 != 14 && got != UINT32_MAX,
		     "random destination %08x", got);
	if (!m->flows) {
		want_moved(m, &m->daddr, got, "destination");
		return;
	}
	if (!m->flows_in_order) {
		WANT(got >= m->daddr.first && got <= m->daddr.last, "destination %08x", got);
		return;
	}
	if (m->in_flow == 0) {
		want_moved(m, &m->daddr, got, "a new flow's destination");
		m->flow_daddr = got;
	}
	WANT(got == m->flow_daddr, "destination %08x within a flow of %08x", got,
	     (uint32_t)m->flow_daddr);
	m->in_flow = (m->in_flow + 1) % m->flow_len;
}

static void want_network(struct model *m, const struct frame *f)
{
	WANT(f->ip6 == m->ip6, "IP version");
	if (!m->ip6) {
		WANT(f->tos == m->tos, "tos %02x", f->tos);
		WANT(f->ip_id == m->id++, "id %u", f->ip_id);
		want_moved(m, &m->saddr, f->saddr, "source");
		want_daddr(m, f->daddr);
		return;
	}
	WANT(f->tos == m->tclass, "traffic class %02x", f->tos);
	WANT(!memcmp(f->saddr6, m->saddr6, 16), "IPv6 source");
	for (int i = 0; i < 16; i++) {
		if (!m->ip6_range)
			WANT(f->daddr6[i] == m->daddr6[i], "IPv6 destination");
		else
			WANT(!(f->daddr6[i] & ~m->max6[i]) &&
				     !(m->min6[i] & m->max6[i] & ~f->daddr6[i]),
			     "IPv6 destination range");
	}
}

static void want_frame(struct model *m, const uint8_t *bytes, uint32_t len)
{
	struct frame f;

	frame_read(&f, bytes, len); /* lengths and checksums */
	want_size(m, len);
	want_tags(m, &f);
	want_network(m, &f);
	want_moved(m, &m->sport, f.sport, "source port");
	want_moved(m, &m->dport, f.dport, "destination port");
	want_mac(m, &m->smac, m->smac_base, f.src, "source MAC");
	want_mac(m, &m->dmac, m->dmac_base, f.dst, "destination MAC");
	WANT((f.udp_sum != 0) == m->checksum, "UDP checksum %04x", f.udp_sum);
	WANT(f.seq == m->seq, "sequence %u, not %u", f.seq, m->seq);
	WANT(m->no_stamp ? !f.sec && !f.usec : f.sec && f.usec < 1000000, "stamp %u.%u", f.sec,
	     f.usec);
	m->seq += m->copies;
}

/* --- the generator ------------------------------------------------------------------------------ */

static void configure(struct model *m, struct pg_config *c)
{
	struct pg_device_facts facts = {.name = "eth0", .tx_sharing = true};
	struct pg_outcome out;

	pg_config_init(c);
	memcpy(c->dev_mac, m->dev_mac, 6);
	memcpy(&c->dev_addr6, m->dev_addr6, 16);
	c->dev_addr = m->dev_addr;
	for (const char *at = m->said; *at; at = strchr(at, '\n') + 1) {
		size_t len = strcspn(at, "\n");

		pg_device_command(&facts, true, c, at, len + 1, &out);
		WANT(!out.err && strncmp(out.result, "ERROR", 5) != 0, "\"%.*s\": %s", (int)len, at,
		     out.why);
	}
}

static void want_queue(struct model *m, const struct pg_packet *p)
{
	struct pg_cursor at;

	pg_packet_cursor(p, &at);
	want_moved(m, &m->queue, at.cur_queue_map, "queue");
}

/* One by one, or as a burst; after a burst only the last queue can be seen. */
static void make_frames(struct model *m, struct pg_packet *p, bool one_by_one)
{
	const uint64_t now = 1700000000123456789ull;
	static uint8_t slots[PACKETS][2048];
	struct iovec v[PACKETS];

	CHECK(pg_packet_room(p) <= sizeof(slots[0]));
	for (int i = 0; i < PACKETS; i++) {
		v[i].iov_base = slots[i];
		memset(slots[i], 0xee, sizeof(slots[i]));
		if (!one_by_one) {
			pg_packet_prepare(p, slots[i]);
			continue;
		}
		v[i].iov_len = pg_packet_next(p, slots[i], now);
		pg_packet_sent(p, m->copies);
		want_queue(m, p);
	}
	if (!one_by_one)
		pg_packet_fill(p, v, PACKETS, now);
	for (int i = 0; i < PACKETS; i++)
		want_frame(m, slots[i], (uint32_t)v[i].iov_len);
}

/* What was said, so that the test itself can be judged. */
struct coverage {
	uint32_t set, cleared;
	unsigned times[PG_NR_FLAGS];
};

static void note(struct coverage *c, const struct pg_config *config)
{
	c->set |= config->flags;
	c->cleared |= ~config->flags;
	for (int i = 0; i < PG_NR_FLAGS; i++)
		c->times[i] += config->flags >> i & 1;
}

TEST_LIMIT(every_random_configuration_gives_the_frames_of_the_contract, 60)
{
	static struct model model;
	struct model *m = &model;
	struct coverage seen = {.set = 0};
	struct pg_config c;
	char why[128];

	for (uint64_t n = 0; n < CONFIGURATIONS; n++) {
		choose(m, tap_seed() + n, 8, true);
		configure(m, &c);
		note(&seen, &c);
		struct pg_packet *p =
			pg_packet_start(&c, tap_seed() ^ n, (int)m->cpu, m->nr_queues, why);

		WANT(p, "%s", why);
		make_frames(m, p, m->copies > 1 || n & 1);
		pg_packet_end(p);
	}
	/* Every flag was on often, and off; IPSEC is refused. */
	CHECK_EQ(seen.set | PG_IPSEC, (1u << PG_NR_FLAGS) - 1);
	CHECK_EQ(seen.cleared & ((1u << PG_NR_FLAGS) - 1), (1u << PG_NR_FLAGS) - 1);
	for (int i = 0; i < PG_NR_FLAGS; i++)
		CHECK_MSG(1u << i == PG_IPSEC || seen.times[i] > CONFIGURATIONS / 100,
			  "flag %s was on %u times only", pg_flag_names[i], seen.times[i]);
}

/* A command that the model never says would be one that no frame is checked for. */
TEST(the_configurations_say_every_command_that_a_frame_can_show)
{
	static struct model model;
	static const char other[] = " clear_counters spi pcap pcap_speed debug dst ";
	char *all = NULL, *names = NULL;
	size_t len, names_len;
	FILE *to = open_memstream(&all, &len);

	for (uint64_t n = 0; n < 300; n++) {
		choose(&model, tap_seed() + n, 8, true);
		fputs(model.said, to);
	}
	fclose(to);
	to = open_memstream(&names, &names_len);
	pg_device_commands_print(to);
	fclose(to);
	for (const char *at = names; *at; at = strchr(at, '\n') + 1) {
		char name[32], odd[40], line[40], equals[40];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
		snprintf(odd, sizeof(odd), " %s ", name);
		snprintf(line, sizeof(line), "\n%s ", name);
		snprintf(equals, sizeof(equals), "\n%s=", name);
		CHECK_MSG(strstr(other, odd) || strstr(all, line) || strstr(all, equals),
			  "no configuration has %s", name);
	}
	free(all);
	free(names);
}

/* --- over a device ---------------------------------------------------------------------------- */

static int listen_on(const char *ifname)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_ALL),
				 .sll_ifindex = (int)if_nametoindex(ifname)};
	int one = 1, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	CHECK(fd >= 0);
	CHECK_EQ(setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)), 0);
	CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* One frame as it was on the wire: the tag that the kernel took off is put back. */
static uint32_t hear(int fd, uint8_t *buf, size_t size)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec v = {buf, size};
	struct msghdr msg = {.msg_iov = &v,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;

	CHECK_MSG(poll(&p, 1, 5000) == 1, "no frame within 5 s");
	n = recvmsg(fd, &msg, 0);
	CHECK(n > 0);
	for (struct cmsghdr *h = CMSG_FIRSTHDR(&msg); h; h = CMSG_NXTHDR(&msg, h)) {
		struct tpacket_auxdata a;

		memcpy(&a, CMSG_DATA(h), sizeof(a));
		if (!(a.tp_status & TP_STATUS_VLAN_VALID))
			continue;
		memmove(buf + 16, buf + 12, (size_t)n - 12);
		buf[12] = (uint8_t)(a.tp_vlan_tpid >> 8);
		buf[13] = (uint8_t)a.tp_vlan_tpid;
		buf[14] = (uint8_t)(a.tp_vlan_tci >> 8);
		buf[15] = (uint8_t)a.tp_vlan_tci;
		n += 4;
	}
	return (uint32_t)n;
}

static void must(struct pg_words *w, const char *target, const char *text, size_t len)
{
	struct pg_outcome out;

	CHECK_MSG(pg_words_write(w, target, text, len, &out) == 0, "%s: %.*s: %s", target, (int)len,
		  text, out.why);
}

/* Each frame as often as was said, each copy the same. */
static void want_frames(struct model *m, int fd)
{
	static uint8_t buf[4096], before[4096];
	uint32_t len = 0, was;

	for (unsigned i = 0; i < PACKETS; i++) {
		was = len;
		memcpy(before, buf, was);
		len = hear(fd, buf, sizeof(buf));
		if (i % m->copies == 0)
			want_frame(m, buf, len);
		else
			WANT(len == was && !memcmp(buf, before, len), "copy %u differs", i);
	}
}

struct wire {
	int fd;
	struct pg_engine *engine;
	struct pg_words *words;
	char thread[32];
};

static void wire_open(struct wire *w, const char *backend)
{
	struct pg_engine_options eo = {.seed = tap_seed(), .backend = backend};
	struct pg_words_options wo = {0};

	netns_enter();
	/* of one queue: most backends leave the choice to the driver */
	netns_run("ip link add ct0 address 02:aa:01:ff:ff:fe numtxqueues 1 numrxqueues 1 type veth "
		  "peer name ct1 numtxqueues 1 numrxqueues 1 && "
		  "for d in ct0 ct1; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6; "
		  "ip link set $d up; done");
	if (!strcmp(backend, "live") && system("ethtool -K ct1 gro on") != 0)
		tap_skip("ethtool is needed");
	w->fd = listen_on("ct1");
	w->engine = pg_engine_create(&eo);
	CHECK(w->engine);
	w->words = pg_words_create(w->engine, &wo);
	CHECK(w->words);
	snprintf(w->thread, sizeof(w->thread), "kpktgend_%d", pg_engine_thread_cpu(w->engine, 0));
}

static void wire_close(struct wire *w)
{
	pg_words_destroy(w->words);
	pg_engine_destroy(w->engine);
	close(w->fd);
}

/* One configuration; false if the backend says that it can't do it. */
static bool wire_run(struct wire *w, struct model *m)
{
	size_t len;
	char *text;
	bool started;

	must(w->words, w->thread, "rem_device_all", 14);
	must(w->words, w->thread, "add_device ct0", 14);
	for (const char *at = m->said; *at; at = strchr(at, '\n') + 1)
		must(w->words, "ct0", at, strcspn(at, "\n") + 1);
	must(w->words, "pgctrl", "start", 5);
	text = pg_words_read(w->words, "ct0", &len);
	CHECK(text);
	started = strstr(text, "\nResult: OK: ");
	WANT(started || strstr(text, "\nResult: Error starting\n  "), "%s", text);
	free(text);
	if (started)
		want_frames(m, w->fd);
	return started;
}

static void over_a_device(const char *backend, uint64_t runs, uint64_t least)
{
	static struct model model;
	struct wire w;
	uint64_t done = 0;

	wire_open(&w, backend);
	for (uint64_t n = 0; n < runs; n++) {
		choose(&model, tap_seed() + n, 1, false);
		done += wire_run(&w, &model);
	}
	wire_close(&w);
	CHECK_MSG(done >= least, "only %" PRIu64 " of %" PRIu64 " were sent", done, runs);
}

TEST_LIMIT(and_so_does_what_is_read_back_from_a_device, 150)
{
	const char *many = getenv("WW_CONTRACT_WIRE");
	uint64_t runs = many ? strtoull(many, NULL, 10) : CONFIGURATIONS;

	over_a_device("packet", runs, runs);
}

/* The other two ways by itself, as far as they can: each refuses some words, and says so. */
TEST_LIMIT(and_what_af_xdp_sends, 100)
{
	over_a_device("xdp", 100, 60);
}

TEST_LIMIT(and_what_a_program_in_the_kernel_sends, 100)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	over_a_device("live", 70, 40);
}

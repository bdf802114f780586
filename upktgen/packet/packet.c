// SPDX-License-Identifier: MIT
/* Making a generator: the template, the sums of what never changes, and the choice of the loop. */
#include "packet/internal.h"

#include <errno.h>
#include <stdio.h>

#include "base/alloc.h"

static uint32_t tci(uint32_t id, uint32_t cfi, uint32_t prio)
{
	return (prio & 7) << 13 | (cfi & 1) << 12 | (id & 0xfff);
}

static bool has_patch_for_size(const struct pg_config *c)
{
	return c->min_pkt_size < c->max_pkt_size || c->nr_imix;
}

/* Addresses, tags, and where the IP header begins. */
static void lay_link(struct pg_packet *p)
{
	const struct pg_config *c = &p->config;
	static const uint8_t none[6];
	uint8_t *at = p->template + PG_ETH_LEN;
	uint32_t inner = c->flags & PG_IPV6 ? PG_ETHERTYPE_IP6 : PG_ETHERTYPE_IP4;
	uint32_t outer = c->nr_mpls ? PG_ETHERTYPE_MPLS : inner;

	memcpy(p->template, c->dst_mac, 6);
	memcpy(p->template + 6, memcmp(c->src_mac, none, 6) ? c->src_mac : c->dev_mac, 6);
	for (uint32_t i = 0; i < c->nr_mpls; i++, at += 4) {
		uint32_t label = c->mpls[i] & ~(uint32_t)PG_MPLS_BOTTOM;

		pg_put32(at, i + 1 == c->nr_mpls ? label | PG_MPLS_BOTTOM : label);
	}
	if (c->vlan_id != 0xffff) {
		outer = PG_ETHERTYPE_VLAN;
		if (c->svlan_id != 0xffff) {
			pg_put16(at, tci(c->svlan_id, c->svlan_cfi, c->svlan_p));
			pg_put16(at + 2, PG_ETHERTYPE_VLAN);
			at += 4;
		}
		pg_put16(at, tci(c->vlan_id, c->vlan_cfi, c->vlan_p));
		pg_put16(at + 2, inner);
		at += 4;
	}
	pg_put16(p->template + 12, outer);
	p->ip_off = (uint16_t)(at - p->template);
	for (int i = 1; i < 6; i++) {
		p->dst_mac_low = p->dst_mac_low << 8 | p->template[i];
		p->src_mac_low = p->src_mac_low << 8 | p->template[6 + i];
	}
}

static void lay_ip4(struct pg_packet *p, uint8_t *ip, uint32_t total)
{
	ip[0] = 0x45;
	ip[1] = p->config.tos;
	pg_put16(ip + 2, total);
	ip[8] = PG_TTL;
	ip[9] = PG_IPPROTO_UDP;
	pg_put32(ip + 12, p->saddr);
	pg_put32(ip + 16, p->daddr);
}

static void lay_ip6(struct pg_packet *p, uint8_t *ip, uint32_t udp_len)
{
	const struct pg_config *c = &p->config;

	pg_put32(ip, 0x60000000u | (uint32_t)c->traffic_class << 20);
	pg_put16(ip + 4, udp_len);
	ip[6] = PG_IPPROTO_UDP;
	ip[7] = PG_TTL;
	memcpy(ip + 8, IN6_IS_ADDR_UNSPECIFIED(&c->in6_saddr) ? &c->dev_addr6 : &c->in6_saddr, 16);
	memcpy(ip + 24, &p->daddr6, 16);
}

static uint32_t sum_of(const uint8_t *at, unsigned len)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < len; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	return sum;
}

/* A field that a patcher writes counts as 0 in the sums that are made at start. */
static void clear_moving(struct pg_packet *p, uint8_t *ip, uint8_t *udp)
{
	const struct pg_config *c = &p->config;

	if (c->udp_src_min < c->udp_src_max)
		memset(udp, 0, 2);
	if (c->udp_dst_min < c->udp_dst_max)
		memset(udp + 2, 0, 2);
	if (has_patch_for_size(c)) {
		memset(udp + 4, 0, 2);
		memset(ip + (c->flags & PG_IPV6 ? 4 : 2), 0, 2);
	}
	if (c->flags & PG_IPV6) {
		if (!IN6_IS_ADDR_UNSPECIFIED(&c->min_in6_daddr))
			memset(ip + 24, 0, 16);
		return;
	}
	if (c->saddr_min < c->saddr_max)
		memset(ip + 12, 0, 4);
	if (c->daddr_min < c->daddr_max || p->flows)
		memset(ip + 16, 0, 4);
}

static void lay_template(struct pg_packet *p)
{
	bool ip6 = p->config.flags & PG_IPV6;
	uint8_t *ip, *udp;
	uint32_t udp_len;

	lay_link(p);
	p->udp_off = (uint16_t)(p->ip_off + (ip6 ? PG_IP6_LEN : PG_IP4_LEN));
	ip = p->template + p->ip_off;
	udp = p->template + p->udp_off;
	p->len = pg_config_frame_len(&p->config, p->pkt_size);
	udp_len = p->len - p->udp_off;
	if (ip6)
		lay_ip6(p, ip, udp_len);
	else
		lay_ip4(p, ip, p->len - p->ip_off);
	pg_put16(udp, p->udp_src);
	pg_put16(udp + 2, p->udp_dst);
	pg_put16(udp + 4, udp_len);
	clear_moving(p, ip, udp);

	/* the pseudo-header: both addresses, the length once more, the protocol */
	p->udp_base = PG_IPPROTO_UDP + sum_of(udp, 6) + sum_of(udp + 4, 2);
	p->udp_base += ip6 ? sum_of(ip + 8, 32) : sum_of(ip + 12, 8);
	p->magic = p->config.stamp_ns ? PG_MAGIC_NS : PG_MAGIC;
	p->udp_base += pg_halves(p->magic);
	p->ip_base = sum_of(ip, PG_IP4_LEN);
}

static int check_sizes(const struct pg_config *c, char *why)
{
	uint32_t longest = pg_config_longest(c);

	if (longest <= PG_FRAME_MAX)
		return 0;
	snprintf(why, PG_WHY, "a frame of %u bytes is longer than %u", longest, PG_FRAME_MAX);
	return -EMSGSIZE;
}

/* Frames as they are in the file, one after the other and over again. */
/* NOLINTNEXTLINE(readability-non-const-parameter): a pg_fill_fn */
static void fill_from_source(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp,
			     struct pg_stamp *clock)
{
	(void)stamp;
	(void)clock;
	for (unsigned i = 0; i < n; i++) {
		const struct pg_source_frame *f = &p->source.frames[p->source_next];

		memcpy(v[i].iov_base, p->source.bytes + f->at, f->len);
		v[i].iov_len = p->len = p->pkt_size = f->len;
		p->source_next = p->source_next + 1 < p->source.nr ? p->source_next + 1 : 0;
		p->seq++;
	}
}

static int make_source(struct pg_packet *p, char *why)
{
	char reason[PG_WHY];
	int err = pg_source_read(p->config.pcap, &p->source, reason);

	if (err) {
		snprintf(why, PG_WHY, "pcap: %.120s", reason);
		return err;
	}
	p->config.pcap_longest = p->source.longest;
	p->room = (p->source.longest + 31) & ~31u;
	p->fill = p->fill_each = fill_from_source;
	return 0;
}

bool pg_packet_has_gaps(const struct pg_packet *p)
{
	return p->source.nr && p->config.pcap_speed && !p->config.delay;
}

uint64_t pg_packet_gap_ns(const struct pg_packet *p)
{
	uint32_t last = p->source_next ? p->source_next - 1 : p->source.nr - 1;

	if (!pg_packet_has_gaps(p))
		return 0;
	return (uint64_t)((unsigned __int128)p->source.frames[last].gap_ns * 1000 /
			  p->config.pcap_speed);
}

static int make(struct pg_packet *p, char *why)
{
	const struct pg_config *c = &p->config;
	int err = check_sizes(c, why);

	if (c->pcap[0])
		return make_source(p, why);

	if (err)
		return err;
	if (c->flows && !(c->flags & PG_IPV6)) {
		p->flows = ww_alloc(c->flows * sizeof(*p->flows));
		if (!p->flows) {
			snprintf(why, PG_WHY, "no memory for %u flows", c->flows);
			return -ENOMEM;
		}
	}
	p->pkt_size = c->min_pkt_size;
	p->saddr = c->saddr_min;
	p->daddr = c->daddr_min;
	p->daddr6 = c->in6_daddr;
	p->udp_src = c->udp_src_min;
	p->udp_dst = c->udp_dst_min;
	lay_template(p);
	err = pg_choose_patches(p, why);
	if (err)
		return err;
	p->room = (pg_config_longest(c) + 31) & ~31u;
	if (p->room < PG_TEMPLATE)
		p->room = PG_TEMPLATE;
	uint32_t head = p->udp_off + (uint32_t)(PG_UDP_LEN + PG_HDR_LEN);
	bool ip6 = c->flags & PG_IPV6, sum = c->flags & PG_UDPCSUM;

	p->fill = pg_choose_fill(ip6, sum, p->patch[0], false, head);
	p->fill_each =
		pg_packet_stamped(p) ? pg_choose_fill(ip6, sum, p->patch[0], true, head) : p->fill;
	return 0;
}

struct pg_packet *pg_packet_start(const struct pg_config *config, uint64_t seed, int cpu,
				  unsigned nr_queues, char *why)
{
	char unheard[PG_WHY];
	struct pg_packet *p = ww_alloc_lines(sizeof(*p));
	int err = -ENOMEM;

	if (!why)
		why = unheard;
	snprintf(why, PG_WHY, "no memory");
	if (p) {
		p->config = *config;
		p->rng = seed;
		p->seq = 1;
		p->cpu = cpu;
		p->nr_queues = nr_queues ? nr_queues : 1;
		pg_config_settle(&p->config, nr_queues);
		err = make(p, why);
	}
	if (!err) {
		*why = 0;
		return p;
	}
	pg_packet_end(p);
	errno = -err;
	return NULL;
}

void pg_packet_end(struct pg_packet *p)
{
	if (!p)
		return;
	ww_free(p->flows);
	pg_source_free(&p->source);
	ww_free(p);
}

uint32_t pg_packet_room(const struct pg_packet *p)
{
	return p->room;
}

bool pg_packet_moves_queue(const struct pg_packet *p)
{
	return p->moves_queue;
}

void pg_packet_prepare(const struct pg_packet *p, uint8_t *buf)
{
	memset(buf, 0, p->room);
}

bool pg_packet_stamped(const struct pg_packet *p)
{
	return !p->source.nr && (p->config.stamp_ns || !(p->config.flags & PG_NO_TIMESTAMP));
}

void pg_packet_clock(const struct pg_packet *p, struct pg_stamp *clock)
{
	*clock = (struct pg_stamp){.rate = pg_stamp_rate(), .fine = p->config.stamp_ns};
}

void pg_packet_fill_stamped(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp)
{
	p->fill(p, v, n, stamp, NULL);
}

void pg_packet_fill_each(struct pg_packet *p, struct iovec *v, unsigned n, struct pg_stamp *clock)
{
	p->fill_each(p, v, n, 0, clock);
}

void pg_packet_fill(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t now_real_ns)
{
	p->fill(p, v, n, pg_packet_stamped(p) ? pg_stamp_of(p->config.stamp_ns, now_real_ns) : 0,
		NULL);
}

uint32_t pg_packet_next_stamped(struct pg_packet *p, uint8_t *buf, uint64_t stamp)
{
	struct iovec v = {.iov_base = buf};
	uint32_t head = p->udp_off + (uint32_t)(PG_UDP_LEN + PG_HDR_LEN);

	p->fill(p, &v, 1, stamp, NULL);
	p->seq--;
	if (!p->source.nr)
		memset(buf + head, 0, v.iov_len - head);
	return (uint32_t)v.iov_len;
}

uint32_t pg_packet_next(struct pg_packet *p, uint8_t *buf, uint64_t now_real_ns)
{
	return pg_packet_next_stamped(
		p, buf, pg_packet_stamped(p) ? pg_stamp_of(p->config.stamp_ns, now_real_ns) : 0);
}

void pg_packet_sent(struct pg_packet *p, unsigned n)
{
	p->seq += n;
}

void pg_packet_set_seq(struct pg_packet *p, uint32_t seq)
{
	p->seq = seq;
}

void pg_packet_cursor(const struct pg_packet *p, struct pg_cursor *out)
{
	*out = (struct pg_cursor){
		.seq_num = p->seq,
		.cur_pkt_size = p->pkt_size,
		.cur_dst_mac_offset = p->dst_mac_offset,
		.cur_src_mac_offset = p->src_mac_offset,
		.cur_saddr = p->saddr,
		.cur_daddr = p->daddr,
		.cur_daddr6 = p->daddr6,
		.cur_udp_dst = p->udp_dst,
		.cur_udp_src = p->udp_src,
		.cur_queue_map = p->queue,
		.nr_flows = p->nr_flows,
	};
	memcpy(&out->cur_saddr6,
	       IN6_IS_ADDR_UNSPECIFIED(&p->config.in6_saddr) ? &p->config.dev_addr6
							     : &p->config.in6_saddr,
	       sizeof(out->cur_saddr6));
	memcpy(out->imix_counts, p->imix_counts, sizeof(out->imix_counts));
}

void pg_packet_carry(struct pg_packet *to, const struct pg_packet *from)
{
	to->rng = from->rng;
	to->seq = from->seq;
	to->ip_id = from->ip_id;
	to->src_mac_offset = from->src_mac_offset;
	to->dst_mac_offset = from->dst_mac_offset;
	/* what left its range begins afresh */
	if (from->saddr >= to->config.saddr_min && from->saddr <= to->config.saddr_max)
		to->saddr = from->saddr;
	if (from->daddr >= to->config.daddr_min && from->daddr <= to->config.daddr_max)
		to->daddr = from->daddr;
	if (from->udp_src >= to->config.udp_src_min && from->udp_src < to->config.udp_src_max)
		to->udp_src = from->udp_src;
	if (from->udp_dst >= to->config.udp_dst_min && from->udp_dst < to->config.udp_dst_max)
		to->udp_dst = from->udp_dst;
	if (to->source.nr == from->source.nr)
		to->source_next = from->source_next;
	if (to->config.nr_imix == from->config.nr_imix)
		memcpy(to->imix_counts, from->imix_counts, sizeof(to->imix_counts));
	if (to->flows && from->flows && to->config.flows == from->config.flows) {
		memcpy(to->flows, from->flows, to->config.flows * sizeof(*to->flows));
		to->cur_flow = from->cur_flow;
		to->nr_flows = from->nr_flows;
	}
}

// SPDX-License-Identifier: MIT
/*
 * The patchers: one small function per way in which one field can move. Which of them a run needs
 * is settled here, once; the order is the kernel's, so that with the same draws the same packets
 * come out.
 */
#include "packet/internal.h"

#include <errno.h>
#include <stdio.h>

#define BOTH(v) ((uint64_t)(v) << 32 | (uint32_t)(v)) /* adds to both sums */

/* --- flows: which one the packet belongs to ----------------------------------------------- */

static void renew_flow(struct pg_flow *f)
{
	f->count = 0;
	f->known = false;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a pg_patch_fn */
static uint64_t flow_in_order(struct pg_packet *p, uint8_t *buf)
{
	(void)buf;
	if (p->flows[p->cur_flow].count >= p->config.flowlen) {
		renew_flow(&p->flows[p->cur_flow]);
		if (++p->cur_flow >= p->config.flows)
			p->cur_flow = 0;
	}
	p->flows[p->cur_flow].count++;
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a pg_patch_fn */
static uint64_t flow_at_random(struct pg_packet *p, uint8_t *buf)
{
	(void)buf;
	p->cur_flow = pg_random_below(&p->rng, p->config.flows);
	/* one more than in order: the kernel's own count */
	if (p->flows[p->cur_flow].count > p->config.flowlen)
		renew_flow(&p->flows[p->cur_flow]);
	p->flows[p->cur_flow].count++;
	return 0;
}

/* --- MAC addresses: base plus offset over the five lower bytes ------------------------------- */

static void put_mac(uint8_t *at, uint64_t low, uint32_t offset)
{
	uint64_t v = low + offset;

	at[1] = (uint8_t)(v >> 32);
	pg_put32(at + 2, (uint32_t)v);
}

static uint32_t step(uint32_t *offset, uint32_t count)
{
	uint32_t now = *offset;

	*offset = now + 1 < count ? now + 1 : 0;
	return now;
}

static uint64_t src_mac_linear(struct pg_packet *p, uint8_t *buf)
{
	put_mac(buf + 6, p->src_mac_low, step(&p->src_mac_offset, p->config.src_mac_count));
	return 0;
}

static uint64_t src_mac_random(struct pg_packet *p, uint8_t *buf)
{
	put_mac(buf + 6, p->src_mac_low, pg_random_below(&p->rng, p->config.src_mac_count));
	return 0;
}

static uint64_t dst_mac_linear(struct pg_packet *p, uint8_t *buf)
{
	put_mac(buf, p->dst_mac_low, step(&p->dst_mac_offset, p->config.dst_mac_count));
	return 0;
}

static uint64_t dst_mac_random(struct pg_packet *p, uint8_t *buf)
{
	put_mac(buf, p->dst_mac_low, pg_random_below(&p->rng, p->config.dst_mac_count));
	return 0;
}

/* --- tags --------------------------------------------------------------------------------- */

static uint64_t mpls_random(struct pg_packet *p, uint8_t *buf)
{
	uint8_t *at = buf + PG_ETH_LEN;
	uint32_t last = p->config.nr_mpls - 1;

	for (uint32_t i = 0; i <= last; i++) {
		uint32_t label = p->config.mpls[i];

		if (label & PG_MPLS_BOTTOM)
			label = (uint32_t)pg_random(&p->rng) & 0xfffff;
		label &= ~(uint32_t)PG_MPLS_BOTTOM;
		pg_put32(at + 4ul * i, i == last ? label | PG_MPLS_BOTTOM : label);
	}
	return 0;
}

static uint32_t tci(uint32_t id, uint32_t cfi, uint32_t prio)
{
	return (prio & 7) << 13 | (cfi & 1) << 12 | (id & 0xfff);
}

static uint64_t vid_random(struct pg_packet *p, uint8_t *buf)
{
	/* the inner tag ends right before the inner protocol */
	pg_put16(buf + p->ip_off - 4,
		 tci(pg_random_below(&p->rng, 4096), p->config.vlan_cfi, p->config.vlan_p));
	return 0;
}

static uint64_t svid_random(struct pg_packet *p, uint8_t *buf)
{
	pg_put16(buf + PG_ETH_LEN,
		 tci(pg_random_below(&p->rng, 4096), p->config.svlan_cfi, p->config.svlan_p));
	return 0;
}

/* --- ports: max is exclusive --------------------------------------------------------------- */

static uint64_t put_src(struct pg_packet *p, uint8_t *buf)
{
	pg_put16(buf + p->udp_off, p->udp_src);
	return p->udp_src;
}

static uint64_t put_dst(struct pg_packet *p, uint8_t *buf)
{
	pg_put16(buf + p->udp_off + 2, p->udp_dst);
	return p->udp_dst;
}

static uint16_t next_port(uint16_t port, uint16_t min, uint16_t max)
{
	return port + 1 >= max ? min : (uint16_t)(port + 1);
}

static uint16_t random_port(struct pg_packet *p, uint16_t min, uint16_t max)
{
	return (uint16_t)(min + pg_random_below(&p->rng, (uint64_t)max - min));
}

static uint64_t udp_src_linear(struct pg_packet *p, uint8_t *buf)
{
	p->udp_src = next_port(p->udp_src, p->config.udp_src_min, p->config.udp_src_max);
	return put_src(p, buf);
}

static uint64_t udp_src_random(struct pg_packet *p, uint8_t *buf)
{
	p->udp_src = random_port(p, p->config.udp_src_min, p->config.udp_src_max);
	return put_src(p, buf);
}

static uint64_t udp_dst_linear(struct pg_packet *p, uint8_t *buf)
{
	p->udp_dst = next_port(p->udp_dst, p->config.udp_dst_min, p->config.udp_dst_max);
	return put_dst(p, buf);
}

static uint64_t udp_dst_random(struct pg_packet *p, uint8_t *buf)
{
	p->udp_dst = random_port(p, p->config.udp_dst_min, p->config.udp_dst_max);
	return put_dst(p, buf);
}

/* --- IPv4 addresses: linear includes max, random does not ------------------------------------ */

/* Also for sizes and queues. */
static uint32_t next_of(uint32_t addr, uint32_t min, uint32_t max)
{
	return addr >= max || addr < min ? min : addr + 1;
}

static uint64_t put_saddr(struct pg_packet *p, uint8_t *buf)
{
	pg_put32(buf + p->ip_off + 12, p->saddr);
	return BOTH(pg_halves(p->saddr));
}

static uint64_t put_daddr(struct pg_packet *p, uint8_t *buf)
{
	pg_put32(buf + p->ip_off + 16, p->daddr);
	return BOTH(pg_halves(p->daddr));
}

static uint64_t saddr_linear(struct pg_packet *p, uint8_t *buf)
{
	p->saddr = next_of(p->saddr, p->config.saddr_min, p->config.saddr_max);
	return put_saddr(p, buf);
}

static uint64_t saddr_random(struct pg_packet *p, uint8_t *buf)
{
	p->saddr = p->config.saddr_min +
		   pg_random_below(&p->rng, (uint64_t)p->config.saddr_max - p->config.saddr_min);
	return put_saddr(p, buf);
}

static uint32_t draw_daddr(struct pg_packet *p)
{
	uint32_t at = pg_random_below(&p->rng, p->dst_total);
	const struct pg_range *r = p->dst;

	while (at >= r->size)
		at -= r++->size;
	return r->first + at;
}

static uint64_t daddr_linear(struct pg_packet *p, uint8_t *buf)
{
	p->daddr = next_of(p->daddr, p->config.daddr_min, p->config.daddr_max);
	return put_daddr(p, buf);
}

static uint64_t daddr_random_one_range(struct pg_packet *p, uint8_t *buf)
{
	p->daddr = p->dst[0].first + pg_random_below(&p->rng, p->dst[0].size);
	return put_daddr(p, buf);
}

static uint64_t daddr_random(struct pg_packet *p, uint8_t *buf)
{
	p->daddr = draw_daddr(p);
	return put_daddr(p, buf);
}

/* A flow keeps its destination until it is renewed. */
static uint64_t daddr_of_flow(struct pg_packet *p, uint8_t *buf)
{
	struct pg_flow *f = &p->flows[p->cur_flow];

	if (!f->known) {
		if (p->dst_total)
			p->daddr = draw_daddr(p);
		else if (p->config.daddr_min < p->config.daddr_max)
			p->daddr = next_of(p->daddr, p->config.daddr_min, p->config.daddr_max);
		f->daddr = p->daddr;
		f->known = true;
		p->nr_flows++;
	}
	p->daddr = f->daddr;
	return put_daddr(p, buf);
}

/* --- IPv6 destination: (random | min) & max ----------------------------------------------------
 */

static uint64_t daddr6_random(struct pg_packet *p, uint8_t *buf)
{
	uint8_t *to = p->daddr6.s6_addr;
	uint64_t sum = 0;

	for (int i = 0; i < 16; i += 8) {
		uint64_t min, max, v, r = pg_random(&p->rng);

		memcpy(&min, p->config.min_in6_daddr.s6_addr + i, 8);
		memcpy(&max, p->config.max_in6_daddr.s6_addr + i, 8);
		v = be64toh((r | min) & max);
		sum += pg_halves((uint32_t)(v >> 32)) + pg_halves((uint32_t)v);
		pg_put64(to + i, v);
		pg_put64(buf + p->ip_off + 24 + i, v);
	}
	return sum;
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* Both length fields; the template and the base sums hold 0 there. */
static inline __attribute__((always_inline)) uint64_t put_size(struct pg_packet *p, uint8_t *buf,
							       uint32_t size, const bool ip6)
{
	uint32_t head = p->udp_off + (uint32_t)(PG_UDP_LEN + PG_HDR_LEN);
	uint32_t len = size < head ? head : size;
	uint32_t udp_len = len - p->udp_off, ip_len = len - p->ip_off;

	p->pkt_size = size;
	p->len = len;
	pg_put16(buf + p->udp_off + 4, udp_len);
	pg_put16(buf + p->ip_off + (ip6 ? 4 : 2), ip6 ? udp_len : ip_len);
	return ip6 ? 2ull * udp_len : (uint64_t)ip_len << 32 | 2ull * udp_len;
}

static uint32_t linear_size(struct pg_packet *p)
{
	return next_of(p->pkt_size, p->config.min_pkt_size, p->config.max_pkt_size);
}

static uint32_t random_size(struct pg_packet *p)
{
	uint32_t range = p->config.max_pkt_size - p->config.min_pkt_size;

	return p->config.min_pkt_size + pg_random_below(&p->rng, range);
}

static uint32_t imix_size(struct pg_packet *p)
{
	unsigned i = p->imix_slot[pg_random_below(&p->rng, PG_IMIX_SLOTS)];

	p->imix_counts[i]++;
	return p->config.imix[i].size;
}

#define SIZE_PATCH(name, size)                                                                     \
	static uint64_t name##_ip4(struct pg_packet *p, uint8_t *buf)                              \
	{                                                                                          \
		return put_size(p, buf, size(p), false);                                           \
	}                                                                                          \
	static uint64_t name##_ip6(struct pg_packet *p, uint8_t *buf)                              \
	{                                                                                          \
		return put_size(p, buf, size(p), true);                                            \
	}

SIZE_PATCH(size_linear, linear_size)
SIZE_PATCH(size_random, random_size)
SIZE_PATCH(size_imix, imix_size)

/* --- queues ----------------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-non-const-parameter): a pg_patch_fn */
static uint64_t queue_linear(struct pg_packet *p, uint8_t *buf)
{
	(void)buf;
	p->queue = (uint16_t)next_of(p->queue, p->config.queue_map_min, p->config.queue_map_max);
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a pg_patch_fn */
static uint64_t queue_random(struct pg_packet *p, uint8_t *buf)
{
	(void)buf;
	p->queue = (uint16_t)(p->config.queue_map_min +
			      pg_random_below(&p->rng, p->config.queue_map_max -
							       p->config.queue_map_min + 1u));
	return 0;
}

/* --- what a run needs ----------------------------------------------------------------------- */

/* The parts of [min, max-1] that are no loopback, multicast, broadcast or zero-net address. */
static void allowed_destinations(struct pg_packet *p)
{
	static const struct {
		uint32_t first, last;
	} good[] = {{0x01000000, 0x7effffff}, {0x80000000, 0xdfffffff}, {0xf0000000, 0xfffffffe}};
	uint32_t min = p->config.daddr_min, last = p->config.daddr_max - 1;

	for (int i = 0; i < 3; i++) {
		uint32_t a = good[i].first > min ? good[i].first : min;
		uint32_t b = good[i].last < last ? good[i].last : last;

		if (a > b)
			continue;
		p->dst[p->dst_ranges++] = (struct pg_range){a, b - a + 1};
		p->dst_total += b - a + 1;
	}
}

static pg_patch_fn choose_daddr(struct pg_packet *p)
{
	bool range = p->config.daddr_min < p->config.daddr_max;

	if (range && p->config.flags & PG_IPDST_RND)
		allowed_destinations(p);
	if (p->flows)
		return daddr_of_flow;
	if (!range)
		return NULL;
	if (!(p->config.flags & PG_IPDST_RND))
		return daddr_linear;
	return p->dst_ranges == 1 ? daddr_random_one_range : daddr_random;
}

/* As the kernel fills its 100 slots, but an entry too rare for a slot skips cleanly. */
static void fill_imix_slots(struct pg_packet *p)
{
	uint64_t total = 0, upto = 0;
	unsigned slot = 0;

	for (uint32_t i = 0; i < p->config.nr_imix; i++)
		total += p->config.imix[i].weight;
	for (uint32_t i = 0; i < p->config.nr_imix; i++) {
		upto += (uint64_t)p->config.imix[i].weight * PG_IMIX_SLOTS / total;
		if (i + 1 == p->config.nr_imix)
			upto = PG_IMIX_SLOTS;
		while (slot < upto)
			p->imix_slot[slot++] = (uint8_t)i;
	}
}

static pg_patch_fn choose_size(struct pg_packet *p)
{
	bool ip6 = p->config.flags & PG_IPV6;

	if (p->config.min_pkt_size < p->config.max_pkt_size) {
		if (p->config.flags & PG_TXSIZE_RND)
			return ip6 ? size_random_ip6 : size_random_ip4;
		return ip6 ? size_linear_ip6 : size_linear_ip4;
	}
	if (!p->config.nr_imix)
		return NULL;
	fill_imix_slots(p);
	return ip6 ? size_imix_ip6 : size_imix_ip4;
}

static pg_patch_fn choose_queue(struct pg_packet *p)
{
	const struct pg_config *c = &p->config;

	if (c->flags & PG_QUEUE_MAP_CPU) {
		p->queue = (uint16_t)((unsigned)p->cpu % p->nr_queues);
		return NULL;
	}
	p->queue = c->queue_map_min;
	if (c->queue_map_min >= c->queue_map_max)
		return NULL;
	p->moves_queue = true;
	return c->flags & PG_QUEUE_MAP_RND ? queue_random : queue_linear;
}

static void add(struct pg_packet *p, unsigned *n, pg_patch_fn fn)
{
	if (fn)
		p->patch[(*n)++] = fn;
}

static bool has_random_label(const struct pg_config *c)
{
	for (uint32_t i = 0; i < c->nr_mpls; i++)
		if (c->mpls[i] & PG_MPLS_BOTTOM)
			return c->flags & PG_MPLS_RND;
	return false;
}

static void choose_link_patches(struct pg_packet *p, unsigned *n)
{
	const struct pg_config *c = &p->config;

	if (p->flows)
		add(p, n, c->flags & PG_FLOW_SEQ ? flow_in_order : flow_at_random);
	if (c->src_mac_count > 1)
		add(p, n, c->flags & PG_MACSRC_RND ? src_mac_random : src_mac_linear);
	if (c->dst_mac_count > 1)
		add(p, n, c->flags & PG_MACDST_RND ? dst_mac_random : dst_mac_linear);
	if (has_random_label(c))
		add(p, n, mpls_random);
	if (c->flags & PG_VID_RND && c->vlan_id != 0xffff)
		add(p, n, vid_random);
	if (c->flags & PG_SVID_RND && c->svlan_id != 0xffff)
		add(p, n, svid_random);
}

int pg_choose_patches(struct pg_packet *p, char *why)
{
	const struct pg_config *c = &p->config;
	unsigned n = 0;

	choose_link_patches(p, &n);
	if (c->udp_src_min < c->udp_src_max)
		add(p, &n, c->flags & PG_UDPSRC_RND ? udp_src_random : udp_src_linear);
	if (c->udp_dst_min < c->udp_dst_max)
		add(p, &n, c->flags & PG_UDPDST_RND ? udp_dst_random : udp_dst_linear);
	if (c->flags & PG_IPV6) {
		if (!IN6_IS_ADDR_UNSPECIFIED(&c->min_in6_daddr))
			add(p, &n, daddr6_random);
	} else {
		if (c->saddr_min < c->saddr_max)
			add(p, &n, c->flags & PG_IPSRC_RND ? saddr_random : saddr_linear);
		add(p, &n, choose_daddr(p));
		if (c->flags & PG_IPDST_RND && c->daddr_min < c->daddr_max && !p->dst_total) {
			snprintf(why, PG_WHY,
				 "IPDST_RND: every address from dst_min up to dst_max is loopback, "
				 "multicast, broadcast or 0.x.x.x");
			return -EINVAL;
		}
	}
	add(p, &n, choose_size(p));
	add(p, &n, choose_queue(p));
	return 0;
}

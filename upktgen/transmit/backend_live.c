// SPDX-License-Identifier: MIT
/*
 * "live": BPF_PROG_RUN with live frames. The loop runs in the kernel: a program (live.bpf.c) makes
 * each frame in a recycled page and hands it to the driver. What was sent is what the kernel's trace
 * points say was sent; the sequence numbers count what was made.
 */
#include "transmit/backend.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "packet/internal.h"
#include "transmit/frames.h"
#include "transmit/live_open.h"

enum {
	BATCH = 64,		 /* frames that the kernel makes before it hands them over */
	CHUNK = 1 << 14,	 /* packets to the first call */
	CALL_NS = 8000000,	 /* what a call should take: it can't be stopped */
	CALL_DEAR_NS = 70000000, /* the same where each costs 24 ms by itself */
	TURNS = 1 << 16,	 /* of a paced call, waiting ones included */
	MAX_LEN = 3408,		 /* a page less headroom and shared info */
	PACES_BELOW_NS = 50000,
};

struct live_tx {
	struct pg_live live;
	struct pg_live_config cfg;
	bool paced;
	uint32_t max_len;
	uint8_t *data;
	uint32_t seq_before;						 /* of this call */
	uint64_t sent_before, bytes_before, causes_before[PG_NR_CAUSES]; /* credited */
	uint64_t link_bytes;	/* the device's own counter at open */
	uint64_t bytes_at_open; /* tx->bytes */
	bool mixed_loss;	/* sizes vary and something was dropped: ask the device for bytes */
};

static uint32_t way(bool moves, bool random)
{
	return !moves ? PG_WAY_FIXED : random ? PG_WAY_RANDOM : PG_WAY_LINEAR;
}

static void configure_link(struct pg_live_config *c, const struct pg_packet *p)
{
	const struct pg_config *g = &p->config;

	c->src_mac_way = way(g->src_mac_count > 1, g->flags & PG_MACSRC_RND);
	c->dst_mac_way = way(g->dst_mac_count > 1, g->flags & PG_MACDST_RND);
	c->src_mac_count = g->src_mac_count;
	c->dst_mac_count = g->dst_mac_count;
	c->src_mac_low = p->src_mac_low;
	c->dst_mac_low = p->dst_mac_low;
	c->nr_mpls = g->nr_mpls;
	for (uint32_t i = 0; i < g->nr_mpls; i++) {
		c->mpls[i] = g->mpls[i];
		if (g->mpls[i] & PG_MPLS_BOTTOM && g->flags & PG_MPLS_RND)
			c->mpls_random = 1;
	}
	c->vid_random = g->flags & PG_VID_RND && g->vlan_id != 0xffff;
	c->vid_off = p->ip_off - 4u;
	c->vid_bits = (g->vlan_p & 7u) << 13 | (g->vlan_cfi & 1u) << 12;
	c->svid_random = g->flags & PG_SVID_RND && g->svlan_id != 0xffff;
	c->svid_off = PG_ETH_LEN;
	c->svid_bits = (g->svlan_p & 7u) << 13 | (g->svlan_cfi & 1u) << 12;
}

static void configure_addresses(struct pg_live_config *c, const struct pg_packet *p)
{
	const struct pg_config *g = &p->config;

	c->ip6 = g->flags & PG_IPV6 ? 1 : 0;
	c->udp_src_way = way(g->udp_src_min < g->udp_src_max, g->flags & PG_UDPSRC_RND);
	c->udp_dst_way = way(g->udp_dst_min < g->udp_dst_max, g->flags & PG_UDPDST_RND);
	c->udp_src_min = g->udp_src_min;
	c->udp_src_max = g->udp_src_max;
	c->udp_dst_min = g->udp_dst_min;
	c->udp_dst_max = g->udp_dst_max;
	if (c->ip6) {
		c->daddr6_random = !IN6_IS_ADDR_UNSPECIFIED(&g->min_in6_daddr);
		memcpy(c->daddr6_min, &g->min_in6_daddr, sizeof(c->daddr6_min));
		memcpy(c->daddr6_max, &g->max_in6_daddr, sizeof(c->daddr6_max));
		return;
	}
	c->saddr_way = way(g->saddr_min < g->saddr_max, g->flags & PG_IPSRC_RND);
	c->daddr_way = way(g->daddr_min < g->daddr_max, g->flags & PG_IPDST_RND);
	c->saddr_min = g->saddr_min;
	c->saddr_max = g->saddr_max;
	c->daddr_min = g->daddr_min;
	c->daddr_max = g->daddr_max;
	c->dst_ranges = p->dst_ranges;
	c->dst_total = p->dst_total;
	for (uint32_t i = 0; i < p->dst_ranges; i++) {
		c->dst_first[i] = p->dst[i].first;
		c->dst_size[i] = p->dst[i].size;
	}
	if (p->flows) {
		c->flow_way = g->flags & PG_FLOW_SEQ ? PG_WAY_LINEAR : PG_WAY_RANDOM;
		c->flows = g->flows;
		c->flowlen = g->flowlen < PG_LIVE_KNOWN - 2 ? g->flowlen : PG_LIVE_KNOWN - 2;
	}
}

/* The largest power of two that is not above n, as a mask. */
static uint32_t stamp_mask(unsigned n)
{
	uint32_t mask = 0;

	while (mask * 2 + 1 < n)
		mask = mask * 2 + 1;
	return mask;
}

static void configure_headers(struct pg_live_config *c, const struct pg_packet *p)
{
	const uint8_t *ip = p->template + p->ip_off;

	memcpy(&c->link_last, ip - sizeof(c->link_last), sizeof(c->link_last));
	memcpy(&c->ip_first, ip, sizeof(c->ip_first));
	memcpy(c->ip6_word, ip, sizeof(c->ip6_word));
	c->saddr = p->saddr;
	c->daddr = p->daddr;
	c->udp_src = p->udp_src;
	c->udp_dst = p->udp_dst;
	c->udp_len = p->len - p->udp_off;
}

static void configure(struct pg_live_config *c, const struct pg_tx *tx, bool paced)
{
	const struct pg_packet *p = tx->packet;
	const struct pg_config *g = &p->config;

	c->inject = g->xmit_mode == PG_NETIF_RECEIVE;
	c->header_len = p->udp_off + (uint32_t)PG_UDP_LEN;
	c->ip_off = p->ip_off;
	c->udp_off = p->udp_off;
	c->checksum = g->flags & PG_UDPCSUM ? 1 : 0;
	c->stamped = g->stamp_ns || !(g->flags & PG_NO_TIMESTAMP);
	c->stamp_mask = stamp_mask(tx->stamp_every);
	c->copies = tx->copies;
	c->paced = paced;
	c->period_ns = g->delay;
	c->unit = g->burst > 1 ? g->burst : 1;
	c->catch_up = !tx->no_burst;
	c->ip_base = p->ip_base;
	c->udp_base = p->udp_base;
	c->magic = p->magic;
	c->stamp_ns = g->stamp_ns;
	c->min_size = g->min_pkt_size;
	c->max_size = g->max_pkt_size;
	c->max_len = pg_config_longest(g);
	if (g->min_pkt_size < g->max_pkt_size)
		c->size_way = way(true, g->flags & PG_TXSIZE_RND);
	else if (g->nr_imix)
		c->size_way = PG_WAY_IMIX;
	for (uint32_t i = 0; i < g->nr_imix; i++)
		c->imix_size[i] = g->imix[i].size;
	memcpy(c->imix_slot, p->imix_slot, sizeof(c->imix_slot));
	memcpy(c->template, p->template, sizeof(c->template));
	configure_headers(c, p);
	configure_link(c, p);
	configure_addresses(c, p);
}

/* Where the generator stands, to the program and back: a run may go on with another program. */
static void push_state(struct pg_live_state *s, const struct pg_packet *p)
{
	s->rng = p->rng;
	s->seq = p->seq;
	s->ip_id = p->ip_id;
	s->saddr = p->saddr;
	s->daddr = p->daddr;
	s->udp_src = p->udp_src;
	s->udp_dst = p->udp_dst;
	s->pkt_size = p->pkt_size;
	s->src_mac_offset = p->src_mac_offset;
	s->dst_mac_offset = p->dst_mac_offset;
	s->cur_flow = p->cur_flow;
	s->nr_flows = p->nr_flows;
	memcpy(s->imix_counts, p->imix_counts, sizeof(s->imix_counts));
}

static void pull_state(const struct pg_live_state *s, struct pg_packet *p)
{
	bool made = s->seq != p->seq;

	p->rng = s->rng;
	p->seq = s->seq;
	p->ip_id = s->ip_id;
	p->saddr = s->saddr;
	p->daddr = s->daddr;
	p->udp_src = (uint16_t)s->udp_src;
	p->udp_dst = (uint16_t)s->udp_dst;
	p->pkt_size = s->pkt_size;
	p->src_mac_offset = s->src_mac_offset;
	p->dst_mac_offset = s->dst_mac_offset;
	p->cur_flow = s->cur_flow;
	p->nr_flows = s->nr_flows;
	if (!IN6_IS_ADDR_UNSPECIFIED(&p->config.min_in6_daddr) && made)
		memcpy(&p->daddr6, s->daddr6, sizeof(p->daddr6));
	memcpy(p->imix_counts, s->imix_counts, sizeof(p->imix_counts));
}

/* The program reads TAI; stamps are CLOCK_REALTIME. They differ by whole seconds. */
static int64_t tai_offset_ns(void)
{
	struct timex t = {0};

	return adjtimex(&t) < 0 ? 0 : (int64_t)t.tai * 1000000000;
}

static int refuse(struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	const char *what = NULL;

	if (c->pcap[0])
		what = "pcap: live frames are made by a program; backends xdp and packet send "
		       "those "
		       "of a file";
	else if (c->xmit_mode == PG_QUEUE_XMIT)
		what = "xmit_mode queue_xmit: live frames go past the queueing discipline; backend "
		       "packet goes through it";
	else if (c->flags & PG_IPSEC)
		what = "flag IPSEC is not supported";
	else if (c->skb_priority)
		what = "skb_priority: a live frame has none; backend packet does";
	else if (tx->link.nr_queues > 1 && !(c->flags & PG_QUEUE_MAP_CPU) &&
		 (c->queue_map_min || c->queue_map_max))
		what = "queue_map: the driver chooses the queue of a live frame; use flag "
		       "QUEUE_MAP_CPU, or backend xdp";
	else if (pg_config_longest(c) > MAX_LEN)
		what = "frames above 3408 bytes do not fit the page of a live frame; backend "
		       "packet "
		       "sends them";
	if (!what)
		return 0;
	snprintf(tx->why, PG_WHY, "%s", what);
	return -EOPNOTSUPP;
}

static int load(struct live_tx *l, struct pg_tx *tx)
{
	configure(&l->cfg, tx, l->paced);
	return pg_live_open(&l->live, tx->ifname, tx->cpu, &l->cfg, tx->why);
}

/* One call into the kernel: at most turns frames. */
static int run(struct live_tx *l, struct pg_tx *tx, uint32_t turns, uint32_t len, uint32_t batch)
{
	struct xdp_md ctx = {.data_end = len, .ingress_ifindex = (uint32_t)tx->link.ifindex};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = l->data, .data_size_in = len,
		    .repeat = (int)turns, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = batch);

	if (tx->config.xmit_mode == PG_NETIF_RECEIVE) {
		opts.ctx_in = &ctx;
		opts.ctx_size_in = sizeof(ctx);
	}
	return bpf_prog_test_run_opts(l->live.prog, &opts);
}

static const char no_napi[] =
	"the other end of the pair takes no live frames yet: \"ethtool -K PEER gro on\", or "
	"attach an XDP program to it";

/* Bytes to hand in, so that the shortest frame that the program makes of them is len. */
static uint32_t input_len(const struct live_tx *l, uint32_t len)
{
	const struct pg_live_config *c = &l->cfg;

	return c->size_way == PG_WAY_FIXED ? len : len + c->max_len - (c->header_len + PG_HDR_LEN);
}

static void forget_flow(struct live_tx *l, uint32_t key)
{
	struct pg_live_flow none = {0};

	bpf_map_update_elem(l->live.flows, &key, &none, 0);
}

/*
 * Can the device take frames this way? One that is too long for it tells, and does not leave: the
 * kernel looks at the ability first and at the length second. Whatever the program counted for it
 * is put back.
 */
static int try_device(struct live_tx *l, struct pg_tx *tx)
{
	uint32_t len = input_len(l, tx->link.mtu + PG_ETH_LEN + 4 + 1);
	struct pg_live_state *s = &l->live.memory->state;

	if (tx->config.xmit_mode == PG_NETIF_RECEIVE || len > MAX_LEN)
		return 0;
	s->end = s->seq + 1;
	int err = run(l, tx, 1, len, 1);

	if (tx->packet->flows) {
		forget_flow(l, 0);
		forget_flow(l, s->cur_flow);
	}
	memset(s, 0, sizeof(*s));
	push_state(s, tx->packet);
	if (err) {
		snprintf(tx->why, PG_WHY, "running its program: %s", strerror(-err));
		return err;
	}
	int32_t refused = l->live.memory->truth.last_refuse_err;

	memset(l->live.memory->truth.refused_by, 0, sizeof(l->live.memory->truth.refused_by));
	l->live.memory->truth.refused = 0;
	if (refused != -EOPNOTSUPP)
		return 0;
	snprintf(tx->why, PG_WHY, "%s", no_napi);
	return -EOPNOTSUPP;
}

static void live_close(struct pg_tx *tx)
{
	struct live_tx *l = tx->priv;
	struct pg_link link;

	if (!l)
		return;
	if (l->mixed_loss && !pg_link_read(tx->ifname, &link))
		tx->bytes = l->bytes_at_open + (link.tx_bytes - l->link_bytes);
	if (l->live.memory && l->paced && tx->late) {
		const struct pg_live_state *s = &l->live.memory->state;

		for (unsigned b = 0; b < PG_LIVE_LATE; b++)
			if (s->late[b])
				pg_histogram_add_n(tx->late, b ? 3ull << b >> 1 : 0, s->late[b]);
		if (s->late_max > 0)
			tx->late->max = s->late_max;
		tx->first_ns = s->first_ns;
		tx->last_ns = s->last_ns;
	}
	pg_live_close(&l->live);
	ww_free(l->data);
	ww_free(l);
	tx->priv = NULL;
}

static int live_open(struct pg_tx *tx)
{
	int err = refuse(tx);

	if (err)
		return err;
	tx->max_bytes = tx->link.mtu + PG_ETH_LEN + 4;
	err = pg_frames_check_length(tx);
	if (err)
		return err;
	struct live_tx *l = ww_alloc_lines(sizeof(*l));

	if (!l) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	tx->priv = l;
	l->paced = tx->config.delay && tx->config.delay < PACES_BELOW_NS;
	l->link_bytes = tx->link.tx_bytes;
	l->bytes_at_open = tx->bytes;
	l->max_len = pg_config_longest(&tx->config);
	l->data = ww_alloc(PG_FRAME_MAX);
	err = l->data ? load(l, tx) : -ENOMEM;
	if (!err) {
		push_state(&l->live.memory->state, tx->packet);
		l->live.memory->truth.ifindex = (uint32_t)tx->link.ifindex;
		err = pg_live_mine(&l->live);
		if (err)
			snprintf(tx->why, PG_WHY, "running its program: %s", strerror(-err));
		else
			err = try_device(l, tx);
	}
	if (err) {
		live_close(tx);
		return err;
	}
	l->live.memory->state.tai_offset_ns = tai_offset_ns();
	tx->batch = CHUNK;
	return 0;
}

/* What the trace points counted since the last look. */
static int account(struct live_tx *l, struct pg_tx *tx)
{
	const struct pg_live_truth *t = &l->live.memory->truth;
	const struct pg_live_state *s = &l->live.memory->state;
	uint64_t made = (uint32_t)(s->seq - l->seq_before), sent = t->sent - l->sent_before;
	uint64_t bytes = s->bytes - l->bytes_before;

	if (l->cfg.size_way == PG_WAY_FIXED)
		bytes = made * l->max_len;

	if (tx->config.xmit_mode == PG_NETIF_RECEIVE)
		sent = made; /* handed to the device's own receive side: no trace point, no loss */
	l->bytes_before = s->bytes;
	l->sent_before = t->sent;
	uint64_t told = sent;

	for (int i = 0; i < PG_NR_CAUSES; i++) {
		uint64_t n = t->drops_by[i] + t->refused_by[i];

		tx->causes[i] += n - l->causes_before[i];
		told += n - l->causes_before[i];
		l->causes_before[i] = n;
	}
	/* A device that went away takes its place in the map along: nobody tells of these. */
	if (made > told)
		tx->causes[PG_ERR_DOWN] += made - told;
	tx->sent += sent;
	if (sent == made)
		tx->bytes += bytes;
	else if (l->cfg.size_way == PG_WAY_FIXED)
		tx->bytes += sent * l->max_len;
	else
		l->mixed_loss = true;
	return (int)sent;
}

/* Nothing left: is it the device? */
static int nothing_sent(struct live_tx *l, struct pg_tx *tx)
{
	int32_t err = l->live.memory->truth.last_refuse_err;
	int gone = pg_link_trouble(tx->ifname, &tx->link, tx->why);

	if (gone)
		return gone;
	if (err == -EOPNOTSUPP) {
		snprintf(tx->why, PG_WHY, "%s", no_napi);
		return err;
	}
	return 0;
}

/* So many packets that the next call takes about as long as it should. */
static void size_next_call(struct live_tx *l, struct pg_tx *tx, unsigned n, uint64_t took_ns)
{
	uint64_t want = l->live.anchored ? CALL_NS : CALL_DEAR_NS;

	if (n < tx->batch || took_ns == 0)
		return;
	uint64_t next = n * want / took_ns;

	next = next > 2ull * n ? 2ull * n : next;
	tx->batch = (unsigned)(next < 1024 ? 1024 : next > 1u << 22 ? 1u << 22 : next);
}

static int live_send(struct pg_tx *tx, unsigned n)
{
	struct live_tx *l = tx->priv;
	struct pg_live_state *s = &l->live.memory->state;
	uint32_t turns = n, batch = n < BATCH ? n : BATCH;

	if (l->paced) {
		turns = TURNS;
		batch = tx->config.delay >= 1000 ? 1 : 16;
		if (s->due_ns == 0)
			s->due_ns = ww_clock_ns();
	}
	s->seq = l->seq_before = tx->packet->seq; /* clear_counters may have set it */
	s->end = s->seq + n;
	s->stamp_at = s->seq;
	uint64_t before = ww_clock_ns();
	int err = run(l, tx, turns, l->max_len, batch);

	if (!l->paced)
		size_next_call(l, tx, n, ww_clock_ns() - before);
	pull_state(s, tx->packet);
	int sent = account(l, tx);

	tx->turns = turns;
	tx->idle_turns = turns - (s->seq - l->seq_before);
	if (err && err != -EINTR) {
		snprintf(tx->why, PG_WHY, "running its program: %s", strerror(-err));
		return pg_link_trouble(tx->ifname, &tx->link, tx->why) ?: err;
	}
	return sent || (l->paced && s->seq == l->seq_before) ? sent : nothing_sent(l, tx);
}

static int live_probe(const char *ifname, char why[PG_WHY])
{
	struct pg_config c;

	pg_config_init(&c);
	return pg_backend_try(&pg_backend_live, ifname, &c, why);
}

const struct pg_backend pg_backend_live = {
	.name = "live",
	.what = "the kernel runs the loop (BPF live frames); needs CAP_BPF and CAP_NET_ADMIN",
	.needs_device = true,
	.receives = true,
	.paces_below_ns = PACES_BELOW_NS,
	.probe = live_probe,
	.open = live_open,
	.send = live_send,
	.close = live_close,
};

// SPDX-License-Identifier: MIT
/* The texts of a device file and of a run's result: the kernel's, blank for blank. */
#include "command/command.h"

#include <stdarg.h>
#include <string.h>

#include "command/address.h"
#include "command/flags.h"

struct out {
	char *to;
	size_t size, used; /* used may pass size: what it wanted */
};

static __attribute__((format(printf, 2, 3))) void put(struct out *o, const char *fmt, ...)
{
	size_t left = o->used < o->size ? o->size - o->used : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? o->to + o->used : NULL, left, fmt, ap);
	va_end(ap);
	o->used += (size_t)n;
}

static void put_addresses(struct out *o, const struct pg_config *c)
{
	char a[PG_ADDR_TEXT], b[PG_ADDR_TEXT], d[PG_ADDR_TEXT];

	if (!(c->flags & PG_IPV6)) {
		put(o, "     dst_min: %s  dst_max: %s\n", c->dst_min, c->dst_max);
		put(o, "     src_min: %s  src_max: %s\n", c->src_min, c->src_max);
		return;
	}
	put(o, "     saddr: %s  min_saddr: %s  max_saddr: %s\n", pg_ip6_print(&c->in6_saddr, a),
	    pg_ip6_print(&c->min_in6_saddr, b), pg_ip6_print(&c->max_in6_saddr, d));
	put(o, "     daddr: %s  min_daddr: %s  max_daddr: %s\n", pg_ip6_print(&c->in6_daddr, a),
	    pg_ip6_print(&c->min_in6_daddr, b), pg_ip6_print(&c->max_in6_daddr, d));
}

static void put_tags(struct out *o, const struct pg_config *c)
{
	if (c->nr_mpls) {
		put(o, "     mpls: ");
		for (uint32_t i = 0; i < c->nr_mpls; i++)
			put(o, "%08x%s", c->mpls[i], i + 1 < c->nr_mpls ? ", " : "\n");
	}
	if (c->vlan_id != 0xffff)
		put(o, "     vlan_id: %u  vlan_p: %u  vlan_cfi: %u\n", c->vlan_id, c->vlan_p,
		    c->vlan_cfi);
	if (c->svlan_id != 0xffff)
		put(o, "     svlan_id: %u  vlan_p: %u  vlan_cfi: %u\n", c->svlan_id, c->svlan_p,
		    c->svlan_cfi);
}

static void put_flags(struct out *o, const struct pg_config *c)
{
	put(o, "     Flags: ");
	for (uint32_t i = 0; i < PG_NR_FLAGS; i++) {
		if (1u << i == PG_FLOW_SEQ && !c->flows)
			continue;
		if (c->flags & 1u << i)
			put(o, "%s  ", pg_flag_names[i]);
		else if (1u << i == PG_FLOW_SEQ)
			put(o, "FLOW_RND  ");
	}
	put(o, "\n");
}

static void put_params(struct out *o, const struct pg_device_facts *facts,
		       const struct pg_config *c)
{
	static const uint8_t no_mac[6];
	char a[PG_ADDR_TEXT], b[PG_ADDR_TEXT];

	put(o, "Params: count %llu  min_pkt_size: %u  max_pkt_size: %u\n",
	    (unsigned long long)c->count, c->min_pkt_size, c->max_pkt_size);
	if (c->nr_imix) {
		put(o, "     imix_weights: ");
		for (uint32_t i = 0; i < c->nr_imix; i++)
			put(o, "%u,%u ", c->imix[i].size, c->imix[i].weight);
		put(o, "\n");
	}
	put(o, "     frags: %d  delay: %llu  clone_skb: %d  ifname: %s\n", (int)c->frags,
	    (unsigned long long)c->delay, (int)c->clone_skb, facts->name);
	put(o, "     flows: %u flowlen: %u\n", c->flows, c->flowlen);
	put(o, "     queue_map_min: %u  queue_map_max: %u\n", c->queue_map_min, c->queue_map_max);
	if (c->skb_priority)
		put(o, "     skb_priority: %u\n", c->skb_priority);
	put_addresses(o, c);
	put(o, "     src_mac: %s dst_mac: %s\n",
	    pg_mac_print(memcmp(c->src_mac, no_mac, 6) ? c->src_mac : c->dev_mac, a),
	    pg_mac_print(c->dst_mac, b));
	put(o, "     udp_src_min: %d  udp_src_max: %d  udp_dst_min: %d  udp_dst_max: %d\n",
	    c->udp_src_min, c->udp_src_max, c->udp_dst_min, c->udp_dst_max);
	put(o, "     src_mac_count: %d  dst_mac_count: %d\n", (int)c->src_mac_count,
	    (int)c->dst_mac_count);
	put_tags(o, c);
	if (c->tos)
		put(o, "     tos: 0x%02x\n", c->tos);
	if (c->traffic_class)
		put(o, "     traffic_class: 0x%02x\n", c->traffic_class);
	if (c->burst > 1)
		put(o, "     burst: %d\n", (int)c->burst);
	if (c->node >= 0)
		put(o, "     node: %d\n", c->node);
	if (c->xmit_mode == PG_NETIF_RECEIVE)
		put(o, "     xmit_mode: netif_receive\n");
	if (c->xmit_mode == PG_QUEUE_XMIT)
		put(o, "     xmit_mode: xmit_queue\n"); /* sic */
	if (c->pcap[0])
		put(o, "     pcap: %s  pcap_speed: %u.%03u\n", c->pcap, c->pcap_speed / 1000,
		    c->pcap_speed % 1000);
	put_flags(o, c);
}

/* Before the first run the moving fields show where they will start from. */
static struct pg_cursor cursor_of(const struct pg_config *c, const struct pg_status *s)
{
	struct pg_cursor cur = s->cursor;

	if (s->ever_ran)
		return cur;
	cur.cur_daddr = pg_in_aton(c->dst_min);
	cur.cur_saddr = pg_in_aton(c->src_min);
	cur.cur_saddr6 = c->in6_saddr;
	cur.cur_daddr6 =
		IN6_IS_ADDR_UNSPECIFIED(&c->min_in6_daddr) ? c->in6_daddr : c->min_in6_daddr;
	cur.cur_udp_src = c->udp_src_min;
	cur.cur_udp_dst = c->udp_dst_min;
	return cur;
}

static void put_current(struct out *o, const struct pg_config *c, const struct pg_status *s)
{
	struct pg_cursor cur = cursor_of(c, s);
	char a[PG_ADDR_TEXT], b[PG_ADDR_TEXT];

	put(o, "Current:\n     pkts-sofar: %llu  errors: %llu\n", (unsigned long long)s->sofar,
	    (unsigned long long)s->errors);
	if (c->nr_imix) {
		put(o, "     imix_size_counts: ");
		for (uint32_t i = 0; i < c->nr_imix; i++)
			put(o, "%u,%llu ", c->imix[i].size, (unsigned long long)cur.imix_counts[i]);
		put(o, "\n");
	}
	put(o, "     started: %lluus  stopped: %lluus idle: %lluus\n",
	    (unsigned long long)s->started_us, (unsigned long long)s->stopped_us,
	    (unsigned long long)s->idle_us);
	put(o, "     seq_num: %d  cur_dst_mac_offset: %d  cur_src_mac_offset: %d\n",
	    (int)cur.seq_num, (int)cur.cur_dst_mac_offset, (int)cur.cur_src_mac_offset);
	if (c->flags & PG_IPV6)
		put(o, "     cur_saddr: %s  cur_daddr: %s\n", pg_ip6_print(&cur.cur_saddr6, a),
		    pg_ip6_print(&cur.cur_daddr6, b));
	else
		put(o, "     cur_saddr: %s  cur_daddr: %s\n", pg_ip4_print(cur.cur_saddr, a),
		    pg_ip4_print(cur.cur_daddr, b));
	put(o, "     cur_udp_dst: %d  cur_udp_src: %d\n", cur.cur_udp_dst, cur.cur_udp_src);
	put(o, "     cur_queue_map: %u\n", cur.cur_queue_map);
	put(o, "     flows: %u\n", cur.nr_flows);
}

size_t pg_show_device(const struct pg_device_facts *facts, const struct pg_config *config,
		      const struct pg_status *status, const char *result, char *out, size_t size)
{
	struct out o = {out, size, 0};

	if (size)
		*out = 0;
	put_params(&o, facts, config);
	put_current(&o, config, status);
	put(&o, "Result: %s\n", result[0] ? result : "Idle");
	return o.used;
}

void pg_show_rates(const struct pg_config *config, const struct pg_status *status,
		   struct pg_rates *out)
{
	unsigned __int128 bits = 0;

	memset(out, 0, sizeof(*out));
	if (status->stopped_us <= status->started_us)
		return;
	out->elapsed_us = status->stopped_us - status->started_us;
	out->idle_us = status->idle_us < out->elapsed_us ? status->idle_us : out->elapsed_us;
	/* 128 bits: a product of more than 1.8e10 packets and a second passes 64 */
	out->pps = (uint64_t)((unsigned __int128)status->sofar * 1000000 / out->elapsed_us);
	if (!config->nr_imix) {
		out->bps = out->pps * 8 * status->cursor.cur_pkt_size;
		return;
	}
	for (uint32_t i = 0; i < config->nr_imix; i++)
		bits += (unsigned __int128)status->cursor.imix_counts[i] * config->imix[i].size * 8;
	out->bps = (uint64_t)(bits * 1000000 / out->elapsed_us);
}

void pg_show_result(const struct pg_config *config, const struct pg_status *status,
		    char out[PG_RESULT])
{
	struct out o = {out, PG_RESULT, 0};
	struct pg_rates r;

	if (status->error[0] && !status->sofar && !status->errors) {
		put(&o, "Error starting\n  %s", status->error);
		return;
	}
	pg_show_rates(config, status, &r);
	put(&o, "OK: %llu(c%llu+d%llu) usec, %llu (%dbyte,%dfrags)\n",
	    (unsigned long long)r.elapsed_us, (unsigned long long)(r.elapsed_us - r.idle_us),
	    (unsigned long long)r.idle_us, (unsigned long long)status->sofar,
	    (int)status->cursor.cur_pkt_size, status->frags_shown);
	put(&o, "  %llupps %lluMb/sec (%llubps) errors: %llu", (unsigned long long)r.pps,
	    (unsigned long long)(r.bps / 1000000), (unsigned long long)r.bps,
	    (unsigned long long)status->errors);
	if (status->error[0])
		put(&o, "\n  ended early: %s", status->error);
}

// SPDX-License-Identifier: MIT
#include "packet/config.h"

#include <string.h>

#include "packet/wire.h"

void pg_config_init(struct pg_config *c)
{
	memset(c, 0, sizeof(*c));
	c->count = 1000;
	c->burst = 1;
	c->flags = PG_SHARED;
	c->node = -1;
	c->udp_src_min = c->udp_src_max = c->udp_dst_min = c->udp_dst_max = 9;
	c->vlan_id = c->svlan_id = 0xffff;
	c->pcap_speed = 1000;
}

uint32_t pg_in_aton(const char *text)
{
	uint32_t byte[4] = {0};

	for (int i = 0; i < 4 && *text; text++) {
		if (*text == '.')
			i++;
		else if (*text >= '0' && *text <= '9')
			byte[i] = byte[i] * 10 + (uint32_t)(*text - '0');
		else
			return 0;
	}
	return (byte[0] & 255) << 24 | (byte[1] & 255) << 16 | (byte[2] & 255) << 8 |
	       (byte[3] & 255);
}

uint32_t pg_config_overhead(const struct pg_config *c)
{
	uint32_t n = 4 * c->nr_mpls;

	if (c->vlan_id != 0xffff)
		n += 4;
	if (c->svlan_id != 0xffff)
		n += 4;
	return n;
}

uint32_t pg_config_frame_len(const struct pg_config *c, uint32_t size)
{
	uint32_t ip = c->flags & PG_IPV6 ? PG_IP6_LEN : PG_IP4_LEN;
	uint32_t least = PG_ETH_LEN + pg_config_overhead(c) + ip + PG_UDP_LEN + PG_HDR_LEN;

	return size < least ? least : size;
}

uint32_t pg_config_longest(const struct pg_config *c)
{
	uint32_t size = c->max_pkt_size;

	if (c->pcap[0])
		return c->pcap_longest;
	if (c->min_pkt_size >= c->max_pkt_size)
		for (uint32_t i = 0; i < c->nr_imix; i++)
			if (c->imix[i].size > size)
				size = c->imix[i].size;
	return pg_config_frame_len(c, size);
}

uint32_t pg_config_shortest(const struct pg_config *c)
{
	uint32_t size = c->min_pkt_size;

	if (c->pcap[0])
		return PG_ETH_LEN;
	for (uint32_t i = 0; i < c->nr_imix; i++)
		if (i == 0 || c->imix[i].size < size)
			size = c->imix[i].size;
	return pg_config_frame_len(c, size);
}

void pg_config_settle(struct pg_config *c, unsigned nr_queues)
{
	unsigned last = nr_queues ? nr_queues - 1 : 0;

	if (!c->min_pkt_size)
		c->min_pkt_size = pg_config_frame_len(c, 0);
	if (c->max_pkt_size < c->min_pkt_size)
		c->max_pkt_size = c->min_pkt_size;
	if (c->queue_map_min > last)
		c->queue_map_min = (uint16_t)last;
	if (c->queue_map_max > last)
		c->queue_map_max = (uint16_t)last;
	if (c->src_min[0]) {
		c->saddr_min = pg_in_aton(c->src_min);
		c->saddr_max = pg_in_aton(c->src_max);
	} else {
		c->saddr_min = c->saddr_max = c->dev_addr;
	}
	c->daddr_min = pg_in_aton(c->dst_min);
	c->daddr_max = pg_in_aton(c->dst_max);
}

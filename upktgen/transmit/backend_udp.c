// SPDX-License-Identifier: MIT
/*
 * "udp": a UDP socket, so no right at all is needed. Payload, ports, destination, TTL and TOS are
 * pktgen's; the link header, the source address and the IP id are the kernel's own. What would have
 * to differ there is refused.
 */
#include "transmit/backend.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "packet/wire.h"
#include "transmit/frames.h"
#include "transmit/open.h"

enum { BATCH = 64, SNDBUF = 4 << 20, MAX_SEGMENTS = 64, MAX_GSO_BYTES = 65000 };

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct udp_tx {
	struct pg_frames frames;
	int fd;
	bool ip6, one_target;
	unsigned head;	   /* bytes before the payload */
	unsigned segments; /* copies in one send, 1 where packets differ */
	struct iovec payload[BATCH];
	struct iovec copies[MAX_SEGMENTS];
	union address to[BATCH];
	struct mmsghdr msg[BATCH];
};

static int udp_probe(const char *ifname, char why[PG_WHY])
{
	struct pg_link link;
	int err = pg_link_read(ifname, &link);

	if (err)
		snprintf(why, PG_WHY, "%s: %s", ifname, strerror(-err));
	return err;
}

static bool set_mac(const uint8_t mac[6])
{
	static const uint8_t none[6];

	return memcmp(mac, none, 6) != 0;
}

static const char *refusal(const struct pg_config *c)
{
	if (c->pcap[0])
		return "pcap: a UDP socket sends no frames as they are; backends xdp and packet do";
	if (c->xmit_mode == PG_NETIF_RECEIVE)
		return "xmit_mode netif_receive: a socket sends; backend live or tap injects";
	if (set_mac(c->src_mac) || set_mac(c->dst_mac) || c->src_mac_count > 1 ||
	    c->dst_mac_count > 1)
		return "src_mac and dst_mac: a UDP socket leaves the link header to the kernel";
	if (c->nr_mpls || c->vlan_id != 0xffff)
		return "mpls and vlan_id: a UDP socket leaves the link header to the kernel";
	if (c->saddr_min < c->saddr_max)
		return "src_min to src_max: a UDP socket has one source address";
	if (c->udp_src_min + 1 < c->udp_src_max)
		return "udp_src_min to udp_src_max: a UDP socket has one source port";
	if (c->flags & PG_IPSEC)
		return "flag IPSEC is not supported";
	if (c->queue_map_min || c->queue_map_max)
		return "queue_map: the kernel chooses the queue of a UDP socket";
	return NULL;
}

static void close_udp(struct pg_tx *tx)
{
	struct udp_tx *u = tx->priv;

	if (!u)
		return;
	if (u->fd >= 0)
		close(u->fd);
	pg_frames_close(&u->frames);
	ww_free(u);
	tx->priv = NULL;
}

/* The destination that stands in a frame's headers. */
static socklen_t target(const struct udp_tx *u, const uint8_t *frame, union address *to)
{
	const uint8_t *ip = frame + PG_ETH_LEN, *udp = frame + u->head - PG_UDP_LEN;

	memset(to, 0, sizeof(*to));
	if (u->ip6) {
		to->in6.sin6_family = AF_INET6;
		memcpy(&to->in6.sin6_addr, ip + 24, 16);
		memcpy(&to->in6.sin6_port, udp + 2, 2);
		return sizeof(to->in6);
	}
	to->in.sin_family = AF_INET;
	memcpy(&to->in.sin_addr, ip + 16, 4);
	memcpy(&to->in.sin_port, udp + 2, 2);
	return sizeof(to->in);
}

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

static int set_options(struct udp_tx *u, struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	int err = 0;

	if (u->ip6) {
		err = set(u->fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, PG_TTL);
		if (!err)
			err = set(u->fd, IPPROTO_IPV6, IPV6_TCLASS, c->traffic_class);
		if (!err) /* or a packet that the queueing discipline drops counts as sent */
			err = set(u->fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
	} else {
		err = set(u->fd, IPPROTO_IP, IP_TTL, PG_TTL);
		if (!err)
			err = set(u->fd, IPPROTO_IP, IP_TOS, c->tos);
		if (!err)
			err = set(u->fd, SOL_SOCKET, SO_NO_CHECK, !(c->flags & PG_UDPCSUM));
		if (!err)
			err = set(u->fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
		if (!err) /* or a packet that the queueing discipline drops counts as sent */
			err = set(u->fd, IPPROTO_IP, IP_RECVERR, 1);
	}
	if (!err)
		err = set(u->fd, SOL_SOCKET, SO_SNDBUF, SNDBUF);
	return err;
}

/* Bound to the source port, and to the source address where one is named. */
static int open_socket(struct udp_tx *u, struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	union address from = {0};
	int err;

	if (u->ip6) {
		from.in6.sin6_family = AF_INET6;
		from.in6.sin6_port = htons(c->udp_src_min);
		from.in6.sin6_addr = c->in6_saddr;
	} else {
		from.in.sin_family = AF_INET;
		from.in.sin_port = htons(c->udp_src_min);
		from.in.sin_addr.s_addr = htonl(c->src_min[0] ? c->saddr_min : 0);
	}
	u->fd = pg_open_udp(tx->ifname, &from.in6, c->skb_priority);
	err = u->fd < 0 ? u->fd : set_options(u, tx);
	if (u->fd >= 0 && err)
		snprintf(tx->why, PG_WHY, "a UDP socket on %s: %s", tx->ifname, strerror(-err));
	else if (err)
		snprintf(tx->why, PG_WHY, "a UDP socket on %s, source port %u%s: %s%s", tx->ifname,
			 c->udp_src_min, c->src_min[0] ? " of that src_min" : "", strerror(-err),
			 err == -EACCES ? " (set udp_src_min and udp_src_max to 1024 or more)"
					: "");
	return err;
}

/* One destination for all: the kernel then looks the way up once. */
static int connect_target(struct udp_tx *u, struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;

	u->one_target = c->udp_dst_min >= c->udp_dst_max && !c->flows &&
			(u->ip6 ? IN6_IS_ADDR_UNSPECIFIED(&c->min_in6_daddr)
				: c->daddr_min >= c->daddr_max);
	if (!u->one_target)
		return 0;
	struct pg_packet *p = pg_packet_start(c, 1, tx->cpu, 1, tx->why);
	uint8_t *frame = p ? ww_alloc(pg_packet_room(p)) : NULL;
	int err = frame ? 0 : -ENOMEM;

	if (frame) {
		pg_packet_next(p, frame, 0);
		socklen_t len = target(u, frame, &u->to[0]);

		if (connect(u->fd, &u->to[0].any, len))
			err = -errno;
	}
	if (err)
		snprintf(tx->why, PG_WHY, "the destination can't be reached on %s: %s", tx->ifname,
			 strerror(-err));
	ww_free(frame);
	pg_packet_end(p);
	return err;
}

/* Packets that are alike may leave as one buffer, which the kernel cuts. */
static void choose_segments(struct udp_tx *u, struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	unsigned payload = pg_config_longest(c) - u->head;

	u->segments = 1;
	/* What the kernel cuts it also sums: not where there is to be no checksum. */
	if (!u->ip6 && !(c->flags & PG_UDPCSUM))
		return;
	if (tx->copies < 2 || !u->one_target || c->min_pkt_size < c->max_pkt_size || c->nr_imix)
		return;
	if (set(u->fd, IPPROTO_UDP, UDP_SEGMENT, (int)payload))
		return;
	u->segments = MAX_SEGMENTS;
	if (u->segments > MAX_GSO_BYTES / payload)
		u->segments = MAX_GSO_BYTES / payload;
}

static int udp_open(struct pg_tx *tx)
{
	const char *no = refusal(&tx->config);

	if (no) {
		snprintf(tx->why, PG_WHY, "%s", no);
		return -EOPNOTSUPP;
	}
	struct udp_tx *u = ww_alloc_lines(sizeof(*u));

	if (!u) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	u->fd = -1;
	u->ip6 = tx->config.flags & PG_IPV6;
	u->head = PG_ETH_LEN + (u->ip6 ? PG_IP6_LEN : PG_IP4_LEN) + PG_UDP_LEN;
	tx->priv = u;
	tx->batch = BATCH;
	tx->max_bytes = tx->link.mtu + PG_ETH_LEN;
	int err = open_socket(u, tx);

	if (!err)
		err = connect_target(u, tx);
	if (!err)
		err = pg_frames_open(&u->frames, tx, BATCH);
	if (err) {
		close_udp(tx);
		return err;
	}
	choose_segments(u, tx);
	if (u->segments > 1)
		snprintf(tx->how, PG_HOW, "segmentation offload, up to %u alike at a time",
			 u->segments);
	else
		snprintf(tx->how, PG_HOW, "sendmmsg");
	return 0;
}

/* Errors that are about packets sent before, as ICMP told them. Was there any? */
static bool take_reports(int fd)
{
	struct msghdr h = {0};
	bool any = false;

	while (recvmsg(fd, &h, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
		any = true;
		h = (struct msghdr){0};
	}
	return any;
}

/* Nothing was accepted. */
static int udp_refused(struct udp_tx *u, struct pg_tx *tx, int err)
{
	struct pollfd ready = {.fd = u->fd, .events = POLLOUT};
	bool of_earlier = take_reports(u->fd);

	if (err == EINTR)
		return 0;
	if (err == EAGAIN) {
		poll(&ready, 1, 1);
		return 0;
	}
	int trouble = pg_link_trouble(tx->ifname, &tx->link, tx->why);

	if (trouble) {
		tx->causes[PG_ERR_DOWN]++;
		return trouble;
	}
	switch (err) {
	case ENOBUFS:
	case ENOMEM:
		tx->causes[PG_ERR_NOBUFS]++;
		return 0;
	case ECONNREFUSED: /* an earlier packet found no listener: it was sent all the same */
		return 0;
	case EMSGSIZE:
		tx->causes[PG_ERR_MTU]++;
		snprintf(tx->why, PG_WHY, "the MTU on the way is below the frames being sent");
		return -EMSGSIZE;
	case ENETUNREACH:
	case EHOSTUNREACH:
		if (of_earlier && !u->one_target) /* the others may well be there */
			return 0;
		tx->causes[PG_ERR_OTHER]++;
		snprintf(tx->why, PG_WHY,
			 of_earlier ? "nobody answers for the destination's address on %s"
				    : "no route to the destination on %s",
			 tx->ifname);
		return -err;
	default:
		tx->causes[PG_ERR_OTHER]++;
		return 0;
	}
}

static int send_differing(struct udp_tx *u, unsigned n)
{
	struct pg_frames *f = &u->frames;

	for (unsigned i = 0; i < n; i++) {
		const struct iovec *v = &f->v[f->head + i];
		struct msghdr *h = &u->msg[i].msg_hdr;

		u->payload[i].iov_base = (uint8_t *)v->iov_base + u->head;
		u->payload[i].iov_len = v->iov_len - u->head;
		*h = (struct msghdr){.msg_iov = &u->payload[i], .msg_iovlen = 1};
		if (!u->one_target) {
			h->msg_name = &u->to[i];
			h->msg_namelen = target(u, v->iov_base, &u->to[i]);
		}
	}
	return sendmmsg(u->fd, u->msg, n, MSG_DONTWAIT);
}

/* The same frame several times, in one call. */
static int send_alike(struct udp_tx *u, unsigned n)
{
	struct pg_frames *f = &u->frames;
	const struct iovec *first = &f->v[f->head];
	unsigned k = 0;

	while (k < n && k < u->segments && f->v[f->head + k].iov_base == first->iov_base) {
		u->copies[k].iov_base = (uint8_t *)first->iov_base + u->head;
		u->copies[k++].iov_len = first->iov_len - u->head;
	}
	struct msghdr h = {.msg_iov = u->copies, .msg_iovlen = k};

	return sendmsg(u->fd, &h, MSG_DONTWAIT) < 0 ? -1 : (int)k;
}

static int udp_send(struct pg_tx *tx, unsigned n)
{
	struct udp_tx *u = tx->priv;

	n = pg_frames_fill(&u->frames, tx, n);
	if (n == 0)
		return 0;
	int sent = u->segments > 1 ? send_alike(u, n) : send_differing(u, n);

	if (sent < 0)
		return udp_refused(u, tx, errno);
	pg_frames_sent(&u->frames, tx, (unsigned)sent);
	return sent;
}

const struct pg_backend pg_backend_udp = {
	.name = "udp",
	.what = "a UDP socket: no right is needed; the kernel writes the link header",
	.needs_device = true,
	.probe = udp_probe,
	.open = udp_open,
	.send = udp_send,
	.close = close_udp,
};

// SPDX-License-Identifier: MIT
/*
 * "packet": a packet socket. start_xmit goes past the queueing discipline straight to the driver
 * (PACKET_QDISC_BYPASS), queue_xmit through it.
 */
#include "transmit/backend.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "transmit/frames.h"
#include "transmit/open.h"

/* More to a call costs less each; a stop waits for one call, some 150 us. */
enum { BATCH = 256 };

struct packet_tx {
	int fd;
	struct pg_frames frames;
	struct mmsghdr msg[BATCH];
};

static const char needs_right[] = "sending on it needs the right to open packet sockets "
				  "(CAP_NET_RAW): as root, or inside \"unshare -rn\"";

static int packet_probe(const char *ifname, char why[PG_WHY])
{
	struct pg_link link;
	int err = pg_link_read(ifname, &link), fd;

	if (err) {
		snprintf(why, PG_WHY, "%s: %s", ifname, strerror(-err));
		return err;
	}
	fd = pg_open_packet(ifname, true, 0, 0);
	if (fd < 0) {
		snprintf(why, PG_WHY, "%s", fd == -EPERM ? needs_right : strerror(-fd));
		return fd;
	}
	close(fd);
	return 0;
}

static int refuse(struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	const char *what = NULL;

	if (c->xmit_mode == PG_NETIF_RECEIVE)
		what = "xmit_mode netif_receive: a packet socket can't inject into receive; "
		       "backend live or tap can";
	else if (c->flags & PG_IPSEC)
		what = "flag IPSEC is not supported";
	else if (tx->link.nr_queues > 1 && !(c->flags & PG_QUEUE_MAP_CPU) &&
		 (c->queue_map_min || c->queue_map_max))
		what = "queue_map: a packet socket can't name a queue; use flag QUEUE_MAP_CPU, or "
		       "backend xdp";
	if (!what)
		return 0;
	snprintf(tx->why, PG_WHY, "%s", what);
	return -EOPNOTSUPP;
}

static void packet_close(struct pg_tx *tx)
{
	struct packet_tx *p = tx->priv;

	if (!p)
		return;
	pg_frames_close(&p->frames);
	if (p->fd >= 0)
		close(p->fd);
	ww_free(p);
	tx->priv = NULL;
}

static int packet_open(struct pg_tx *tx)
{
	int err = refuse(tx);

	if (err)
		return err;
	struct packet_tx *p = ww_alloc_lines(sizeof(*p));

	if (!p) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	p->fd = -1;
	tx->priv = p;
	tx->batch = BATCH;
	/* What packet sockets let through: the MTU, the header, and one VLAN tag. */
	tx->max_bytes = tx->link.mtu + ETH_HLEN + (tx->config.vlan_id != 0xffff ? 4 : 0);
	p->fd = pg_open_packet(tx->ifname, tx->config.xmit_mode == PG_START_XMIT,
			       tx->config.skb_priority, tx->sndbuf);
	err = p->fd < 0 ? p->fd : 0;
	if (err)
		snprintf(tx->why, PG_WHY, "%s: %s", tx->ifname,
			 err == -EPERM ? needs_right : strerror(-err));
	if (!err)
		err = pg_frames_open(&p->frames, tx, BATCH);
	if (err) {
		packet_close(tx);
		return err;
	}
	for (unsigned i = 0; i < BATCH; i++)
		p->msg[i].msg_hdr = (struct msghdr){.msg_iov = &p->frames.v[i], .msg_iovlen = 1};
	return 0;
}

/* Nothing of a call was accepted: is the device gone or down, or was it this packet? */
static int refused(struct packet_tx *p, struct pg_tx *tx, int err)
{
	struct pollfd ready = {.fd = p->fd, .events = POLLOUT};

	if (err == EINTR)
		return 0;
	if (err == EAGAIN) {
		poll(&ready, 1, 1); /* the send buffer is full */
		return 0;
	}
	int gone = pg_link_trouble(tx->ifname, &tx->link, tx->why);

	if (gone) {
		tx->causes[PG_ERR_DOWN]++;
		return gone;
	}
	if (err == EMSGSIZE) {
		tx->causes[PG_ERR_MTU]++;
		snprintf(tx->why, PG_WHY, "the MTU of %s fell below the frames being sent",
			 tx->ifname);
		return -EMSGSIZE;
	}
	if (err == ENOBUFS || err == ENOMEM)
		tx->causes[PG_ERR_NOBUFS]++;
	else
		tx->causes[PG_ERR_OTHER]++;
	return 0;
}

static int packet_send(struct pg_tx *tx, unsigned n)
{
	struct packet_tx *p = tx->priv;

	n = pg_frames_fill(&p->frames, tx, n);
	if (n == 0)
		return 0;
	int sent = sendmmsg(p->fd, p->msg + p->frames.head, n, MSG_DONTWAIT);

	if (sent <= 0)
		return refused(p, tx, errno);
	pg_frames_sent(&p->frames, tx, (unsigned)sent);
	return sent;
}

const struct pg_backend pg_backend_packet = {
	.name = "packet",
	.what = "a packet socket (AF_PACKET); needs CAP_NET_RAW",
	.needs_device = true,
	.probe = packet_probe,
	.open = packet_open,
	.send = packet_send,
	.close = packet_close,
};

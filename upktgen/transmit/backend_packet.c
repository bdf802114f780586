// SPDX-License-Identifier: MIT
/*
 * "packet": a packet socket. start_xmit goes past the queueing discipline straight to the driver
 * (PACKET_QDISC_BYPASS), queue_xmit through it.
 *
 * Two ways into it, by name: "sendmmsg", which copies each frame, and "ring", out of which the kernel
 * sends without a copy, but pays for pages by their pieces. Which is faster depends on the driver and
 * on the length, so an unpaced run whose way nobody named sends its first packets by both in turns,
 * and goes on with the one that took less time. They all count as packets of the run.
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
#include "base/clock.h"
#include "transmit/frames.h"
#include "transmit/open.h"
#include "transmit/txring.h"

/* More to a call costs less each; a stop waits for one call, some 150 us. */
enum { BATCH = 256 };
/* A trial: so many full calls of each way at a time, so many times. It takes some 10 ms. */
enum { TURN = 4, TURNS = 8, TRIAL = 2 * TURN * TURNS };
#define WORTH_A_TRIAL (8ull * TRIAL * BATCH) /* packets */

enum way { SENDMMSG, RING, NR_WAYS };
static const char *const ways[] = {"sendmmsg", "ring", NULL};

struct packet_tx {
	int fd;
	enum way way;
	bool trying;
	unsigned calls;		   /* of the trial */
	uint64_t best_ns[NR_WAYS]; /* of a full call; the others were held up */
	struct pg_txring ring;	   /* fd -1: none */
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
	int ring_fd = p->ring.fd;

	pg_txring_close(&p->ring);
	if (ring_fd >= 0)
		close(ring_fd);
	if (p->fd >= 0)
		close(p->fd);
	ww_free(p);
	tx->priv = NULL;
}

static int open_socket(const struct pg_tx *tx)
{
	return pg_open_packet(tx->ifname, tx->config.xmit_mode == PG_START_XMIT,
			      tx->config.skb_priority, tx->sndbuf);
}

/* On a socket of its own: one with a ring sends no messages. */
static int open_ring(struct packet_tx *p, const struct pg_tx *tx)
{
	int fd = open_socket(tx);

	return fd < 0 ? fd : pg_txring_open(&p->ring, fd, tx->packet);
}

/* By name; or what is to be found out; or, where that is not worth it, what copies. */
static int choose_way(struct packet_tx *p, struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;

	p->way = tx->arg && !strcmp(tx->arg, ways[RING]) ? RING : SENDMMSG;
	p->trying = !tx->arg && !c->delay && !pg_packet_has_gaps(tx->packet) &&
		    (!c->count || c->count >= WORTH_A_TRIAL);
	snprintf(tx->how, PG_HOW, "%s%s", ways[p->way],
		 tx->arg || p->trying ? "" : " (paced or short: no trial of the ring)");
	if (p->way != RING && !p->trying)
		return 0;
	int err = open_ring(p, tx);

	if (!err || p->way == RING)
		return err;
	p->trying = false;
	snprintf(tx->how, PG_HOW, "%s (no ring: %s)", ways[p->way], strerror(-err));
	return 0;
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
	p->fd = p->ring.fd = -1;
	tx->priv = p;
	tx->batch = BATCH;
	/* What packet sockets let through: the MTU, the header, and one VLAN tag. */
	tx->max_bytes = tx->link.mtu + ETH_HLEN + (tx->config.vlan_id != 0xffff ? 4 : 0);
	p->fd = open_socket(tx);
	err = p->fd < 0 ? p->fd : choose_way(p, tx);
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
static int refused(int fd, struct pg_tx *tx, int err)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

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

static int send_messages(struct packet_tx *p, struct pg_tx *tx, unsigned n)
{
	n = pg_frames_fill(&p->frames, tx, n);
	if (n == 0)
		return 0;
	int sent = sendmmsg(p->fd, p->msg + p->frames.head, n, MSG_DONTWAIT);

	if (sent <= 0)
		return refused(p->fd, tx, errno);
	pg_frames_sent(&p->frames, tx, (unsigned)sent);
	return sent;
}

static int send_ring(struct packet_tx *p, struct pg_tx *tx, unsigned n)
{
	uint64_t too_long = tx->causes[PG_ERR_MTU];
	int sent = pg_txring_send(&p->ring, &p->frames, tx, n);

	if (sent >= 0 || tx->causes[PG_ERR_MTU] != too_long)
		return sent < 0 ? 0 : sent;
	return refused(p->ring.fd, tx, -sent);
}

static int send_one_way(struct packet_tx *p, struct pg_tx *tx, unsigned n)
{
	return p->way == RING ? send_ring(p, tx, n) : send_messages(p, tx, n);
}

static void decide(struct packet_tx *p, struct pg_tx *tx)
{
	double rate[NR_WAYS]; /* million/s */

	for (int i = 0; i < NR_WAYS; i++)
		rate[i] = p->best_ns[i] ? BATCH * 1e3 / (double)p->best_ns[i] : 0;
	p->trying = false;
	p->way = rate[RING] > rate[SENDMMSG] ? RING : SENDMMSG;
	snprintf(tx->how, PG_HOW, "%s (first packets: %.2f million/s, by %s %.2f)", ways[p->way],
		 rate[p->way], ways[!p->way], rate[!p->way]);
}

/* Full calls are compared; the way changes only while no frame made for one is left over. */
static int send_trial(struct packet_tx *p, struct pg_tx *tx, unsigned n)
{
	uint64_t before = ww_clock_ns();
	int sent = send_one_way(p, tx, n);

	uint64_t took = ww_clock_ns() - before;

	if (sent == BATCH && (!p->best_ns[p->way] || took < p->best_ns[p->way]))
		p->best_ns[p->way] = took;
	p->calls += n == BATCH;
	if (tx->pending)
		return sent;
	if (p->calls >= TRIAL)
		decide(p, tx);
	else
		p->way = (enum way)(p->calls / TURN % NR_WAYS);
	return sent;
}

static int packet_send(struct pg_tx *tx, unsigned n)
{
	struct packet_tx *p = tx->priv;

	return p->trying ? send_trial(p, tx, n) : send_one_way(p, tx, n);
}

const struct pg_backend pg_backend_packet = {
	.name = "packet",
	.what = "a packet socket (AF_PACKET), the faster of its two ways; needs CAP_NET_RAW",
	.ways = ways,
	.needs_device = true,
	.probe = packet_probe,
	.open = packet_open,
	.send = packet_send,
	.close = packet_close,
};

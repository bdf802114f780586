// SPDX-License-Identifier: MIT
/*
 * "xdp": AF_XDP sockets, one for each queue in use. Frames are made where the kernel, or the device
 * itself in zero-copy mode, takes them from. A frame is sent when the kernel took it off the ring
 * and did not say that it dropped it.
 *
 * By name: "native", the driver itself takes frames off the ring (zero copy; few drivers have it), or
 * "generic", the kernel copies each into a buffer of its own, for any driver; else the first of the two
 * that the device has. Either is woken only when it says that it needs it (need_wakeup), but for
 * "generic-always-wake", which asks for no such word.
 */
#include "transmit/backend.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <wheelwork/thread.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "transmit/frames.h"
#include "transmit/xsk.h"

enum {
	BATCH = 128,
	RING = 1024,
	FRAMES = 2 * RING, /* on the ring, and done but not yet taken back */
	FRAME = 4096,
	STAGGER =
		128, /* frames begin so far apart within their pages, or all share few cache sets */
	STAGGERED = 16,
	MAX_QUEUES = 64,
	DROPPED = 0x7fffffff,
};

enum { NATIVE, GENERIC, GENERIC_ALWAYS_WAKE };
static const char *const ways[] = {"native", "generic", "generic-always-wake", NULL};

struct queue {
	struct pg_xsk xsk;
	uint8_t *area;
	uint32_t *free; /* frames that are ours to write */
	unsigned nr_free;
	unsigned waiting;     /* submitted, not yet taken off the ring by the kernel */
	uint32_t taken;	      /* the kernel's consumer index as last seen */
	uint32_t unshown;     /* taken and dropped, though the ring's index does not say so yet */
	uint32_t bytes[RING]; /* of each frame on the ring, or DROPPED */
	uint32_t drops, stagger;
};

struct xdp_tx {
	struct pg_frames frames;
	unsigned nr_queues, first_queue;
	bool zero_copy, moves, always_wake;
	struct queue *queue;
};

/* Where frame i begins; long ones have no room to differ. */
static uint8_t *frame_at(const struct queue *q, uint32_t i)
{
	return q->area + (size_t)i * FRAME + (size_t)(i % STAGGERED) * q->stagger;
}

static const char needs_right[] = "AF_XDP sockets need CAP_NET_RAW; zero copy CAP_NET_ADMIN too";

static int open_xsk(struct queue *q, const char *ifname, uint32_t id, __u16 bind_flags)
{
	struct pg_xsk_config c = {
		.area = q->area,
		.frames = FRAMES,
		.frame_size = FRAME,
		.tx_size = RING,
		.comp_size = FRAMES,
		.bind_flags = bind_flags,
	};

	return pg_xsk_open(&q->xsk, ifname, id, &c);
}

static bool wants(const struct pg_tx *tx, int way)
{
	return tx->arg && !strcmp(tx->arg, ways[way]);
}

/* The driver's own path where it has one, else a copy by the kernel; or the one that was named. */
static int bind_queue(struct xdp_tx *x, struct pg_tx *tx, struct queue *q, uint32_t id)
{
	int err = -EOPNOTSUPP;

	if (!tx->arg || wants(tx, NATIVE)) {
		err = open_xsk(q, tx->ifname, id, XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP);
		x->zero_copy = !err;
		if (err == -EOPNOTSUPP && tx->arg)
			snprintf(tx->why, PG_WHY,
				 "the driver of %s sends no AF_XDP frames by itself (zero copy); "
				 "xdp:generic copies them",
				 tx->ifname);
		if (!err || tx->arg)
			return err;
	}
	x->always_wake = wants(tx, GENERIC_ALWAYS_WAKE);
	return open_xsk(q, tx->ifname, id,
			x->always_wake ? XDP_COPY : XDP_COPY | XDP_USE_NEED_WAKEUP);
}

static int open_queue(struct xdp_tx *x, struct pg_tx *tx, struct queue *q, uint32_t id)
{
	q->area = mmap(NULL, (size_t)FRAMES * FRAME, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (q->area == MAP_FAILED) {
		q->area = NULL;
		return -ENOMEM;
	}
	q->free = ww_alloc(FRAMES * sizeof(q->free[0]));
	if (!q->free)
		return -ENOMEM;
	int err = bind_queue(x, tx, q, id);

	/*
	 * The kernel lets a queue go a moment after its last socket was closed, and later where it has
	 * a namespace to clean up first.
	 */
	for (int i = 0; i < 300 && err == -EBUSY; i++) {
		ww_schedule_timeout_uninterruptible((int64_t)ww_msecs_to_jiffies(10));
		err = bind_queue(x, tx, q, id);
	}
	if (err)
		return err;
	q->stagger = pg_packet_room(tx->packet) <= FRAME - STAGGERED * STAGGER ? STAGGER : 0;
	for (unsigned i = 0; i < FRAMES; i++) {
		pg_packet_prepare(tx->packet, frame_at(q, i));
		q->free[q->nr_free++] = i;
	}
	q->taken = ww_load_acquire(q->xsk.tx.consumer);
	return 0;
}

static int refuse(struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	const char *what = NULL;

	if (c->xmit_mode == PG_NETIF_RECEIVE)
		what = "xmit_mode netif_receive: AF_XDP sends only; backend live or tap injects";
	else if (c->xmit_mode == PG_QUEUE_XMIT)
		what = "xmit_mode queue_xmit: AF_XDP goes past the queueing discipline; backend "
		       "packet goes through it";
	else if (c->flags & PG_IPSEC || c->skb_priority)
		what = "skb_priority and flag IPSEC have no meaning for AF_XDP";
	else if (pg_packet_room(tx->packet) > FRAME)
		what = "frames above 4096 bytes do not fit AF_XDP's; backend packet sends them";
	if (!what)
		return 0;
	snprintf(tx->why, PG_WHY, "%s", what);
	return -EOPNOTSUPP;
}

static void close_queue(struct queue *q)
{
	pg_xsk_close(&q->xsk);
	if (q->area)
		munmap(q->area, (size_t)FRAMES * FRAME);
	ww_free(q->free);
}

static void xdp_close(struct pg_tx *tx)
{
	struct xdp_tx *x = tx->priv;

	if (!x)
		return;
	for (unsigned i = 0; x->queue && i < x->nr_queues; i++)
		close_queue(&x->queue[i]);
	ww_free(x->queue);
	pg_frames_close(&x->frames);
	ww_free(x);
	tx->priv = NULL;
}

static void choose_queues(struct xdp_tx *x, const struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;
	struct pg_cursor at;

	pg_packet_cursor(tx->packet, &at);
	x->moves = pg_packet_moves_queue(tx->packet);
	x->first_queue = x->moves ? c->queue_map_min : at.cur_queue_map;
	x->nr_queues = x->moves ? c->queue_map_max - c->queue_map_min + 1u : 1;
	if (x->nr_queues > MAX_QUEUES)
		x->nr_queues = MAX_QUEUES;
}

static int xdp_open(struct pg_tx *tx)
{
	int err = refuse(tx);

	if (err)
		return err;
	struct xdp_tx *x = ww_alloc(sizeof(*x));

	if (!x) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	tx->priv = x;
	tx->batch = BATCH;
	tx->max_bytes = tx->link.mtu + 14 + 4;
	choose_queues(x, tx);
	x->queue = ww_alloc_lines(x->nr_queues * sizeof(x->queue[0]));
	if (!x->queue) {
		snprintf(tx->why, PG_WHY, "no memory");
		xdp_close(tx);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < x->nr_queues; i++)
		x->queue[i].xsk.fd = -1;
	err = pg_frames_open(&x->frames, tx, BATCH);
	for (unsigned i = 0; i < x->nr_queues && !err; i++)
		err = open_queue(x, tx, &x->queue[i], x->first_queue + i);
	if (!err) {
		snprintf(tx->how, PG_HOW, "%s (%s%s), %u queue%s",
			 ways[x->zero_copy ? NATIVE : GENERIC],
			 x->zero_copy ? "zero copy" : "a copy by the kernel",
			 x->always_wake ? ", always woken" : "", x->nr_queues,
			 x->nr_queues == 1 ? "" : "s");
		return 0;
	}
	if (!tx->why[0])
		snprintf(tx->why, PG_WHY, "%s, queue %u: %s", tx->ifname, x->first_queue,
			 err == -EPERM	 ? needs_right
			 : err == -EBUSY ? "another AF_XDP socket has it"
					 : strerror(-err));
	xdp_close(tx);
	return err;
}

/* Frames that the kernel or the device is done with are ours again. */
static void reclaim(struct queue *q)
{
	uint32_t at, n = xsk_ring_cons__peek(&q->xsk.comp, BATCH, &at);

	for (uint32_t i = 0; i < n; i++)
		q->free[q->nr_free++] =
			(uint32_t)(*xsk_ring_cons__comp_addr(&q->xsk.comp, at + i) / FRAME);
	xsk_ring_cons__release(&q->xsk.comp, n);
}

/* Puts frame v on the ring; not yet visible to the kernel. */
static void put(struct queue *q, const struct iovec *v, uint32_t at)
{
	struct xdp_desc *d = xsk_ring_prod__tx_desc(&q->xsk.tx, at);

	*d = (struct xdp_desc){
		.addr = (uint64_t)((uint8_t *)v->iov_base - q->area),
		.len = (uint32_t)v->iov_len,
	};
	q->bytes[at % RING] = (uint32_t)v->iov_len;
}

/* Up to n new frames onto one queue's ring. */
static void submit(struct xdp_tx *x, struct pg_tx *tx, struct queue *q, unsigned n)
{
	struct iovec v[BATCH];
	uint32_t at;

	if (n > q->nr_free)
		n = q->nr_free;
	if (n > RING - q->waiting)
		n = RING - q->waiting;
	for (unsigned i = 0; i < n; i++)
		v[i].iov_base = frame_at(q, q->free[q->nr_free - 1 - i]);
	n = n ? pg_frames_make(&x->frames, tx, v, n) : 0;
	if (n == 0 || xsk_ring_prod__reserve(&q->xsk.tx, n, &at) != n)
		return;
	for (unsigned i = 0; i < n; i++)
		put(q, &v[i], at + i);
	q->nr_free -= n;
	q->waiting += n;
	xsk_ring_prod__submit(&q->xsk.tx, n);
}

/* Frames that go to different queues: which one is known once a frame is made. */
static void submit_moving(struct xdp_tx *x, struct pg_tx *tx, unsigned n)
{
	struct iovec v = {.iov_base = x->frames.memory};
	struct pg_cursor c;

	for (unsigned i = 0; i < n; i++) {
		uint32_t at;

		if (pg_frames_make(&x->frames, tx, &v, 1) == 0)
			continue;
		pg_packet_cursor(tx->packet, &c);
		struct queue *q = &x->queue[(c.cur_queue_map - x->first_queue) % x->nr_queues];

		if (q->nr_free == 0 || q->waiting == RING ||
		    xsk_ring_prod__reserve(&q->xsk.tx, 1, &at) != 1) {
			tx->causes[PG_ERR_NOBUFS]++;
			continue;
		}
		struct iovec to = {.iov_base = frame_at(q, q->free[--q->nr_free]),
				   .iov_len = v.iov_len};

		memcpy(to.iov_base, v.iov_base, v.iov_len);
		put(q, &to, at);
		q->waiting++;
		xsk_ring_prod__submit(&q->xsk.tx, 1);
	}
}

/*
 * The copying kernel says that the driver dropped a frame: the last one that it took in this call.
 * Where it took no other, its index on the ring does not show that yet.
 */
static void mark_dropped(struct queue *q)
{
	uint32_t now = ww_load_acquire(q->xsk.tx.consumer);

	if (now == q->taken) {
		q->bytes[(now + q->unshown++) % RING] = DROPPED;
	} else {
		q->bytes[(now - 1) % RING] = DROPPED;
		q->unshown = 0;
	}
}

/* A frame was dropped for want of room, or of a carrier: now and then it is worth a look which. */
static int dropped(struct pg_tx *tx, struct queue *q)
{
	mark_dropped(q);
	if (q->drops++ % 64 == 0) {
		int lost = pg_link_trouble(tx->ifname, &tx->link, tx->why);

		if (lost) {
			tx->causes[PG_ERR_DOWN]++;
			return lost;
		}
	}
	tx->causes[PG_ERR_NOBUFS]++;
	return 0;
}

/* Wakes the kernel side. Negative: the run is over. */
static int kick(struct pg_tx *tx, const struct xdp_tx *x, struct queue *q)
{
	bool zero_copy = x->zero_copy;

	if (q->waiting == q->unshown ||
	    (!x->always_wake && !xsk_ring_prod__needs_wakeup(&q->xsk.tx)))
		return 0;
	if (sendto(q->xsk.fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	int err = errno;

	if (err == EBUSY && !zero_copy)
		return dropped(tx, q);
	if (err == EBUSY || err == EAGAIN || err == EINTR || err == ENOBUFS)
		return 0;
	int trouble = pg_link_trouble(tx->ifname, &tx->link, tx->why);

	tx->causes[trouble ? PG_ERR_DOWN : PG_ERR_OTHER]++;
	if (trouble)
		return trouble;
	snprintf(tx->why, PG_WHY, "%s: %s", tx->ifname, strerror(err));
	return -err;
}

/* How many of those that the kernel took off the ring since the last look were sent. */
static unsigned count_taken(struct pg_tx *tx, struct queue *q)
{
	uint32_t now = ww_load_acquire(q->xsk.tx.consumer);
	uint32_t n = now - q->taken, sent = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = q->bytes[(q->taken + i) % RING];

		sent += bytes != DROPPED;
		tx->bytes += bytes != DROPPED ? bytes : 0;
	}
	if (n)
		q->unshown = 0;
	q->taken = now;
	q->waiting -= n;
	return sent;
}

static int xdp_send(struct pg_tx *tx, unsigned n)
{
	struct xdp_tx *x = tx->priv;
	unsigned waiting = 0, sent = 0;
	int err = 0;

	for (unsigned i = 0; i < x->nr_queues; i++) {
		reclaim(&x->queue[i]);
		waiting += x->queue[i].waiting - x->queue[i].unshown;
	}
	if (n > waiting) {
		if (x->moves)
			submit_moving(x, tx, n - waiting);
		else
			submit(x, tx, &x->queue[0], n - waiting);
	}
	tx->pending = 0;
	for (unsigned i = 0; i < x->nr_queues; i++) {
		struct queue *q = &x->queue[i];
		int lost = kick(tx, x, q);

		/* Also where the run ends here: what was taken before the trouble was sent. */
		sent += count_taken(tx, q);
		tx->pending += q->waiting - q->unshown;
		if (lost && !err)
			err = lost;
	}
	tx->sent += sent;
	return err ? err : (int)sent;
}

static int xdp_probe(const char *ifname, char why[PG_WHY])
{
	struct pg_config c;

	pg_config_init(&c);
	return pg_backend_try(&pg_backend_xdp, ifname, &c, why);
}

const struct pg_backend pg_backend_xdp = {
	.name = "xdp",
	.what = "AF_XDP sockets: one copy or none; needs CAP_NET_RAW",
	.ways = ways,
	.needs_device = true,
	.probe = xdp_probe,
	.open = xdp_open,
	.send = xdp_send,
	.close = xdp_close,
};

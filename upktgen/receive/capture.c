// SPDX-License-Identifier: MIT
#include "receive/capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/atomic.h"

enum {
	BLOCK = 1 << 17, /* holds the longest frame */
	/*
	 * 32 MB, or 200,000 small frames: a fifth of a second at 1 million/s. Many, because one is used
	 * up each RETIRE_MS however little comes: so a reader may be held up for 1.28 s.
	 */
	BLOCKS = 256,
	RETIRE_MS = 5 /* a block that is not full is handed over after this */
};

static int fail(char why[128], const char *what, const char *ifname)
{
	int err = errno;

	if (err == EPERM)
		snprintf(why, 128,
			 "receiving on %s needs the right to open packet sockets "
			 "(CAP_NET_RAW): run it as root, or inside \"unshare -rn\"",
			 ifname);
	else
		snprintf(why, 128, "%s on %s: %s", what, ifname, strerror(err));
	return -err;
}

static int make_ring(struct pg_capture *c, const char *ifname, char why[128])
{
	struct tpacket_req3 req = {
		.tp_block_size = BLOCK,
		.tp_block_nr = BLOCKS,
		.tp_frame_size = 2048,
		.tp_frame_nr = BLOCK / 2048 * BLOCKS,
		.tp_retire_blk_tov = RETIRE_MS,
	};
	int version = TPACKET_V3;

	if (setsockopt(c->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		return fail(why, "a receive ring", ifname);
	return 0;
}

static int map_ring(struct pg_capture *c, const char *ifname, char why[128])
{
	c->block_size = BLOCK;
	c->nr_blocks = BLOCKS;
	c->ring = mmap(NULL, (size_t)BLOCK * BLOCKS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, c->fd, 0);
	if (c->ring == MAP_FAILED) {
		c->ring = NULL;
		return fail(why, "mapping the receive ring", ifname);
	}
	return 0;
}

/* --- opening, by who may ------------------------------------------------------------------------ */

struct request {
	char ifname[PG_ASK_IFNAME];
};

static void serve(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	const struct request *r = request;
	struct pg_capture c = {.fd = -1};
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	int on = 1;

	(void)fds;
	(void)nr_fds;
	to.sll_ifindex = (int)if_nametoindex(r->ifname);
	if (to.sll_ifindex == 0) {
		snprintf(a->why, PG_ASK_WHY, "there is no network device \"%.15s\" here",
			 r->ifname);
		a->err = -ENODEV;
		return;
	}
	/* Protocol 0: nothing is taken before the ring stands and the device is bound. */
	c.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (c.fd < 0) {
		a->err = fail(a->why, "a packet socket", r->ifname);
		return;
	}
	setsockopt(c.fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	a->err = make_ring(&c, r->ifname, a->why);
	if (!a->err && bind(c.fd, (struct sockaddr *)&to, sizeof(to)))
		a->err = fail(a->why, "receiving", r->ifname);
	if (a->err) {
		close(c.fd);
		return;
	}
	/* Frames of all destinations, for as long as the socket lives. */
	struct packet_mreq all = {.mr_ifindex = to.sll_ifindex, .mr_type = PACKET_MR_PROMISC};

	setsockopt(c.fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all));
	a->value[0] = (uint64_t)to.sll_ifindex;
	a->fds[a->nr_fds++] = c.fd;
}

const struct pg_op pg_op_capture = {"capture", sizeof(struct request), serve};

int pg_capture_open(struct pg_capture *c, const char *ifname, char why[128])
{
	struct request r = {""};
	struct pg_answer a;
	int err;

	*c = (struct pg_capture){.fd = -1, .dport = -1};
	snprintf(r.ifname, sizeof(r.ifname), "%.15s", ifname);
	if (pg_ask(&pg_op_capture, &r, &a)) {
		snprintf(why, 128, "%s", a.why[0] ? a.why : strerror(-a.err));
		return a.err;
	}
	c->fd = a.fds[0];
	c->ifindex = (int)a.value[0];
	err = map_ring(c, ifname, why);
	if (err)
		pg_capture_close(c);
	return err;
}

void pg_capture_close(struct pg_capture *c)
{
	if (c->ring)
		munmap(c->ring, c->block_size * c->nr_blocks);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct pg_capture){.fd = -1, .dport = -1};
}

static void hand_over(struct pg_capture *c, const struct tpacket3_hdr *h, pg_arrival_fn fn,
		      void *arg)
{
	struct pg_frame_facts f = {0};
	bool summed = !(h->tp_status & TP_STATUS_CSUMNOTREADY);
	struct pg_arrival a = {
		.kind = pg_frame_read((const uint8_t *)h + h->tp_mac, h->tp_snaplen, h->tp_len,
				      summed, c->dport, &f),
		.seq = f.seq,
		.fine = f.fine,
		.sent_ns = f.sent_ns,
		.arrived_ns = h->tp_sec * 1000000000ull + h->tp_nsec,
		/* the kernel took a tag out */
		.bytes = h->tp_len + (h->tp_status & TP_STATUS_VLAN_VALID ? 4 : 0),
		.flow = f.flow,
		.facts = &f,
	};

	if (a.kind == PG_FRAME_OURS)
		c->dport = f.dport;
	fn(arg, &a);
}

static int walk(struct pg_capture *c, struct tpacket_block_desc *block, pg_arrival_fn fn, void *arg)
{
	uint32_t n = block->hdr.bh1.num_pkts;
	const uint8_t *at = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;

	for (uint32_t i = 0; i < n; i++) {
		const struct tpacket3_hdr *h = (const void *)at;

		__builtin_prefetch(at + h->tp_next_offset);
		hand_over(c, h, fn, arg);
		at += h->tp_next_offset;
	}
	return (int)n;
}

/* Down may come up again; only a device that vanished ends it. */
static bool is_gone(struct pg_capture *c)
{
	char name[IF_NAMESIZE];
	int err = 0;
	socklen_t len = sizeof(err);

	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len);
	return err && !if_indextoname((unsigned)c->ifindex, name);
}

int pg_capture_wait(struct pg_capture *c, int timeout_ms, pg_arrival_fn fn, void *arg)
{
	int total = 0;

	for (;;) {
		struct tpacket_block_desc *block = (void *)(c->ring + c->block_size * c->next);

		/* The kernel hands a block over by this word, and takes it back by it. */
		if (ww_load_acquire(&block->hdr.bh1.block_status) & TP_STATUS_USER) {
			total += walk(c, block, fn, arg);
			ww_store_release(&block->hdr.bh1.block_status, TP_STATUS_KERNEL);
			c->next = (c->next + 1) % c->nr_blocks;
			if (total >= 65536)
				return total;
			continue;
		}
		if (total || timeout_ms == 0)
			return total;
		struct pollfd p = {.fd = c->fd, .events = POLLIN | POLLERR};

		if (poll(&p, 1, timeout_ms) <= 0)
			return 0;
		if (p.revents & POLLERR && is_gone(c))
			return -ENODEV;
		timeout_ms = 0;
	}
}

uint64_t pg_capture_dropped(struct pg_capture *c)
{
	struct tpacket_stats_v3 s = {0};
	socklen_t len = sizeof(s);

	if (c->fd < 0 || getsockopt(c->fd, SOL_PACKET, PACKET_STATISTICS, &s, &len))
		return 0;
	return s.tp_drops;
}

// SPDX-License-Identifier: MIT
#include "transmit/xsk.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transmit/open.h"

enum { FILL_SIZE = 64 }; /* a sender never fills it, but the kernel wants one */

#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9 /* since Linux 6.17 */
#endif

static int set(int fd, int option, const void *value, socklen_t len)
{
	return setsockopt(fd, SOL_XDP, option, value, len) ? -errno : 0;
}

static int set_sizes(struct pg_xsk *x, const struct pg_xsk_config *c)
{
	struct xdp_umem_reg umem = {
		.addr = (uintptr_t)c->area,
		.len = (uint64_t)c->frames * c->frame_size,
		.chunk_size = c->frame_size,
	};
	int fill = FILL_SIZE, comp = (int)c->comp_size, tx = (int)c->tx_size;
	int err = set(x->fd, XDP_UMEM_REG, &umem, sizeof(umem));

	if (!err)
		err = set(x->fd, XDP_UMEM_FILL_RING, &fill, sizeof(fill));
	if (!err)
		err = set(x->fd, XDP_UMEM_COMPLETION_RING, &comp, sizeof(comp));
	return err ? err : set(x->fd, XDP_TX_RING, &tx, sizeof(tx));
}

/* Maps ring i of so many entries; where it lies, or NULL. */
static uint8_t *map_ring(struct pg_xsk *x, unsigned i, const struct xdp_ring_offset *off,
			 size_t bytes, off_t which)
{
	void *at = mmap(NULL, off->desc + bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			x->fd, which);

	if (at == MAP_FAILED)
		return NULL;
	x->map[i].at = at;
	x->map[i].len = off->desc + bytes;
	return at;
}

static void set_prod(struct xsk_ring_prod *r, uint8_t *at, const struct xdp_ring_offset *off,
		     uint32_t size)
{
	*r = (struct xsk_ring_prod){
		.mask = size - 1,
		.size = size,
		.producer = (void *)(at + off->producer),
		.consumer = (void *)(at + off->consumer),
		.flags = (void *)(at + off->flags),
		.ring = at + off->desc,
		.cached_cons = size,
	};
}

static int map_rings(struct pg_xsk *x, const struct pg_xsk_config *c)
{
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);

	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len))
		return -errno;
	if (len != sizeof(off))
		return -EOPNOTSUPP; /* a kernel without need_wakeup: before 5.4 */
	uint8_t *tx =
		map_ring(x, 0, &off.tx, c->tx_size * sizeof(struct xdp_desc), XDP_PGOFF_TX_RING);
	uint8_t *fill = map_ring(x, 1, &off.fr, FILL_SIZE * sizeof(uint64_t),
				 (off_t)XDP_UMEM_PGOFF_FILL_RING);
	uint8_t *comp = map_ring(x, 2, &off.cr, c->comp_size * sizeof(uint64_t),
				 (off_t)XDP_UMEM_PGOFF_COMPLETION_RING);

	if (!tx || !fill || !comp)
		return -errno;
	set_prod(&x->tx, tx, &off.tx, c->tx_size);
	set_prod(&x->fill, fill, &off.fr, FILL_SIZE);
	x->comp = (struct xsk_ring_cons){
		.mask = c->comp_size - 1,
		.size = c->comp_size,
		.producer = (void *)(comp + off.cr.producer),
		.consumer = (void *)(comp + off.cr.consumer),
		.flags = (void *)(comp + off.cr.flags),
		.ring = comp + off.cr.desc,
	};
	return 0;
}

int pg_xsk_open(struct pg_xsk *x, const char *ifname, uint32_t queue, const struct pg_xsk_config *c)
{
	struct sockaddr_xdp to = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = c->bind_flags,
		.sxdp_ifindex = if_nametoindex(ifname),
		.sxdp_queue_id = queue,
	};
	int err;

	memset(x, 0, sizeof(*x));
	x->fd = pg_open_xsk(ifname);
	if (x->fd < 0)
		return x->fd;
	err = set_sizes(x, c);
	if (!err)
		err = map_rings(x, c);
	if (!err && bind(x->fd, (struct sockaddr *)&to, sizeof(to)))
		err = -errno;
	if (!err) { /* as many frames to a call as the ring holds, where the kernel lets us say */
		int budget = (int)c->tx_size;

		set(x->fd, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
	}
	if (err)
		pg_xsk_close(x);
	return err;
}

void pg_xsk_close(struct pg_xsk *x)
{
	for (unsigned i = 0; i < 3; i++)
		if (x->map[i].at)
			munmap(x->map[i].at, x->map[i].len);
	if (x->fd >= 0)
		close(x->fd);
	memset(x, 0, sizeof(*x));
	x->fd = -1;
}

// SPDX-License-Identifier: MIT
#include "transmit/txring.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/atomic.h"

enum {
	SLOTS = 1024,
	BLOCK = 1 << 16,
	SLOT_MIN = 2048,
	BATCH = 256,
	DATA = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll), /* where the kernel looks for it */
};

static struct tpacket2_hdr *slot(const struct pg_txring *r, unsigned i)
{
	return (void *)(r->map + (size_t)(i % SLOTS) * r->slot_size);
}

static uint8_t *frame(const struct pg_txring *r, unsigned i)
{
	return (uint8_t *)slot(r, i) + DATA;
}

int pg_txring_open(struct pg_txring *r, int fd, const struct pg_packet *p)
{
	int version = TPACKET_V2;

	*r = (struct pg_txring){.fd = fd, .slot_size = SLOT_MIN};
	while (r->slot_size < pg_packet_room(p) + TPACKET2_HDRLEN)
		r->slot_size *= 2;
	struct tpacket_req req = {
		.tp_block_size = r->slot_size > BLOCK ? r->slot_size : BLOCK,
		.tp_frame_size = r->slot_size,
		.tp_frame_nr = SLOTS,
	};

	req.tp_block_nr = (unsigned)((size_t)SLOTS * r->slot_size / req.tp_block_size);
	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)))
		return -errno;
	size_t len = (size_t)req.tp_block_size * req.tp_block_nr;
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	r->map = at;
	r->map_len = len;
	for (unsigned i = 0; i < SLOTS; i++)
		pg_packet_prepare(p, frame(r, i));
	return 0;
}

void pg_txring_close(struct pg_txring *r)
{
	if (r->map)
		munmap(r->map, r->map_len);
	*r = (struct pg_txring){.fd = -1};
}

/* The kernel's half stores and reads the status in the same order (acquire, release). */
static uint32_t status(const struct pg_txring *r, unsigned i)
{
	return ww_load_acquire(&slot(r, i)->tp_status);
}

static void fill(struct pg_txring *r, struct pg_frames *f, struct pg_tx *tx, unsigned n)
{
	struct iovec v[BATCH];
	unsigned room = 0;

	if (n > BATCH)
		n = BATCH;
	while (room < n && status(r, r->head + room) == TP_STATUS_AVAILABLE) {
		v[room].iov_base = frame(r, r->head + room);
		room++;
	}
	n = room ? pg_frames_make(f, tx, v, room) : 0;
	for (unsigned i = 0; i < n; i++) {
		struct tpacket2_hdr *h = slot(r, r->head + i);

		h->tp_len = h->tp_snaplen = (uint32_t)v[i].iov_len;
		ww_store_release(&h->tp_status, (uint32_t)TP_STATUS_SEND_REQUEST);
	}
	r->head += n;
	r->unsent += n;
}

/* Those that the kernel took since the last look: it takes them in order. */
static unsigned count_sent(struct pg_txring *r, struct pg_tx *tx)
{
	unsigned n = 0;

	for (; r->unsent; r->unsent--, r->tail++, n++) {
		uint32_t s = status(r, r->tail);

		if (s & (TP_STATUS_SEND_REQUEST | TP_STATUS_WRONG_FORMAT))
			break;
		tx->bytes += slot(r, r->tail)->tp_len;
	}
	tx->sent += n;
	tx->pending = r->unsent;
	return n;
}

int pg_txring_send(struct pg_txring *r, struct pg_frames *f, struct pg_tx *tx, unsigned n)
{
	if (r->unsent == 0)
		fill(r, f, tx, n);
	if (r->unsent == 0)
		return -EAGAIN; /* all are under way still, or were too long */
	int err = sendto(r->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? errno : 0;
	unsigned sent = count_sent(r, tx);

	if (r->unsent && status(r, r->tail) & TP_STATUS_WRONG_FORMAT)
		return -EMSGSIZE;
	if (sent || !err)
		return (int)sent;
	return -err;
}

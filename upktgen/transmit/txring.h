/* SPDX-License-Identifier: MIT */
/*
 * A packet socket's transmit ring (TPACKET_V2): frames are made in memory that the kernel sends them
 * from. Slots are used in order; one is ours again when the last reader of its frame is done with it.
 */
#ifndef UPKTGEN_TRANSMIT_TXRING_H
#define UPKTGEN_TRANSMIT_TXRING_H

#include "transmit/backend.h"
#include "transmit/frames.h"

struct pg_txring {
	int fd; /* -1: none; its owner's */
	uint8_t *map;
	size_t map_len;
	uint32_t slot_size;
	unsigned head;	 /* slot to fill next */
	unsigned tail;	 /* oldest that is not known to be sent */
	unsigned unsent; /* from there */
};

/* A ring for the run's frames over a bound packet socket. 0 or -errno. */
int pg_txring_open(struct pg_txring *r, int fd, const struct pg_packet *p);
/* Harmless on one that was never opened. Does not close the socket. */
void pg_txring_close(struct pg_txring *r);
/*
 * Makes up to n frames, if none is left over, and tells the kernel to send. How many were sent; their
 * bytes are counted. Negative: -errno of the kernel's answer where nothing was sent. -EMSGSIZE: it
 * marked a frame as of a wrong format, and takes no other any more.
 */
int pg_txring_send(struct pg_txring *r, struct pg_frames *f, struct pg_tx *tx, unsigned n);

#endif

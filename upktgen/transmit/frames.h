/* SPDX-License-Identifier: MIT */
/*
 * Frames made ahead of a call that sends several: a row of buffers, filled when all were sent, sent
 * in order. A frame stays until it was accepted, so that its sequence number is never skipped.
 */
#ifndef UPKTGEN_TRANSMIT_FRAMES_H
#define UPKTGEN_TRANSMIT_FRAMES_H

#include <stdbool.h>
#include <sys/uio.h>

#include "transmit/backend.h"

struct pg_frames {
	unsigned size;	       /* entries of v, and buffers */
	unsigned head, filled; /* the oldest that was not sent, and how many there are from it */
	bool one_by_one;       /* frames are repeated, or may be too long */
	bool stamped;	       /* frames carry a time */
	uint32_t copies_left;  /* of the frame that is being repeated */
	unsigned next_buffer;
	struct iovec again; /* that frame */
	uint8_t *memory;
	uint32_t room; /* bytes to a buffer */
	struct iovec *v;
};

/* -EMSGSIZE and tx->why where no frame is short enough for tx->max_bytes. */
int pg_frames_check_length(struct pg_tx *tx);

/* 0 or -ENOMEM; -EMSGSIZE and tx->why where no frame can fit the device. */
int pg_frames_open(struct pg_frames *f, struct pg_tx *tx, unsigned size);
void pg_frames_close(struct pg_frames *f);
/*
 * Makes n frames (at most size) if none is left over. Returns how many stand at v[head]: those left
 * over, or fewer than n where some were too long for the device (counted in causes).
 */
unsigned pg_frames_fill(struct pg_frames *f, struct pg_tx *tx, unsigned n);
/*
 * For a backend with buffers of its own: makes n frames (at most size) in v, whose buffers were
 * prepared. Nothing is kept. Returns how many.
 */
unsigned pg_frames_make(struct pg_frames *f, struct pg_tx *tx, struct iovec *v, unsigned n);
/* The n oldest were accepted: counts them. */
void pg_frames_sent(struct pg_frames *f, struct pg_tx *tx, unsigned n);

#endif

/* SPDX-License-Identifier: MIT */
/* Frames from a device through a packet socket's ring (TPACKET_V3): no copy, no call per frame. */
#ifndef UPKTGEN_RECEIVE_CAPTURE_H
#define UPKTGEN_RECEIVE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "privilege/ask.h"
#include "receive/arrival.h"

struct pg_capture {
	int fd; /* -1: closed */
	int ifindex;
	uint8_t *ring;
	size_t block_size;
	unsigned nr_blocks, next;
	int dport; /* of the last good frame, -1 before */
};

extern const struct pg_op pg_op_capture;

/* 0 or -errno, and why says what is missing. Frames are taken from the return on. */
int pg_capture_open(struct pg_capture *c, const char *ifname, char why[128]);
void pg_capture_close(struct pg_capture *c);
/*
 * Waits at most timeout_ms for a block and calls fn for each frame of those that are ready. Frames
 * handled, 0 for none, or -ENODEV when the device is gone.
 */
int pg_capture_wait(struct pg_capture *c, int timeout_ms, pg_arrival_fn fn, void *arg);
/* Frames that found the ring full, since the last call. */
uint64_t pg_capture_dropped(struct pg_capture *c);

#endif

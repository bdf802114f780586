/* SPDX-License-Identifier: MIT */
/*
 * An AF_XDP socket that sends, over a descriptor that somebody with the right to it opened (which
 * libxdp can't take over); its rings are libxdp's.
 */
#ifndef UPKTGEN_TRANSMIT_XSK_H
#define UPKTGEN_TRANSMIT_XSK_H

#include <stddef.h>
#include <stdint.h>
#include <xdp/xsk.h>

struct pg_xsk {
	int fd; /* -1: closed */
	struct xsk_ring_prod tx, fill;
	struct xsk_ring_cons comp;
	struct {
		void *at;
		size_t len;
	} map[3];
};

struct pg_xsk_config {
	uint8_t *area; /* page-aligned */
	uint32_t frames, frame_size;
	uint32_t tx_size, comp_size; /* powers of two */
	uint16_t bind_flags;
};

/* 0 or -errno. */
int pg_xsk_open(struct pg_xsk *x, const char *ifname, uint32_t queue,
		const struct pg_xsk_config *c);
/* Harmless twice, and on zero bytes with fd -1. */
void pg_xsk_close(struct pg_xsk *x);

#endif

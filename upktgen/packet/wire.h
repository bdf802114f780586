/* SPDX-License-Identifier: MIT */
/* Lengths and byte order of what is on the wire; stores that need no alignment. */
#ifndef UPKTGEN_PACKET_WIRE_H
#define UPKTGEN_PACKET_WIRE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "packet/numbers.h"

static inline void pg_put16(uint8_t *at, uint32_t v)
{
	uint16_t be = htobe16((uint16_t)v);

	memcpy(at, &be, sizeof(be));
}

static inline void pg_put32(uint8_t *at, uint32_t v)
{
	uint32_t be = htobe32(v);

	memcpy(at, &be, sizeof(be));
}

static inline void pg_put64(uint8_t *at, uint64_t v)
{
	uint64_t be = htobe64(v);

	memcpy(at, &be, sizeof(be));
}

/* A one's complement sum of 16-bit words, its carries added in, not inverted. */
static inline uint32_t pg_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)((sum & 0xffff) + (sum >> 16));
}

static inline uint32_t pg_halves(uint32_t v)
{
	return (v >> 16) + (v & 0xffff);
}

#endif

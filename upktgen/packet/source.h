/* SPDX-License-Identifier: MIT */
/* Frames out of a capture file, with the gaps between them. */
#ifndef UPKTGEN_PACKET_SOURCE_H
#define UPKTGEN_PACKET_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct pg_source_frame {
	size_t at; /* in bytes */
	uint32_t len;
	uint64_t gap_ns; /* to the next frame; from the last to the first: the mean */
};

struct pg_source {
	uint32_t nr;
	uint32_t longest;
	struct pg_source_frame *frames;
	uint8_t *bytes;
};

/*
 * Reads all of a pcap or pcapng file of Ethernet frames into memory. 0, or -errno and why (at least
 * 128 bytes): which frame is wrong, and what would be right.
 */
int pg_source_read(const char *path, struct pg_source *s, char *why);
void pg_source_free(struct pg_source *s);

#endif

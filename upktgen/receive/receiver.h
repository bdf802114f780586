/* SPDX-License-Identifier: MIT */
/*
 * The receiver that the kernel never had: a thread that takes every frame of a device, follows the
 * sequence numbers, and measures one-way latency. It tells what the network did (lost, duplicated,
 * reordered, damaged) apart from what it missed itself.
 */
#ifndef UPKTGEN_RECEIVE_RECEIVER_H
#define UPKTGEN_RECEIVE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "transmit/histogram.h"
#include "receive/streams.h"

struct pg_receiver; /* opaque */

enum pg_receive_way {
	PG_RECEIVE_AUTO,   /* the first of the two that can be had */
	PG_RECEIVE_XDP,	   /* a program at the driver: full speed; frames of ours end there */
	PG_RECEIVE_PACKET, /* a packet socket beside the stack: 1 to 2 million frames/s */
};

struct pg_receiver_options {
	const char *ifname;
	enum pg_receive_way way;
	bool from_start;     /* the sender starts after us: number 1 is the first */
	int cpu;	     /* to run on, -1 for any */
	uint32_t silence_ms; /* no frame for so long is silence; 0: 1000 */
};

struct pg_receive_totals {
	uint64_t frames;   /* with our magic, whole */
	uint64_t bytes;	   /* of those, without CRC */
	uint64_t damaged;  /* a wrong checksum or magic */
	uint64_t other;	   /* somebody else's frames */
	uint64_t dropped;  /* by this receiver: the kernel found its ring full */
	uint64_t silences; /* how often silence_ms passed without a frame, after the first */
	uint64_t first_ns, last_ns; /* arrivals, CLOCK_REALTIME */
	uint32_t last_seq;
	uint64_t holes; /* numbers jumped over so far */
	bool silent;	/* no frame for silence_ms */
	bool gone;	/* the device vanished: nothing will come any more */
};

/* One sender's numbers: they count the packets of all its flows together. */
struct pg_stream_report {
	uint32_t serial;
	bool restart; /* the same sender as one before, begun anew */
	uint64_t packets;
	uint64_t damaged;
	uint64_t lost; /* missing, less damaged: also what this receiver dropped itself */
	struct pg_sequence sequence;
	bool one_flow;
	char flow[112]; /* its name, where there is one */
};

struct pg_flow_report {
	struct pg_flow flow;
	uint32_t sender; /* serial of its stream, 0 if there is none */
	/*
	 * Known where a sender has this one flow, since its numbers then count that flow's packets, or
	 * where its flows come in turns (cadence.h).
	 */
	bool lost_known;
	uint64_t lost; /* as above */
};

struct pg_receive_summary {
	struct pg_receive_totals totals;
	struct pg_sequence sequence; /* of all senders together; its window is gone */
	struct pg_histogram latency, jitter;
	const char *way; /* "xdp" or "packet" */
	unsigned queues; /* on which frames came in: between several the order is not known */
	uint64_t lost;	 /* by the network: holes that are neither damaged frames nor our drops */
	uint64_t early;	 /* stamped later than they arrived: the clocks differ */
	bool fine;	 /* stamps of 1 ns rather than 1 us */
	uint64_t unstamped; /* the sender wrote no time */
	bool tail_closed;   /* the sender's last number was known */
	bool one_clock;	    /* sender and receiver are on one host */
	unsigned senders;   /* told apart, those that began anew counted once */
	unsigned nr_streams;
	struct pg_stream_report *streams; /* as they began */
	unsigned nr_flows;
	struct pg_flow_report *flows; /* those with trouble first, then by packets */
	uint64_t flows_beyond;	      /* packets of more flows than are kept apart */
	uint64_t damaged_unknown;     /* damaged frames whose flow is not known */
};

/*
 * Opens the device and starts to receive; every frame sent after the return is seen. NULL + errno,
 * and why says what is missing (EPERM: the right to open packet sockets). Sleeps.
 */
struct pg_receiver *pg_receiver_start(const struct pg_receiver_options *options, char why[128]);
/* Any thread, while it runs. */
void pg_receiver_totals(struct pg_receiver *r, struct pg_receive_totals *out);
/*
 * Waits until number last_seq was seen, or nothing came for quiet_ms, or *stop is not 0 (may be
 * NULL); at most limit_ms. True if the number was seen.
 */
bool pg_receiver_wait(struct pg_receiver *r, uint32_t last_seq, uint32_t quiet_ms,
		      uint32_t limit_ms, const uint32_t *stop);
/*
 * Stops the thread and closes the books. last_seq: the sender's last sequence number, which tells a
 * lost tail from an end; 0 if not known. Frees r. What out holds is freed with
 * pg_receive_summary_free().
 */
void pg_receiver_finish(struct pg_receiver *r, uint32_t last_seq, struct pg_receive_summary *out);
/* The same with n senders, whose last numbers are all known. */
void pg_receiver_finish_all(struct pg_receiver *r, const uint32_t *lasts, unsigned n,
			    struct pg_receive_summary *out);
/* Frees what it holds, and empties it. */
void pg_receive_summary_free(struct pg_receive_summary *s);

/* rows: how many flows are listed at most. */
void pg_receive_print(const char *ifname, const struct pg_receive_summary *s, unsigned rows,
		      FILE *out);
struct json_object;
/* "senders" and "flows" into an object. */
void pg_receive_add_flows_json(struct json_object *to, const struct pg_receive_summary *s);
void pg_receive_print_json(const char *ifname, const struct pg_receive_summary *s, FILE *out);
/* The latency histogram as a picture. 0 or -errno. */
int pg_receive_write_svg(const char *file, const char *ifname, const struct pg_receive_summary *s);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The small interface behind which the ways to send stand. A backend is opened for one device and
 * used by one thread. It takes frames from the generator (frames.h), or makes them itself where the
 * kernel runs the loop. It refuses what it can't do; it never approximates.
 */
#ifndef UPKTGEN_TRANSMIT_BACKEND_H
#define UPKTGEN_TRANSMIT_BACKEND_H

#include "packet/packet.h"
#include "packet/stamp.h"
#include "transmit/engine.h"
#include "transmit/histogram.h"
#include "transmit/link.h"

#define PG_WHY 128

struct pg_backend;

/* One device being sent to. Everything here belongs to the sending thread. */
struct pg_tx {
	const struct pg_backend *ops;
	const char *arg;    /* what follows the backend's name after a colon; may be NULL */
	char how[PG_HOW];   /* told to the user: which of the backend's ways, and why it */
	const char *name;   /* with @suffix */
	const char *ifname; /* without */
	int cpu;
	uint64_t seed;
	struct pg_stamp stamp;
	unsigned stamp_every;	 /* packets that share a clock reading */
	bool no_burst;		 /* what was missed stays missed */
	uint32_t sndbuf;	 /* of a packet socket; 0: as the backend sees fit */
	struct pg_config config; /* settled */
	struct pg_link link;	 /* as of open; all 0 where the backend needs no device */
	struct pg_packet *packet;
	uint32_t copies;    /* packets sent of each frame: clone_skb times burst */
	uint32_t max_bytes; /* of a frame that the device takes, 0 for any */
	unsigned batch;	    /* most packets in one call of send */
	void *priv;	    /* the backend's own */

	/* What became of packets: only grows. */
	uint64_t sent, bytes;
	uint64_t causes[PG_NR_CAUSES];
	uint64_t pending; /* made and numbered, not yet sent */
	char why[PG_WHY]; /* of a negative answer */

	/* Of a paced run. */
	struct pg_histogram *late;  /* how late bursts left; NULL where nothing paces */
	uint64_t first_ns, last_ns; /* departures of the first and the last burst */
	uint32_t turns, idle_turns; /* of the last call of a backend that paces itself */
};

struct pg_backend {
	const char *name;
	const char *what; /* one line for "upktgen probe" */
	bool needs_device;
	bool receives;		 /* can do xmit_mode netif_receive */
	uint64_t paces_below_ns; /* keeps the schedule itself for a delay below this */
	bool takes_file;	 /* after a colon */
	const char *const *ways; /* or one of these words, up to a NULL */
	/* Could open() work for this device and this user? 0, or -errno and why. May be slow. */
	int (*probe)(const char *ifname, char why[PG_WHY]);
	/* tx->packet and config are set. 0, or -errno and tx->why. */
	int (*open)(struct pg_tx *tx);
	/*
	 * Send up to n packets (1 .. tx->batch). How many were accepted: may be fewer, and 0 where
	 * the device is busy (call again) or packets were refused (causes tell). Negative: the run
	 * is over, and tx->why says why.
	 */
	int (*send)(struct pg_tx *tx, unsigned n);
	/* Frees priv; the last word on the counters. */
	void (*close)(struct pg_tx *tx);
};

extern const struct pg_backend pg_backend_live, pg_backend_xdp, pg_backend_packet, pg_backend_udp,
	pg_backend_tap, pg_backend_pcap, pg_backend_null;

/* Up to a NULL: first those that are chosen by themselves, in that order. */
extern const struct pg_backend *const pg_backends[];
#define PG_BACKENDS_BY_ITSELF 3
/* By "name" or "name:arg"; *arg points behind the colon. NULL if there is none, or no such way. */
const struct pg_backend *pg_backend_find(const char *name, const char **arg);
/* The first that can send on ifname, or NULL; why the one before it could not, or empty. */
const struct pg_backend *pg_backend_choose(const char *ifname, char why[PG_WHY]);

/* Opens a backend on the device as it is, and closes it: what most probes come to. */
int pg_backend_try(const struct pg_backend *b, const char *ifname, const struct pg_config *config,
		   char why[PG_WHY]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The transmit threads and their devices: what kpktgend_N and the device files stand for. The
 * commands (upktgen/command) call this; it knows nothing of words or files. All calls may be made
 * from any thread; the engine serialises them, and devices may be changed while they run.
 */
#ifndef UPKTGEN_TRANSMIT_ENGINE_H
#define UPKTGEN_TRANSMIT_ENGINE_H

#include "packet/packet.h"

struct pg_engine;
struct pg_device;

struct pg_engine_options {
	uint64_t seed;	      /* every random choice of every device follows from it */
	const char *backend;  /* NULL: chosen by probing, and told */
	bool strict;	      /* refuse what the kernel refuses */
	bool no_burst;	      /* after a stall, do not catch up */
	bool stamp_ns;	      /* stamps of 1 ns, under a magic of our own */
	unsigned stamp_every; /* packets that share one reading of the clock; 0: 1 */
	/*
	 * Packet sockets: bytes of buffers that may be under way, a small packet holds some 800. The
	 * sender waits for those ahead of it to be taken at the far end of a veth. 0: 8 MB.
	 */
	uint32_t sndbuf;
};

struct pg_engine *pg_engine_create(const struct pg_engine_options *options);
/* Stops and joins all threads, closes all devices. */
void pg_engine_destroy(struct pg_engine *e);

int pg_engine_threads(const struct pg_engine *e); /* one per usable CPU */
int pg_engine_thread_cpu(const struct pg_engine *e, int index);

/* Kernel errno values of add_device: -EBUSY, -ENODEV, -EINVAL, -ENETDOWN, -ENOMEM. */
int pg_engine_add(struct pg_engine *e, int cpu, const char *name, struct pg_device **out);
void pg_engine_remove_all(struct pg_engine *e, int cpu);
/* By full name ("eth0@3"); NULL if there is none. Valid until removed. */
struct pg_device *pg_engine_find(struct pg_engine *e, const char *name);
/*
 * Calls fn for each device of a thread, newest first. The engine's lock is held meanwhile: fn may
 * take a device's name, and no call that asks or changes a device.
 */
void pg_engine_each(struct pg_engine *e, int cpu,
		    void (*fn)(struct pg_device *d, bool running, void *arg), void *arg);

/*
 * A consistent copy of a device's configuration; a change is taken over by the running loop before
 * its next burst.
 */
void pg_device_get_config(struct pg_device *d, struct pg_config *out);
void pg_device_set_config(struct pg_device *d, const struct pg_config *config);
void pg_device_clear_counters(struct pg_device *d);

/* "eth0@3" and "eth0"; as long as the device lives. */
const char *pg_device_name(const struct pg_device *d);
const char *pg_device_ifname(const struct pg_device *d);

struct pg_device_facts {
	char name[PG_DEV_NAME]; /* with @suffix */
	char ifname[16];
	bool tx_sharing; /* the driver may be given one buffer several times (IFF_TX_SKB_SHARING) */
	unsigned mtu, nr_queues;
	const char *backend; /* that a run takes */
	/* Why xmit_mode netif_receive can't be had, and the cure; empty if it can. */
	char no_receive[192];
};
void pg_device_facts(struct pg_device *d, struct pg_device_facts *out);

#define PG_HOW 96

enum pg_cause { PG_ERR_DROP, PG_ERR_DOWN, PG_ERR_MTU, PG_ERR_NOBUFS, PG_ERR_OTHER, PG_NR_CAUSES };

struct pg_status {
	bool running;
	bool ever_ran;
	uint64_t sofar, errors, tx_bytes;
	uint64_t by_cause[PG_NR_CAUSES];
	uint64_t started_us, stopped_us, idle_us; /* CLOCK_MONOTONIC */
	struct pg_cursor cursor;
	int frags_shown;       /* of the last packet; -1 when none is held */
	const char *backend;   /* of the last run, NULL before */
	char how[PG_HOW];      /* which of its ways it took, and why; empty where it has one */
	char passed_over[128]; /* automatic choice: the better backend that can't, and why */
	char error[128];       /* why a run could not start or ended early; empty if not */
};
void pg_device_status(struct pg_device *d, struct pg_status *out);

/* The counters alone, without the wait for a fresh cursor: for a progress line. */
void pg_device_progress(struct pg_device *d, uint64_t *sofar, uint64_t *bytes, uint64_t *errors);
/* When its last run began (CLOCK_MONOTONIC), as lightly: also from the function of pg_engine_each(). */
uint64_t pg_device_began_us(const struct pg_device *d);

/* How well a paced run kept its schedule; all 0 where nothing paced. */
struct pg_pacing {
	uint64_t departures;	    /* bursts that left on a schedule */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC, of the first and the last */
	uint64_t late_p50_ns, late_p99_ns, late_max_ns;
	uint64_t cpu_ns; /* CPU time of the run */
};
/* After a run. */
void pg_device_pacing(struct pg_device *d, struct pg_pacing *out);

/*
 * Run every device of every thread; returns when all have finished or were stopped. 0, or -EINTR
 * if pg_engine_stop_from_signal() came before it. One start at a time.
 */
int pg_engine_start(struct pg_engine *e);
void pg_engine_stop(struct pg_engine *e);
/* Async-signal-safe: a running start returns within 10 ms and a burst, and keeps what was sent. */
void pg_engine_stop_from_signal(struct pg_engine *e);
/* Between two starts: a stop from a signal that came too late for the last is not for the next. */
void pg_engine_forget_signal(struct pg_engine *e);
bool pg_engine_running(const struct pg_engine *e);

#endif

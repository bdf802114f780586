// SPDX-License-Identifier: MIT
/*
 * The packet generator alone: the real engine, its transmit thread and loop, on the backend "null".
 * Built twice: with PG_BARRIER_PER_PACKET the same sources store the thread's state with a full
 * barrier once per packet, as the kernel's loop did before the origin's third patch.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../bench.h"
#include "packet/config.h"
#include "transmit/engine.h"

#define DEVICE "pgtx"

static struct pg_engine *engine;
static struct pg_device *device;

static void open_on(const char *backend, unsigned stamp_every, uint32_t flags, bool ranges,
		    uint32_t size)
{
	struct pg_engine_options options = {
		.seed = 1, .backend = backend, .stamp_every = stamp_every};
	struct pg_config c;

	engine = pg_engine_create(&options);
	if (!engine)
		bench_cannot("no engine");
	if (pg_engine_add(engine, bench_cpu(0), DEVICE, &device) != 0)
		bench_cannot("the engine has no device " DEVICE);
	pg_device_get_config(device, &c);
	c.min_pkt_size = c.max_pkt_size = size;
	c.flags |= flags;
	memset(c.dst_mac, 2, sizeof(c.dst_mac));
	strcpy(c.dst_min, "198.18.0.1");
	strcpy(c.src_min, "198.18.1.1");
	if (ranges) {
		strcpy(c.dst_max, "198.18.0.254");
		c.flags |= PG_IPDST_RND | PG_UDPSRC_RND;
		c.udp_src_max = 1009;
	}
	pg_device_set_config(device, &c);
}

static void open_engine(unsigned stamp_every, uint32_t flags, bool ranges, uint32_t size)
{
	open_on("null", stamp_every, flags, ranges, size);
}

/* Nanoseconds per packet of one run of count packets. */
static double send_packets(uint64_t count, uint32_t clones)
{
	struct pg_config c;
	struct pg_status s;

	pg_device_get_config(device, &c);
	c.count = count;
	c.clone_skb = clones;
	pg_device_set_config(device, &c);
	if (pg_engine_start(engine) != 0)
		bench_cannot("the run was interrupted");
	pg_device_status(device, &s);
	if (s.sofar != count)
		bench_cannot("%llu of %llu packets were sent: %s", (unsigned long long)s.sofar,
			     (unsigned long long)count, s.error);
	return (double)(s.stopped_us - s.started_us) * 1e3 / (double)count;
}

/* The median of several runs: somebody else's turn on this CPU is no property of the loop. */
static double packet_ns(const struct bench *b, uint32_t clones)
{
	enum { RUNS = 15 };
	double v[RUNS];

	for (int i = 0; i < RUNS; i++)
		v[i] = send_packets(b->quick ? 100000 : 400000, clones);
	return bench_quantile(v, RUNS, 0.5);
}

#ifndef PG_BARRIER_PER_PACKET
static void open_each(struct bench *b)
{
	open_engine(1, 0, false, (uint32_t)b->n);
}

static void open_16(struct bench *b)
{
	open_engine(16, 0, false, (uint32_t)b->n);
}

/* The frame's bytes and the headers, no header of pktgen's: what other generators' frames are. */
static void open_unstamped(struct bench *b)
{
	open_engine(16, PG_NO_TIMESTAMP, false, (uint32_t)b->n);
}

static void open_ranges(struct bench *b)
{
	open_engine(16, 0, true, (uint32_t)b->n);
}

static void open_checksum(struct bench *b)
{
	open_engine(16, PG_UDPCSUM, true, (uint32_t)b->n);
}

static void run_null(struct bench *b)
{
	bench_figure(b, NULL, "ns", packet_ns(b, 0));
}
BENCH("pktgen-null", "stamp-each", open_each, run_null)
BENCH("pktgen-null", "stamp-16", open_16, run_null)
BENCH("pktgen-null", "no-stamp", open_unstamped, run_null)
BENCH("pktgen-null", "ranges-ipsum", open_ranges, run_null)
BENCH("pktgen-null", "ranges-udpsum", open_checksum, run_null)

/* Pacing: n packets a second, from null, and through a socket to one end of a pair of devices. */
static void open_paced(struct bench *b)
{
	if (strcmp(b->variant, "null") != 0 &&
	    (unshare(CLONE_NEWNET) != 0 ||
	     system("PATH=$PATH:/sbin:/usr/sbin && ip link add " DEVICE
		    " type veth peer name pgrx &&"
		    " ip link set pgrx up && ip link set " DEVICE " up &&"
		    " ethtool -K pgrx gro on") != 0))
		bench_cannot("no namespace, or no devices in it");
	open_on(b->variant, 1, 0, false, 60);
}

static void run_paced(struct bench *b)
{
	struct pg_config c;
	struct pg_status s;
	struct pg_pacing p;
	uint64_t count = (uint64_t)b->n * (b->quick ? 1 : 5);

	pg_device_get_config(device, &c);
	c.count = count;
	c.delay = 1000000000u / (uint64_t)b->n;
	pg_device_set_config(device, &c);
	pg_engine_start(engine);
	pg_device_status(device, &s);
	if (s.sofar != count)
		bench_cannot("%llu of %llu packets were sent: %s", (unsigned long long)s.sofar,
			     (unsigned long long)count, s.error);
	pg_device_pacing(device, &p);
	bench_figure(b, "rate", "packets/s",
		     (double)(count - 1) * 1e9 / (double)(p.last_ns - p.first_ns));
	bench_figure(b, "late-p50", "us", (double)p.late_p50_ns / 1e3);
	bench_figure(b, "late-p99", "us", (double)p.late_p99_ns / 1e3);
	bench_figure(b, "cpu-per-s", "us",
		     (double)p.cpu_ns / 1e3 * 1e9 / (double)(p.last_ns - p.first_ns));
}
BENCH("pktgen-pacing", "null", open_paced, run_paced)
BENCH("pktgen-pacing", "packet", open_paced, run_paced)
BENCH("pktgen-pacing", "live", open_paced, run_paced)
#endif

static void open_clones(struct bench *b)
{
	open_engine(16, PG_NO_TIMESTAMP, false, (uint32_t)b->n);
}

static void run_clones(struct bench *b)
{
	bench_figure(b, NULL, "packets/s", 1e9 / packet_ns(b, 100000));
}
BENCH("loop-barrier", "clone-100000", open_clones, run_clones)

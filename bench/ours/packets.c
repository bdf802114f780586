// SPDX-License-Identifier: MIT
/*
 * The packet generator alone: the real engine, its transmit thread and loop, on the backend "null".
 * Built twice: with PG_BARRIER_PER_PACKET the same sources store the thread's state with a full
 * barrier once per packet, as the kernel's loop did before the origin's third patch.
 */
#include <string.h>

#include "../bench.h"
#include "packet/config.h"
#include "transmit/engine.h"

static struct pg_engine *engine;
static struct pg_device *device;

static void open_engine(unsigned stamp_every, uint32_t flags, bool ranges, uint32_t size)
{
	struct pg_engine_options options = {
		.seed = 1, .backend = "null", .stamp_every = stamp_every};
	struct pg_config c;

	engine = pg_engine_create(&options);
	if (!engine)
		bench_cannot("no engine");
	if (pg_engine_add(engine, bench_cpu(0), "null0", &device) != 0)
		bench_cannot("the engine has no device null0");
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
BENCH("pktgen-null", "ranges-ipsum", open_ranges, run_null)
BENCH("pktgen-null", "ranges-udpsum", open_checksum, run_null)
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

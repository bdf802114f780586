/* SPDX-License-Identifier: MIT */
/*
 * An engine without threads, sockets or rights, for tests of the words: devices are names in a
 * list, and a start builds the packets in memory with the true generator and counts them.
 */
#ifndef WW_TESTS_FAKE_ENGINE_H
#define WW_TESTS_FAKE_ENGINE_H

#include <errno.h>

#include "tap.h"
#include "transmit/engine.h"

struct pg_device {
	struct pg_device *next;
	char name[PG_DEV_NAME];
	int cpu;
	struct pg_config config;
	struct pg_status status;
};

struct pg_engine {
	int threads;
	struct pg_device *devices; /* newest first */
	int stops, starts;
	int start_fails;
};

static struct pg_engine fake = {.threads = 4};
static bool fake_sharing;
static char fake_no_receive[192];

int pg_engine_threads(const struct pg_engine *e)
{
	return e->threads;
}

int pg_engine_thread_cpu(const struct pg_engine *e, int index)
{
	(void)e;
	return index;
}

struct pg_device *pg_engine_find(struct pg_engine *e, const char *name)
{
	for (struct pg_device *d = e->devices; d; d = d->next)
		if (!strcmp(d->name, name))
			return d;
	return NULL;
}

/* "down..." is down, "none..." does not exist, "tun..." is no Ethernet device. */
int pg_engine_add(struct pg_engine *e, int cpu, const char *name, struct pg_device **out)
{
	struct pg_device *d;

	if (pg_engine_find(e, name))
		return -EBUSY;
	if (!*name || !strncmp(name, "none", 4))
		return -ENODEV;
	if (!strncmp(name, "down", 4))
		return -ENETDOWN;
	if (!strncmp(name, "tun", 3))
		return -EINVAL;
	d = calloc(1, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->cpu = cpu;
	pg_config_init(&d->config);
	memcpy(d->config.dev_mac, "\x02\x00\x00\x00\x00\x01", 6);
	d->config.dev_addr = 0x0a000001;
	d->next = e->devices;
	e->devices = d;
	if (out)
		*out = d;
	return 0;
}

void pg_engine_remove_all(struct pg_engine *e, int cpu)
{
	struct pg_device **at = &e->devices;

	while (*at) {
		struct pg_device *d = *at;

		if (d->cpu != cpu) {
			at = &d->next;
			continue;
		}
		*at = d->next;
		free(d);
	}
}

void pg_engine_each(struct pg_engine *e, int cpu,
		    void (*fn)(struct pg_device *d, bool running, void *arg), void *arg)
{
	for (struct pg_device *d = e->devices; d; d = d->next)
		if (d->cpu == cpu)
			fn(d, d->status.running, arg);
}

const char *pg_device_name(const struct pg_device *d)
{
	return d->name;
}

void pg_device_get_config(struct pg_device *d, struct pg_config *out)
{
	*out = d->config;
}

void pg_device_set_config(struct pg_device *d, const struct pg_config *config)
{
	d->config = *config;
}

void pg_device_clear_counters(struct pg_device *d)
{
	d->status.sofar = d->status.errors = d->status.tx_bytes = d->status.idle_us = 0;
	d->status.cursor.seq_num = 1;
}

void pg_device_facts(struct pg_device *d, struct pg_device_facts *out)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", d->name);
	snprintf(out->ifname, sizeof(out->ifname), "%.*s", (int)strcspn(d->name, "@"), d->name);
	out->tx_sharing = fake_sharing;
	out->mtu = 1500;
	out->nr_queues = 4;
	out->backend = "fake";
	memcpy(out->no_receive, fake_no_receive, sizeof(out->no_receive));
}

void pg_device_status(struct pg_device *d, struct pg_status *out)
{
	*out = d->status;
}

int pg_engine_start(struct pg_engine *e)
{
	static uint64_t us = 1000;

	e->starts++;
	if (e->start_fails)
		return e->start_fails;
	for (struct pg_device *d = e->devices; d; d = d->next) {
		struct pg_status *s = &d->status;
		struct pg_packet *p;
		uint8_t *buf;

		memset(s, 0, sizeof(*s));
		s->started_us = us;
		pg_config_settle(&d->config, 4);
		p = pg_packet_start(&d->config, 1, d->cpu, 4, s->error);
		if (!p)
			continue;
		s->error[0] = 0;
		s->ever_ran = true;
		buf = malloc(pg_packet_room(p));
		/* however many were asked for: a fuzzer asks for billions */
		for (; s->sofar < d->config.count && s->sofar < 2000; s->sofar++) {
			s->tx_bytes += pg_packet_next(p, buf, 0);
			pg_packet_sent(p, 1);
		}
		pg_packet_cursor(p, &s->cursor);
		pg_packet_end(p);
		free(buf);
		us += d->config.count;
		s->stopped_us = us;
	}
	return 0;
}

void pg_engine_stop(struct pg_engine *e)
{
	e->stops++;
}

#endif

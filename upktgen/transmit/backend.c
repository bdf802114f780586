// SPDX-License-Identifier: MIT
#include "transmit/backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"

const struct pg_backend *const pg_backends[] = {
	&pg_backend_live, &pg_backend_xdp,  &pg_backend_packet, &pg_backend_udp,
	&pg_backend_tap,  &pg_backend_pcap, &pg_backend_null,	NULL,
};

static bool knows(const struct pg_backend *b, const char *arg)
{
	for (unsigned i = 0; b->ways && b->ways[i]; i++)
		if (!strcmp(b->ways[i], arg))
			return true;
	return b->takes_file;
}

const struct pg_backend *pg_backend_find(const char *name, const char **arg)
{
	size_t len = strcspn(name, ":");

	*arg = name[len] ? name + len + 1 : NULL;
	for (unsigned i = 0; pg_backends[i]; i++)
		if (strlen(pg_backends[i]->name) == len &&
		    !strncmp(pg_backends[i]->name, name, len))
			return !*arg || knows(pg_backends[i], *arg) ? pg_backends[i] : NULL;
	return NULL;
}

const struct pg_backend *pg_backend_choose(const char *ifname, char why[PG_WHY])
{
	char reason[PG_WHY];

	why[0] = 0;
	for (unsigned i = 0; i < PG_BACKENDS_BY_ITSELF; i++) {
		if (pg_backends[i]->probe(ifname, reason) == 0)
			return pg_backends[i];
		snprintf(why, PG_WHY, "%s: %.110s", pg_backends[i]->name, reason);
	}
	return NULL;
}

int pg_backend_try(const struct pg_backend *b, const char *ifname, const struct pg_config *config,
		   char why[PG_WHY])
{
	struct pg_tx tx = {
		.ops = b,
		.ifname = ifname,
		.cpu = ww_cpu_current(),
		.stamp_every = 1,
		.copies = 1,
		.config = *config,
	};
	int err = pg_link_read(ifname, &tx.link);

	if (err) {
		snprintf(why, PG_WHY, "%s: %s", ifname, strerror(-err));
		return err;
	}
	err = pg_link_trouble(ifname, &tx.link, why);
	if (err)
		return err;
	pg_config_settle(&tx.config, tx.link.nr_queues);
	tx.packet = pg_packet_start(&tx.config, 1, tx.cpu, tx.link.nr_queues, why);
	if (!tx.packet)
		return -errno;
	err = b->open(&tx);
	if (!err)
		b->close(&tx);
	else
		snprintf(why, PG_WHY, "%s", tx.why);
	pg_packet_end(tx.packet);
	return err;
}

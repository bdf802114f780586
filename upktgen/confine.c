// SPDX-License-Identifier: MIT
#include "confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "privilege/ask.h"
#include "privilege/rights.h"
#include "receive/capture.h"
#include "receive/tap.h"
#include "transmit/backend.h"
#include "transmit/live_open.h"
#include "transmit/open.h"

/* All that can be asked for. */
static const struct pg_op *const ops[] = {
	&pg_op_given, &pg_op_packet,  &pg_op_xsk,	  &pg_op_udp, &pg_op_tap,
	&pg_op_live,  &pg_op_capture, &pg_op_tap_program, NULL,
};

static int complain(int err)
{
	if (err)
		fprintf(stderr, "upktgen: giving up rights: %s\n", strerror(-err));
	return err;
}

/* lock: AF_XDP's memory is not counted against a limit, as without us. */
static int drop(pid_t may_signal, bool lock)
{
	const unsigned caps[] = {CAP_IPC_LOCK};
	int err = pg_rights_keep(caps, lock);

	return complain(err ? err : pg_filter_apply(PG_WORKER, may_signal));
}

int upk_confine_reader(void)
{
	return pg_rights_unconfined() ? 0 : drop(0, false);
}

/* The file of "--backend pcap:FILE" is one that the command line named. */
static const struct pg_backend *given_backend(const char *name)
{
	const char *arg = NULL;
	const struct pg_backend *b = name ? pg_backend_find(name, &arg) : NULL;

	if (arg && b && b->takes_file)
		pg_given_file(arg);
	return b;
}

int upk_confine(const struct upk_confine *c)
{
	struct pg_opener_options o = {.ops = ops};
	const struct pg_backend *b = given_backend(c->backend);

	o.anchor = c->sends && (!b || b == &pg_backend_live);
	for (unsigned i = 0; i < 2 && c->devices[i]; i++)
		o.devices[o.nr_devices++] = c->devices[i];
	if (pg_rights_unconfined()) {
		fputs("upktgen: UPKTGEN_UNCONFINED=1: no rights are given up\n", stderr);
		return 0;
	}
	int err = pg_opener_start(&o);

	return err ? complain(err) : drop(c->may_signal, c->sends && (!b || b == &pg_backend_xdp));
}

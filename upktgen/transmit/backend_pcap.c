// SPDX-License-Identifier: MIT
/* "pcap:FILE": frames go to a capture file instead of a device. A % in FILE is the device's name. */
#include "transmit/backend.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "transmit/frames.h"

enum { BATCH = 64 };

struct pcap_tx {
	struct pg_frames frames;
	pcap_t *pcap;
	pcap_dumper_t *dump;
};

static int pcap_probe(const char *ifname, char why[PG_WHY])
{
	(void)ifname;
	why[0] = 0;
	return 0;
}

static void pcap_close_tx(struct pg_tx *tx)
{
	struct pcap_tx *p = tx->priv;

	if (!p)
		return;
	if (p->dump) {
		if (pcap_dump_flush(p->dump) && !tx->why[0])
			snprintf(tx->why, PG_WHY, "%s: %s", tx->arg, strerror(errno));
		pcap_dump_close(p->dump);
	}
	if (p->pcap)
		pcap_close(p->pcap);
	pg_frames_close(&p->frames);
	ww_free(p);
	tx->priv = NULL;
}

/* With the device's name for the first %. */
static void file_name(const struct pg_tx *tx, char out[512])
{
	const char *at = strchr(tx->arg, '%');

	if (at)
		snprintf(out, 512, "%.*s%s%s", (int)(at - tx->arg), tx->arg, tx->name, at + 1);
	else
		snprintf(out, 512, "%s", tx->arg);
}

static int open_file(struct pcap_tx *p, struct pg_tx *tx)
{
	char name[512];
	FILE *f;

	file_name(tx, name);
	/* A run that goes on after a change appends; a new one writes the file anew. */
	f = fopen(name, tx->sent ? "a+e" : "we");
	if (!f) {
		snprintf(tx->why, PG_WHY, "%.90s: %s", name, strerror(errno));
		return -errno;
	}
	if (flock(fileno(f), LOCK_EX | LOCK_NB)) {
		snprintf(tx->why, PG_WHY,
			 "%.60s is being written already: put a %% in its name for the device's",
			 name);
		fclose(f);
		return -EBUSY;
	}
	p->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)PG_FRAME_MAX + 1,
						       PCAP_TSTAMP_PRECISION_NANO);
	if (p->pcap && tx->sent) {
		fclose(f);
		p->dump = pcap_dump_open_append(p->pcap, name);
	} else if (p->pcap) {
		p->dump = pcap_dump_fopen(p->pcap, f);
	} else {
		fclose(f);
	}
	if (p->dump)
		return 0;
	snprintf(tx->why, PG_WHY, "%.90s: %.30s", name, p->pcap ? pcap_geterr(p->pcap) : "memory");
	return -EIO;
}

static int pcap_open_tx(struct pg_tx *tx)
{
	if (!tx->arg || !tx->arg[0]) {
		snprintf(tx->why, PG_WHY, "backend pcap needs a file: pcap:FILE");
		return -EINVAL;
	}
	struct pcap_tx *p = ww_alloc(sizeof(*p));

	if (!p) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	tx->priv = p;
	tx->batch = BATCH;
	int err = open_file(p, tx);

	if (!err)
		err = pg_frames_open(&p->frames, tx, BATCH);
	if (err)
		pcap_close_tx(tx);
	return err;
}

static int pcap_send(struct pg_tx *tx, unsigned n)
{
	struct pcap_tx *p = tx->priv;
	uint64_t now = ww_clock_real_ns();

	n = pg_frames_fill(&p->frames, tx, n);
	for (unsigned i = 0; i < n; i++) {
		const struct iovec *v = &p->frames.v[p->frames.head + i];
		struct pcap_pkthdr h = {
			.ts = {.tv_sec = (time_t)(now / 1000000000),
			       .tv_usec = (suseconds_t)(now % 1000000000)}, /* ns here */
			.caplen = (bpf_u_int32)v->iov_len,
			.len = (bpf_u_int32)v->iov_len,
		};

		pcap_dump((u_char *)p->dump, &h, v->iov_base);
	}
	if (ferror(pcap_dump_file(p->dump))) {
		snprintf(tx->why, PG_WHY, "%.90s: writing failed: %s", tx->arg, strerror(errno));
		return -EIO;
	}
	pg_frames_sent(&p->frames, tx, n);
	return (int)n;
}

const struct pg_backend pg_backend_pcap = {
	.name = "pcap",
	.what = "pcap:FILE writes the frames to a capture file; a % in FILE is the device's name",
	.probe = pcap_probe,
	.open = pcap_open_tx,
	.send = pcap_send,
	.close = pcap_close_tx,
};

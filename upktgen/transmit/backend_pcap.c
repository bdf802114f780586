// SPDX-License-Identifier: MIT
/* "pcap:FILE": frames go to a capture file instead of a device. A % in FILE is the device's name. */
#include "transmit/backend.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "privilege/ask.h"
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

/*
 * A run that goes on after a change appends to what it wrote: the header in front is written once
 * more, the same as it stands there.
 */
static int begin(struct pcap_tx *p, FILE *f, bool again)
{
	if (!again && ftruncate(fileno(f), 0) && errno != EINVAL) /* a pipe has no length */
		return -errno;
	p->dump = pcap_dump_fopen(p->pcap, f);
	if (!p->dump || !again)
		return p->dump ? 0 : -EIO;
	return fflush(f) || fseek(f, 0, SEEK_END) ? -EIO : 0;
}

static int open_file(struct pcap_tx *p, struct pg_tx *tx)
{
	int fd = pg_given_open(tx->arg, tx->name, true, true);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r+");

	if (!f) {
		snprintf(tx->why, PG_WHY, "%.40s: %.40s%s", tx->arg, strerror(fd < 0 ? -fd : errno),
			 fd == -ELOOP	 ? " (it is a link)"
			 : fd == -EINVAL ? " (the device's name would lead elsewhere)"
					 : "");
		return fd < 0 ? fd : -errno;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		snprintf(tx->why, PG_WHY,
			 "%.60s is being written already: put a %% in its name for the device's",
			 tx->arg);
		fclose(f);
		return -EBUSY;
	}
	p->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)PG_FRAME_MAX + 1,
						       PCAP_TSTAMP_PRECISION_NANO);
	if (p->pcap && !begin(p, f, tx->sent != 0))
		return 0;
	snprintf(tx->why, PG_WHY, "%.90s: %.30s", tx->arg,
		 p->pcap ? pcap_geterr(p->pcap) : "memory");
	if (!p->dump)
		fclose(f);
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
	.takes_file = true,
	.what = "pcap:FILE writes the frames to a capture file; a % in FILE is the device's name",
	.probe = pcap_probe,
	.open = pcap_open_tx,
	.send = pcap_send,
	.close = pcap_close_tx,
};

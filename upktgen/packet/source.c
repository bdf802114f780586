// SPDX-License-Identifier: MIT
#include "packet/source.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "packet/config.h"
#include "packet/internal.h"
#include "privilege/ask.h"

#define MOST_BYTES ((size_t)1 << 30)

struct reader {
	struct pg_source *source;
	size_t used, room, frames_room;
	uint64_t first_ns, last_ns;
	char *why;
};

void pg_source_free(struct pg_source *s)
{
	ww_free(s->frames);
	ww_free(s->bytes);
	memset(s, 0, sizeof(*s));
}

/* Twice the room, with what is there. */
static void *grown(void *old, size_t used, size_t *room, size_t need)
{
	size_t more = *room ? *room : 65536;
	void *p;

	while (more < need)
		more *= 2;
	if (more == *room)
		return old;
	p = ww_alloc(more);
	if (!p)
		return NULL;
	if (used)
		memcpy(p, old, used);
	ww_free(old);
	*room = more;
	return p;
}

static int check_frame(struct reader *r, const struct pcap_pkthdr *h)
{
	uint32_t number = r->source->nr + 1;

	if (h->caplen < h->len)
		snprintf(r->why, PG_WHY,
			 "frame %u was cut to %u of %u bytes when it was captured: capture "
			 "with a snap length of 0",
			 number, h->caplen, h->len);
	else if (h->len < PG_ETH_LEN || h->len > PG_FRAME_MAX)
		snprintf(r->why, PG_WHY, "frame %u has %u bytes; right is %d to %u", number, h->len,
			 PG_ETH_LEN, PG_FRAME_MAX);
	else if (r->used + h->len > MOST_BYTES)
		snprintf(r->why, PG_WHY, "more than 1 GiB of frames");
	else
		return 0;
	return -EINVAL;
}

static int add_frame(struct reader *r, const struct pcap_pkthdr *h, const uint8_t *bytes)
{
	struct pg_source *s = r->source;
	uint64_t ns = (uint64_t)h->ts.tv_sec * 1000000000 + (uint64_t)h->ts.tv_usec;
	int err = check_frame(r, h);
	void *p;

	if (err)
		return err;
	p = grown(s->bytes, r->used, &r->room, r->used + h->len);
	if (p)
		s->bytes = p;
	void *q = p ? grown(s->frames, s->nr * sizeof(*s->frames), &r->frames_room,
			    (s->nr + 1ul) * sizeof(*s->frames))
		    : NULL;
	if (!q) {
		snprintf(r->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	s->frames = q;
	memcpy(s->bytes + r->used, bytes, h->len);
	if (s->nr)
		s->frames[s->nr - 1].gap_ns = ns > r->last_ns ? ns - r->last_ns : 0;
	else
		r->first_ns = ns;
	r->last_ns = ns;
	s->frames[s->nr++] = (struct pg_source_frame){r->used, h->len, 0};
	r->used += h->len;
	if (h->len > s->longest)
		s->longest = h->len;
	return 0;
}

static int read_all(struct reader *r, pcap_t *from)
{
	struct pg_source *s = r->source;
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	uint64_t all = 0;
	int n, err = 0;

	if (pcap_datalink(from) != DLT_EN10MB) {
		snprintf(r->why, PG_WHY, "its frames are %s, not Ethernet",
			 pcap_datalink_val_to_name(pcap_datalink(from))
				 ? pcap_datalink_val_to_name(pcap_datalink(from))
				 : "of an unknown kind");
		return -EINVAL;
	}
	while (!err && (n = pcap_next_ex(from, &h, &bytes)) == 1)
		err = add_frame(r, h, bytes);
	if (err)
		return err;
	if (n == PCAP_ERROR) {
		snprintf(r->why, PG_WHY, "after frame %u: %.90s", s->nr, pcap_geterr(from));
		return -EINVAL;
	}
	if (!s->nr) {
		snprintf(r->why, PG_WHY, "there is no frame in it");
		return -EINVAL;
	}
	for (uint32_t i = 0; i + 1 < s->nr; i++)
		all += s->frames[i].gap_ns;
	s->frames[s->nr - 1].gap_ns = s->nr > 1 ? all / (s->nr - 1) : 0;
	return 0;
}

/* A file that can be read more than once, and never makes its reader wait. NULL, and why. */
static FILE *open_file(const char *path, char *why)
{
	int fd = pg_given_open(path, NULL, false, false);
	struct stat st;
	FILE *f;

	if (fd < 0) {
		snprintf(why, PG_WHY, "%s", strerror(-fd));
		return NULL;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		snprintf(why, PG_WHY,
			 "it is no regular file, which can be read again at each start");
		close(fd);
		return NULL;
	}
	f = fdopen(fd, "r");
	if (!f) {
		snprintf(why, PG_WHY, "%s", strerror(errno));
		close(fd);
	}
	return f;
}

int pg_source_read(const char *path, struct pg_source *s, char *why)
{
	struct reader r = {.source = s, .why = why};
	char error[PCAP_ERRBUF_SIZE] = "";
	FILE *file = open_file(path, why);
	pcap_t *from;
	int err;

	memset(s, 0, sizeof(*s));
	if (!file)
		return -EINVAL;
	from = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!from) {
		snprintf(why, PG_WHY, "%.120s", error);
		fclose(file);
		return -EINVAL;
	}
	err = read_all(&r, from);
	pcap_close(from);
	if (err)
		pg_source_free(s);
	return err;
}

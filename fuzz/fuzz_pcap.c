/* SPDX-License-Identifier: MIT */
/*
 * Capture files, pcap and pcapng, from the command that names one to the frames and gaps of a run.
 * The first byte says how fast (0, a quarter, as captured, as fast as can be said) and whether a
 * delay takes the place of the gaps; the rest is the file.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "command/command.h"
#include "packet/source.h"

static char path[32];

static void must(bool cond)
{
	if (!cond)
		abort();
}

static void write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("capture", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(fd >= 0 && ftruncate(fd, 0) == 0);
	must(pwrite(fd, data, size, 0) == (ssize_t)size);
}

static int say(struct pg_config *c, const char *command, const char *argument)
{
	static const struct pg_device_facts facts = {.name = "lo", .ifname = "lo"};
	struct pg_outcome out;
	char line[80];
	int n = snprintf(line, sizeof(line), "%s %s", command, argument);

	must(pg_device_command(&facts, false, c, line, (size_t)n, &out) == out.err);
	must(!out.err || out.why[0]);
	return out.err;
}

/* Twice through the file and a bit: the frames are the file's, the gaps the scaled ones. */
static void run(const struct pg_config *c, const struct pg_source *s)
{
	char why[128];
	struct pg_packet *p = pg_packet_start(c, 1, 0, 1, why);
	uint32_t room = p ? pg_packet_room(p) : 0;
	uint8_t *buf;

	must(p && room >= s->longest);
	buf = malloc(room);
	for (uint32_t i = 0; i < 2 * s->nr + 1 && i < 5000; i++) {
		const struct pg_source_frame *f = &s->frames[i % s->nr];
		uint64_t gap = 0;

		must(pg_packet_next(p, buf, 0) == f->len);
		must(!memcmp(buf, s->bytes + f->at, f->len));
		pg_packet_sent(p, 1);
		must(pg_packet_has_gaps(p) == (c->pcap_speed && !c->delay));
		if (c->pcap_speed && pg_packet_has_gaps(p))
			gap = (uint64_t)((unsigned __int128)f->gap_ns * 1000 / c->pcap_speed);
		must(pg_packet_gap_ns(p) == gap);
	}
	free(buf);
	pg_packet_end(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const speeds[] = {"0", "0.25", "1", "999999.999"};
	struct pg_config c;
	struct pg_source s;
	char why[128] = "";

	if (!size)
		return 0;
	write_file(data + 1, size - 1);
	pg_config_init(&c);
	must(say(&c, "pcap_speed", speeds[data[0] & 3]) == 0);
	must(say(&c, "delay", data[0] & 4 ? "1000" : "0") == 0);
	int err = pg_source_read(path, &s, why);

	must((say(&c, "pcap", path) != 0) == (err != 0));
	if (err) {
		must(err < 0 && why[0] && !s.frames && !s.bytes && !c.pcap[0]);
		return 0;
	}
	must(s.nr && s.longest && c.count == s.nr);
	run(&c, &s);
	pg_source_free(&s);
	return 0;
}

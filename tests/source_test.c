/* SPDX-License-Identifier: MIT */
/* Frames out of capture files, written here byte by byte. */
#include "tap.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "command/command.h"
#include "packet/source.h"

static char path[] = "/tmp/upk-source-XXXXXX";
static struct pg_source source;
static char why[128];

static void put(FILE *f, uint32_t v)
{
	fwrite(&v, 4, 1, f);
}

/* A pcap file of microseconds with frames of lens[i] bytes at at_us[i]; cut: caplen of the last. */
static void write_pcap(uint32_t link, const uint32_t *lens, const uint32_t *at_us, int n,
		       uint32_t cut)
{
	int fd = mkstemp(strcpy(path, "/tmp/upk-source-XXXXXX"));
	FILE *f = fdopen(fd, "w");

	CHECK(f);
	put(f, 0xa1b2c3d4);
	put(f, 4u << 16 | 2);
	put(f, 0);
	put(f, 0);
	put(f, 65535);
	put(f, link);
	for (int i = 0; i < n; i++) {
		uint32_t have = cut && i == n - 1 ? cut : lens[i];

		put(f, 1000);
		put(f, at_us[i]);
		put(f, have);
		put(f, lens[i]);
		for (uint32_t k = 0; k < have; k++)
			fputc((int)(i + k) & 255, f);
	}
	fclose(f);
}

TEST(a_capture_gives_its_frames_as_they_are_over_and_over)
{
	static const uint32_t lens[] = {60, 1514, 100}, at[] = {10, 30, 80};
	static uint8_t buf[2048];
	struct pg_config c;

	write_pcap(1, lens, at, 3, 0);
	pg_config_init(&c);
	snprintf(c.pcap, sizeof(c.pcap), "%s", path);
	struct pg_packet *p = pg_packet_start(&c, 1, 0, 1, why);

	CHECK_MSG(p, "%s", why);
	CHECK(pg_packet_room(p) >= 1514 && pg_packet_room(p) <= sizeof(buf));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3; i++) {
			CHECK_EQ(pg_packet_next(p, buf, 0), lens[i]);
			for (uint32_t k = 0; k < lens[i]; k++)
				CHECK_EQ(buf[k], ((uint32_t)i + k) & 255);
		}
	pg_packet_end(p);
	unlink(path);
}

TEST(gaps_are_the_files_scaled_and_the_mean_between_rounds)
{
	static const uint32_t lens[] = {60, 60, 60}, at[] = {10, 30, 80};
	static const uint64_t gaps[] = {20000, 50000, 35000};
	uint8_t buf[128];
	struct pg_config c;

	write_pcap(1, lens, at, 3, 0);
	pg_config_init(&c);
	snprintf(c.pcap, sizeof(c.pcap), "%s", path);
	for (uint32_t speed = 500; speed <= 2000; speed *= 2) {
		c.pcap_speed = speed;
		struct pg_packet *p = pg_packet_start(&c, 1, 0, 1, why);

		CHECK(p && pg_packet_has_gaps(p));
		for (int i = 0; i < 6; i++) {
			pg_packet_next(p, buf, 0);
			CHECK_EQ(pg_packet_gap_ns(p), gaps[i % 3] * 1000 / speed);
		}
		pg_packet_end(p);
	}
	c.pcap_speed = 0;
	struct pg_packet *p = pg_packet_start(&c, 1, 0, 1, why);
	CHECK(p && !pg_packet_has_gaps(p));
	pg_packet_end(p);
	unlink(path);
}

TEST(time_that_goes_back_in_a_file_is_no_gap)
{
	static const uint32_t lens[] = {60, 60}, at[] = {500, 100};

	write_pcap(1, lens, at, 2, 0);
	CHECK_EQ(pg_source_read(path, &source, why), 0);
	CHECK_EQ(source.frames[0].gap_ns, 0);
	pg_source_free(&source);
	unlink(path);
}

TEST(what_is_wrong_with_a_file_is_told_with_the_frame)
{
	static const uint32_t lens[] = {60, 60}, small[] = {60, 13}, at[] = {1, 2};

	write_pcap(1, lens, at, 2, 40);
	CHECK_EQ(pg_source_read(path, &source, why), -EINVAL);
	CHECK_MSG(strstr(why, "frame 2 was cut to 40 of 60"), "%s", why);
	unlink(path);
	write_pcap(1, small, at, 2, 0);
	CHECK_EQ(pg_source_read(path, &source, why), -EINVAL);
	CHECK_MSG(strstr(why, "frame 2 has 13 bytes"), "%s", why);
	unlink(path);
	write_pcap(101, lens, at, 2, 0); /* raw IP */
	CHECK_EQ(pg_source_read(path, &source, why), -EINVAL);
	CHECK_MSG(strstr(why, "not Ethernet"), "%s", why);
	unlink(path);
	write_pcap(1, lens, at, 0, 0);
	CHECK_EQ(pg_source_read(path, &source, why), -EINVAL);
	CHECK_MSG(strstr(why, "no frame"), "%s", why);
	CHECK_EQ(truncate(path, 7), 0);
	CHECK_EQ(pg_source_read(path, &source, why), -EINVAL);
	CHECK(why[0]);
	unlink(path);
	CHECK_EQ(pg_source_read("/no/such/file", &source, why), -EINVAL);
	CHECK(strstr(why, "No such file"));
}

TEST(the_command_sets_the_count_and_keeps_the_old_source_when_it_fails)
{
	static const uint32_t lens[] = {60, 60}, at[] = {1, 2};
	struct pg_device_facts facts = {.name = "eth0"};
	struct pg_outcome out;
	struct pg_config c;
	char line[300];

	write_pcap(1, lens, at, 2, 0);
	pg_config_init(&c);
	snprintf(line, sizeof(line), "pcap %s", path);
	CHECK_EQ(pg_device_command(&facts, false, &c, line, strlen(line), &out), 0);
	CHECK_EQ(c.count, 2);
	CHECK_STR(c.pcap, path);
	CHECK_EQ(pg_device_command(&facts, false, &c, "pcap /no/such", 13, &out), -EINVAL);
	CHECK_STR(c.pcap, path);
	CHECK_EQ(pg_device_command(&facts, false, &c, "pcap_speed 2.5", 14, &out), 0);
	CHECK_EQ(c.pcap_speed, 2500);
	CHECK_STR(out.result, "OK: pcap_speed=2.500");
	CHECK_EQ(pg_device_command(&facts, false, &c, "pcap 0", 6, &out), 0);
	CHECK_STR(c.pcap, "");
	unlink(path);
}

TEST(every_failed_allocation_of_a_source_is_told)
{
	static const uint32_t lens[] = {60, 60}, at[] = {1, 2};

	write_pcap(1, lens, at, 2, 0);
	for (long n = 1;; n++) {
		ww_alloc_fail_nth(n);
		int err = pg_source_read(path, &source, why);
		ww_alloc_fail_nth(0);
		pg_source_free(&source);
		if (!err)
			break;
		CHECK_EQ(err, -ENOMEM);
	}
	unlink(path);
}

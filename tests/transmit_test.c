// SPDX-License-Identifier: MIT
/* The engine: exact counts, stops that are never lost, pacing, and what a device's end does. */
#include "tap.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <wheelwork/thread.h>

#include "base/atomic.h"
#include "netns.h"
#include "transmit/engine.h"
#include "transmit/link.h"

static struct pg_engine *make(const char *backend)
{
	struct pg_engine_options o = {.seed = tap_seed(), .backend = backend};
	struct pg_engine *e = pg_engine_create(&o);

	CHECK_MSG(e, "%s", strerror(errno));
	return e;
}

static struct pg_device *add_to(struct pg_engine *e, int index, const char *name)
{
	struct pg_device *d = NULL;

	CHECK_EQ(pg_engine_add(e, pg_engine_thread_cpu(e, index), name, &d), 0);
	CHECK(d);
	return d;
}

static struct pg_device *add(struct pg_engine *e, const char *name)
{
	return add_to(e, 0, name);
}

static void set_size(struct pg_device *d, uint32_t size)
{
	struct pg_config c;

	pg_device_get_config(d, &c);
	c.min_pkt_size = c.max_pkt_size = size;
	pg_device_set_config(d, &c);
}

/* So many frames of 60 bytes. */
static void set(struct pg_device *d, uint64_t count, uint64_t delay)
{
	struct pg_config c;

	pg_device_get_config(d, &c);
	c.count = count;
	c.delay = delay;
	pg_device_set_config(d, &c);
	set_size(d, 60);
}

static struct pg_status status(struct pg_device *d)
{
	struct pg_status s;

	pg_device_status(d, &s);
	return s;
}

static uint64_t tx_packets(const char *dev)
{
	struct pg_link link;

	CHECK_EQ(pg_link_read(dev, &link), 0);
	return link.tx_packets;
}

/* pg_engine_start() in a thread, for cases that do something in the meantime. */
static int starter(void *arg)
{
	return pg_engine_start(arg);
}

static struct ww_thread *start(struct pg_engine *e)
{
	struct ww_thread *t = ww_thread_get(ww_thread_create(starter, e, "starter"));

	ww_wake_up_process(t);
	return t;
}

static void nap(unsigned ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

static void until_sent(struct pg_device *d, uint64_t n)
{
	while (status(d).sofar < n)
		nap(1);
}

/* --- counts --------------------------------------------------------------------------------------
 */

TEST(exactly_as_many_as_asked)
{
	static const uint64_t counts[] = {1, 2, 63, 64, 65, 1000, 100001};
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		set(d, counts[i], 0);
		CHECK_EQ(pg_engine_start(e), 0);
		struct pg_status s = status(d);

		CHECK_EQ(s.sofar, counts[i]);
		CHECK_EQ(s.tx_bytes, 60 * counts[i]);
		CHECK_EQ(s.cursor.seq_num, counts[i] + 1);
		CHECK_EQ(s.errors, 0);
		CHECK(!s.running);
		CHECK_STR(s.error, "");
	}
	pg_engine_destroy(e);
}

TEST(a_million_into_memory_are_a_million)
{
	enum { N = 1000000 };
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, N, 0);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);

	CHECK_EQ(s.sofar, N);
	CHECK_EQ(s.tx_bytes, 60ull * N);
	CHECK_EQ(s.cursor.seq_num, N + 1);
	pg_engine_destroy(e);
}

static uint32_t be32_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Frame number i of a file, as it was made: every byte that is not the time. */
static void check_saved(const uint8_t *f, uint32_t i)
{
	static const uint8_t udp[] = {0, 7, 0, 8, 0, 26, 0, 0, 0xbe, 0x9b, 0xe9, 0x55};
	static const uint8_t addresses[] = {10, 9, 1, 1, 10, 9, 2, 2};
	uint32_t sum = 0;

	CHECK(f[12] == 8 && f[13] == 0 && f[14] == 0x45 && f[23] == 17);
	CHECK(f[16] == 0 && f[17] == 46);
	CHECK(memcmp(f + 26, addresses, sizeof(addresses)) == 0);
	CHECK(memcmp(f + 34, udp, sizeof(udp)) == 0);
	CHECK_EQ(be32_at(f + 46), i);
	for (int k = 14; k < 34; k += 2)
		sum += (uint32_t)f[k] << 8 | f[k + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	CHECK_EQ((sum & 0xffff) + (sum >> 16), 0xffff);
}

TEST_LIMIT(a_million_into_a_file_are_all_in_it, 60)
{
	enum { N = 1000000 };
	char path[] = "/tmp/upk-million-XXXXXX", backend[64], why[PCAP_ERRBUF_SIZE];
	const uint8_t *frame;
	struct pcap_pkthdr *h;
	struct pg_config c;
	uint32_t n = 0;
	int got, fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	snprintf(backend, sizeof(backend), "pcap:%s", path);
	struct pg_engine *e = make(backend);
	struct pg_device *d = add(e, "eth0");

	set(d, N, 0);
	pg_device_get_config(d, &c);
	snprintf(c.src_min, sizeof(c.src_min), "10.9.1.1");
	snprintf(c.dst_min, sizeof(c.dst_min), "10.9.2.2");
	c.udp_src_min = c.udp_src_max = 7;
	c.udp_dst_min = c.udp_dst_max = 8;
	pg_device_set_config(d, &c);
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(status(d).sofar, N);
	CHECK_STR(status(d).error, "");
	pg_engine_destroy(e);
	pcap_t *p = pcap_open_offline(path, why);

	unlink(path);
	CHECK_MSG(p, "%s", why);
	while ((got = pcap_next_ex(p, &h, &frame)) == 1) {
		CHECK_EQ(h->caplen, 60);
		CHECK_EQ(h->len, 60);
		check_saved(frame, ++n);
	}
	CHECK_EQ(got, PCAP_ERROR_BREAK);
	CHECK_EQ(n, N);
	pcap_close(p);
}

TEST(a_repeated_frame_counts_each_copy)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");
	struct pg_config c;

	set(d, 1003, 0);
	pg_device_get_config(d, &c);
	c.clone_skb = 10;
	pg_device_set_config(d, &c);
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(status(d).sofar, 1003);
	CHECK_EQ(status(d).cursor.seq_num, 1004);
	pg_engine_destroy(e);
}

TEST(every_thread_sends_and_the_start_waits_for_all)
{
	struct pg_engine *e = make("null");
	int n = pg_engine_threads(e);
	struct pg_device *d[64];
	char name[32];

	if (n > 64)
		n = 64;
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "eth0@%d", i);
		d[i] = add_to(e, i, name);
		set(d[i], 5000 * (uint64_t)(i + 1), 0);
	}
	CHECK_EQ(pg_engine_start(e), 0);
	for (int i = 0; i < n; i++)
		CHECK_EQ(status(d[i]).sofar, 5000 * (i + 1));
	pg_engine_destroy(e);
}

TEST(two_devices_of_a_thread_take_turns)
{
	struct pg_engine *e = make("null");
	struct pg_device *a = add(e, "a"), *b = add(e, "b");

	set(a, 0, 0);
	set(b, 0, 0);
	struct ww_thread *t = start(e);

	until_sent(a, 10000);
	until_sent(b, 10000);
	pg_engine_stop(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	uint64_t na = status(a).sofar, nb = status(b).sofar;

	CHECK_MSG(na < 2 * nb && nb < 2 * na, "%" PRIu64 " and %" PRIu64, na, nb);
	pg_engine_destroy(e);
}

TEST(names_follow_the_kernels_rules)
{
	struct pg_engine *e = make("null");
	int cpu = pg_engine_thread_cpu(e, 0);

	CHECK_EQ(pg_engine_add(e, cpu, "eth0@1", NULL), 0);
	CHECK_EQ(pg_engine_add(e, cpu, "eth0@1", NULL), -EBUSY);
	CHECK_EQ(pg_engine_add(e, cpu, "eth0", NULL), 0);
	CHECK_EQ(pg_engine_add(e, cpu, "", NULL), -ENODEV);
	CHECK_EQ(pg_engine_add(e, cpu, "a-name-of-16-byt", NULL), -ENODEV);
	CHECK(pg_engine_find(e, "eth0@1"));
	CHECK(!pg_engine_find(e, "eth0@2"));
	pg_engine_remove_all(e, cpu);
	CHECK(!pg_engine_find(e, "eth0@1"));
	CHECK_EQ(pg_engine_add(e, cpu, "eth0@1", NULL), 0);
	pg_engine_destroy(e);
}

TEST(a_device_that_is_not_there_or_down_is_refused_as_the_kernel_does)
{
	netns_enter();
	netns_run("ip link add pga type veth peer name pgb");
	struct pg_engine *e = make("packet");
	int cpu = pg_engine_thread_cpu(e, 0);

	CHECK_EQ(pg_engine_add(e, cpu, "nowhere", NULL), -ENODEV);
	CHECK_EQ(pg_engine_add(e, cpu, "pga", NULL), -ENETDOWN);
	netns_run("ip link set pga up && ip link set pgb up");
	CHECK_EQ(pg_engine_add(e, cpu, "pga", NULL), 0);
	pg_engine_destroy(e);
}

/* --- stopping
 * --------------------------------------------------------------------------------------- */

TEST(count_0_runs_until_stopped_and_keeps_what_was_sent)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 0);
	struct ww_thread *t = start(e);

	until_sent(d, 100000);
	CHECK(pg_engine_running(e));
	CHECK(status(d).running);
	pg_engine_stop(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK(status(d).sofar >= 100000);
	CHECK(!pg_engine_running(e));
	pg_engine_destroy(e);
}

TEST(delay_never_sends_nothing_and_can_be_stopped)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 10, PG_NEVER);
	struct ww_thread *t = start(e);

	while (!status(d).running)
		nap(1);
	nap(30);
	CHECK(status(d).running);
	CHECK_EQ(status(d).sofar, 0);
	pg_engine_stop(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK(status(d).idle_us >= 20000);
	pg_engine_destroy(e);
}

TEST(a_stop_from_a_signal_handler_ends_a_paced_run)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 3600000000000u); /* one packet an hour */
	struct ww_thread *t = start(e);

	until_sent(d, 1);
	pg_engine_stop_from_signal(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK_EQ(status(d).sofar, 1);
	pg_engine_destroy(e);
}

TEST(a_signal_before_the_start_is_not_lost)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 0);
	pg_engine_stop_from_signal(e);
	CHECK_EQ(pg_engine_start(e), -EINTR);
	CHECK_EQ(status(d).sofar, 0);
	set(d, 10, 0);
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(status(d).sofar, 10);
	pg_engine_destroy(e);
}

/* Stops that come at any moment of a start: each start returns. */
TEST_LIMIT(no_stop_is_lost_however_it_meets_a_start, 30)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");
	uint64_t rng = tap_seed();

	set(d, 0, 0);
	for (int i = 0; i < 300; i++) {
		struct ww_thread *t = start(e);
		uint64_t spin = tap_random(&rng) % 20000;

		while (!pg_engine_running(e))
			;
		while (spin--)
			ww_cpu_relax();
		pg_engine_stop(e);
		CHECK_EQ(ww_thread_stop_put(t), 0);
		CHECK(!pg_engine_running(e));
	}
	pg_engine_destroy(e);
}

TEST(a_stop_before_a_start_does_not_stop_it)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 1000, 0);
	for (int i = 0; i < 200; i++) {
		pg_engine_stop(e);
		CHECK_EQ(pg_engine_start(e), 0);
		CHECK_EQ(status(d).sofar, 1000);
	}
	pg_engine_destroy(e);
}

TEST(removing_ends_a_run)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 0);
	struct ww_thread *t = start(e);

	until_sent(d, 1000);
	pg_engine_remove_all(e, pg_engine_thread_cpu(e, 0));
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK(!pg_engine_find(e, "eth0"));
	pg_engine_destroy(e);
}

TEST(destroying_ends_a_run)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 1000);
	struct ww_thread *t = start(e);

	until_sent(d, 10);
	pg_engine_stop(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	pg_engine_destroy(e);
}

/* --- changes while running
 * ----------------------------------------------------------------------------- */

TEST(a_change_is_taken_over_by_the_running_loop)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, PG_NEVER);
	struct ww_thread *t = start(e);

	nap(10);
	CHECK_EQ(status(d).sofar, 0);
	set(d, 0, 0);
	until_sent(d, 5000);
	set(d, 4000, 0); /* already passed: ends */
	CHECK_EQ(ww_thread_stop_put(t), 0);
	struct pg_status s = status(d);

	CHECK(s.sofar >= 5000);
	CHECK_EQ((uint32_t)s.sofar + 1, s.cursor.seq_num);
	pg_engine_destroy(e);
}

static uint32_t about_to_start;

static int tell_and_start(void *arg)
{
	ww_store_release(&about_to_start, 1u);
	return pg_engine_start(arg);
}

/* Also one that comes while the run is being opened: a run that missed it would never end. */
TEST_LIMIT(a_change_is_taken_over_whenever_it_comes, 30)
{
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make("packet"); /* takes its time: it tries the ways */
	struct pg_device *d = add(e, "pga");
	uint64_t rng = tap_seed();

	for (int i = 0; i < 20; i++) {
		set(d, 0, 0);
		ww_store_relaxed(&about_to_start, 0u);
		struct ww_thread *t = ww_thread_create(tell_and_start, e, "starter");

		ww_wake_up_process(ww_thread_get(t));
		while (!ww_load_acquire(&about_to_start))
			nap(1);
		nap(tap_random(&rng) % 20);
		set(d, 1, 0);
		CHECK_EQ(ww_thread_stop_put(t), 0);
		CHECK(status(d).sofar >= 1);
	}
	pg_engine_destroy(e);
}

TEST(clear_counters_begins_to_count_anew)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");

	set(d, 0, 100000);
	struct ww_thread *t = start(e);

	until_sent(d, 500);
	set(d, 0, PG_NEVER);
	pg_device_clear_counters(d);
	CHECK_EQ(status(d).sofar, 0);
	CHECK_EQ(status(d).cursor.seq_num, 1);
	set(d, 0, 100000);
	until_sent(d, 10);
	pg_engine_stop(e);
	ww_thread_stop_put(t);
	CHECK_EQ(status(d).cursor.seq_num, status(d).sofar + 1);
	pg_device_clear_counters(d);
	CHECK_EQ(status(d).sofar, 0);
	pg_engine_destroy(e);
}

/* --- pacing
 * -------------------------------------------------------------------------------------------- */

/* Between two readings of the system's clock, to the microsecond that a stamp has. */
TEST(a_counted_stamp_agrees_with_the_clock)
{
	struct pg_stamp s = {.fine = true};
	uint64_t worst = 0;

	for (int i = 0; i < 2000000; i++) {
		uint64_t before = ww_clock_real_ns(), now = pg_stamp_now(&s);
		uint64_t after = ww_clock_real_ns();
		uint64_t off = now < before ? before - now : now > after ? now - after : 0;

		worst = off > worst ? off : worst;
	}
	tap_note("at most %" PRIu64 " ns off", worst);
	CHECK(worst < 1000);
}

/* Seconds and microseconds of a counted stamp, also where a second ends. */
TEST(a_counted_stamp_of_microseconds_never_passes_its_second)
{
	struct pg_stamp s = {0};
	uint64_t last = 0, seconds = 0, until = ww_clock_ns() + 1200000000;

	while (ww_clock_ns() < until || seconds == 0) {
		uint64_t before = ww_clock_real_ns() / 1000 * 1000, now = pg_stamp_now(&s);
		uint64_t after = ww_clock_real_ns();
		uint64_t ns = (now >> 32) * 1000000000 + (uint32_t)now * 1000ull;

		CHECK((uint32_t)now < 1000000);
		CHECK_MSG(ns + 1000 >= before && ns <= after + 1000,
			  "%" PRIu64 ": %" PRIu64 " to %" PRIu64, ns, before, after);
		seconds += last && last >> 32 != now >> 32;
		last = now;
	}
}

TEST(a_paced_run_keeps_its_schedule)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");
	struct pg_pacing p;

	/* The first leaves at once, each later one no sooner than its time: never early. */
	set(d, 201, 1000000);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);

	pg_device_pacing(d, &p);
	CHECK_EQ(s.sofar, 201);
	CHECK_MSG(s.stopped_us - s.started_us >= 200000, "%" PRIu64 " us",
		  s.stopped_us - s.started_us);
	CHECK(s.idle_us > 0);
	CHECK(p.departures > 0 && p.departures <= 201);
	CHECK(p.last_ns - p.first_ns + p.late_max_ns >=
	      200000000); /* the first may leave late, too */
	tap_note("late: p50 %" PRIu64 " p99 %" PRIu64 " max %" PRIu64 " ns; cpu %" PRIu64 " us",
		 p.late_p50_ns, p.late_p99_ns, p.late_max_ns, p.cpu_ns / 1000);
	pg_engine_destroy(e);
}

/*
 * A paced run is stopped for a second. With the schedule kept, all of it has left a while later; with
 * no_burst what was missed stays missed. The limits hold however late this machine is, by half a second.
 */
static void stalled(const char *backend, uint64_t delay, bool no_burst)
{
	enum { STALL_MS = 1000 };
	struct pg_engine_options o = {.seed = 1, .backend = backend, .no_burst = no_burst};

	netns_enter();
	netns_veth("pga", "pgb");
	if (system("ethtool -K pgb gro on >/dev/null 2>&1"))
		tap_skip("ethtool is not installed");
	struct pg_engine *e = pg_engine_create(&o);

	CHECK(e);
	struct pg_device *d = add(e, "pga");

	set(d, 0, delay);
	struct ww_thread *t = start(e);

	until_sent(d, 10);
	pid_t victim = getpid(), pid = fork();

	if (pid == 0) {
		kill(victim, SIGSTOP);
		nap(STALL_MS);
		kill(victim, SIGCONT);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	nap(200);
	pg_engine_stop(e);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	struct pg_status s = status(d);
	uint64_t elapsed_us = s.stopped_us - s.started_us, kept_us = s.sofar * delay / 1000;

	CHECK_STR(s.error, "");
	if (no_burst)
		CHECK_MSG(kept_us <= elapsed_us - STALL_MS * 1000 + 2 * delay / 1000 + 1000,
			  "%" PRIu64 " of %" PRIu64 " us", kept_us, elapsed_us);
	else
		CHECK_MSG(kept_us + STALL_MS * 500 >= elapsed_us, "%" PRIu64 " of %" PRIu64 " us",
			  kept_us, elapsed_us);
	pg_engine_destroy(e);
}

TEST_LIMIT(a_stall_is_caught_up_with, 30)
{
	stalled("null", 1000000, false);
}

TEST_LIMIT(with_no_burst_what_a_stall_missed_stays_missed, 30)
{
	stalled("null", 1000000, true);
}

TEST_LIMIT(live_frames_catch_up_with_a_stall, 30)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	stalled("live", 20000, false);
}

TEST_LIMIT(with_no_burst_live_frames_that_a_stall_missed_stay_missed, 30)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	stalled("live", 20000, true);
}

TEST(a_burst_leaves_together_and_counts_once_in_the_schedule)
{
	struct pg_engine *e = make("null");
	struct pg_device *d = add(e, "eth0");
	struct pg_config c;

	set(d, 1000, 1000000);
	pg_device_get_config(d, &c);
	c.burst = 50;
	pg_device_set_config(d, &c);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);

	CHECK_EQ(s.sofar, 1000);
	CHECK(s.stopped_us - s.started_us >= 19000); /* 20 bursts, a millisecond apart */
	CHECK(s.stopped_us - s.started_us < 900000);
	pg_engine_destroy(e);
}

/* --- a real device
 * -------------------------------------------------------------------------------------- */

TEST_LIMIT(sent_is_what_the_devices_own_counter_gained, 60)
{
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make("packet");
	struct pg_device *d = add(e, "pga");
	uint64_t before = tx_packets("pga");

	set(d, 200001, 0);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);
	struct pg_link peer;

	CHECK_EQ(s.sofar, 200001);
	CHECK_EQ(tx_packets("pga") - before, s.sofar);
	CHECK_EQ(pg_link_read("pgb", &peer), 0);
	CHECK_EQ(peer.rx_packets, s.sofar);
	pg_engine_destroy(e);
}

static void down_during_a_run_of(const char *backend, const char *command, const char *expect)
{
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make(backend);
	struct pg_device *d = add(e, "pga");

	set(d, 0, 0);
	struct ww_thread *t = start(e);

	until_sent(d, 1000);
	netns_run(command);
	CHECK_EQ(ww_thread_stop_put(t), 0); /* it stops by itself */
	struct pg_status s = status(d);

	CHECK(s.sofar >= 1000);
	CHECK_MSG(strstr(s.error, expect), "%s", s.error);
	CHECK(s.by_cause[PG_ERR_DOWN] > 0);
	pg_engine_destroy(e);
}

static void down_during_a_run(const char *command, const char *expect)
{
	down_during_a_run_of("packet:sendmmsg", command, expect);
}

TEST(a_device_set_down_stops_a_ring)
{
	down_during_a_run_of("packet:ring", "ip link set pga down", "is down");
}

TEST(a_device_that_vanishes_stops_a_ring)
{
	down_during_a_run_of("packet:ring", "ip link del pga", "is gone");
}

/* The kernel marks a frame in the ring as of a wrong format: the run ends, and the cause is told. */
TEST(an_mtu_that_falls_below_the_frames_ends_a_ring)
{
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make("packet:ring");
	struct pg_device *d = add(e, "pga");
	uint64_t before = tx_packets("pga");

	set(d, 0, 0);
	set_size(d, 1000);
	struct ww_thread *t = start(e);

	until_sent(d, 1000);
	netns_run("ip link set pga mtu 500");
	CHECK_EQ(ww_thread_stop_put(t), 0);
	struct pg_status s = status(d);

	CHECK_MSG(strstr(s.error, "the MTU of pga fell below"), "%s", s.error);
	CHECK_EQ(s.by_cause[PG_ERR_MTU], 1);
	CHECK_EQ(s.errors, 1);
	CHECK_EQ(tx_packets("pga") - before, s.sofar);
	CHECK_EQ((uint32_t)s.sofar + 1, s.cursor.seq_num);
	pg_engine_destroy(e);
}

TEST(a_device_set_down_stops_by_itself)
{
	down_during_a_run("ip link set pga down", "is down");
}

TEST(a_lost_carrier_stops_the_run)
{
	down_during_a_run("ip link set pgb down", "carrier");
}

TEST(a_device_that_vanishes_stops_the_run)
{
	down_during_a_run("ip link del pga", "is gone");
}

/* The network of the far end goes, and the pair with it. */
static void far_network_removed(const char *backend)
{
	netns_enter();
	netns_veth("pga", "pgb");
	pid_t far = netns_far("pgb");
	struct pg_engine *e = make(backend);
	struct pg_device *d = add(e, "pga");

	set(d, 0, 0);
	struct ww_thread *t = start(e);

	until_sent(d, 1000);
	netns_far_gone(far);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	struct pg_status s = status(d);

	CHECK_MSG(strstr(s.error, "is gone") || strstr(s.error, "carrier"), "%s", s.error);
	CHECK(s.by_cause[PG_ERR_DOWN] > 0);
	pg_engine_destroy(e);
}

TEST(a_namespace_that_vanishes_stops_packet_sockets)
{
	far_network_removed("packet");
}

TEST(a_namespace_that_vanishes_stops_af_xdp)
{
	if (geteuid() != 0)
		tap_skip("needs root");
	far_network_removed("xdp");
}

TEST(a_namespace_that_vanishes_stops_live_frames)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	far_network_removed("live");
}

/* A queueing discipline without room: the run goes on, and each refusal is counted as such. */
static void want_of_room(const char *backend)
{
	netns_enter();
	netns_veth("pga", "pgb");
	if (system("tc qdisc add dev pga root tbf rate 8mbit burst 2000 limit 2000 2>/dev/null"))
		tap_skip("no token bucket filter in this kernel");
	netns_run("ip addr add 10.9.0.1/24 dev pga && "
		  "ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:09 dev pga");
	struct pg_engine *e = make(backend);
	struct pg_device *d = add(e, "pga");
	uint64_t before = tx_packets("pga");
	struct pg_config c;

	set(d, 2000, 0);
	pg_device_get_config(d, &c);
	c.xmit_mode = PG_QUEUE_XMIT;
	snprintf(c.dst_min, sizeof(c.dst_min), "10.9.0.2");
	snprintf(c.dst_max, sizeof(c.dst_max), "10.9.0.2");
	c.udp_src_min = c.udp_src_max = 5000;
	pg_device_set_config(d, &c);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);

	CHECK_MSG(!s.error[0], "%s", s.error);
	CHECK_EQ(s.sofar, 2000);
	CHECK_MSG(s.by_cause[PG_ERR_NOBUFS] > 0, "nothing was refused");
	CHECK_EQ(s.errors, s.by_cause[PG_ERR_NOBUFS]);
	/* What was taken leaves. */
	for (int i = 0; i < 1000 && tx_packets("pga") - before < s.sofar; i++)
		nap(5);
	CHECK_EQ(tx_packets("pga") - before, s.sofar);
	pg_engine_destroy(e);
}

TEST(want_of_buffer_space_is_counted_and_does_not_end_the_run)
{
	want_of_room("packet:sendmmsg");
}

TEST(want_of_buffer_space_is_counted_and_does_not_end_a_ring)
{
	want_of_room("packet:ring");
}

TEST(want_of_buffer_space_is_counted_and_does_not_end_a_udp_socket)
{
	want_of_room("udp");
}

TEST(live_frames_to_a_peer_without_napi_are_refused_with_the_cure)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make("live");
	struct pg_device *d = add(e, "pga");

	set(d, 1000, 0);
	CHECK_EQ(pg_engine_start(e), 0);
	struct pg_status s = status(d);

	CHECK_EQ(s.sofar + s.errors, 0);
	CHECK_MSG(strstr(s.error, "ethtool -K PEER gro on"), "%s", s.error);
	pg_engine_destroy(e);
}

TEST(a_frame_above_the_mtu_is_refused_with_the_cure)
{
	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = make("packet");
	struct pg_device *d = add(e, "pga");

	set_size(d, 2000);
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(status(d).sofar, 0);
	CHECK_MSG(strstr(status(d).error, "MTU of 1986"), "%s", status(d).error);
	netns_run("ip link set pga mtu 1986 && ip link set pgb mtu 1986");
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(status(d).sofar, 1000);
	CHECK_STR(status(d).error, "");
	pg_engine_destroy(e);
}

// SPDX-License-Identifier: MIT
/*
 * Full speed while the network is pulled away: devices down and up, carriers lost, devices and
 * namespaces removed, the whole process stopped and continued. Some seconds here; WW_ABUSE_SECONDS=60 for the long form.
 */
#include "tap.h"

#include <dirent.h>
#include <net/if.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <wheelwork/thread.h>

#include "netns.h"
#include "receive/receiver.h"
#include "transmit/engine.h"
#include "transmit/link.h"

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void nap(unsigned ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&ts, &ts))
		;
}

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void make_pair(void)
{
	netns_veth("pga", "pgb");
	if (system("ethtool -K pgb gro on >/dev/null 2>&1"))
		tap_skip("ethtool is not installed");
}

/* Another process stops this one for a while. */
static void stopped_and_continued(void)
{
	pid_t victim = getpid(), pid = fork();

	if (pid == 0) {
		kill(victim, SIGSTOP);
		nap(80);
		kill(victim, SIGCONT);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int starter(void *arg)
{
	return pg_engine_start(arg);
}

struct abuse {
	struct pg_engine *engine;
	struct pg_device *device;
	struct pg_receiver *receiver;
	struct ww_thread *thread;
	unsigned runs, ended;
};

static void begin_sending(struct abuse *a)
{
	struct pg_status before, s;

	pg_device_status(a->device, &before);
	a->thread = ww_thread_get(ww_thread_create(starter, a->engine, "starter"));
	ww_wake_up_process(a->thread);
	a->runs++;
	/* This run's first packets, and no word of what ended the one before. */
	do {
		nap(1);
		pg_device_status(a->device, &s);
		CHECK_MSG(s.running || s.started_us == before.started_us, "%s", s.error);
	} while (!s.running || s.sofar < 1000);
}

static void begin(struct abuse *a)
{
	struct pg_receiver_options r = {
		.ifname = "pgb", .way = PG_RECEIVE_PACKET, .from_start = true, .cpu = -1};
	char why[128];

	a->receiver = pg_receiver_start(&r, why);
	CHECK_MSG(a->receiver, "%s", why);
	begin_sending(a);
}

static struct pg_status end_sending(struct abuse *a, bool expect_end)
{
	struct pg_status s;

	if (!expect_end)
		pg_engine_stop(a->engine);
	CHECK_EQ(ww_thread_stop_put(a->thread), 0);
	pg_device_status(a->device, &s);
	CHECK(!s.running);
	CHECK_MSG(!expect_end || s.error[0], "it ended without a word");
	a->ended += s.error[0] != 0;
	return s;
}

/* Ends the run, if the event did not, and looks whether the books can be true. */
static void end(struct abuse *a, bool expect_end, bool device_stays, uint64_t tx_before)
{
	struct pg_receive_summary sum;
	struct pg_status s = end_sending(a, expect_end);
	struct pg_link link;
	uint32_t last = s.cursor.seq_num - 1;

	pg_receiver_wait(a->receiver, last, 100, 1000, NULL);
	pg_receiver_finish(a->receiver, last, &sum);
	CHECK(sum.sequence.received <= last);
	CHECK_EQ(sum.sequence.duplicated + sum.sequence.restarts, 0);
	/* What arrived was sent. */
	CHECK_MSG(sum.sequence.received <= s.sofar, "%" PRIu64 " received of %" PRIu64,
		  sum.sequence.received, s.sofar);
	pg_receive_summary_free(&sum);
	if (device_stays && !expect_end) {
		CHECK_EQ(pg_link_read("pga", &link), 0);
		CHECK_EQ(link.tx_packets - tx_before, s.sofar);
	}
}

/* The carrier comes back a moment after the device. */
static void until_it_runs(void)
{
	struct pg_link link;

	for (int i = 0; i < 1000; i++, nap(5))
		if (pg_link_read("pga", &link) == 0 && link.running)
			return;
	CHECK(!"the pair did not come up again");
}

/* The far end stands in a namespace, which goes away and takes the pair along. */
static void far_namespace_removed(struct abuse *a)
{
	pid_t far = netns_far("pgb");

	until_it_runs();
	begin_sending(a);
	netns_far_gone(far);
	end_sending(a, true);
	/* The kernel takes the pair down in its own time. */
	for (int i = 0; i < 2000 && if_nametoindex("pga"); i++)
		nap(5);
	make_pair();
	until_it_runs();
}

static void one_event(struct abuse *a, uint64_t kind)
{
	struct pg_link link;

	if (kind == 5) {
		far_namespace_removed(a);
		return;
	}
	CHECK_EQ(pg_link_read("pga", &link), 0);
	begin(a);
	switch (kind) {
	case 0:
		netns_run("ip link set pga down");
		end(a, true, true, link.tx_packets);
		netns_run("ip link set pga up");
		break;
	case 1:
		netns_run("ip link set pgb down");
		end(a, true, true, link.tx_packets);
		netns_run("ip link set pgb up");
		break;
	case 2:
		netns_run("ip link del pga");
		end(a, true, false, 0);
		make_pair();
		break;
	case 3:
		stopped_and_continued();
		end(a, false, true, link.tx_packets);
		break;
	default:
		nap(50);
		end(a, false, true, link.tx_packets);
		break;
	}
	until_it_runs();
}

static void abuse(const char *backend)
{
	const char *text = getenv("WW_ABUSE_SECONDS");
	double until;
	struct pg_engine_options o = {.seed = 1, .backend = backend};
	struct abuse a = {0};
	struct pg_config c;
	uint64_t rng = tap_seed(), kinds = 0;
	unsigned files = 0;

	netns_enter();
	make_pair();
	/* Once before counting: what is opened once stays. */
	for (int round = 0; round < 2; round++) {
		if (round == 1)
			files = open_files();
		a.engine = pg_engine_create(&o);
		CHECK(a.engine);
		CHECK_EQ(pg_engine_add(a.engine, pg_engine_thread_cpu(a.engine, 0), "pga",
				       &a.device),
			 0);
		pg_device_get_config(a.device, &c);
		c.count = 0;
		c.min_pkt_size = c.max_pkt_size = 60;
		pg_device_set_config(a.device, &c);
		until = now_s() + (round == 0 ? 0 : text && atoi(text) > 0 ? atoi(text) : 3);
		do {
			uint64_t kind = round == 0 ? 4 : kinds < 6 ? kinds : tap_random(&rng) % 6;

			kinds += round;
			one_event(&a, kind);
		} while (now_s() < until || (round && kinds < 6));
		pg_engine_destroy(a.engine);
	}
	tap_note("%u runs, %u ended by what was done to them", a.runs, a.ended);
	CHECK_EQ(open_files(), files);
}

TEST_LIMIT(packet_sockets_survive_what_is_done_to_the_network, 150)
{
	abuse("packet:sendmmsg");
}

TEST_LIMIT(a_transmit_ring_survives_what_is_done_to_the_network, 150)
{
	abuse("packet:ring");
}

TEST_LIMIT(af_xdp_survives_what_is_done_to_the_network, 150)
{
	if (geteuid() != 0)
		tap_skip("needs root");
	abuse("xdp");
}

TEST_LIMIT(live_frames_survive_what_is_done_to_the_network, 150)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
	abuse("live");
}

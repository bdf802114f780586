// SPDX-License-Identifier: MIT
/* Both ends on a pair of devices in a namespace of the case's own. */
#include "tap.h"

#include <errno.h>
#include <net/if.h>

#include <bpf/libbpf.h>

#include <linux/if_packet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "inject.skel.h"
#include "netns.h"
#include "packet/packet.h"
#include "receive/receiver.h"
#include "receive/watch.h"
#include "transmit/engine.h"
#include "transmit/link.h"

struct ends {
	struct pg_engine *engine;
	struct pg_device *device;
	struct pg_receiver *receiver;
};

static bool stamp_ns; /* of the next engine */
/*
 * A sender whose packets are never lost for want of room, however late the receiving half of the kernel
 * runs: a packet holds some 800 bytes of this from the socket to the last device's driver, so that
 * about 80 of a sender are under way, and the smallest of the queues on the way, a veth's ring, has
 * 256 places. Two such senders may share it.
 */
enum { WINDOW = 64 << 10 };
static uint32_t window; /* of the next engine */

/* Sender on pga, receiver on pgb, which are there. */

static void connect_ends(struct ends *x, const char *backend, enum pg_receive_way way)
{
	struct pg_engine_options o = {.seed = 1,
				      .backend = backend,
				      .stamp_ns = stamp_ns,
				      .no_burst = stamp_ns, /* no two at the same nanosecond */
				      .sndbuf = window};
	struct pg_receiver_options r = {.ifname = "pgb", .way = way, .from_start = true, .cpu = -1};
	struct pg_config c;
	char why[128];

	x->engine = pg_engine_create(&o);
	CHECK(x->engine);
	int cpu = pg_engine_thread_cpu(x->engine, 0);

	CHECK_EQ(pg_engine_add(x->engine, cpu, "pga", &x->device), 0);
	x->receiver = pg_receiver_start(&r, why);
	CHECK_MSG(x->receiver, "%s", why);
	pg_device_get_config(x->device, &c);
	c.min_pkt_size = c.max_pkt_size = 60;
	pg_device_set_config(x->device, &c);
}

static void open_ends_way(struct ends *x, const char *backend, enum pg_receive_way way)
{
	netns_enter();
	netns_veth("pga", "pgb");
	connect_ends(x, backend, way);
}

static void open_ends(struct ends *x, const char *backend)
{
	open_ends_way(x, backend, PG_RECEIVE_PACKET);
}

static char how[PG_HOW]; /* of the last run */

static void send_count(struct ends *x, uint64_t count, uint64_t delay)
{
	struct pg_config c;
	struct pg_status s;

	pg_device_get_config(x->device, &c);
	c.count = count;
	c.delay = delay;
	pg_device_set_config(x->device, &c);
	CHECK_EQ(pg_engine_start(x->engine), 0);
	pg_device_status(x->device, &s);
	CHECK_MSG(!s.error[0], "%s", s.error);
	CHECK_EQ(s.sofar, count);
	memcpy(how, s.how, sizeof(how));
}

/* The caller frees the summary. */
static void finish_kept(struct ends *x, uint32_t last, struct pg_receive_summary *sum)
{
	pg_receiver_wait(x->receiver, last, 500, 10000, NULL);
	pg_receiver_finish(x->receiver, last, sum);
	pg_engine_destroy(x->engine);
}

/* The figures of all together alone. */
static void finish(struct ends *x, uint32_t last, struct pg_receive_summary *sum)
{
	struct pg_receive_summary all;

	finish_kept(x, last, &all);
	*sum = all;
	sum->streams = NULL;
	sum->flows = NULL;
	sum->nr_streams = sum->nr_flows = 0;
	pg_receive_summary_free(&all);
}

/* Every field of what came that a receiver can tell; all sums were right, or it would be damaged. */
static void check_fields(const struct pg_receive_summary *s)
{
	static const uint8_t src[] = {10, 9, 1, 1}, dst[] = {10, 9, 2, 2};

	CHECK_EQ(s->nr_flows, 1);
	CHECK_EQ(s->flows[0].flow.id.version, 4);
	CHECK(memcmp(s->flows[0].flow.id.src, src, 4) == 0);
	CHECK(memcmp(s->flows[0].flow.id.dst, dst, 4) == 0);
	CHECK_EQ(s->flows[0].flow.id.sport, 7);
	CHECK_EQ(s->flows[0].flow.id.dport, 8);
	CHECK_EQ(s->unstamped, 0);
}

static void set_fields(struct ends *x)
{
	struct pg_config c;

	pg_device_get_config(x->device, &c);
	c.flags |= PG_UDPCSUM;
	snprintf(c.src_min, sizeof(c.src_min), "10.9.1.1");
	snprintf(c.dst_min, sizeof(c.dst_min), "10.9.2.2");
	c.udp_src_min = c.udp_src_max = 7;
	c.udp_dst_min = c.udp_dst_max = 8;
	pg_device_set_config(x->device, &c);
}

/* All of a million: by the kernel's counter of the far end, by our receiver, and each once. */
static void a_million(const char *backend, enum pg_receive_way way)
{
	enum { N = 1000000 };
	struct pg_receive_summary s;
	struct pg_link far;
	struct ends x;

	open_ends_way(&x, backend, way);
	set_fields(&x);
	send_count(&x, N, 0);
	finish_kept(&x, N, &s);
	check_fields(&s);
	CHECK_EQ(pg_link_read("pgb", &far), 0);
	CHECK_EQ(far.rx_packets, N);
	CHECK_EQ(s.sequence.received + s.lost + s.totals.dropped, N);
	CHECK_EQ(s.lost, 0);
	CHECK_EQ(s.sequence.duplicated + s.sequence.reordered + s.sequence.stray, 0);
	CHECK_EQ(s.totals.damaged + s.totals.other, 0);
	CHECK_EQ(s.totals.bytes, 60 * s.totals.frames);
	CHECK(s.tail_closed);
	tap_note("%s; receiver dropped %" PRIu64, how, s.totals.dropped);
	pg_receive_summary_free(&s);
}

TEST_LIMIT(a_million_through_packet_sockets_are_equal_at_the_far_end, 120)
{
	a_million("packet", PG_RECEIVE_PACKET);
	CHECK_MSG(strstr(how, "million/s, by "), "not by a trial: %s", how);
}

TEST_LIMIT(a_million_by_messages_are_equal_at_the_far_end, 120)
{
	a_million("packet:sendmmsg", PG_RECEIVE_PACKET);
	CHECK_STR(how, "sendmmsg");
}

TEST_LIMIT(a_million_out_of_a_ring_are_equal_at_the_far_end, 120)
{
	a_million("packet:ring", PG_RECEIVE_PACKET);
	CHECK_STR(how, "ring");
}

/* A run that is paced or short is not worth a trial. */
TEST(a_paced_run_through_packet_sockets_tries_nothing)
{
	struct pg_receive_summary s;
	struct ends x;

	open_ends(&x, "packet");
	send_count(&x, 200, 1000);
	CHECK_MSG(strstr(how, "sendmmsg (paced or short"), "%s", how);
	finish(&x, 200, &s);
	CHECK_EQ(s.sequence.received, 200);
}

static void need_bpf(void)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
}

TEST_LIMIT(a_million_to_the_receiver_at_the_driver_are_equal, 120)
{
	need_bpf();
	a_million("packet", PG_RECEIVE_XDP);
}

TEST_LIMIT(a_million_out_of_a_ring_to_the_receiver_at_the_driver_are_equal, 120)
{
	need_bpf();
	a_million("packet:ring", PG_RECEIVE_XDP);
}

TEST_LIMIT(a_million_live_frames_are_equal_at_the_far_end, 120)
{
	need_bpf();
	a_million("live", PG_RECEIVE_XDP);
}

/* The rest of the case is a child's, which is number 1 there. */
static void enter_processes_of_its_own(void)
{
	int status;

	if (unshare(CLONE_NEWPID))
		tap_skip("no namespace of processes here: %s", strerror(errno));
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return;
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* As in a container: the kernel's trace points know a thread by another number than itself does. */
TEST_LIMIT(live_frames_are_counted_in_a_namespace_of_processes, 60)
{
	struct pg_receive_summary s;
	struct ends x;

	need_bpf();
	enter_processes_of_its_own();
	open_ends_way(&x, "live", PG_RECEIVE_XDP);
	send_count(&x, 100000, 0);
	finish(&x, 100000, &s);
	CHECK_EQ(s.sequence.received + s.totals.dropped, 100000);
	CHECK_EQ(s.lost, 0);
}

TEST_LIMIT(a_million_through_af_xdp_are_equal_at_the_far_end, 120)
{
	need_bpf();
	a_million("xdp", PG_RECEIVE_XDP);
	CHECK_STR(how, "generic (a copy by the kernel), 1 queue");
}

TEST_LIMIT(a_million_through_generic_af_xdp_are_equal_at_the_far_end, 120)
{
	need_bpf();
	a_million("xdp:generic", PG_RECEIVE_XDP);
}

/* Without need_wakeup: each call wakes the kernel, which never says that it wants to be woken. */
TEST_LIMIT(a_million_through_af_xdp_without_need_wakeup_are_equal_at_the_far_end, 120)
{
	need_bpf();
	a_million("xdp:generic-always-wake", PG_RECEIVE_XDP);
	CHECK_MSG(strstr(how, "always woken"), "%s", how);
}

/* veth's driver does not send AF_XDP frames itself: refused with the cure, not copied instead. */
TEST(native_af_xdp_is_refused_where_the_driver_has_none)
{
	struct pg_status status;
	struct ends x;

	need_bpf();
	open_ends(&x, "xdp:native");
	CHECK_EQ(pg_engine_start(x.engine), 0);
	pg_device_status(x.device, &status);
	CHECK_EQ(status.sofar, 0);
	CHECK_MSG(strstr(status.error, "zero copy"), "%s", status.error);
	CHECK_MSG(strstr(status.error, "xdp:generic"), "%s", status.error);
}

TEST(a_way_that_a_backend_does_not_have_is_refused)
{
	static const char *const names[] = {"xdp:fast", "packet:", "packet:rings", "live:x",
					    "null:x"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pg_engine_options o = {.seed = 1, .backend = names[i]};

		CHECK_MSG(!pg_engine_create(&o) && errno == EINVAL, "%s", names[i]);
	}
}

/* Each on its queue in turns: a socket to each, and each of the far end's queues gets its share. */
TEST_LIMIT(a_million_through_af_xdp_on_four_queues_are_equal_at_the_far_end, 120)
{
	enum { N = 1000000 };
	struct pg_receive_summary s;
	struct pg_config c;
	struct pg_link far;
	struct ends x;

	need_bpf();
	netns_enter();
	netns_run("ip link add pga numtxqueues 4 numrxqueues 4 type veth "
		  "peer name pgb numtxqueues 4 numrxqueues 4 && "
		  "for d in pga pgb; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6 && "
		  "ip link set $d up; done");
	connect_ends(&x, "xdp", PG_RECEIVE_XDP);
	pg_device_get_config(x.device, &c);
	c.queue_map_min = 0;
	c.queue_map_max = 3;
	pg_device_set_config(x.device, &c);
	send_count(&x, N, 0);
	CHECK_STR(how, "generic (a copy by the kernel), 4 queues");
	finish(&x, N, &s);
	CHECK_EQ(s.queues, 4);
	CHECK_EQ(pg_link_read("pgb", &far), 0);
	CHECK_EQ(far.rx_packets, N);
	CHECK_EQ(s.totals.frames + s.totals.dropped, N);
	CHECK_EQ(s.lost + s.sequence.duplicated + s.totals.damaged, 0);
}

/* Two threads, each with a device, a far end and a receiver of its own. */
static void two_threads(const char *backend, enum pg_receive_way way)
{
	enum { N = 300000 };
	struct pg_engine_options o = {.seed = 1, .backend = backend};
	struct pg_receiver *r[2];
	struct pg_device *d[2];
	char why[128];

	netns_enter();
	netns_veth("pga", "pgb");
	netns_veth("pgc", "pgd");
	struct pg_engine *e = pg_engine_create(&o);

	for (int i = 0; i < 2; i++) {
		struct pg_receiver_options ro = {
			.ifname = i ? "pgd" : "pgb", .way = way, .from_start = true, .cpu = -1};
		int cpu = pg_engine_thread_cpu(e, i % pg_engine_threads(e));
		struct pg_config c;

		CHECK_EQ(pg_engine_add(e, cpu, i ? "pgc" : "pga", &d[i]), 0);
		r[i] = pg_receiver_start(&ro, why);
		CHECK_MSG(r[i], "%s", why);
		pg_device_get_config(d[i], &c);
		c.min_pkt_size = c.max_pkt_size = 60;
		c.count = N + (uint64_t)i;
		pg_device_set_config(d[i], &c);
	}
	CHECK_EQ(pg_engine_start(e), 0);
	for (int i = 0; i < 2; i++) {
		struct pg_receive_summary s;
		struct pg_status status;
		struct pg_link far;
		uint32_t last = N + (uint32_t)i;

		pg_device_status(d[i], &status);
		CHECK_MSG(!status.error[0], "%s", status.error);
		CHECK_EQ(status.sofar, last);
		CHECK_EQ(status.errors, 0);
		pg_receiver_wait(r[i], last, 500, 10000, NULL);
		pg_receiver_finish(r[i], last, &s);
		CHECK_EQ(pg_link_read(i ? "pgd" : "pgb", &far), 0);
		CHECK_EQ(far.rx_packets, last);
		CHECK_EQ(s.totals.frames + s.totals.dropped, last);
		CHECK_EQ(s.lost + s.sequence.duplicated + s.sequence.reordered, 0);
		pg_receive_summary_free(&s);
	}
	pg_engine_destroy(e);
}

TEST_LIMIT(two_threads_on_two_devices_send_exact_counts_by_packet_sockets, 120)
{
	two_threads("packet", PG_RECEIVE_PACKET);
}

TEST_LIMIT(two_threads_on_two_devices_send_exact_counts_by_af_xdp, 120)
{
	need_bpf();
	two_threads("xdp", PG_RECEIVE_XDP);
}

TEST_LIMIT(two_threads_on_two_devices_send_exact_counts_by_live_frames, 120)
{
	need_bpf();
	two_threads("live", PG_RECEIVE_XDP);
}

/* A UDP socket needs addresses, and nothing else. */
TEST_LIMIT(a_million_through_a_udp_socket_are_equal_at_the_far_end, 120)
{
	enum { N = 1000000 };
	struct pg_receive_summary s;
	struct pg_config c;
	struct pg_link far;
	struct ends x;

	open_ends(&x, "udp");
	netns_run("ip addr add 10.9.0.1/24 dev pga && "
		  "ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:09 dev pga");
	pg_device_get_config(x.device, &c);
	snprintf(c.dst_min, sizeof(c.dst_min), "10.9.0.2");
	snprintf(c.dst_max, sizeof(c.dst_max), "10.9.0.2");
	c.udp_src_min = c.udp_src_max = 5000;
	c.flags |= PG_UDPCSUM;
	pg_device_set_config(x.device, &c);
	send_count(&x, N, 0);
	finish(&x, N, &s);
	CHECK_EQ(pg_link_read("pgb", &far), 0);
	CHECK_EQ(far.rx_packets, N);
	CHECK_EQ(s.sequence.received + s.totals.dropped, N);
	CHECK_EQ(s.lost + s.totals.damaged + s.sequence.duplicated, 0);
	CHECK_EQ(s.totals.bytes, 60 * s.totals.frames);
}

/*
 * Frames that are repeated leave as one buffer, which the kernel cuts before the far end's program sees
 * it: single datagrams, each whole, as many as were asked for.
 */
TEST_LIMIT(segmentation_offload_sends_single_datagrams_of_the_right_number, 60)
{
	enum { N = 100000, COPIES = 50 };
	struct pg_receive_summary s;
	struct pg_config c;
	struct pg_link far;
	struct ends x;

	need_bpf();
	open_ends_way(&x, "udp", PG_RECEIVE_XDP);
	netns_run("ip addr add 10.9.0.1/24 dev pga && "
		  "ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:09 dev pga");
	pg_device_get_config(x.device, &c);
	snprintf(c.dst_min, sizeof(c.dst_min), "10.9.0.2");
	c.udp_src_min = c.udp_src_max = 5000;
	c.flags |= PG_UDPCSUM;
	c.min_pkt_size = c.max_pkt_size = 300;
	c.clone_skb = COPIES;
	pg_device_set_config(x.device, &c);
	send_count(&x, N, 0);
	CHECK_MSG(strstr(how, "segmentation offload"), "%s", how);
	finish(&x, N / COPIES, &s);
	CHECK_EQ(pg_link_read("pgb", &far), 0);
	CHECK_EQ(far.rx_packets, N);
	CHECK_EQ(s.totals.frames + s.totals.dropped, N);
	CHECK_EQ(s.totals.bytes, 300 * s.totals.frames);
	CHECK_EQ(s.totals.damaged + s.totals.other, 0);
	CHECK_EQ(s.sequence.received, N / COPIES);
	CHECK_EQ(s.sequence.duplicated, N - N / COPIES);
}

/* Each of these makes packets differ, or leaves out the sum that the kernel would write. */
TEST(segmentation_offload_is_used_only_where_every_packet_may_be_alike)
{
	struct pg_receive_summary s;
	struct pg_config c, good;
	struct ends x;

	open_ends(&x, "udp");
	netns_run("ip addr add 10.9.0.1/24 dev pga && "
		  "ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:09 dev pga && "
		  "ip neigh add 10.9.0.3 lladdr 02:00:00:00:00:09 dev pga");
	pg_device_get_config(x.device, &good);
	snprintf(good.dst_min, sizeof(good.dst_min), "10.9.0.2");
	good.udp_src_min = good.udp_src_max = 5000;
	good.flags |= PG_UDPCSUM;
	good.clone_skb = 10;
	for (int i = 0; i < 5; i++) {
		c = good;
		if (i == 0)
			c.clone_skb = 0;
		else if (i == 1)
			c.flags &= ~(uint32_t)PG_UDPCSUM;
		else if (i == 2)
			c.max_pkt_size = 90;
		else if (i == 3)
			snprintf(c.dst_max, sizeof(c.dst_max), "10.9.0.3");
		else
			c.udp_dst_max = 100;
		pg_device_set_config(x.device, &c);
		send_count(&x, 1000, 0);
		CHECK_MSG(!strcmp(how, "sendmmsg"), "case %d: %s", i, how);
	}
	finish(&x, 0, &s);
	CHECK_EQ(s.totals.frames + s.totals.dropped, 5000);
}

TEST(a_udp_socket_refuses_what_it_cannot_do)
{
	struct pg_status status;
	struct pg_config c, good;
	struct ends x;

	open_ends(&x, "udp");
	netns_run("ip addr add 10.9.0.1/24 dev pga");
	pg_device_get_config(x.device, &good);
	snprintf(good.dst_min, sizeof(good.dst_min), "10.9.0.2");
	for (int i = 0; i < 4; i++) {
		c = good;
		if (i == 0)
			c.dst_mac[0] = 2;
		else if (i == 1)
			c.vlan_id = 5;
		else if (i == 2)
			c.udp_src_max = 100;
		else
			c.xmit_mode = PG_NETIF_RECEIVE;
		pg_device_set_config(x.device, &c);
		CHECK_EQ(pg_engine_start(x.engine), 0);
		pg_device_status(x.device, &status);
		CHECK_EQ(status.sofar, 0);
		CHECK_MSG(status.error[0], "case %d", i);
	}
}

TEST_LIMIT(a_million_into_a_tap_are_equal_on_it, 120)
{
	enum { N = 1000000 };
	struct pg_engine_options o = {.seed = 1, .backend = "tap"};
	struct pg_receiver_options r = {
		.ifname = "pgtap", .way = PG_RECEIVE_PACKET, .from_start = true, .cpu = -1};
	struct pg_receive_summary s;
	struct pg_link tap;
	struct pg_config c;
	char why[128];
	struct ends x;

	netns_enter();
	if (access("/dev/net/tun", R_OK | W_OK))
		tap_skip("no /dev/net/tun here");
	netns_run("ip tuntap add pgtap mode tap && "
		  "echo 1 > /proc/sys/net/ipv6/conf/pgtap/disable_ipv6 && ip link set pgtap up");
	x.engine = pg_engine_create(&o);
	CHECK_EQ(pg_engine_add(x.engine, pg_engine_thread_cpu(x.engine, 0), "pgtap", &x.device), 0);
	x.receiver = pg_receiver_start(&r, why);
	CHECK_MSG(x.receiver, "%s", why);
	pg_device_get_config(x.device, &c);
	c.min_pkt_size = c.max_pkt_size = 60;
	pg_device_set_config(x.device, &c);
	send_count(&x, N, 0);
	finish(&x, N, &s);
	CHECK_EQ(pg_link_read("pgtap", &tap), 0);
	CHECK_EQ(tap.rx_packets, N);
	CHECK_EQ(s.sequence.received + s.totals.dropped, N);
	CHECK_EQ(s.lost, 0);
}

/* netif_receive: the device itself receives them. */
TEST_LIMIT(live_frames_injected_into_receive_arrive_there, 60)
{
	struct pg_receive_summary s;
	struct pg_config c;
	struct pg_engine_options o = {.seed = 1, .backend = "live"};
	struct pg_receiver_options r = {
		.ifname = "pga", .way = PG_RECEIVE_PACKET, .from_start = true, .cpu = -1};
	char why[128];
	struct ends x;

	need_bpf();
	netns_enter();
	netns_veth("pga", "pgb");
	if (system("ethtool -K pga gro on >/dev/null 2>&1"))
		tap_skip("ethtool is not installed");
	x.engine = pg_engine_create(&o);
	CHECK_EQ(pg_engine_add(x.engine, pg_engine_thread_cpu(x.engine, 0), "pga", &x.device), 0);
	x.receiver = pg_receiver_start(&r, why);
	CHECK_MSG(x.receiver, "%s", why);
	pg_device_get_config(x.device, &c);
	c.min_pkt_size = c.max_pkt_size = 60;
	c.xmit_mode = PG_NETIF_RECEIVE;
	pg_device_set_config(x.device, &c);
	send_count(&x, 50000, 0);
	finish(&x, 50000, &s);
	CHECK_EQ(s.sequence.received + s.totals.dropped, 50000);
	CHECK_EQ(s.lost, 0);
}

/* --- a bad network --------------------------------------------------------------------------------- */

struct faults {
	uint32_t lose, twice, damage, swap;
};

/* pga - pgm, pgn - pgb, and a program from pgm to pgn. */
static struct inject_bpf *bad_network(const struct faults *f)
{
	struct inject_bpf *skel = inject_bpf__open();

	window = WINDOW;
	netns_enter();
	netns_veth("pga", "pgm");
	netns_veth("pgn", "pgb");
	CHECK(skel);
	skel->rodata->out = if_nametoindex("pgn");
	skel->rodata->lose = f->lose;
	skel->rodata->twice = f->twice;
	skel->rodata->damage = f->damage;
	skel->rodata->swap = f->swap;
	CHECK_EQ(inject_bpf__load(skel), 0);
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)if_nametoindex("pgm"),
		    .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = bpf_program__fd(skel->progs.inject));
	CHECK_EQ(bpf_tc_hook_create(&hook), 0);
	CHECK_EQ(bpf_tc_attach(&hook, &opts), 0);
	return skel;
}

static void through_a_bad_network(const struct faults *f, enum pg_receive_way way, uint32_t n,
				  struct pg_receive_summary *s)
{
	struct inject_bpf *skel = bad_network(f);
	struct ends x = {0};

	connect_ends(&x, "packet", way);
	send_count(&x, n, 0);
	finish_kept(&x, n, s);
	inject_bpf__destroy(skel);
	CHECK_EQ(s->totals.dropped, 0);
}

static void injected_faults_are_counted(enum pg_receive_way way)
{
	enum { N = 100000, EACH = N / 1000 };
	static const struct faults f = {.lose = 17, .twice = 42, .damage = 73, .swap = 500};
	struct pg_receive_summary s;

	need_bpf();
	through_a_bad_network(&f, way, N, &s);
	CHECK_EQ(s.lost, EACH);
	CHECK_EQ(s.sequence.duplicated, EACH);
	CHECK_EQ(s.totals.damaged, EACH);
	/* 507 comes in 500's place: seven numbers come after it, 500 last. */
	CHECK_EQ(s.sequence.reordered, 7 * EACH);
	CHECK_EQ(s.sequence.extent_max, 7);
	CHECK_EQ(s.sequence.extent_sum, (1 + 2 + 3 + 4 + 5 + 6 + 7) * EACH);
	CHECK_EQ(s.sequence.received, N - 2 * EACH);
	CHECK_EQ(s.sequence.stray + s.sequence.restarts, 0);
	/* One flow of one sender: the same of it. */
	const struct pg_flow_report *r = s.flows;

	CHECK_EQ(s.nr_streams, 1);
	CHECK_EQ(s.nr_flows, 1);
	CHECK(r->lost_known);
	CHECK_EQ(r->lost, EACH);
	CHECK_EQ(r->flow.duplicated, EACH);
	CHECK_EQ(r->flow.damaged, EACH);
	CHECK_EQ(r->flow.reordered, 7 * EACH);
	CHECK_EQ(r->flow.extent_max, 7);
	CHECK_EQ(r->flow.extent_sum, (1 + 2 + 3 + 4 + 5 + 6 + 7) * EACH);
	CHECK_EQ(r->flow.packets, N - EACH);
	CHECK_EQ(r->flow.id.dport, 9);
	pg_receive_summary_free(&s);
}

/*
 * Two senders on one device, each with numbers of its own from 1, through the same bad network: each
 * is counted for itself, and nothing of one for the other.
 */
static void each_of_two_senders(enum pg_receive_way way)
{
	enum { N = 50000, EACH = N / 1000 };
	static const struct faults f = {.lose = 17, .twice = 42, .damage = 73, .swap = 500};
	struct pg_engine_options o = {.seed = 1, .backend = "packet", .sndbuf = WINDOW};
	struct pg_receiver_options ro = {
		.ifname = "pgb", .way = way, .from_start = true, .cpu = -1};
	const uint32_t lasts[2] = {N, N};
	struct pg_receive_summary s;
	struct pg_device *d;
	struct pg_config c;
	char name[16], why[128];

	need_bpf();
	struct inject_bpf *skel = bad_network(&f);
	struct pg_engine *e = pg_engine_create(&o);
	struct pg_receiver *r = pg_receiver_start(&ro, why);

	CHECK_MSG(r, "%s", why);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "pga@%d", i);
		int cpu = pg_engine_thread_cpu(e, i % pg_engine_threads(e));

		CHECK_EQ(pg_engine_add(e, cpu, name, &d), 0);
		pg_device_get_config(d, &c);
		c.min_pkt_size = c.max_pkt_size = 60;
		c.count = N;
		c.udp_src_min = c.udp_src_max = (uint16_t)(1000 + i);
		pg_device_set_config(d, &c);
	}
	CHECK_EQ(pg_engine_start(e), 0);
	pg_receiver_wait(r, 0, 500, 10000, NULL);
	pg_receiver_finish_all(r, lasts, 2, &s);
	pg_engine_destroy(e);
	inject_bpf__destroy(skel);
	CHECK_EQ(s.totals.dropped, 0);
	CHECK_EQ(s.nr_streams, 2);
	CHECK_EQ(s.senders, 2);
	CHECK_EQ(s.nr_flows, 2);
	CHECK_EQ(s.sequence.stray + s.sequence.restarts, 0);
	for (int i = 0; i < 2; i++) {
		const struct pg_flow_report *w = &s.flows[i];

		CHECK(w->lost_known);
		CHECK_EQ(w->lost, EACH);
		CHECK_EQ(w->flow.duplicated, EACH);
		CHECK_EQ(w->flow.damaged, EACH);
		CHECK_EQ(w->flow.reordered, 7 * EACH);
		CHECK_EQ(w->flow.extent_max, 7);
		CHECK_EQ(w->flow.packets, N - EACH);
		CHECK(w->flow.id.sport == 1000 || w->flow.id.sport == 1001);
		CHECK_EQ(s.streams[i].lost, EACH);
		CHECK_EQ(s.streams[i].sequence.received, N - 2 * EACH);
	}
	CHECK_EQ(s.lost, 2 * EACH);
	pg_receive_summary_free(&s);
}

TEST_LIMIT(faults_are_counted_for_each_of_two_senders, 60)
{
	each_of_two_senders(PG_RECEIVE_PACKET);
}

TEST_LIMIT(the_receiver_at_the_driver_tells_two_senders_apart, 60)
{
	each_of_two_senders(PG_RECEIVE_XDP);
}

enum { MANY = 60000, FLOWS = 2999, FIRST_PORT = 1000 };

/* How many of the numbers with that residue of 1000 are of this flow. */
static uint64_t of_flow(unsigned flow, uint32_t residue)
{
	uint64_t n = 0;

	for (uint32_t seq = residue; seq <= MANY; seq += 1000)
		n += (seq + FLOWS - 1) % FLOWS == flow;
	return n;
}

/*
 * A sender whose packets go to many flows: what each flow got is known, and the sums are right. Where
 * the flows take turns, also what each of them lost; where they come at random, that is not told.
 */
static void many_flows(enum pg_receive_way way, bool random)
{
	enum { EACH = MANY / 1000 };
	static const struct faults f = {.lose = 17, .twice = 42, .damage = 73};
	uint64_t packets = 0, doubled = 0, damaged = 0, lost = 0;
	struct pg_receive_summary s;
	struct ends x = {0};
	struct pg_config c;

	need_bpf();
	struct inject_bpf *skel = bad_network(&f);

	connect_ends(&x, "packet", way);
	pg_device_get_config(x.device, &c);
	c.udp_src_min = FIRST_PORT;
	c.udp_src_max = FIRST_PORT + FLOWS;
	c.flags |= random ? PG_UDPSRC_RND : 0;
	pg_device_set_config(x.device, &c);
	send_count(&x, MANY, 0);
	finish_kept(&x, MANY, &s);
	inject_bpf__destroy(skel);
	CHECK_EQ(s.totals.dropped, 0);
	CHECK_EQ(s.lost, EACH);
	CHECK_EQ(s.nr_streams, 1);
	CHECK_EQ(s.nr_flows, FLOWS);
	for (unsigned i = 0; i < s.nr_flows; i++) {
		const struct pg_flow_report *w = &s.flows[i];
		unsigned flow = w->flow.id.sport - FIRST_PORT;

		CHECK_EQ(w->lost_known, !random);
		CHECK_EQ(w->flow.id.version, 4);
		CHECK(flow < FLOWS);
		packets += w->flow.packets;
		doubled += w->flow.duplicated;
		damaged += w->flow.damaged;
		lost += w->lost;
		if (random)
			continue;
		/* The first port is the one after the lowest. */
		flow = (flow + FLOWS - 1) % FLOWS;
		CHECK_EQ(w->lost + w->flow.damaged,
			 of_flow(flow, f.lose) + of_flow(flow, f.damage));
		CHECK_EQ(w->flow.duplicated, of_flow(flow, f.twice));
	}
	CHECK_EQ(packets, s.totals.frames);
	CHECK_EQ(doubled, EACH);
	CHECK_EQ(damaged + s.damaged_unknown, EACH);
	CHECK_EQ(lost + damaged, random ? damaged : 2 * EACH);
	pg_receive_summary_free(&s);
}

TEST_LIMIT(many_flows_are_counted_each, 60)
{
	many_flows(PG_RECEIVE_PACKET, false);
}

TEST_LIMIT(the_receiver_at_the_driver_counts_many_flows, 60)
{
	many_flows(PG_RECEIVE_XDP, false);
}

TEST_LIMIT(random_flows_are_counted_each_and_their_loss_is_not_told, 60)
{
	many_flows(PG_RECEIVE_XDP, true);
}

/* Frames that say of themselves that they were sent long ago. */
static void ages(enum pg_receive_way way, uint64_t age_ns)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET};
	struct pg_receive_summary s;
	static uint8_t buf[2048];
	struct pg_config c;
	struct ends x;
	char why[128];

	need_bpf();
	open_ends_way(&x, "null", way);
	to.sll_ifindex = (int)if_nametoindex("pga");
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	pg_config_init(&c);
	c.stamp_ns = true;
	c.min_pkt_size = c.max_pkt_size = 60;
	pg_config_settle(&c, 1);
	struct pg_packet *p = pg_packet_start(&c, 1, 0, 1, why);

	CHECK_MSG(p, "%s", why);
	for (int i = 0; i < 1000; i++) {
		uint32_t len = pg_packet_next(p, buf, ww_clock_real_ns() - age_ns);

		pg_packet_sent(p, 1);
		CHECK_EQ(send(fd, buf, len, 0), len);
	}
	pg_packet_end(p);
	finish(&x, 1000, &s);
	CHECK_EQ(s.latency.count, 1000);
	/* What the machine adds is far below a hundredth of these. */
	double p50 = (double)pg_histogram_share(&s.latency, 500000), want = (double)age_ns;

	CHECK_MSG(p50 >= 0.99 * want && p50 <= 1.01 * want, "%.0f instead of %.0f", p50, want);
	CHECK(s.latency.min >= age_ns);
}

TEST_LIMIT(latency_is_right_within_a_hundredth_up_to_a_hundred_seconds, 60)
{
	ages(PG_RECEIVE_XDP, 100000000000u);
}

TEST_LIMIT(latency_of_a_second_is_right_within_a_hundredth, 60)
{
	ages(PG_RECEIVE_PACKET, 1000000000u);
}

TEST_LIMIT(injected_loss_duplication_reordering_and_damage_are_counted_exactly, 60)
{
	injected_faults_are_counted(PG_RECEIVE_PACKET);
}

TEST_LIMIT(the_receiver_at_the_driver_counts_injected_faults_exactly, 60)
{
	injected_faults_are_counted(PG_RECEIVE_XDP);
}

static void nanoseconds(const char *backend, enum pg_receive_way way)
{
	enum { N = 500 }; /* each of them waits for its time, however late the machine is */
	struct pg_receive_summary s;
	struct pg_config c;
	struct ends x;

	stamp_ns = true;
	open_ends_way(&x, backend, way);
	pg_device_get_config(x.device, &c);
	c.flags |= PG_UDPCSUM;
	pg_device_set_config(x.device, &c);
	send_count(&x, N, 20000);
	finish(&x, N, &s);
	CHECK(s.fine);
	CHECK_EQ(s.sequence.received, N);
	CHECK_EQ(s.totals.damaged + s.totals.other + s.unstamped, 0);
	CHECK_EQ(s.early, 0);
	CHECK_EQ(s.latency.count, N);
	CHECK(s.latency.min > 0);
}

TEST_LIMIT(nanosecond_stamps_are_read_through_packet_sockets, 60)
{
	nanoseconds("packet", PG_RECEIVE_PACKET);
}

TEST_LIMIT(nanosecond_stamps_are_read_at_the_driver, 60)
{
	need_bpf();
	nanoseconds("live", PG_RECEIVE_XDP);
}

TEST(latency_is_measured_and_plausible)
{
	struct pg_receive_summary s;
	struct ends x;

	open_ends(&x, "packet");
	send_count(&x, 1000, 100000);
	finish(&x, 1000, &s);
	/* The first of each microsecond is measured. */
	CHECK(s.latency.count + s.early > 0 && s.latency.count + s.early <= 1000);
	CHECK_EQ(s.early, 0);
	CHECK(s.latency.min <= pg_histogram_share(&s.latency, 500000));
	CHECK(pg_histogram_share(&s.latency, 500000) < 1000000000);
	CHECK_EQ(s.unstamped, 0);
}

/* A frame that the device drops on its way is lost, not dropped by the receiver. */
TEST(what_the_network_loses_is_lost_and_nothing_else)
{
	struct pg_receive_summary s;
	struct pg_config c;
	struct ends x;

	open_ends(&x, "packet");
	send_count(&x, 100, 0);
	/* Numbers that nobody sends: a run on another device would have taken them. */
	pg_device_get_config(x.device, &c);
	finish(&x, 107, &s);
	CHECK_EQ(s.lost, 7);
	CHECK_EQ(s.totals.dropped, 0);
	CHECK_EQ(s.sequence.received, 100);
}

TEST(the_watchdog_tells_silence_and_its_end)
{
	struct pg_receive_totals t;
	struct pg_receive_summary s;
	struct ends x;

	open_ends(&x, "packet");
	send_count(&x, 10, 0);
	do {
		pg_receiver_totals(x.receiver, &t);
		usleep(10000);
	} while (!t.silent);
	CHECK_EQ(t.frames, 10);
	CHECK_EQ(t.silences, 1);
	send_count(&x, 10, 0);
	do {
		pg_receiver_totals(x.receiver, &t);
		usleep(1000);
	} while (t.frames != 20);
	CHECK(!t.silent || t.silences == 2);
	finish(&x, 10, &s);
	CHECK_EQ(s.sequence.restarts, 1);
	CHECK_EQ(s.sequence.duplicated, 0);
}

TEST(a_vanished_device_ends_the_receiver_cleanly)
{
	struct pg_receive_totals t;
	struct pg_receive_summary s;
	struct ends x;

	open_ends(&x, "packet");
	send_count(&x, 10, 0);
	netns_run("ip link del pga");
	do {
		pg_receiver_totals(x.receiver, &t);
		usleep(1000);
	} while (!t.gone);
	finish(&x, 10, &s);
	CHECK_EQ(s.sequence.received, 10);
}

/* Loading and attaching its program is not a part of the run. */
TEST_LIMIT(a_time_limit_counts_from_the_devices_beginning, 30)
{
	struct pg_engine_options o = {.seed = 1, .backend = "live"};
	struct pg_watch_options wo = {.limit_ms = 200};
	struct pg_device *d;
	struct pg_status s;
	struct pg_config c;
	char why[128];

	need_bpf();
	netns_enter();
	netns_veth("pga", "pgb");
	if (system("ethtool -K pgb gro on >/dev/null 2>&1"))
		tap_skip("ethtool is not installed");
	struct pg_engine *e = pg_engine_create(&o);

	CHECK_EQ(pg_engine_add(e, pg_engine_thread_cpu(e, 0), "pga", &d), 0);
	pg_device_get_config(d, &c);
	c.count = 0;
	pg_device_set_config(d, &c);
	struct pg_watch *w = pg_watch_start(e, &wo, why);

	CHECK_MSG(w, "%s", why);
	CHECK_EQ(pg_engine_start(e), 0);
	CHECK_EQ(pg_watch_finish(w, stdout), 0);
	pg_device_status(d, &s);
	CHECK_MSG(!s.error[0], "%s", s.error);
	CHECK_MSG(s.stopped_us - s.started_us >= 200000, "only %" PRIu64 " us",
		  s.stopped_us - s.started_us);
	pg_engine_destroy(e);
}

TEST(a_watched_run_balances_its_books)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct pg_engine_options o = {.seed = 1, .backend = "packet"};
	struct pg_watch_options wo = {.receiver = "pgb", .progress = out, .limit_ms = 1500};
	struct pg_device *d;
	struct pg_config c;
	char why[128];

	netns_enter();
	netns_veth("pga", "pgb");
	struct pg_engine *e = pg_engine_create(&o);

	CHECK_EQ(pg_engine_add(e, pg_engine_thread_cpu(e, 0), "pga", &d), 0);
	pg_device_get_config(d, &c);
	c.count = 0;
	c.delay = 10000;
	pg_device_set_config(d, &c);
	struct pg_watch *w = pg_watch_start(e, &wo, why);

	CHECK_MSG(w, "%s", why);
	CHECK_EQ(pg_engine_start(e), 0); /* the time limit stops it */
	CHECK_EQ(pg_watch_finish(w, out), 0);
	fclose(out);
	CHECK_MSG(strstr(text, "packets/s"), "%s", text);
	CHECK_MSG(strstr(text, "lost 0 (0.000 %)"), "%s", text);
	CHECK_MSG(strstr(text, "Books: sent"), "%s", text);
	CHECK_MSG(strstr(text, "lost: 0 "), "%s", text);
	pg_engine_destroy(e);
	free(text);
}

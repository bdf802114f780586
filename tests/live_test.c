// SPDX-License-Identifier: MIT
/* Live frames: the same seed gives the same bytes as the generator's, in every field mode. */
#include "tap.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "netns.h"
#include "transmit/engine.h"
#include "transmit/live.h"
#include "transmit/specialise.h"

#include "live.skel.h"

enum { FRAMES = 40, ROOM = 2048 };

struct heard {
	unsigned n;
	ssize_t len[FRAMES];
	uint8_t frame[FRAMES][ROOM];
};

static void need_bpf(void)
{
	if (geteuid() != 0)
		tap_skip("loading BPF programs needs root");
}

static int listen_on(const char *ifname)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_ALL),
				 .sll_ifindex = (int)if_nametoindex(ifname)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));

	CHECK(fd >= 0);
	CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void hear(int fd, struct heard *h)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	h->n = 0;
	while (h->n < FRAMES && poll(&p, 1, 5000) == 1) {
		h->len[h->n] = recv(fd, h->frame[h->n], ROOM, 0);
		CHECK(h->len[h->n] > 0);
		h->n++;
	}
	CHECK_EQ(h->n, FRAMES);
}

/* FRAMES packets of a configuration by a backend, as they arrive at the far end. */
static void send_by(const char *backend, uint64_t seed, const struct pg_config *c, int fd,
		    struct heard *h)
{
	struct pg_engine_options o = {.seed = seed, .backend = backend, .stamp_every = 16};
	struct pg_engine *e = pg_engine_create(&o);
	struct pg_device *d;
	struct pg_status s;

	CHECK(e);
	CHECK_EQ(pg_engine_add(e, pg_engine_thread_cpu(e, 0), "pga", &d), 0);
	pg_device_set_config(d, c);
	CHECK_EQ(pg_engine_start(e), 0);
	pg_device_status(d, &s);
	CHECK_MSG(!s.error[0], "%s: %s", backend, s.error);
	CHECK_EQ(s.sofar, FRAMES);
	hear(fd, h);
	pg_engine_destroy(e);
}

static bool chance(uint64_t *rng, unsigned of)
{
	return tap_random(rng) % of == 0;
}

static void random_link(struct pg_config *c, uint64_t *rng)
{
	static const uint32_t link_flags =
		PG_MACSRC_RND | PG_MACDST_RND | PG_VID_RND | PG_SVID_RND | PG_MPLS_RND;

	c->flags |= (uint32_t)tap_random(rng) & link_flags;
	memcpy(c->dst_mac, "\x02\x11\x22\x33\x44\x55", 6);
	c->src_mac_count = chance(rng, 3) ? 1000 : 0;
	c->dst_mac_count = chance(rng, 3) ? 70000 : 0;
	if (chance(rng, 3)) {
		c->vlan_id = 5;
		c->vlan_p = 3;
		if (chance(rng, 2))
			c->svlan_id = 77;
	} else if (chance(rng, 3)) {
		c->nr_mpls = 1 + (uint32_t)(tap_random(rng) % PG_MAX_MPLS);
		for (uint32_t i = 0; i < c->nr_mpls; i++)
			c->mpls[i] = (uint32_t)tap_random(rng) & 0xfffff1ff;
	}
}

static void random_addresses(struct pg_config *c, uint64_t *rng)
{
	if (chance(rng, 4)) {
		c->flags |= PG_IPV6;
		inet_pton(AF_INET6, "fd00::1", &c->in6_saddr);
		inet_pton(AF_INET6, "fd00::2", &c->in6_daddr);
		if (chance(rng, 2)) {
			inet_pton(AF_INET6, "fd00::100", &c->min_in6_daddr);
			inet_pton(AF_INET6, "fd00::ffff", &c->max_in6_daddr);
		}
		return;
	}
	snprintf(c->src_min, sizeof(c->src_min), "198.18.1.1");
	snprintf(c->dst_min, sizeof(c->dst_min), "198.18.2.1");
	if (chance(rng, 2))
		snprintf(c->src_max, sizeof(c->src_max), "198.18.1.9");
	if (chance(rng, 2))
		snprintf(c->dst_max, sizeof(c->dst_max), "%s",
			 chance(rng, 3) ? "255.255.255.255" : "198.18.2.7");
	if (chance(rng, 3)) {
		c->flows = 5;
		c->flowlen = 3;
	}
}

static void random_config(struct pg_config *c, uint64_t *rng)
{
	static const uint32_t flags = PG_IPSRC_RND | PG_IPDST_RND | PG_TXSIZE_RND | PG_UDPSRC_RND |
				      PG_UDPDST_RND | PG_UDPCSUM | PG_FLOW_SEQ;

	pg_config_init(c);
	c->count = FRAMES;
	/* No time in them, so that two runs are equal to the byte. */
	c->flags |= PG_NO_TIMESTAMP | ((uint32_t)tap_random(rng) & flags);
	random_link(c, rng);
	random_addresses(c, rng);
	c->tos = (uint8_t)(tap_random(rng) & 0xfc);
	c->traffic_class = c->tos;
	if (chance(rng, 2))
		c->udp_src_max = 20;
	if (chance(rng, 2))
		c->udp_dst_max = 1000;
	c->min_pkt_size = c->max_pkt_size = 60 + (uint32_t)(tap_random(rng) % 200);
	if (chance(rng, 3))
		c->max_pkt_size += 50;
	else if (chance(rng, 4)) {
		c->nr_imix = 2;
		c->imix[0] = (struct pg_imix){.size = 64, .weight = 7};
		c->imix[1] = (struct pg_imix){.size = 570, .weight = 4};
	} else if (chance(rng, 4)) {
		c->clone_skb = 3;
	}
}

TEST_LIMIT(a_live_frame_is_the_generators_frame_to_the_byte, 150)
{
	static struct heard live, made;
	const char *many = getenv("WW_LIVE_CONFIGURATIONS");
	unsigned runs = many ? (unsigned)atoi(many) : 16;
	uint64_t rng = tap_seed();

	need_bpf();
	netns_enter();
	netns_veth("pga", "pgb");
	if (system("ethtool -K pgb gro on >/dev/null 2>&1"))
		tap_skip("ethtool is not installed");
	int fd = listen_on("pgb");

	for (unsigned n = 0; n < runs; n++) {
		struct pg_config c;
		uint64_t seed = tap_random(&rng);

		random_config(&c, &rng);
		send_by("packet", seed, &c, fd, &made);
		send_by("live", seed, &c, fd, &live);
		for (unsigned i = 0; i < FRAMES; i++) {
			CHECK_MSG(live.len[i] == made.len[i], "run %u, frame %u: %zd bytes for %zd",
				  n, i, live.len[i], made.len[i]);
			for (ssize_t k = 0; k < live.len[i]; k++)
				CHECK_MSG(live.frame[i][k] == made.frame[i][k],
					  "run %u (flags %x), frame %u, byte %zd: %02x for %02x", n,
					  c.flags, i, k, live.frame[i][k], made.frame[i][k]);
		}
	}
	close(fd);
}

/* --- the program worked out for its data -------------------------------------------------------- */

static int work_out(const struct bpf_insn *in, size_t n, uint64_t data, struct bpf_insn **out)
{
	struct pg_rodata rodata = {.map_fd = 7, .bytes = &data, .size = sizeof(data)};

	return pg_specialise(in, n, &rodata, out);
}

#define LOAD_DATA(reg, offset)                                                                     \
	{.code = BPF_LD | BPF_IMM | BPF_DW,                                                        \
	 .dst_reg = (reg),                                                                         \
	 .src_reg = BPF_PSEUDO_MAP_VALUE,                                                          \
	 .imm = 7},                                                                                \
	{                                                                                          \
		.imm = (offset)                                                                    \
	}
#define LOAD(size, dst, src, at)                                                                   \
	{                                                                                          \
		.code = BPF_LDX | BPF_MEM | (size), .dst_reg = (dst), .src_reg = (src),            \
		.off = (at)                                                                        \
	}
#define JUMP(op, reg, value, by)                                                                   \
	{                                                                                          \
		.code = BPF_JMP | (op) | BPF_K, .dst_reg = (reg), .imm = (value), .off = (by)      \
	}
#define SET(reg, value)                                                                            \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value)              \
	}
#define ALU(op, how, dst, src, value)                                                              \
	{                                                                                          \
		.code = BPF_ALU64 | (op) | (how), .dst_reg = (dst), .src_reg = (src),              \
		.imm = (value)                                                                     \
	}
#define LEAVE                                                                                      \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

TEST(what_follows_from_read_only_data_is_not_computed_again)
{
	/* r0 = data == 5 ? 1 : 2, by way of the stack */
	const struct bpf_insn in[] = {
		LOAD_DATA(1, 0),
		LOAD(BPF_W, 2, 1, 4),
		{.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 10, .src_reg = 2, .off = -8},
		LOAD(BPF_DW, 3, 10, -8),
		SET(0, 1),
		JUMP(BPF_JEQ, 3, 5, 1),
		SET(0, 2),
		LEAVE,
	};
	struct bpf_insn *out;

	CHECK_EQ(work_out(in, sizeof(in) / sizeof(in[0]), 5ull << 32, &out), 2);
	CHECK_EQ(out[0].code, BPF_ALU64 | BPF_MOV | BPF_K);
	CHECK_EQ(out[0].imm, 1);
	CHECK_EQ(out[1].code, BPF_JMP | BPF_EXIT);
	ww_free(out);
	CHECK_EQ(work_out(in, sizeof(in) / sizeof(in[0]), 6ull << 32, &out), 2);
	CHECK_EQ(out[0].imm, 2);
	ww_free(out);
}

TEST(what_does_not_follow_from_read_only_data_stays)
{
	/* A loop that is left by an argument: nothing of it may be taken for known. */
	const struct bpf_insn in[] = {
		SET(0, 0),
		ALU(BPF_ADD, BPF_K, 0, 0, 1),
		{.code = BPF_JMP | BPF_JLT | BPF_X, .dst_reg = 0, .src_reg = 1, .off = -2},
		LEAVE,
	};
	/* Half a slot, read whole; and a slot whose address was given away. */
	const struct bpf_insn half[] = {
		{.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -8, .imm = 3},
		LOAD(BPF_DW, 0, 10, -8),
		LEAVE,
	};
	const struct bpf_insn given[] = {
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = 10, .off = -8, .imm = 3},
		ALU(BPF_MOV, BPF_X, 2, 10, 0),
		ALU(BPF_ADD, BPF_K, 2, 0, -8),
		{.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 2, .src_reg = 1},
		LOAD(BPF_DW, 0, 10, -8),
		LEAVE,
	};
	struct bpf_insn *out;

	CHECK_EQ(work_out(in, 4, 0, &out), 4);
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	ww_free(out);
	CHECK_EQ(work_out(half, 3, 0, &out), 3);
	ww_free(out);
	CHECK_EQ(work_out(given, 6, 0, &out), 6);
	ww_free(out);
}

TEST(a_program_with_unknown_instructions_is_left_alone)
{
	const struct bpf_insn atomic[] = {
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 1, .src_reg = 2, .imm = BPF_ADD},
		LEAVE,
	};
	const struct bpf_insn calls_itself[] = {
		{.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 0},
		LEAVE,
	};
	const struct bpf_insn runs_out[] = {SET(0, 1)};
	struct bpf_insn *out;

	CHECK_EQ(work_out(atomic, 2, 0, &out), -EOPNOTSUPP);
	CHECK_EQ(work_out(calls_itself, 2, 0, &out), -EOPNOTSUPP);
	CHECK_EQ(work_out(runs_out, 1, 0, &out), -EOPNOTSUPP);
}

/* The kernel takes the program worked out for plain frames, and it is less than half as long. */
TEST(the_kernel_accepts_the_program_worked_out)
{
	struct live_bpf *skel;
	struct bpf_insn *out;

	need_bpf();
	skel = live_bpf__open();
	CHECK(skel);
	struct pg_live_config *c = (struct pg_live_config *)&skel->rodata->cfg;

	c->ip_off = 14;
	c->udp_off = 34;
	c->header_len = 42;
	c->max_len = 60;
	c->copies = 1;
	c->stamped = 1;
	c->stamp_mask = 15;
	CHECK_EQ(live_bpf__load(skel), 0);
	size_t whole = bpf_program__insn_cnt(skel->progs.pg_live);
	struct pg_rodata rodata = {
		.map_fd = bpf_map__fd(skel->maps.rodata),
		.bytes = skel->rodata,
		.size = bpf_map__value_size(skel->maps.rodata),
	};
	int n = pg_specialise(bpf_program__insns(skel->progs.pg_live), whole, &rodata, &out);

	CHECK_MSG(n > 0 && (size_t)n < whole / 2, "%d of %zu", n, whole);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "pg_live", "Dual MIT/GPL", out, (size_t)n, NULL);

	CHECK_MSG(fd >= 0, "%s", strerror(-fd));
	close(fd);
	ww_free(out);
	live_bpf__destroy(skel);
}

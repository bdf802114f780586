// SPDX-License-Identifier: MIT
/*
 * upktgen send: the same power as one command line. The options become a script of pktgen's own
 * commands, which then goes the way of every script; --show-commands prints it instead.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "confine.h"
#include "control/carry.h"
#include "privilege/ask.h"
#include "subcommand.h"
#include "transmit/link.h"

struct range {
	uint64_t first, last;
	bool given;
};

struct args {
	struct upk_options options;
	const char *device;
	bool show;
	uint64_t count;
	bool count_given;
	double rate; /* packets/s or bit/s; 0: as fast as it goes */
	bool rate_in_bits;
	struct range size;
	const char *imix;
	const char *src, *dst, *src_mac, *dst_mac;
	struct range src_port, dst_port;
	const char *vlan[2]; /* inner, outer */
	int nr_vlans;
	const char *mpls, *mode, *pcap, *speed;
	int tos;
	unsigned threads;
	uint64_t flows, flow_len, burst, clone;
	bool random, checksum, no_stamp;
	FILE *to;
};

enum {
	KEY_IMIX = 0x100,
	KEY_SRC,
	KEY_DST,
	KEY_SRC_PORT,
	KEY_DST_PORT,
	KEY_SRC_MAC,
	KEY_DST_MAC,
	KEY_VLAN,
	KEY_MPLS,
	KEY_TOS,
	KEY_FLOWS,
	KEY_FLOW_LEN,
	KEY_RANDOM,
	KEY_CSUM,
	KEY_NO_STAMP,
	KEY_BURST,
	KEY_CLONE,
	KEY_MODE,
	KEY_SHOW,
	KEY_TO_RECEIVER,
	KEY_PCAP,
	KEY_SPEED,
};

/* clang-format off */
static const struct argp_option options[] = {
	{"count", 'n', "N", 0, "packets in all: 1000, 10k, 5M; 0 until stopped (default: without --time, 1000)", 0},
	{"rate", 'r', "RATE", 0, "in all: 100kpps, 1.5Mpps, 500Mbit, 1Gbit; default as fast as it goes", 0},
	{"size", 's', "N[-M]", 0, "bytes of a frame without CRC, or a range (60)", 0},
	{"imix", KEY_IMIX, "MIX", 0, "a mix of sizes: simple, tolly, cisco, or SIZE,WEIGHT SIZE,WEIGHT ...", 0},
	{"dst", KEY_DST, "ADDR", 0, "destination: an address, A-B, or CIDR; IPv4 or IPv6 (198.18.0.42)", 0},
	{"src", KEY_SRC, "ADDR", 0, "source, likewise (IPv6: one address); default the device's own", 0},
	{"dst-port", KEY_DST_PORT, "P[-Q]", 0, "destination port or range (9)", 0},
	{"src-port", KEY_SRC_PORT, "P[-Q]", 0, "source port or range (9)", 0},
	{"dst-mac", KEY_DST_MAC, "MAC", 0, "where the frames go: the far end, or the next router", 0},
	{"src-mac", KEY_SRC_MAC, "MAC", 0, "default the device's own", 0},
	{"vlan", KEY_VLAN, "ID[:PRIO]", 0, "a VLAN tag; twice: outer, then inner", 0},
	{"mpls", KEY_MPLS, "HEX,...", 0, "labels of 8 hexadecimal digits", 0},
	{"tos", KEY_TOS, "HH", 0, "TOS or traffic class, hexadecimal", 0},
	{"threads", 'T', "N", 0, "send on N threads, one a CPU; count and rate are shared out (1)", 0},
	{"random", KEY_RANDOM, NULL, 0, "take values of ranges at random, not in turn", 0},
	{"flows", KEY_FLOWS, "N", 0, "flows at once, each with a destination of its own", 0},
	{"flow-len", KEY_FLOW_LEN, "N", 0, "packets of a flow (10)", 0},
	{"udp-csum", KEY_CSUM, NULL, 0, "fill in the UDP checksum", 0},
	{"no-timestamp", KEY_NO_STAMP, NULL, 0, "leave the time out of the packets", 0},
	{"burst", KEY_BURST, "N", 0, "hand a packet over N times at once", 0},
	{"clone", KEY_CLONE, "N", 0, "send a packet N times before the next is made", 0},
	{"mode", KEY_MODE, "MODE", 0, "start_xmit, queue_xmit or netif_receive", 0},
	{"to-receiver", KEY_TO_RECEIVER, "DEV", 0, "the far end is DEV on this machine: receive there, and send to its MAC", 0},
	{"pcap", KEY_PCAP, "FILE", 0, "send the frames of a pcap or pcapng file as they are, with its gaps", 0},
	{"speed", KEY_SPEED, "X", 0, "times as fast as the file was captured; 0 = without gaps (1)", 0},
	{"show-commands", KEY_SHOW, NULL, 0, "print the pktgen commands that this comes to, and send nothing", 0},
	{0},
};

static const struct {
	const char *name, *weights;
} mixes[] = {
	{"simple", "60,7 590,4 1514,1"},
	{"cisco", "60,7 590,4 1514,1"},
	{"tolly", "60,55 74,5 572,17 1514,23"},
};
/* clang-format on */

/* --- reading the options ---------------------------------------------------------------------- */

/* 10, 10k, 2.5M, 1G */
static double scaled(const char *text, char **end)
{
	double n = strtod(text, end);

	if (*end == text || !(n >= 0))
		return -1;
	switch (**end) {
	case 'k':
	case 'K':
		return (*end)++, n * 1e3;
	case 'M':
		return (*end)++, n * 1e6;
	case 'G':
		return (*end)++, n * 1e9;
	default:
		return n;
	}
}

static uint64_t count_of(struct argp_state *state, const char *what, const char *text, double max)
{
	char *end;
	double n = scaled(text, &end);

	if (n < 0 || *end || n > max)
		argp_error(state, "%s: '%s' is no number up to %.0f; right is 1000, 10k or 5M",
			   what, text, max);
	return (uint64_t)n;
}

static void read_rate(struct argp_state *state, struct args *a, const char *text)
{
	char *end;

	a->rate = scaled(text, &end);
	if (!strcmp(end, "bit") || !strcmp(end, "bit/s") || !strcmp(end, "bps"))
		a->rate_in_bits = true;
	else if (*end && strcmp(end, "pps") != 0 && strcmp(end, "p") != 0)
		a->rate = -1;
	if (!(a->rate > 0))
		argp_error(state,
			   "--rate: '%s' is no rate; right is 100kpps, 1.5Mpps, 500Mbit or 1Gbit",
			   text);
}

static struct range range_of(struct argp_state *state, const char *what, const char *text,
			     uint64_t min, uint64_t max)
{
	struct range r = {.given = true};
	char *end;

	errno = 0;
	r.first = r.last = strtoull(text, &end, 10);
	if (end != text && *end == '-')
		r.last = strtoull(text = end + 1, &end, 10);
	if (errno || end == text || *end || *text == '-' || r.first < min || r.last > max ||
	    r.last < r.first)
		argp_error(state, "%s: right is N or N-M, from %llu to %llu", what,
			   (unsigned long long)min, (unsigned long long)max);
	return r;
}

/* pktgen's own end of a range is one above the last, and has 16 bits. */
static struct range ports_of(struct argp_state *state, const char *what, const char *text)
{
	struct range r = range_of(state, what, text, 0, 65535);

	if (r.last == 65535 && r.first < r.last)
		argp_error(state, "%s: a range ends at 65534", what);
	return r;
}

static int hex_byte(struct argp_state *state, const char *what, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 16);

	if (end == text || *end || n > 255)
		argp_error(state, "%s: '%s' is no hexadecimal byte", what, text);
	return (int)n;
}

static error_t parse_fields(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case KEY_IMIX:
		a->imix = arg;
		return 0;
	case KEY_SRC:
		a->src = arg;
		return 0;
	case KEY_DST:
		a->dst = arg;
		return 0;
	case KEY_SRC_PORT:
		a->src_port = ports_of(state, "--src-port", arg);
		return 0;
	case KEY_DST_PORT:
		a->dst_port = ports_of(state, "--dst-port", arg);
		return 0;
	case KEY_SRC_MAC:
		a->src_mac = arg;
		return 0;
	case KEY_DST_MAC:
		a->dst_mac = arg;
		return 0;
	case KEY_VLAN:
		if (a->nr_vlans == 2)
			argp_error(state, "--vlan: two tags at the most");
		a->vlan[1] = a->vlan[0];
		a->vlan[0] = arg;
		a->nr_vlans++;
		return 0;
	case KEY_MPLS:
		a->mpls = arg;
		return 0;
	case KEY_TOS:
		a->tos = hex_byte(state, "--tos", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'n':
		a->count = count_of(state, "--count", arg, 9999999999.0);
		a->count_given = true;
		return 0;
	case 'r':
		read_rate(state, a, arg);
		return 0;
	case 's':
		a->size = range_of(state, "--size", arg, PG_MIN_PKT, PG_FRAME_MAX);
		return 0;
	case 'T':
		a->threads = (unsigned)range_of(state, "--threads", arg, 1, 1024).first;
		return 0;
	case KEY_FLOWS:
		a->flows = count_of(state, "--flows", arg, PG_MAX_FLOWS);
		return 0;
	case KEY_FLOW_LEN:
		a->flow_len = count_of(state, "--flow-len", arg, 4e9);
		return 0;
	case KEY_BURST:
		a->burst = count_of(state, "--burst", arg, 1e6);
		return 0;
	case KEY_CLONE:
		a->clone = count_of(state, "--clone", arg, 1e9);
		return 0;
	case KEY_RANDOM:
		return a->random = true, 0;
	case KEY_CSUM:
		return a->checksum = true, 0;
	case KEY_NO_STAMP:
		return a->no_stamp = true, 0;
	case KEY_SHOW:
		return a->show = true, 0;
	case KEY_MODE:
		a->mode = arg;
		return 0;
	case KEY_PCAP:
		a->pcap = arg;
		return 0;
	case KEY_SPEED:
		a->speed = arg;
		return 0;
	case KEY_TO_RECEIVER:
		a->options.receiver = arg;
		return 0;
	default:
		return parse_fields(key, arg, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &a->options;
		return 0;
	case ARGP_KEY_END:
		if (!a->count_given && !a->options.limit_ms && !a->pcap)
			a->count = 1000;
		/* fallthrough */
	case ARGP_KEY_ARG:
		return upk_one_argument(key, arg, state, &a->device, "device",
					"on which device? \"ip link\" lists them");
	default:
		return parse_run(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{&upk_engine_argp, 0, NULL, 0}, {&upk_watch_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "DEVICE",
	.doc = "Send packets on DEVICE."
	       "\vExamples:\n"
	       "  upktgen send eth0 --dst 10.0.0.2 --dst-mac 02:00:00:00:00:02 --rate 100kpps "
	       "--time 10\n"
	       "  upktgen send eth0 --dst 10.1.0.0/16 --src-port 1000-2000 --random --imix simple "
	       "\\\n"
	       "          --dst-mac 02:00:00:00:00:02 --count 5M --threads 2 --json",
	.children = children,
};

/* --- writing the commands ----------------------------------------------------------------------- */

static int wrong(const char *fmt, const char *what, const char *text)
{
	fprintf(stderr, "upktgen send: ");
	fprintf(stderr, fmt, what, text);
	fputc('\n', stderr);
	return -EINVAL;
}

/* "A", "A-B" or "A/N" to the two ends. 0 or -EINVAL. */
static int ends_ip4(const char *what, const char *text, char first[32], char last[32])
{
	char copy[64], *mark;
	struct in_addr a, b;
	uint32_t mask;

	snprintf(copy, sizeof(copy), "%s", text);
	mark = copy + strcspn(copy, "-/");
	char kind = *mark;

	if (kind)
		*mark++ = 0;
	if (inet_pton(AF_INET, copy, &a) != 1)
		return wrong("%s: '%s' is no IPv4 address, A-B or A/N", what, text);
	b = a;
	if (kind == '-' && (inet_pton(AF_INET, mark, &b) != 1 || ntohl(b.s_addr) < ntohl(a.s_addr)))
		return wrong("%s: '%s' has no end behind its beginning", what, text);
	if (kind == '/') {
		char *end;
		unsigned long bits = strtoul(mark, &end, 10);

		if (end == mark || *end || bits > 32)
			return wrong("%s: '%s' has no prefix from 0 to 32", what, text);
		mask = bits ? ~0u << (32 - bits) : 0;
		b.s_addr = htonl(ntohl(a.s_addr) | ~mask);
		a.s_addr = htonl(ntohl(a.s_addr) & mask);
		if (bits < 31) { /* not the network's own addresses */
			a.s_addr = htonl(ntohl(a.s_addr) + 1);
			b.s_addr = htonl(ntohl(b.s_addr) - 1);
		}
	}
	inet_ntop(AF_INET, &a, first, 32);
	inet_ntop(AF_INET, &b, last, 32);
	return 0;
}

static int put_ip4(const struct args *a, const char *dev, const char *which, const char *text)
{
	char option[16], first[32], last[32];

	snprintf(option, sizeof(option), "--%s", which);
	if (ends_ip4(option, text, first, last))
		return -EINVAL;
	if (a->random && strcmp(first, last) != 0) { /* at random the last one is left out */
		struct in_addr one_more;

		inet_pton(AF_INET, last, &one_more);
		if (one_more.s_addr != INADDR_BROADCAST) /* which is never drawn */
			one_more.s_addr = htonl(ntohl(one_more.s_addr) + 1);
		inet_ntop(AF_INET, &one_more, last, sizeof(last));
		fprintf(a->to, "%s flag %s\n", dev, which[0] == 's' ? "IPSRC_RND" : "IPDST_RND");
	}
	fprintf(a->to, "%s %s_min %s\n%s %s_max %s\n", dev, which, first, dev, which, last);
	return 0;
}

/* pktgen's IPv6 ranges are bits: (random | min) & max, which is what a prefix is. */
static int put_ip6_dst(const struct args *a, const char *dev)
{
	char copy[80], text[INET6_ADDRSTRLEN], *slash;
	struct in6_addr min, max;

	snprintf(copy, sizeof(copy), "%s", a->dst);
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = 0;
	if (inet_pton(AF_INET6, copy, &min) != 1)
		return wrong("%s: '%s' is no IPv6 address or prefix A/N", "--dst", a->dst);
	if (!slash) {
		fprintf(a->to, "%s dst6 %s\n", dev, copy);
		return 0;
	}
	char *end;
	unsigned long bits = strtoul(slash, &end, 10);

	if (end == slash || *end || bits > 128)
		return wrong("%s: '%s' has no prefix from 0 to 128", "--dst", a->dst);
	max = min;
	for (unsigned i = 0; i < 16; i++) {
		unsigned keep = bits >= 8 * (i + 1) ? 8
				: bits <= 8 * i	    ? 0
						    : (unsigned)bits - 8 * i;
		uint8_t host = (uint8_t)(0xff >> keep);

		min.s6_addr[i] = (uint8_t)(min.s6_addr[i] & ~host);
		max.s6_addr[i] |= host;
	}
	fprintf(a->to, "%s dst6_min %s\n", dev, inet_ntop(AF_INET6, &min, text, sizeof(text)));
	fprintf(a->to, "%s dst6_max %s\n", dev, inet_ntop(AF_INET6, &max, text, sizeof(text)));
	return 0;
}

static int put_addresses(const struct args *a, const char *dev)
{
	const char *dst = a->dst ? a->dst : "198.18.0.42";

	if (strchr(dst, ':')) {
		if (put_ip6_dst(a, dev))
			return -EINVAL;
		if (a->src)
			fprintf(a->to, "%s src6 %s\n", dev, a->src);
		return 0;
	}
	if (put_ip4(a, dev, "dst", dst))
		return -EINVAL;
	return a->src ? put_ip4(a, dev, "src", a->src) : 0;
}

static void put_ports(const struct args *a, const char *dev, const char *which,
		      const struct range *r)
{
	if (!r->given)
		return;
	fprintf(a->to, "%s udp_%s_min %llu\n", dev, which, (unsigned long long)r->first);
	/* one above the last, unless it is one port */
	fprintf(a->to, "%s udp_%s_max %llu\n", dev, which,
		(unsigned long long)(r->last > r->first ? r->last + 1 : r->first));
	if (a->random && r->last > r->first)
		fprintf(a->to, "%s flag UDP%s_RND\n", dev, which[0] == 's' ? "SRC" : "DST");
}

static void put_tags(const struct args *a, const char *dev)
{
	for (int i = 0; i < a->nr_vlans; i++) {
		size_t id = strcspn(a->vlan[i], ":");

		fprintf(a->to, "%s %svlan_id %.*s\n", dev, i ? "s" : "", (int)id, a->vlan[i]);
		if (a->vlan[i][id])
			fprintf(a->to, "%s %svlan_p %s\n", dev, i ? "s" : "", a->vlan[i] + id + 1);
	}
	if (a->mpls)
		fprintf(a->to, "%s mpls %s\n", dev, a->mpls);
	if (a->tos >= 0)
		fprintf(a->to, "%s %s %02x\n", dev,
			a->dst && strchr(a->dst, ':') ? "traffic_class" : "tos", a->tos);
}

static const char *weights_of(const char *imix)
{
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++)
		if (!strcmp(mixes[i].name, imix))
			return mixes[i].weights;
	return imix;
}

/* Bytes of the average frame, for a rate in bits. */
static double mean_size(const struct args *a)
{
	const char *at = a->imix ? weights_of(a->imix) : NULL;
	double bytes = 0, weights = 0;
	unsigned long size, weight;
	int n;

	if (!at)
		return (double)(a->size.first + a->size.last) / 2;
	while (sscanf(at, "%lu,%lu%n", &size, &weight, &n) == 2) {
		bytes += (double)size * (double)weight;
		weights += (double)weight;
		at += n;
		at += *at == ' ';
	}
	return weights > 0 ? bytes / weights : 60;
}

static void put_sizes(const struct args *a, const char *dev)
{
	if (a->imix) {
		fprintf(a->to, "%s imix_weights %s\n", dev, weights_of(a->imix));
	} else if (a->size.first == a->size.last) {
		fprintf(a->to, "%s pkt_size %llu\n", dev, (unsigned long long)a->size.first);
	} else {
		fprintf(a->to, "%s min_pkt_size %llu\n%s max_pkt_size %llu\n", dev,
			(unsigned long long)a->size.first, dev,
			(unsigned long long)a->size.last + a->random);
		if (a->random)
			fprintf(a->to, "%s flag TXSIZE_RND\n", dev);
	}
}

/* The gap of one thread. 2147483647 would mean "never", and a number has ten digits. */
static int put_rate(const struct args *a, const char *dev)
{
	double pps = a->rate_in_bits ? a->rate / 8 / mean_size(a) : a->rate;
	double delay = 1e9 * a->threads / pps;

	if (delay >= 1e10)
		return wrong(
			"%s: %s", "--rate",
			"less than a packet in 10 s on each thread is more than a delay can be");
	if (delay > 2147483646.5 && delay < 2147483647.5)
		delay = 2147483648.0;
	fprintf(a->to, "%s delay %.0f\n", dev, delay);
	return 0;
}

static int put_device(const struct args *a, const char *dev, const char *mac, unsigned index)
{
	uint64_t share = a->count / a->threads + (index < a->count % a->threads);

	if (a->pcap) /* which sets the count to that of the file */
		fprintf(a->to, "%s pcap %s\n", dev, a->pcap);
	if (a->pcap && a->speed)
		fprintf(a->to, "%s pcap_speed %s\n", dev, a->speed);
	if (!a->pcap || a->count_given || a->options.limit_ms)
		fprintf(a->to, "%s count %llu\n", dev, (unsigned long long)share);
	if (!a->pcap)
		put_sizes(a, dev);
	if (a->rate > 0 && put_rate(a, dev))
		return -EINVAL;
	if (a->clone)
		fprintf(a->to, "%s clone_skb %llu\n", dev, (unsigned long long)a->clone);
	if (a->mode)
		fprintf(a->to, "%s xmit_mode %s\n", dev, a->mode);
	if (a->burst)
		fprintf(a->to, "%s burst %llu\n", dev, (unsigned long long)a->burst);
	if (a->pcap)
		return 0; /* nothing else of a frame is ours to say */
	fprintf(a->to, "%s dst_mac %s\n", dev, mac);
	if (a->src_mac)
		fprintf(a->to, "%s src_mac %s\n", dev, a->src_mac);
	put_tags(a, dev);
	if (put_addresses(a, dev))
		return -EINVAL;
	if (a->threads > 1 &&
	    !a->src_port.given) /* so that a receiver can tell the threads apart */
		put_ports(a, dev, "src", &(struct range){9 + index, 9 + index, true});
	else
		put_ports(a, dev, "src", &a->src_port);
	put_ports(a, dev, "dst", &a->dst_port);
	if (a->flows)
		fprintf(a->to, "%s flows %llu\n%s flowlen %llu\n%s flag %s\n", dev,
			(unsigned long long)a->flows, dev, (unsigned long long)a->flow_len, dev,
			a->random ? "FLOW_RND" : "FLOW_SEQ");
	if (a->checksum)
		fprintf(a->to, "%s flag UDPCSUM\n", dev);
	if (a->no_stamp)
		fprintf(a->to, "%s flag NO_TIMESTAMP\n", dev);
	return 0;
}

/* Where the frames go: as told, or to the receiver's device. 0 or -EINVAL. */
static int find_mac(const struct args *a, char mac[32])
{
	struct pg_link link;

	if (a->dst_mac) {
		snprintf(mac, 32, "%s", a->dst_mac);
		return 0;
	}
	if (!a->options.receiver)
		return wrong("%s is needed%s", "--dst-mac",
			     ": the MAC address of the far end or of the next router; \"ip neigh\" "
			     "shows those that are known");
	if (pg_link_read(a->options.receiver, &link))
		return wrong("%s: no network device %s here", "--to-receiver", a->options.receiver);
	snprintf(mac, 32, "%02x:%02x:%02x:%02x:%02x:%02x", link.mac[0], link.mac[1], link.mac[2],
		 link.mac[3], link.mac[4], link.mac[5]);
	return 0;
}

static int put_commands(const struct args *a)
{
	char dev[64], mac[32];

	if (!a->pcap && find_mac(a, mac))
		return -EINVAL;
	if ((int)a->threads > ww_cpu_slots())
		return wrong("%s: %s", "--threads", "more than the CPUs that this process may use");
	for (unsigned i = 0; i < a->threads; i++) {
		int cpu = ww_cpu_of_slot((int)i);

		if (i && i >= a->count && a->count)
			break; /* fewer packets than threads; a count of 0 would be for ever */
		snprintf(dev, sizeof(dev), a->threads > 1 ? "%s@%d" : "%s", a->device, cpu);
		fprintf(a->to, "kpktgend_%d add_device %s\n", cpu, dev);
		if (put_device(a, dev, mac, i))
			return -EINVAL;
	}
	fputs("pgctrl start\n", a->to);
	return 0;
}

/* The text as a script, which is carried out, or only checked and shown. */
static int carry_out(const struct args *a, char *text, size_t len)
{
	struct pg_check_options elsewhere = {.elsewhere = true};
	FILE *from = fmemopen(text, len, "r");
	struct pg_script script;
	int status;

	if (!from)
		return UPK_FAILED;
	status = upk_script_read(&script, "send", from, upk_tell_fault);
	if (status)
		return status;
	if (!a->show) {
		status = upk_carry_out(&a->options, &script);
	} else if (script.nr_faults || pg_script_check(&script, &elsewhere, upk_tell_fault, NULL)) {
		status = UPK_USAGE;
	} else {
		fputs(text, stdout);
	}
	pg_script_free(&script);
	return status;
}

static int confine(const struct args *a)
{
	struct upk_confine c = {
		.sends = true,
		.backend = a->options.engine.backend,
		.devices = {a->device, a->options.receiver},
	};

	if (a->pcap)
		pg_given_file(a->pcap);
	return upk_confine(&c);
}

int upk_cmd_send(int argc, char **argv)
{
	struct args a = {.size = {60, 60, false}, .tos = -1, .threads = 1, .flow_len = 10};
	char *text = NULL;
	size_t len = 0;
	int err, status = UPK_USAGE;

	upk_parse(&argp, argc, argv, 0, &a);
	a.to = open_memstream(&text, &len);
	if (!a.to || confine(&a))
		return UPK_FAILED;
	err = put_commands(&a);
	fclose(a.to);
	if (!err)
		status = carry_out(&a, text, len);
	free(text);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Every word of the control files, against an engine that is not there. */
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

#include "command/text.h"
#include "command/words.h"
#include "fake_engine.h"

static struct pg_words *words;
static struct pg_outcome said;

static void make_capture(void);

static void set_up(bool strict)
{
	struct pg_words_options o = {.strict = strict};

	words = pg_words_create(&fake, &o);
	CHECK(words);
	make_capture();
}

/* The bytes end where a page that may not be touched begins: nothing beyond them is read. */
static int write_bytes(const char *target, const char *bytes, size_t len)
{
	static char *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	if (!page) {
		page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		CHECK(page != MAP_FAILED);
		CHECK_EQ(mprotect(page + size, size, PROT_NONE), 0);
	}
	CHECK(len <= size);
	memcpy(page + size - len, bytes, len);
	return pg_words_write(words, target, page + size - len, len, &said);
}

static int say(const char *target, const char *text)
{
	return write_bytes(target, text, strlen(text));
}

static const char *file(const char *target)
{
	static char *text;
	size_t len;

	free(text);
	text = pg_words_read(words, target, &len);
	CHECK_MSG(text, "%s can't be read", target);
	CHECK_EQ(strlen(text), len);
	return text;
}

/* What follows "Result: ", without the last newline. */
static const char *result_of(const char *target)
{
	static char text[PG_RESULT + 16];
	const char *at = strstr(file(target), "Result: ");

	CHECK(at);
	snprintf(text, sizeof(text), "%s", at + 8);
	CHECK(*text && text[strlen(text) - 1] == '\n');
	text[strlen(text) - 1] = 0;
	return text;
}

static void add(const char *name)
{
	char line[64];

	snprintf(line, sizeof(line), "add_device %s\n", name);
	CHECK_EQ(say("kpktgend_0", line), 0);
}

/* A capture of one frame at a name that the table can say. */
#define CAPTURE "/proc/self/fd/200"
static void make_capture(void)
{
	static const uint32_t head[] = {0xa1b2c3d4, 4u << 16 | 2,
					0,	    0,
					65535,	    1, /* the file's head */
					1,	    1,
					60,	    60};
	static const uint8_t frame[60];
	int fd = memfd_create("capture", 0);

	CHECK(fd >= 0 && dup2(fd, 200) == 200);
	CHECK_EQ(write(200, head, sizeof(head)), (long)sizeof(head));
	CHECK_EQ(write(200, frame, sizeof(frame)), 60);
	close(fd);
}

/* --- the device commands, one row each ------------------------------------------------------- */

struct expectation {
	const char *before; /* said first, if any: commands with ";" between */
	const char *command;
	int err;
	const char *result; /* NULL: as it was */
	const char *shows;  /* in the device file afterwards, if any */
};

static const struct expectation table[] = {
	{NULL, "count 5", 0, "OK: count=5", "Params: count 5  min"},
	{NULL, "count 0", 0, "OK: count=0", "Params: count 0  "},
	{NULL, "count", 0, "OK: count=0", "Params: count 0  "},
	{NULL, "count x", 0, "OK: count=0", NULL},
	{NULL, "count 9999999999", 0, "OK: count=9999999999", "count 9999999999  "},
	{NULL, "count 12345678901", 0, "OK: count=1234567890", NULL},
	{NULL, "count=5", 0, "OK: count=5", NULL},
	{NULL, "count =5", 0, "OK: count=5", NULL},
	{NULL, "count= 5", 0, "OK: count=5", NULL},
	{NULL, "count = 5", 0, "OK: count=5", NULL},
	{NULL, "  \t\r\n\"= count \"5\"", 0, "OK: count=5", NULL},
	{NULL, "count 5 garbage", 0, "OK: count=5", NULL},
	{NULL, "count -5", 0, "OK: count=0", NULL},
	{NULL, "count 0x10", 0, "OK: count=0", NULL},
	{NULL, "pkt_size 60", 0, "OK: pkt_size=60", "min_pkt_size: 60  max_pkt_size: 60\n"},
	{NULL, "pkt_size 41", 0, "OK: pkt_size=42", "min_pkt_size: 42  max_pkt_size: 42\n"},
	{NULL, "pkt_size", 0, "OK: pkt_size=42", NULL},
	{"max_pkt_size 99", "pkt_size 60", 0, "OK: pkt_size=60", "max_pkt_size: 60\n"},
	{NULL, "min_pkt_size", 0, "OK: min_pkt_size=42", "min_pkt_size: 42  max_pkt_size: 0\n"},
	{NULL, "min_pkt_size=1001", 0, "OK: min_pkt_size=1001", "min_pkt_size: 1001  "},
	{NULL, "max_pkt_size 200", 0, "OK: max_pkt_size=200", "max_pkt_size: 200\n"},
	{NULL, "max_pkt_size 1", 0, "OK: max_pkt_size=42", NULL},
	{NULL, "imix_weights 60,7 566,4 1514,1", 0, NULL,
	 "     imix_weights: 60,7 566,4 1514,1 \n"},
	{NULL, "imix_weights 0,7 576,4 1500,1", 0, NULL, "     imix_weights: 42,7 576,4 1500,1 \n"},
	{NULL, "imix_weights 60,0", -EINVAL, "", NULL},
	{NULL, "imix_weights 60", -EINVAL, "", NULL},
	{NULL, "imix_weights 60,", -EINVAL, "", NULL},
	{NULL, "imix_weights 60,7 566", -EINVAL, "", NULL},
	{NULL, "imix_weights", -EINVAL, "", NULL},
	{NULL,
	 "imix_weights 1,1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9,1 10,1 11,1 12,1 13,1 14,1 15,1 16,1 "
	 "17,1 18,1 19,1 200,1",
	 0, NULL, "42,1 200,1 \n"},
	{NULL,
	 "imix_weights 1,1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9,1 10,1 11,1 12,1 13,1 14,1 15,1 16,1 "
	 "17,1 18,1 19,1 20,1 21,1",
	 -E2BIG, "", NULL},
	{"clone_skb 1", "imix_weights 60,7", -EINVAL, "", NULL},
	{NULL, "frags 3", 0, "OK: frags=3",
	 "     frags: 3  delay: 0  clone_skb: 0  ifname: eth0\n"},
	{NULL, "frags 4294967295", 0, "OK: frags=-1", NULL},
	{NULL, "delay 100", 0, "OK: delay=100", "  delay: 100  "},
	{NULL, "delay 2147483647", 0, "OK: delay=18446744073709551615",
	 "delay: 18446744073709551615 "},
	{"pkt_size 1000", "rate 100", 0, "OK: rate=100", "delay: 80000  "},
	{"pkt_size 1000", "rate 300M", 0, "OK: rate=300", "delay: 26666  "},
	{NULL, "rate 100", 0, "OK: rate=100", "delay: 0  "},
	{"pkt_size 60", "rate 999999", 0, "OK: rate=999999", "delay: 0  "},
	{"delay 7", "rate 0", -EINVAL, "", "delay: 7  "},
	{NULL, "ratep 1000", 0, "OK: rate=1000", "delay: 1000000  "},
	{NULL, "ratep 2000000000", 0, "OK: rate=2000000000", "delay: 0  "},
	{"delay 7", "ratep 0", -EINVAL, "", "delay: 7  "},
	{"delay 7", "ratep", -EINVAL, "", "delay: 7  "},
	{NULL, "udp_src_min 1", 0, "OK: udp_src_min=1", "udp_src_min: 1  udp_src_max: 9  "},
	{NULL, "udp_src_max 2", 0, "OK: udp_src_max=2", "udp_src_max: 2  "},
	{NULL, "udp_dst_min 3", 0, "OK: udp_dst_min=3", "udp_dst_min: 3  udp_dst_max: 9\n"},
	{NULL, "udp_dst_max 4", 0, "OK: udp_dst_max=4", "udp_dst_max: 4\n"},
	{NULL, "udp_dst_max 65536", 0, "OK: udp_dst_max=0", NULL},
	{NULL, "clone_skb 1", 0, "OK: clone_skb=1", "clone_skb: 1  "},
	{"xmit_mode netif_receive", "clone_skb 1", -EOPNOTSUPP, "", NULL},
	{"imix_weights 60,1", "clone_skb 1", -EINVAL, "", NULL},
	{"flag !SHARED", "clone_skb 1", -EINVAL, "", NULL},
	{"flag !SHARED", "clone_skb 0", 0, "OK: clone_skb=0", NULL},
	{NULL, "burst 0", 0, "OK: burst=1", NULL},
	{NULL, "burst 32", 0, "OK: burst=32", "     burst: 32\n"},
	{"xmit_mode queue_xmit", "burst 2", -EOPNOTSUPP, "", NULL},
	{"xmit_mode netif_receive", "burst 1024", 0, "OK: burst=1024", NULL},
	{"flag !SHARED", "burst 2", -EINVAL, "", NULL},
	{NULL, "src_mac_count 100", 0, "OK: src_mac_count=100",
	 "src_mac_count: 100  dst_mac_count: 0\n"},
	{NULL, "dst_mac_count 7", 0, "OK: dst_mac_count=7", "dst_mac_count: 7\n"},
	{NULL, "node 0", 0, "OK: node=0", "     node: 0\n"},
	{NULL, "node 100", 0, "ERROR: node not possible", NULL},
	{NULL, "xmit_mode start_xmit", 0, "OK: xmit_mode=start_xmit", NULL},
	{NULL, "xmit_mode netif_receive", 0, "OK: xmit_mode=netif_receive",
	 "     xmit_mode: netif_receive\n"},
	{NULL, "xmit_mode queue_xmit", 0, "OK: xmit_mode=queue_xmit",
	 "     xmit_mode: xmit_queue\n"},
	{NULL, "xmit_mode nonsense", 0,
	 "xmit_mode -:nonsense:- unknown\nAvailable modes: start_xmit, netif_receive\n", NULL},
	{"clone_skb 5", "xmit_mode netif_receive", -EOPNOTSUPP, "", NULL},
	{NULL, "flag UDPCSUM", 0, "OK: flags=0x40040", "     Flags: UDPCSUM  SHARED  \n"},
	{"flag UDPCSUM", "flag !UDPCSUM", 0, "OK: flags=0x40000", "     Flags: SHARED  \n"},
	{NULL, "flag IPSRC_RND", 0, "OK: flags=0x40002", NULL},
	{NULL, "flag IPDST_RND", 0, "OK: flags=0x40004", NULL},
	{NULL, "flag TXSIZE_RND", 0, "OK: flags=0x40008", NULL},
	{NULL, "flag UDPSRC_RND", 0, "OK: flags=0x40010", NULL},
	{NULL, "flag UDPDST_RND", 0, "OK: flags=0x40020", NULL},
	{NULL, "flag NO_TIMESTAMP", 0, "OK: flags=0x40080", NULL},
	{NULL, "flag MPLS_RND", 0, "OK: flags=0x40100", NULL},
	{NULL, "flag QUEUE_MAP_RND", 0, "OK: flags=0x40200", NULL},
	{NULL, "flag QUEUE_MAP_CPU", 0, "OK: flags=0x40400", NULL},
	{NULL, "flag FLOW_SEQ", 0, "OK: flags=0x40800", "     Flags: SHARED  \n"},
	{"flows 8", "flag FLOW_SEQ", 0, "OK: flags=0x40800", "     Flags: FLOW_SEQ  SHARED  \n"},
	{"flows 8", "flag FLOW_RND", 0, "OK: flags=0x40000", "     Flags: FLOW_RND  SHARED  \n"},
	{"flows 8", "flag !FLOW_RND", 0, "OK: flags=0x40800", NULL},
	{NULL, "flag MACSRC_RND", 0, "OK: flags=0x42000", NULL},
	{NULL, "flag MACDST_RND", 0, "OK: flags=0x44000", NULL},
	{NULL, "flag VID_RND", 0, "OK: flags=0x48000", NULL},
	{NULL, "flag SVID_RND", 0, "OK: flags=0x50000", NULL},
	{NULL, "flag NODE", 0, "OK: flags=0x60000", NULL},
	{NULL, "flag !SHARED", 0, "OK: flags=0x0", "     Flags: \n"},
	{"clone_skb 1", "flag !SHARED", -EINVAL, "", NULL},
	{"burst 2", "flag !SHARED", -EINVAL, "", NULL},
	{"dst6 fd00::1", "flag !IPV6", 0, "OK: flags=0x40000", NULL},
	{NULL, "flag IPSEC", -EOPNOTSUPP, "", NULL},
	{NULL, "dst 10.1.2.3", 0, "OK: dst_min=10.1.2.3", "     dst_min: 10.1.2.3  dst_max: \n"},
	{NULL, "dst_min 10.1.2.3", 0, "OK: dst_min=10.1.2.3",
	 "     dst_min: 10.1.2.3  dst_max: \n"},
	{NULL, "dst_max 10.1.2.9", 0, "OK: dst_max=10.1.2.9", "dst_max: 10.1.2.9\n"},
	{NULL, "src_min 10.1.2.3", 0, "OK: src_min=10.1.2.3",
	 "     src_min: 10.1.2.3  src_max: \n"},
	{NULL, "src_max 10.1.2.9", 0, "OK: src_max=10.1.2.9", "src_max: 10.1.2.9\n"},
	{NULL, "dst_min junk", 0, "OK: dst_min=junk", NULL},
	{NULL, "dst_min 0123456789012345678901234567890123", 0,
	 "OK: dst_min=0123456789012345678901234567890", NULL},
	{NULL, "dst6 2001:db38:1234:0000:0000:0000:0000:0000", 0, "OK: dst6=2001:db38:1234::",
	 "     daddr: 2001:db38:1234::  min_daddr: ::  max_daddr: ::\n"},
	{NULL, "dst6 fd00::1", 0, "OK: dst6=fd00::1", "     Flags: IPV6  SHARED  \n"},
	{"dst6 fd00::1", "dst6 junk", 0, "OK: dst6=fd00::1", NULL},
	{NULL, "dst6 ::ffff:1.2.3.4", 0, "OK: dst6=::ffff:1.2.3.4", NULL},
	{NULL, "dst6 1:0:0:2:0:0:0:3", 0, "OK: dst6=1:0:0:2::3", NULL},
	{NULL, "dst6 1:0:2:3:4:5:6:7", 0, "OK: dst6=1:0:2:3:4:5:6:7", NULL},
	{NULL, "dst6_min fd00::", 0, "OK: dst6_min=fd00::", "cur_daddr: fd00::\n"},
	{NULL, "dst6_max fd00::ffff", 0, "OK: dst6_max=fd00::ffff", "max_daddr: fd00::ffff\n"},
	{NULL, "src6 fd00::2", 0, "OK: src6=fd00::2",
	 "     saddr: fd00::2  min_saddr: ::  max_saddr: ::\n"},
	{NULL, "dst_mac  00:04:23:08:91:dc", 0, "OK: dstmac 00:04:23:08:91:dc",
	 "dst_mac: 00:04:23:08:91:dc\n"},
	{NULL, "src_mac 11:12:13:14:15:AB", 0, "OK: srcmac 11:12:13:14:15:ab",
	 "     src_mac: 11:12:13:14:15:ab dst_mac: "},
	{NULL, "dst_mac 00:04:23:08:91", -EINVAL, "", NULL},
	{NULL, "dst_mac 0:4:23:8:91:dc", -EINVAL, "", NULL},
	{NULL, "dst_mac", -EINVAL, "", NULL},
	{NULL, "src_mac zz:04:23:08:91:dc", -EINVAL, "", NULL},
	{NULL, "clear_counters", 0, "OK: Clearing counters.\n", "     seq_num: 1  "},
	{NULL, "flows 100", 0, "OK: flows=100", "     flows: 100 flowlen: 0\n"},
	{NULL, "flows 65537", 0, "OK: flows=65536", NULL},
	{NULL, "flowlen 30", 0, "OK: flowlen=30", "flowlen: 30\n"},
	{NULL, "queue_map_min 1", 0, "OK: queue_map_min=1",
	 "     queue_map_min: 1  queue_map_max: 0\n"},
	{NULL, "queue_map_max 2", 0, "OK: queue_map_max=2", "queue_map_max: 2\n"},
	{NULL, "queue_map_max 123456", 0, "OK: queue_map_max=12345", NULL},
	{NULL, "mpls 00000001", 0, "OK: mpls=00000001", "     mpls: 00000001\n"},
	{NULL, "mpls 00000001,000000f2", 0, "OK: mpls=00000001,000000f2",
	 "     mpls: 00000001, 000000f2\n"},
	{NULL, "mpls 00000100", 0, "OK: mpls=00000100", "     Flags: MPLS_RND  SHARED  \n"},
	{NULL, "mpls 1,2", 0, "OK: mpls=00000001,00000002", NULL},
	{"mpls 00000001", "mpls 0", 0, "OK: mpls=", NULL},
	{"mpls 00000001", "mpls", 0, "OK: mpls=", NULL},
	{"mpls 00000001", "mpls junk", 0, "OK: mpls=", NULL},
	{NULL,
	 "mpls 00000f00,00000f01,00000f02,00000f03,00000f04,00000f05,00000f06,00000f07,00000f08,"
	 "00000f09,00000f0a,00000f0b,00000f0c,00000f0d,00000f0e,00000f0f",
	 0,
	 "OK: "
	 "mpls=00000f00,00000f01,00000f02,00000f03,00000f04,00000f05,00000f06,00000f07,00000f08,"
	 "00000f09,00000f0a,00000f0b,00000f0c,00000f0d,00000f0e,00000f0f",
	 NULL},
	{NULL,
	 "mpls 00000f00,00000f01,00000f02,00000f03,00000f04,00000f05,00000f06,00000f07,00000f08,"
	 "00000f09,00000f0a,00000f0b,00000f0c,00000f0d,00000f0e,00000f0f,00000f10",
	 -E2BIG, "", NULL},
	{NULL, "vlan_id 1", 0, "OK: vlan_id=1", "     vlan_id: 1  vlan_p: 0  vlan_cfi: 0\n"},
	{NULL, "vlan_id 0", 0, "OK: vlan_id=0", "     vlan_id: 0  "},
	{NULL, "vlan_id 4095", 0, "OK: vlan_id=4095", NULL},
	{"vlan_id 1", "vlan_id 4096", 0, NULL, "src_mac_count: 0  dst_mac_count: 0\n     Flags"},
	{"mpls 00000001", "vlan_id 1", 0, "OK: vlan_id=1", "dst_mac_count: 0\n     vlan_id: 1"},
	{"vlan_id 1", "mpls 00000001", 0, "OK: mpls=00000001", "     mpls: 00000001\n     Flags"},
	{"vlan_id 1", "vlan_p 7", 0, "OK: vlan_p=7", "     vlan_id: 1  vlan_p: 7  vlan_cfi: 0\n"},
	{"vlan_id 1", "vlan_p 8", 0, "ERROR: vlan_p must be 0-7", NULL},
	{NULL, "vlan_p 1", 0, "ERROR: vlan_p must be 0-7", NULL},
	{"vlan_id 1", "vlan_cfi 1", 0, "OK: vlan_cfi=1", "vlan_cfi: 1\n"},
	{"vlan_id 1", "vlan_cfi 2", 0, "ERROR: vlan_cfi must be 0-1", NULL},
	{"vlan_id 1", "svlan_id 2", 0, "OK: svlan_id=2",
	 "     svlan_id: 2  vlan_p: 0  vlan_cfi: 0\n"},
	{NULL, "svlan_id 2", 0, NULL, "src_mac_count: 0  dst_mac_count: 0\n     Flags"},
	{"vlan_id 1", "svlan_id 4096", 0, NULL, "src_mac_count: 0  dst_mac_count: 0\n     Flags"},
	{"vlan_id 1;vlan_p 5;svlan_id 2", "svlan_p 3", 0, "OK: svlan_p=3",
	 "     svlan_id: 2  vlan_p: 3  vlan_cfi: 0\n"},
	{"vlan_id 1;svlan_id 2", "svlan_p 8", 0, "ERROR: svlan_p must be 0-7", NULL},
	{"vlan_id 1;svlan_id 2", "svlan_cfi 1", 0, "OK: svlan_cfi=1", "vlan_p: 0  vlan_cfi: 1\n"},
	{"vlan_id 1;svlan_id 2", "svlan_cfi 2", 0, "ERROR: svlan_cfi must be 0-1", NULL},
	{NULL, "svlan_p 2", 0, "ERROR: svlan_p must be 0-7", NULL},
	{NULL, "svlan_cfi 1", 0, "ERROR: svlan_cfi must be 0-1", NULL},
	{NULL, "tos 0", 0, "OK: tos=0x00", NULL},
	{NULL, "tos f", 0, "OK: tos=0x0f", "     tos: 0x0f\n"},
	{NULL, "tos 0f", 0, "OK: tos=0x0f", "     tos: 0x0f\n"},
	{NULL, "tos 0ff", 0, "OK: tos=0x0f", NULL},
	{NULL, "tos", 0, "ERROR: tos must be 00-ff", NULL},
	{NULL, "traffic_class F0", 0, "OK: traffic_class=0xf0", "     traffic_class: 0xf0\n"},
	{NULL, "traffic_class zz", 0, "ERROR: traffic_class must be 00-ff", NULL},
	{NULL, "skb_priority 999", 0, "OK: skb_priority=999", "     skb_priority: 999\n"},
	{NULL, "skb_priority 1234567890", 0, "OK: skb_priority=123456789", NULL},
	{NULL, "spi 100", -EOPNOTSUPP, "", NULL},
	{NULL, "debug 1", 0, "OK: debug=1", NULL},
	{NULL, "pcap " CAPTURE, 0, "OK: pcap=" CAPTURE,
	 "     pcap: " CAPTURE "  pcap_speed: 1.000\n     Flags"},
	{NULL, "pcap " CAPTURE, 0, "OK: pcap=" CAPTURE, "Params: count 1  "},
	{"pcap " CAPTURE, "pcap 0", 0, "OK: pcap=", "dst_mac_count: 0\n     Flags"},
	{"pcap " CAPTURE, "pcap", 0, "OK: pcap=", "dst_mac_count: 0\n     Flags"},
	{NULL, "pcap /no/such/file", -EINVAL, "", NULL},
	{NULL, "pcap /dev/zero", -EINVAL, "", NULL},
	{NULL, "pcap /", -EINVAL, "", NULL},
	{"pcap " CAPTURE, "pcap_speed 2.5", 0, "OK: pcap_speed=2.500", "pcap_speed: 2.500\n"},
	{NULL, "pcap_speed 0", 0, "OK: pcap_speed=0.000", NULL},
	{NULL, "pcap_speed 1234567.8901", 0, "OK: pcap_speed=123456.000", NULL},
	{NULL, "forsurewrongcommand", -EINVAL, "No such parameter \"forsurewrongcom\"", NULL},
	{NULL, "dstmac 00:04:23:08:91:dc", -EINVAL, "No such parameter \"dstmac\"", NULL},
	{NULL, "COUNT 5", -EINVAL, "No such parameter \"COUNT\"", NULL},
	{NULL, "\n", -EINVAL, "No such parameter \"\"", NULL},
};

static int say_all(const char *commands)
{
	char line[128];
	int err = 0;

	for (size_t n; commands && *commands; commands += n + (commands[n] == ';')) {
		n = strcspn(commands, ";");
		snprintf(line, sizeof(line), "%.*s", (int)n, commands);
		err |= say("eth0", line);
	}
	return err;
}

/* In three forms: bare, with a newline, with a NUL. */
static void expect(const struct expectation *x, bool strict, const char *end, size_t end_len)
{
	char line[512];
	size_t n = (size_t)snprintf(line, sizeof(line), "%s", x->command);
	char before[8192];

	memcpy(line + n, end, end_len);
	CHECK_EQ(say("kpktgend_0", "rem_device_all"), 0);
	add("eth0");
	CHECK_EQ(say_all(x->before), 0);
	snprintf(before, sizeof(before), "%s", file("eth0"));
	CHECK_MSG(write_bytes("eth0", line, n + end_len) == x->err, "\"%s\" gave %d, not %d",
		  x->command, said.err, x->err);
	if (x->err)
		CHECK_MSG(said.why[0], "\"%s\" failed without a reason", x->command);
	if (x->result && x->result[0])
		CHECK_STR(result_of("eth0"), x->result);
	else if (x->err && !strict)
		CHECK_MSG(!strncmp(result_of("eth0"), "ERROR: ", 7), "\"%s\": %s", x->command,
			  result_of("eth0"));
	else
		CHECK_STR(strstr(file("eth0"), "Result: "), strstr(before, "Result: "));
	if (x->err)
		*strstr(before, "Result: ") = 0;
	if (x->err)
		CHECK_MSG(!strncmp(file("eth0"), before, strlen(before)),
			  "\"%s\" failed and yet changed something", x->command);
	if (x->shows)
		CHECK_MSG(strstr(file("eth0"), x->shows), "\"%s\": no \"%s\" in\n%s", x->command,
			  x->shows, file("eth0"));
}

TEST(every_command_answers_as_the_table_says)
{
	set_up(false);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		expect(&table[i], false, "", 0);
		expect(&table[i], false, "\n", 1);
		expect(&table[i], false, "", 1);
	}
}

/* The n-th name in the one table of commands, or NULL. */
static const char *name_of_row(size_t n)
{
	static char *text;
	static char name[32];
	const char *at;

	if (!text) {
		size_t len;
		FILE *to = open_memstream(&text, &len);

		pg_device_commands_print(to);
		fclose(to);
	}
	for (at = text; *at && n--; at = strchr(at, '\n') + 1)
		continue;
	if (!*at)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
	return name;
}

/* Is x about that command? */
static bool is_about(const struct expectation *x, const char *name)
{
	const char *at = x->command + strspn(x->command, " \t\r\n\"=");
	size_t n = strlen(name);

	return !strncmp(at, name, n) && !at[strspn(at + n, " =") + n] == !at[n] &&
	       strchr(" =", at[n] ? at[n] : ' ');
}

/* A row that nobody wrote expectations for makes the test fail, not pass by. */
TEST(every_row_of_the_table_of_commands_has_expectations)
{
	/* What has no line of its own in the file, and what is never accepted. */
	static const char unseen[] = " flag clear_counters debug spi ", refused[] = " spi ";
	const char *name;
	char word[40];

	for (size_t n = 0; (name = name_of_row(n)); n++) {
		int taken = 0, text = 0, shown = 0, all = 0;

		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			const struct expectation *x = &table[i];

			if (!is_about(x, name))
				continue;
			all++;
			taken += !x->err;
			text += x->result && !strncmp(x->result, "OK: ", 4);
			shown += x->shows != NULL;
		}
		snprintf(word, sizeof(word), " %s ", name);
		CHECK_MSG(all, "%s: no expectation at all", name);
		CHECK_MSG(taken || strstr(refused, word), "%s: no form that is taken", name);
		CHECK_MSG(text || strstr(refused, word) || !strcmp(name, "imix_weights"),
			  "%s: no result text", name);
		CHECK_MSG(shown || strstr(unseen, word), "%s: not looked at in the file", name);
	}
}

/* States in which commands meet refusals, and arguments that are none. */
static const char *const states[] = {
	"clear_counters",	"clone_skb 2",	"burst 2",
	"imix_weights 60,1",	"flag !SHARED", "xmit_mode netif_receive",
	"xmit_mode queue_xmit", "vlan_id 5"};
static const char *const arguments[] = {
	"",
	"0",
	"1",
	"2",
	"9",
	"9999999999",
	"junk",
	"!junk",
	"NODE",
	"!SHARED",
	"IPSEC",
	"60,1",
	"1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1",
	"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
	"netif_receive",
	"queue_xmit",
	"start_xmit",
	"10.0.0.1",
	"fd00::1",
	"02:00:00:00:00:01"};

static bool expected(const char *name, int err)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].err == err && is_about(&table[i], name))
			return true;
	return false;
}

/* Whatever a command answers, the table above has such an answer of it. */
TEST(every_errno_that_a_command_can_answer_is_expected_somewhere)
{
	const char *name;
	char line[256];

	set_up(false);
	for (size_t n = 0; (name = name_of_row(n)); n++)
		for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
			for (size_t a = 0; a < sizeof(arguments) / sizeof(arguments[0]); a++) {
				say("kpktgend_0", "rem_device_all");
				add("eth0");
				CHECK_EQ(say("eth0", states[s]), 0);
				snprintf(line, sizeof(line), "%s %s", name, arguments[a]);
				int err = say("eth0", line);

				CHECK_MSG(
					expected(name, err),
					"after \"%s\", \"%s\" gives %d, which is expected nowhere",
					states[s], line, err);
			}
}

TEST(strict_leaves_the_result_alone_after_a_bare_errno)
{
	set_up(true);
	fake_sharing = true;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		expect(&table[i], true, "\n", 1);
}

TEST(strict_refuses_clone_and_burst_where_the_driver_can_not_share)
{
	static const struct expectation strict_table[] = {
		{NULL, "clone_skb 1", -EOPNOTSUPP, "", NULL},
		{NULL, "clone_skb 0", 0, "OK: clone_skb=0", NULL},
		{NULL, "burst 32", -EOPNOTSUPP, "", NULL},
		{NULL, "burst 1", 0, "OK: burst=1", NULL},
		{"xmit_mode netif_receive", "burst 32", 0, "OK: burst=32", NULL},
	};

	set_up(true);
	for (size_t i = 0; i < sizeof(strict_table) / sizeof(strict_table[0]); i++)
		expect(&strict_table[i], true, "\n", 1);
}

TEST(errno_524_is_never_answered)
{
	set_up(true);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		say("kpktgend_0", "rem_device_all");
		add("eth0");
		say_all(table[i].before);
		CHECK(say("eth0", table[i].command) > -200);
	}
}

TEST(netif_receive_without_the_right_to_it_is_refused_with_the_reason)
{
	set_up(false);
	strcpy(fake_no_receive, "needs CAP_BPF");
	add("eth0");
	CHECK_EQ(say("eth0", "xmit_mode netif_receive"), -EOPNOTSUPP);
	CHECK_STR(result_of("eth0"), "ERROR: netif_receive: needs CAP_BPF");
}

TEST(an_unknown_flag_is_only_a_result)
{
	const char *text;

	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "flag nonsense"), 0);
	text = result_of("eth0");
	CHECK(!strncmp(text,
		       "Flag -:nonsense:- unknown\nAvailable flags, (prepend ! to un-set flag):\n",
		       71));
	CHECK(strstr(text, "IPSRC_RND, IPDST_RND, TXSIZE_RND"));
	CHECK(strstr(text, "NODE, SHARED"));
	CHECK_EQ(say("eth0", "flag IPV6"), 0);
	CHECK(!strncmp(result_of("eth0"), "Flag -:IPV6:- unknown", 21));
	CHECK_EQ(say("eth0", "flag"), 0);
	CHECK(!strncmp(result_of("eth0"), "Flag -::- unknown", 17));
}

/* --- traps that pktgen itself fell into, by name ------------------------------------------------ */

static void device_says(const char *command, int err, const char *result, const char *shows)
{
	const struct expectation x = {NULL, command, err, result, shows};

	expect(&x, false, "", 0);
	expect(&x, false, "\n", 1);
}

/* n times "item", then "tail". */
static const char *list_of(const char *command, const char *item, int n, const char *tail)
{
	static char line[512];
	size_t at = (size_t)snprintf(line, sizeof(line), "%s", command);

	while (n--)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s", item);
	snprintf(line + at, sizeof(line) - at, "%s", tail);
	return line;
}

TEST(a_rate_of_0_is_einval_and_keeps_the_delay)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "delay 1234"), 0);
	CHECK_EQ(say("eth0", "rate 0"), -EINVAL);
	CHECK_EQ(say("eth0", "rate"), -EINVAL);
	CHECK_EQ(say("eth0", "ratep 0"), -EINVAL);
	CHECK(strstr(file("eth0"), "  delay: 1234  "));
}

TEST(a_rate_above_what_a_gap_can_say_means_no_gap)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "pkt_size 60"), 0);
	CHECK_EQ(say("eth0", "rate 480001"), 0);
	CHECK(strstr(file("eth0"), "  delay: 0  "));
	CHECK_EQ(say("eth0", "ratep 1000000001"), 0);
	CHECK(strstr(file("eth0"), "  delay: 0  "));
}

TEST(the_sixteenth_mpls_label_is_taken_and_the_seventeenth_is_e2big)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", list_of("mpls ", "00000001,", 15, "00000002")), 0);
	CHECK(strstr(file("eth0"), ", 00000001, 00000002\n"));
	device_says(list_of("mpls ", "00000001,", 16, "00000002"), -E2BIG, "", NULL);
}

TEST(mpls_is_emptied_by_0_by_nothing_and_by_what_is_no_number)
{
	static const char *const empty[] = {"mpls 0", "mpls", "mpls 00000000", "mpls x", "mpls ,"};

	set_up(false);
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		say("kpktgend_0", "rem_device_all");
		add("eth0");
		CHECK_EQ(say("eth0", "mpls 00000001"), 0);
		CHECK_EQ(say("eth0", empty[i]), 0);
		CHECK_MSG(!strstr(file("eth0"), "mpls: "), "\"%s\"", empty[i]);
	}
}

TEST(the_twentieth_imix_entry_is_taken_and_the_next_is_e2big)
{
	set_up(false);
	device_says(list_of("imix_weights ", "60,1 ", 19, "70,2"), 0, NULL, "60,1 70,2 \n");
	device_says(list_of("imix_weights ", "60,1 ", 20, "70,2"), -E2BIG, "", NULL);
}

TEST(imix_cut_at_any_byte_is_einval_until_an_entry_is_whole)
{
	static const char whole[] = "imix_weights 60,7 566,4 1514,1";

	set_up(false);
	for (size_t n = strlen("imix_weights"); n < sizeof(whole); n++) {
		const char *space = memrchr(whole, ' ', n), *comma = memrchr(whole, ',', n);
		bool whole_entry = comma && comma > space && comma + 1 < whole + n;

		say("kpktgend_0", "rem_device_all");
		add("eth0");
		CHECK_EQ(write_bytes("eth0", whole, n), whole_entry ? 0 : -EINVAL);
	}
}

TEST(hex_shorter_than_its_width_is_read_as_it_stands)
{
	set_up(false);
	device_says("tos 5", 0, "OK: tos=0x05", "     tos: 0x05\n");
	device_says("traffic_class 5", 0, "OK: traffic_class=0x05", "     traffic_class: 0x05\n");
	device_says("mpls 5", 0, "OK: mpls=00000005", "     mpls: 00000005\n");
	device_says("vlan_id 5", 0, "OK: vlan_id=5", "     vlan_id: 5  ");
}

TEST(a_size_that_is_missing_or_too_small_becomes_42)
{
	set_up(false);
	device_says("pkt_size", 0, "OK: pkt_size=42", "min_pkt_size: 42  max_pkt_size: 42\n");
	device_says("min_pkt_size", 0, "OK: min_pkt_size=42", "min_pkt_size: 42  ");
	device_says("max_pkt_size 41", 0, "OK: max_pkt_size=42", "max_pkt_size: 42\n");
}

TEST(a_vlan_id_above_4095_turns_both_tags_off_and_succeeds)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say_all("vlan_id 5;svlan_id 6"), 0);
	CHECK(strstr(file("eth0"), "     svlan_id: 6  "));
	CHECK_EQ(say("eth0", "vlan_id 4096"), 0);
	CHECK(!strstr(file("eth0"), "vlan_id: "));
	CHECK_STR(result_of("eth0"), "OK: svlan_id=6");
}

TEST(what_is_no_ip6_address_leaves_the_old_one_and_is_no_error)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say_all("dst6 fd00::1;dst6 fd00::g"), 0);
	CHECK_STR(result_of("eth0"), "OK: dst6=fd00::1");
}

TEST(a_refusal_that_only_the_result_tells_is_a_full_write_and_changes_nothing)
{
	static const char *const refused[] = {"flag NOSUCH", "xmit_mode nosuch", "node 4000",
					      "vlan_p 1",    "svlan_cfi 1",	 "tos"};
	char before[4096];

	set_up(false);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		say("kpktgend_0", "rem_device_all");
		add("eth0");
		snprintf(before, sizeof(before), "%s", file("eth0"));
		*strstr(before, "Result: ") = 0;
		CHECK_EQ(say("eth0", refused[i]), 0);
		CHECK(strncmp(result_of("eth0"), "OK:", 3) != 0);
		CHECK(!strncmp(file("eth0"), before, strlen(before)));
		CHECK(said.why[0]);
	}
}

TEST(a_failed_list_changes_nothing_that_was_read_before_its_fault)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "imix_weights 100,1"), 0);
	CHECK_EQ(say("eth0", "imix_weights 200,1 300,0"), -EINVAL);
	CHECK(strstr(file("eth0"), "     imix_weights: 100,1 \n"));
}

/* --- lengths ---------------------------------------------------------------------------------- */

TEST(an_empty_write_is_einval_in_all_three_files)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(write_bytes("pgctrl", "", 0), -EINVAL);
	CHECK_EQ(write_bytes("kpktgend_0", "", 0), -EINVAL);
	CHECK_EQ(write_bytes("eth0", "", 0), -EINVAL);
}

TEST(every_prefix_of_a_wrong_word_is_einval)
{
	static const char word[] =
		"0123456789012345678901234567890123456789012345678901234567890123"
		"4567890123456789012345678901234567890123456789012345678901234567";

	set_up(false);
	add("eth0");
	for (size_t n = 0; n <= sizeof(word); n++) {
		CHECK_EQ(write_bytes("pgctrl", word, n), -EINVAL);
		CHECK_EQ(write_bytes("kpktgend_0", word, n), -EINVAL);
		CHECK_EQ(write_bytes("eth0", word, n), -EINVAL);
	}
}

TEST(nothing_beyond_the_count_is_read_whatever_the_command)
{
	set_up(false);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		say("kpktgend_0", "rem_device_all");
		add("eth0");
		for (size_t n = 0; n <= strlen(table[i].command); n++)
			write_bytes("eth0", table[i].command, n);
	}
	for (size_t n = 0; n <= strlen("add_device eth1@1234567890123456789012345"); n++)
		write_bytes("kpktgend_0", "add_device eth1@1234567890123456789012345", n);
}

TEST(an_over_long_write_is_read_to_its_first_command_only)
{
	static char line[4000];

	set_up(false);
	add("eth0");
	memset(line, ' ', sizeof(line));
	memcpy(line, "count 5\ncount 6", 15);
	CHECK_EQ(write_bytes("eth0", line, sizeof(line)), 0);
	CHECK_STR(result_of("eth0"), "OK: count=5");
}

/* --- pgctrl and threads ------------------------------------------------------------------------
 */

TEST(pgctrl_takes_its_words_with_and_without_newline_or_nul)
{
	set_up(false);
	CHECK_EQ(say("pgctrl", "start"), 0);
	CHECK_EQ(say("pgctrl", "start\n"), 0);
	CHECK_EQ(write_bytes("pgctrl", "start", 6), 0);
	CHECK_EQ(fake.starts, 3);
	CHECK_EQ(say("pgctrl", "stop"), 0);
	CHECK_EQ(say("pgctrl", "stop\n"), 0);
	CHECK_EQ(fake.stops, 2);
	CHECK_EQ(say("pgctrl", "reset"), 0);
	CHECK_EQ(say("pgctrl", "reset\n"), 0);
	CHECK_EQ(say("pgctrl", " start"), -EINVAL);
	CHECK_EQ(say("pgctrl", "start "), -EINVAL);
	CHECK_EQ(say("pgctrl", "star"), -EINVAL);
	CHECK_EQ(say("pgctrl", "start\n\n"), -EINVAL);
	CHECK_STR(file("pgctrl"),
		  "Packet Generator for packet performance testing. Version: 2.75\n");
}

TEST(a_thread_lists_its_devices_newest_first)
{
	set_up(false);
	CHECK_STR(file("kpktgend_0"), "Running: \nStopped: \nResult: NA\n");
	add("eth0@0");
	add("eth1");
	CHECK_STR(file("kpktgend_0"),
		  "Running: \nStopped: eth1 eth0@0 \nResult: OK: add_device=eth1\n");
	fake.devices->status.running = true;
	CHECK_STR(file("kpktgend_0"),
		  "Running: eth1 \nStopped: eth0@0 \nResult: OK: add_device=eth1\n");
	CHECK_EQ(say("kpktgend_0", "rem_device_all"), 0);
	CHECK_STR(file("kpktgend_0"), "Running: \nStopped: \nResult: OK: rem_device_all\n");
	CHECK_STR(file("kpktgend_1"), "Running: \nStopped: \nResult: NA\n");
}

TEST(add_device_fails_with_the_kernels_errno_and_says_why)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("kpktgend_1", "add_device eth0"), -EBUSY);
	CHECK(!strncmp(result_of("kpktgend_1"), "ERROR: can not add device eth0\n", 31));
	CHECK_EQ(say("kpktgend_1", "add_device eth0@1"), 0);
	CHECK_EQ(say("kpktgend_1", "add_device none"), -ENODEV);
	CHECK_EQ(say("kpktgend_1", "add_device down"), -ENETDOWN);
	CHECK_EQ(say("kpktgend_1", "add_device tun0"), -EINVAL);
	CHECK_EQ(say("kpktgend_1", "add_device"), -ENODEV);
	CHECK_EQ(say("kpktgend_9", "add_device eth3"), -ENOENT);
	CHECK_EQ(say("eth9", "count 5"), -ENOENT);
}

TEST(strict_gives_the_bare_text_of_add_device)
{
	set_up(true);
	CHECK_EQ(say("kpktgend_1", "add_device none"), -ENODEV);
	CHECK_STR(result_of("kpktgend_1"), "ERROR: can not add device none");
}

TEST(max_before_softirq_is_accepted_without_effect)
{
	static const char word[] = "max_before_softirq";

	set_up(false);
	for (size_t n = 0; n < sizeof(word) - 1; n++)
		CHECK_EQ(write_bytes("kpktgend_0", word, n), -EINVAL);
	CHECK_EQ(say("kpktgend_0", word), 0);
	CHECK_EQ(say("kpktgend_0", "max_before_softirq 100\n"), 0);
	CHECK_STR(result_of("kpktgend_0"),
		  "OK: Note! max_before_softirq is obsoleted -- Do not use");
}

TEST(a_device_name_of_31_characters_is_kept_and_the_rest_cut)
{
	set_up(false);
	add("eth0@56789012345678901234567890123456789");
	CHECK_STR(result_of("kpktgend_0"), "OK: add_device=eth0@56789012345678901234567890");
	CHECK(pg_words_exists(words, "eth0@56789012345678901234567890"));
}

TEST(reset_removes_every_device_and_its_file)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("kpktgend_1", "add_device eth0@1"), 0);
	CHECK(pg_words_exists(words, "eth0") && pg_words_exists(words, "eth0@1"));
	CHECK_EQ(say("pgctrl", "reset"), 0);
	CHECK(!pg_words_exists(words, "eth0") && !pg_words_exists(words, "eth0@1"));
	CHECK_EQ(say("eth0", "count 1"), -ENOENT);
}

/* --- the device file ---------------------------------------------------------------------------
 */

TEST(a_new_device_file_is_the_kernels_to_the_blank)
{
	set_up(false);
	add("eth0@0");
	CHECK_STR(file("eth0@0"),
		  "Params: count 1000  min_pkt_size: 0  max_pkt_size: 0\n"
		  "     frags: 0  delay: 0  clone_skb: 0  ifname: eth0@0\n"
		  "     flows: 0 flowlen: 0\n"
		  "     queue_map_min: 0  queue_map_max: 0\n"
		  "     dst_min:   dst_max: \n"
		  "     src_min:   src_max: \n"
		  "     src_mac: 02:00:00:00:00:01 dst_mac: 00:00:00:00:00:00\n"
		  "     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9\n"
		  "     src_mac_count: 0  dst_mac_count: 0\n"
		  "     Flags: SHARED  \n"
		  "Current:\n"
		  "     pkts-sofar: 0  errors: 0\n"
		  "     started: 0us  stopped: 0us idle: 0us\n"
		  "     seq_num: 0  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"
		  "     cur_saddr: 0.0.0.0  cur_daddr: 0.0.0.0\n"
		  "     cur_udp_dst: 9  cur_udp_src: 9\n"
		  "     cur_queue_map: 0\n"
		  "     flows: 0\n"
		  "Result: Idle\n");
}

TEST(a_run_leaves_the_two_result_lines)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "count 500"), 0);
	CHECK_EQ(say("eth0", "dst_min 10.0.0.2"), 0);
	CHECK_EQ(say("pgctrl", "start"), 0);
	CHECK_STR(result_of("eth0"), "OK: 500(c500+d0) usec, 500 (58byte,0frags)\n"
				     "  1000000pps 464Mb/sec (464000000bps) errors: 0");
	CHECK(strstr(file("eth0"), "min_pkt_size: 58  max_pkt_size: 58\n"));
	CHECK(strstr(file("eth0"), "     seq_num: 501  "));
	CHECK(strstr(file("eth0"), "     cur_saddr: 10.0.0.1  cur_daddr: 10.0.0.2\n"));
	CHECK_EQ(say("eth0", "count 5"), 0);
	CHECK_STR(result_of("eth0"), "OK: count=5");
}

TEST(a_run_that_can_not_start_says_why)
{
	set_up(false);
	add("eth0");
	CHECK_EQ(say("eth0", "pkt_size 100000"), 0);
	CHECK_EQ(say("pgctrl", "start"), 0);
	CHECK(!strncmp(result_of("eth0"), "Error starting\n  ", 17));
}

TEST(a_rate_of_imix_counts_the_sizes_that_were_sent)
{
	struct pg_config c;
	struct pg_status s = {.sofar = 30, .started_us = 0, .stopped_us = 1000000};
	char text[PG_RESULT];

	pg_config_init(&c);
	c.nr_imix = 2;
	c.imix[0].size = 60;
	c.imix[1].size = 1000;
	s.cursor.imix_counts[0] = 20;
	s.cursor.imix_counts[1] = 10;
	s.cursor.cur_pkt_size = 60;
	pg_show_result(&c, &s, text);
	CHECK(strstr(text, "\n  30pps 0Mb/sec (89600bps) errors: 0"));
}

TEST(results_neither_overflow_nor_divide_by_zero)
{
	struct pg_config c;
	struct pg_status s = {.sofar = 100000000000, .started_us = 5, .stopped_us = 5};
	char text[PG_RESULT];

	pg_config_init(&c);
	s.cursor.cur_pkt_size = 60;
	s.frags_shown = -1;
	pg_show_result(&c, &s, text);
	CHECK_STR(text, "OK: 0(c0+d0) usec, 100000000000 (60byte,-1frags)\n"
			"  0pps 0Mb/sec (0bps) errors: 0");
	s.stopped_us = 10000000005;
	pg_show_result(&c, &s, text);
	CHECK(strstr(text, "  10000000pps 4800Mb/sec (4800000000bps)"));
}

TEST(a_device_text_that_does_not_fit_is_cut_and_ended)
{
	struct pg_device_facts f = {.name = "eth0"};
	struct pg_status s = {0};
	struct pg_config c;
	char small[64];

	pg_config_init(&c);
	CHECK(pg_show_device(&f, &c, &s, "", small, sizeof(small)) > 300);
	CHECK_EQ(strlen(small), sizeof(small) - 1);
}

/* --- what a script is told beyond the kernel ----------------------------------------------------
 */

TEST(what_the_kernel_would_misread_is_a_fault)
{
	static const char *const faulty[] = {
		"count",
		"count abc",
		"count 10k",
		"count 12345678901",
		"pkt_size 10",
		"count 1 2",
		"dst_min 10.0.0.x",
		"dst_min",
		"dst 1.2.3",
		"dst6 10.0.0.1",
		"udp_src_max 70000",
		"flows 70000",
		"svlan_id 5",
		"rate 5",
		"mpls 1, 2",
		"flag UDPCSUM X",
		"tos 123",
		"queue_map_min 123456",
	};
	static const char *const fine[] = {
		"count 5",     "count=5\n",	"flag UDPCSUM",	  "dst_mac  00:04:23:08:91:dc",
		"tos ff",      "mpls 00000001", "clear_counters", "vlan_id 4096",
		"dst6 fd00::1"};
	struct pg_device_facts f = {.name = "eth0"};
	struct pg_config c;

	for (size_t i = 0; i < sizeof(faulty) / sizeof(faulty[0]); i++) {
		pg_config_init(&c);
		CHECK_EQ(pg_device_command(&f, false, &c, faulty[i], strlen(faulty[i]), &said), 0);
		CHECK_MSG(said.fault[0], "\"%s\" is no fault", faulty[i]);
	}
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		pg_config_init(&c);
		CHECK_EQ(pg_device_command(&f, false, &c, fine[i], strlen(fine[i]), &said), 0);
		CHECK_MSG(!said.fault[0], "\"%s\": %s", fine[i], said.fault);
	}
}

TEST(every_command_has_a_line_that_says_what_is_right)
{
	char *text = NULL;
	size_t len, lines = 0;
	FILE *to = open_memstream(&text, &len);

	pg_device_commands_print(to);
	fclose(to);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	CHECK_EQ(lines, 50);
	CHECK(strstr(text, "\nvlan_cfi "));
	free(text);
}

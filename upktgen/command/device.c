// SPDX-License-Identifier: MIT
/*
 * The device commands: one row each. A row says how the argument is read, what its limits are, and
 * how the result is printed; most are plain numbers and need no code of their own.
 */
#include "command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <arpa/inet.h>

#include "base/cpu.h"
#include "command/address.h"
#include "command/flags.h"
#include "command/text.h"
#include "packet/internal.h"

#define NAME_MAX_LEN 15
#define NS_PER_S     1000000000ull

struct row;

struct job {
	const struct row *row;
	const struct pg_device_facts *facts;
	bool strict;
	struct pg_config *c; /* a copy; taken over when all went well */
	struct pg_text text;
	struct pg_outcome *out;
};

struct row {
	const char *name;
	int (*set)(struct job *j);
	const char *right; /* the argument and what it means */
	uint8_t digits;	   /* that a number may have */
	uint8_t width;	   /* of the field */
	uint16_t offset;
	uint64_t max;	   /* a larger number becomes this; 0: no limit */
	const char *shown; /* where the result has another name */
};

static __attribute__((format(printf, 2, 3))) void result(struct job *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->out->result, sizeof(j->out->result), fmt, ap);
	va_end(ap);
	j->out->result_set = true;
}

static __attribute__((format(printf, 3, 4))) int refuse(struct job *j, int err, const char *fmt,
							...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->out->why, sizeof(j->out->why), fmt, ap);
	va_end(ap);
	j->out->err = err;
	return err;
}

/* Not what was meant, though the kernel takes it. The first one stands. */
static __attribute__((format(printf, 2, 3))) void fault(struct job *j, const char *fmt, ...)
{
	va_list ap;

	if (j->out->fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(j->out->fault, sizeof(j->out->fault), fmt, ap);
	va_end(ap);
}

/* Nothing but blanks may follow what was read. */
static void expect_end(struct job *j)
{
	struct pg_text rest = j->text;
	char word[32];

	if (rest.at == rest.end)
		return;
	pg_text_skip(&rest);
	if (pg_text_word(&rest, word, sizeof(word) - 1, false))
		fault(j, "'%s' is left over and would be ignored; right is: %s %s", word,
		      j->row->name, j->row->right);
}

static uint64_t number(struct job *j, unsigned digits)
{
	uint64_t value;
	char word[32];

	if (!pg_text_number(&j->text, digits, &value)) {
		pg_text_word(&j->text, word, sizeof(word) - 1, false);
		if (word[0])
			fault(j, "'%s' is not a number and would count as 0; right is: %s %s", word,
			      j->row->name, j->row->right);
		else
			fault(j, "no number, which would count as 0; right is: %s %s", j->row->name,
			      j->row->right);
		return 0;
	}
	if (pg_text_peek(&j->text) >= '0' && pg_text_peek(&j->text) <= '9')
		fault(j, "only the first %u digits would be read; right is: %s %s", digits,
		      j->row->name, j->row->right);
	return value;
}

static void store(struct job *j, uint64_t value)
{
	char *at = (char *)j->c + j->row->offset;

	memcpy(at, &value, j->row->width); /* little end first; see the assertion below */
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "store() and print cut from the low end");

static uint64_t load(const struct job *j)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)j->c + j->row->offset, j->row->width);
	return value;
}

static int set_number(struct job *j)
{
	uint64_t value = number(j, j->row->digits);

	if (j->row->max && value > j->row->max) {
		fault(j, "%llu is above %llu; right is: %s %s", (unsigned long long)value,
		      (unsigned long long)j->row->max, j->row->name, j->row->right);
		value = j->row->max;
	}
	store(j, value);
	if (load(j) != value)
		fault(j, "%llu does not fit and would become %llu; right is: %s %s",
		      (unsigned long long)value, (unsigned long long)load(j), j->row->name,
		      j->row->right);
	expect_end(j);
	result(j, "OK: %s=%llu", j->row->name, (unsigned long long)load(j));
	return 0;
}

/* The same, printed as the kernel's int. */
static int set_int(struct job *j)
{
	int err = set_number(j);

	result(j, "OK: %s=%d", j->row->name, (int)load(j));
	return err;
}

/* --- sizes and rates ------------------------------------------------------------------------ */

static uint32_t size_arg(struct job *j)
{
	uint64_t value = number(j, 10);

	if (value < PG_MIN_PKT) {
		fault(j, "%llu would become %u; right is: %s %s", (unsigned long long)value,
		      PG_MIN_PKT, j->row->name, j->row->right);
		value = PG_MIN_PKT;
	}
	expect_end(j);
	return (uint32_t)value;
}

static int set_pkt_size(struct job *j)
{
	uint32_t size = size_arg(j);

	if (size != j->c->min_pkt_size)
		j->c->min_pkt_size = j->c->max_pkt_size = size;
	result(j, "OK: pkt_size=%u", j->c->min_pkt_size);
	return 0;
}

static int set_one_size(struct job *j)
{
	store(j, size_arg(j));
	result(j, "OK: %s=%u", j->row->name, (unsigned)load(j));
	return 0;
}

static int set_delay(struct job *j)
{
	uint64_t value = number(j, 10);

	expect_end(j);
	j->c->delay = value == 0x7fffffff ? PG_NEVER : value;
	result(j, "OK: delay=%llu", (unsigned long long)j->c->delay);
	return 0;
}

static int set_rate(struct job *j)
{
	uint64_t value = number(j, 10);

	if (!value)
		return refuse(j, -EINVAL, "rate 0 has no meaning; right is: rate %s",
			      j->row->right);
	if (pg_text_peek(&j->text) == 'M')
		pg_text_next(&j->text); /* Mbit/s is what it counts in */
	if (!j->c->min_pkt_size)
		fault(j, "rate is worked out from the size of now, which is not set: give pkt_size "
			 "first");
	expect_end(j);
	j->c->delay = (uint64_t)j->c->min_pkt_size * 8 * 1000 / value;
	result(j, "OK: rate=%llu", (unsigned long long)value);
	return 0;
}

static int set_ratep(struct job *j)
{
	uint64_t value = number(j, 10);

	if (!value)
		return refuse(j, -EINVAL, "ratep 0 has no meaning; right is: ratep %s",
			      j->row->right);
	expect_end(j);
	j->c->delay = NS_PER_S / value;
	result(j, "OK: rate=%llu", (unsigned long long)value); /* sic, as in the kernel */
	return 0;
}

static int set_imix(struct job *j)
{
	struct pg_config *c = j->c;

	if (c->clone_skb > 0)
		return refuse(j, -EINVAL,
			      "imix_weights needs a new packet each time: set "
			      "clone_skb 0 first");
	c->nr_imix = 0;
	do {
		uint64_t size, weight;

		if (c->nr_imix >= PG_MAX_IMIX)
			return refuse(j, -E2BIG, "more than %d entries; right is: imix_weights %s",
				      PG_MAX_IMIX, j->row->right);
		pg_text_number(&j->text, 10, &size);
		if (pg_text_next(&j->text) != ',')
			return refuse(j, -EINVAL,
				      "entry %u is not SIZE,WEIGHT; right is: "
				      "imix_weights %s",
				      c->nr_imix + 1, j->row->right);
		if (!pg_text_number(&j->text, 10, &weight) || !weight)
			return refuse(j, -EINVAL,
				      "entry %u has no weight; right is: imix_weights "
				      "%s",
				      c->nr_imix + 1, j->row->right);
		c->imix[c->nr_imix].size = (uint32_t)(size < PG_MIN_PKT ? PG_MIN_PKT : size);
		c->imix[c->nr_imix++].weight =
			(uint32_t)(weight > UINT32_MAX ? UINT32_MAX : weight);
	} while (pg_text_next(&j->text) == ' ');
	expect_end(j);
	return 0; /* the kernel leaves the result as it was */
}

/* --- how often a packet is sent ------------------------------------------------------------- */

static int set_clone_skb(struct job *j)
{
	uint64_t value = number(j, 10);

	if (value && j->c->xmit_mode == PG_NETIF_RECEIVE)
		return refuse(j, -EOPNOTSUPP,
			      "clone_skb needs packets that leave: not with "
			      "xmit_mode netif_receive");
	if (value && j->strict && !j->facts->tx_sharing)
		return refuse(j, -EOPNOTSUPP,
			      "the driver of %s can't send one buffer twice: "
			      "clone_skb 0, or not --strict",
			      j->facts->ifname);
	if (value && j->c->nr_imix)
		return refuse(j, -EINVAL,
			      "imix_weights needs a new packet each time: only "
			      "clone_skb 0");
	if (value && !(j->c->flags & PG_SHARED))
		return refuse(j, -EINVAL, "clone_skb needs flag SHARED");
	expect_end(j);
	j->c->clone_skb = (uint32_t)value;
	result(j, "OK: clone_skb=%d", (int)j->c->clone_skb);
	return 0;
}

static int set_burst(struct job *j)
{
	uint64_t value = number(j, 10);

	if (value > 1 && j->c->xmit_mode == PG_QUEUE_XMIT)
		return refuse(j, -EOPNOTSUPP,
			      "burst needs the driver or the receive path: not "
			      "with xmit_mode queue_xmit");
	if (value > 1 && j->strict && j->c->xmit_mode == PG_START_XMIT && !j->facts->tx_sharing)
		return refuse(j, -EOPNOTSUPP,
			      "the driver of %s can't send one buffer twice: "
			      "burst 1, or not --strict",
			      j->facts->ifname);
	if (value > 1 && !(j->c->flags & PG_SHARED))
		return refuse(j, -EINVAL, "burst needs flag SHARED");
	expect_end(j);
	j->c->burst = value < 1 ? 1 : (uint32_t)value;
	result(j, "OK: burst=%u", j->c->burst);
	return 0;
}

static int set_xmit_mode(struct job *j)
{
	char word[32];

	pg_text_word(&j->text, word, sizeof(word) - 1, false);
	expect_end(j);
	if (!strcmp(word, "start_xmit")) {
		j->c->xmit_mode = PG_START_XMIT;
	} else if (!strcmp(word, "queue_xmit")) {
		j->c->xmit_mode = PG_QUEUE_XMIT;
	} else if (!strcmp(word, "netif_receive")) {
		if (j->c->clone_skb > 0)
			return refuse(j, -EOPNOTSUPP,
				      "netif_receive needs a new packet each time: "
				      "set clone_skb 0 first");
		if (j->facts->no_receive[0])
			return refuse(j, -EOPNOTSUPP, "netif_receive: %s", j->facts->no_receive);
		j->c->xmit_mode = PG_NETIF_RECEIVE;
	} else {
		snprintf(j->out->why, sizeof(j->out->why),
			 "no xmit_mode '%s'; right is: xmit_mode %s", word, j->row->right);
		result(j, "xmit_mode -:%s:- unknown\nAvailable modes: %s", word,
		       "start_xmit, netif_receive\n");
		return 0;
	}
	result(j, "OK: xmit_mode=%s", word);
	return 0;
}

static int set_flag(struct job *j)
{
	char word[32], list[320];
	bool clear;
	uint32_t bit;

	pg_text_word(&j->text, word, sizeof(word) - 1, false);
	expect_end(j);
	bit = pg_flag_read(word, &clear);
	if (!bit) {
		pg_flag_list(list, sizeof(list));
		snprintf(j->out->why, sizeof(j->out->why), "no flag '%s'%s; there are: %s", word,
			 !strcmp(word, "IPV6") ? " (an IPv6 address turns it on)" : "", list);
		result(j, "Flag -:%s:- unknown\nAvailable flags, (prepend ! to un-set flag):\n%s",
		       word, list);
		return 0;
	}
	if (bit == PG_IPSEC && !clear)
		return refuse(j, -EOPNOTSUPP,
			      "IPSEC needs the kernel's security associations, "
			      "which user space can't lend: send plain UDP");
	if (bit == PG_SHARED && clear && (j->c->clone_skb > 0 || j->c->burst > 1))
		return refuse(j, -EINVAL,
			      "clone_skb and burst share the packet: set clone_skb 0 "
			      "and burst 1 first");
	if (clear)
		j->c->flags &= ~bit;
	else
		j->c->flags |= bit;
	result(j, "OK: flags=0x%x", j->c->flags);
	return 0;
}

static int set_spi(struct job *j)
{
	return refuse(j, -EOPNOTSUPP,
		      "spi picks one of the kernel's security associations, which "
		      "user space can't lend: leave it out");
}

/* --- addresses ------------------------------------------------------------------------------ */

static int set_ip4(struct job *j)
{
	char *to = (char *)j->c + j->row->offset;

	memset(to, 0, PG_DEV_NAME);
	pg_text_word(&j->text, to, 31, false);
	expect_end(j);
	if (!pg_ip4_is(to))
		fault(j, "'%s' is not an IPv4 address; right is: %s %s", to, j->row->name,
		      j->row->right);
	result(j, "OK: %s=%s", j->row->shown, to);
	return 0;
}

/* What is no address leaves the old one, and is no error: the kernel's way. */
static int set_ip6(struct job *j)
{
	char *to = (char *)j->c + j->row->offset;
	char word[128], shown[PG_ADDR_TEXT];
	struct in6_addr addr;

	pg_text_word(&j->text, word, sizeof(word) - 1, false);
	expect_end(j);
	if (inet_pton(AF_INET6, word, &addr) == 1)
		memcpy(to, &addr, sizeof(addr));
	else
		fault(j, "'%s' is not an IPv6 address; right is: %s %s", word, j->row->name,
		      j->row->right);
	j->c->flags |= PG_IPV6;
	memcpy(&addr, to, sizeof(addr));
	result(j, "OK: %s=%s", j->row->name, pg_ip6_print(&addr, shown));
	return 0;
}

static int set_mac(struct job *j)
{
	uint8_t *to = (uint8_t *)j->c + j->row->offset;
	char word[32], shown[PG_ADDR_TEXT];

	pg_text_word(&j->text, word, sizeof(word) - 1, false);
	expect_end(j);
	if (!pg_mac_read(word, to))
		return refuse(j, -EINVAL, "'%s' is not a MAC address; right is: %s %s", word,
			      j->row->name, j->row->right);
	result(j, "OK: %s %s", j->row->shown, pg_mac_print(to, shown));
	return 0;
}

/* --- tags ------------------------------------------------------------------------------------- */

static int set_mpls(struct job *j)
{
	struct pg_config *c = j->c;
	size_t n = 0;

	c->nr_mpls = 0;
	do {
		uint32_t label;

		if (n >= PG_MAX_MPLS)
			return refuse(j, -E2BIG, "more than %d labels; right is: mpls %s",
				      PG_MAX_MPLS, j->row->right);
		if (!pg_text_hex(&j->text, 8, &label) || !label) {
			n = 0; /* an empty list, whatever came before */
			break;
		}
		c->mpls[n++] = label;
		if (label & 0x100)
			c->flags |= PG_MPLS_RND;
	} while (pg_text_next(&j->text) == ',');
	expect_end(j);
	c->nr_mpls = (uint32_t)n;
	if (n)
		c->vlan_id = c->svlan_id = 0xffff;
	result(j, "OK: mpls=");
	for (size_t i = 0; i < n; i++)
		snprintf(j->out->result + 9 + 9 * i, sizeof(j->out->result) - 9 - 9 * i, "%08x%s",
			 c->mpls[i], i + 1 < n ? "," : "");
	return 0;
}

static int set_vlan_id(struct job *j)
{
	bool outer = j->row->name[0] == 's';
	uint64_t value = number(j, j->row->digits);

	expect_end(j);
	if (value > 4095 || (outer && j->c->vlan_id == 0xffff)) {
		if (value <= 4095)
			fault(j, "the outer tag needs an inner one: give vlan_id first");
		j->c->vlan_id = j->c->svlan_id = 0xffff;
		return 0; /* the kernel leaves the result as it was */
	}
	store(j, value);
	j->c->nr_mpls = 0;
	result(j, "OK: %s=%u", j->row->name, (unsigned)value);
	return 0;
}

/* Priority and CFI: row->max is the highest, and the tag must be there. */
static int set_tag_bits(struct job *j)
{
	bool outer = j->row->name[0] == 's';
	uint16_t id = outer ? j->c->svlan_id : j->c->vlan_id;
	uint64_t value = number(j, j->row->digits);

	expect_end(j);
	if (value > j->row->max || id == 0xffff) {
		if (id == 0xffff)
			snprintf(j->out->why, sizeof(j->out->why),
				 "no tag yet: give %svlan_id first", outer ? "s" : "");
		else
			snprintf(j->out->why, sizeof(j->out->why), "right is: %s %s", j->row->name,
				 j->row->right);
		result(j, "ERROR: %s must be 0-%d", j->row->name, (int)j->row->max);
		return 0;
	}
	store(j, value);
	result(j, "OK: %s=%u", j->row->name, (unsigned)value);
	return 0;
}

static int set_class(struct job *j)
{
	uint32_t value;

	if (!pg_text_hex(&j->text, j->row->digits, &value)) {
		snprintf(j->out->why, sizeof(j->out->why), "no hexadecimal digit; right is: %s %s",
			 j->row->name, j->row->right);
		result(j, "ERROR: %s must be 00-ff", j->row->name);
		return 0;
	}
	expect_end(j);
	store(j, value);
	result(j, "OK: %s=0x%02x", j->row->name, value);
	return 0;
}

/* --- the rest ------------------------------------------------------------------------------- */

static bool node_exists(uint64_t node)
{
	for (int cpu = 0; cpu < ww_cpu_possible(); cpu++)
		if (node == (uint64_t)ww_cpu_node(cpu))
			return true;
	return false;
}

static int set_node(struct job *j)
{
	uint64_t value = number(j, 10);

	expect_end(j);
	if (!node_exists(value)) {
		snprintf(j->out->why, sizeof(j->out->why),
			 "this machine has no NUMA node %llu; right is: node %s",
			 (unsigned long long)value, j->row->right);
		result(j, "ERROR: node not possible");
		return 0;
	}
	j->c->node = (int)value;
	result(j, "OK: node=%d", j->c->node);
	return 0;
}

/* Not the kernel's. Reads the file, so that what is wrong with it is told now; count becomes its own. */
static int set_pcap(struct job *j)
{
	struct pg_source source;
	char why[PG_WHY];

	pg_text_word(&j->text, j->c->pcap, sizeof(j->c->pcap) - 1, false);
	expect_end(j);
	if (!strcmp(j->c->pcap, "0") || !j->c->pcap[0]) {
		j->c->pcap[0] = 0;
		result(j, "OK: pcap=");
		return 0;
	}
	if (pg_source_read(j->c->pcap, &source, why))
		return refuse(j, -EINVAL, "pcap %s: %s; right is: pcap %s", j->c->pcap, why,
			      j->row->right);
	j->c->count = source.nr;
	j->c->pcap_longest = source.longest;
	pg_source_free(&source);
	result(j, "OK: pcap=%s", j->c->pcap);
	return 0;
}

/* Not the kernel's: 1 = as captured, 2.5 = so much faster, 0 = without gaps. */
static int set_pcap_speed(struct job *j)
{
	uint64_t whole = number(j, 6), part = 0;
	unsigned digits = 0;

	if (pg_text_peek(&j->text) == '.') {
		pg_text_next(&j->text);
		digits = pg_text_number(&j->text, 3, &part);
	}
	for (; digits < 3; digits++)
		part *= 10;
	expect_end(j);
	j->c->pcap_speed = (uint32_t)(whole * 1000 + part);
	result(j, "OK: pcap_speed=%u.%03u", j->c->pcap_speed / 1000, j->c->pcap_speed % 1000);
	return 0;
}

static int set_debug(struct job *j)
{
	j->out->debug = (uint32_t)number(j, 10);
	j->out->debug_set = true;
	expect_end(j);
	result(j, "OK: debug=%u", j->out->debug);
	return 0;
}

static int clear_counters(struct job *j)
{
	j->out->clear_counters = true;
	expect_end(j);
	result(j, "OK: Clearing counters.\n");
	return 0;
}

/* NAME(argument, setter, what is right) and what the setter needs beside it. */
#define PLACE(field)                                                                               \
	.offset = offsetof(struct pg_config, field), .width = sizeof(((struct pg_config *)0)->field)
#define WORDS(n, setter, says)                                                                     \
	{                                                                                          \
		.name = #n, .set = (setter), .right = (says)                                       \
	}
#define NUMBER(n, setter, dig, says)                                                               \
	{                                                                                          \
		.name = #n, .set = (setter), .right = (says), .digits = (dig), PLACE(n)            \
	}
#define LIMITED(n, setter, dig, most, says)                                                        \
	{                                                                                          \
		.name = #n, .set = (setter), .right = (says), .digits = (dig), .max = (most),      \
		PLACE(n)                                                                           \
	}
#define PUT(n, setter, field, res, says)                                                           \
	{                                                                                          \
		.name = #n, .set = (setter), .right = (says), .shown = (res), PLACE(field)         \
	}

#define SIZE_SAYS "N: bytes of a frame without its 4 of CRC, at least 42"

/* clang-format off */
static const struct row rows[] = {
	NUMBER(count, set_number, 10, "N: packets to send, 0 = until stopped"),
	WORDS(pkt_size, set_pkt_size, SIZE_SAYS),
	NUMBER(min_pkt_size, set_one_size, 10, SIZE_SAYS),
	NUMBER(max_pkt_size, set_one_size, 10, SIZE_SAYS),
	WORDS(imix_weights, set_imix, "SIZE,WEIGHT SIZE,WEIGHT ...: up to 20 pairs, one blank between"),
	NUMBER(frags, set_int, 10, "N: fragments of the payload"),
	WORDS(delay, set_delay, "NS: between packet starts, 2147483647 = send nothing"),
	WORDS(rate, set_rate, "MBIT: Mbit/s, at least 1; after pkt_size"),
	WORDS(ratep, set_ratep, "PACKETS: packets/s, at least 1"),
	NUMBER(udp_src_min, set_number, 10, "PORT: 0-65535, the first"),
	NUMBER(udp_src_max, set_number, 10, "PORT: 0-65535, one above the last"),
	NUMBER(udp_dst_min, set_number, 10, "PORT: 0-65535, the first"),
	NUMBER(udp_dst_max, set_number, 10, "PORT: 0-65535, one above the last"),
	WORDS(clone_skb, set_clone_skb, "N: times that a packet is sent before a new one is made"),
	WORDS(burst, set_burst, "N: times that a packet is handed over at once, at least 1"),
	NUMBER(src_mac_count, set_int, 10, "N: addresses upward from src_mac"),
	NUMBER(dst_mac_count, set_int, 10, "N: addresses upward from dst_mac"),
	WORDS(node, set_node, "N: the NUMA node of the packets' memory, with flag NODE"),
	WORDS(xmit_mode, set_xmit_mode, "start_xmit, netif_receive or queue_xmit"),
	WORDS(flag, set_flag, "NAME or !NAME"),
	PUT(dst_min, set_ip4, dst_min, "dst_min", "A.B.C.D: the first destination"),
	PUT(dst, set_ip4, dst_min, "dst_min", "A.B.C.D: the destination, or the first one"),
	PUT(dst_max, set_ip4, dst_max, "dst_max", "A.B.C.D: the last destination"),
	PUT(src_min, set_ip4, src_min, "src_min", "A.B.C.D: the first source"),
	PUT(src_max, set_ip4, src_max, "src_max", "A.B.C.D: the last source"),
	PUT(dst6, set_ip6, in6_daddr, "dst6", "A:B::C: the destination"),
	PUT(dst6_min, set_ip6, min_in6_daddr, "dst6_min", "A:B::C: bits that each destination has"),
	PUT(dst6_max, set_ip6, max_in6_daddr, "dst6_max", "A:B::C: bits that a destination may have"),
	PUT(src6, set_ip6, in6_saddr, "src6", "A:B::C: the source"),
	PUT(dst_mac, set_mac, dst_mac, "dstmac", "xx:xx:xx:xx:xx:xx"),
	PUT(src_mac, set_mac, src_mac, "srcmac", "xx:xx:xx:xx:xx:xx"),
	WORDS(clear_counters, clear_counters, "(no argument)"),
	LIMITED(flows, set_number, 10, PG_MAX_FLOWS, "N: flows at once, up to 65536, 0 = none"),
	NUMBER(flowlen, set_number, 10, "N: packets of a flow"),
	NUMBER(queue_map_min, set_number, 5, "N: 0-65535, the first transmit queue"),
	NUMBER(queue_map_max, set_number, 5, "N: 0-65535, the last transmit queue"),
	WORDS(mpls, set_mpls, "HHHHHHHH,...: up to 16 labels of 8 hexadecimal digits, 0 = none"),
	NUMBER(vlan_id, set_vlan_id, 4, "N: 0-4095, above = no tags"),
	LIMITED(vlan_p, set_tag_bits, 1, 7, "N: 0-7, after vlan_id"),
	LIMITED(vlan_cfi, set_tag_bits, 1, 1, "N: 0-1, after vlan_id"),
	NUMBER(svlan_id, set_vlan_id, 4, "N: 0-4095, after vlan_id; above = no tags"),
	LIMITED(svlan_p, set_tag_bits, 1, 7, "N: 0-7, after svlan_id"),
	LIMITED(svlan_cfi, set_tag_bits, 1, 1, "N: 0-1, after svlan_id"),
	NUMBER(tos, set_class, 2, "HH: two hexadecimal digits"),
	NUMBER(traffic_class, set_class, 2, "HH: two hexadecimal digits"),
	NUMBER(skb_priority, set_int, 9, "N: the socket priority of the packets"),
	WORDS(spi, set_spi, "(not here)"),
	WORDS(pcap, set_pcap, "FILE: send the Ethernet frames of a pcap or pcapng file, 0 = none"),
	WORDS(pcap_speed, set_pcap_speed, "X: times as fast as captured, such as 2.5; 0 = without gaps"),
	WORDS(debug, set_debug, "N: 1 = say each command on standard error"),
};
/* clang-format on */

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *find(const char *name)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* A word that the old documentation and common slips use, and what it should be. */
static const char *meant(const char *word)
{
	static const char *const slips[][2] = {
		{"dstmac", "dst_mac"},
		{"srcmac", "src_mac"},
		{"size", "pkt_size"},
		{"packets", "count"},
		{"src", "src_min"},
		{"dst6_mac", "dst_mac"},
		{"src_ip", "src_min"},
		{"dst_ip", "dst_min"},
		{"vlan", "vlan_id"},
		{"flags", "flag"},
		{"clone", "clone_skb"},
		{"ipg", "delay"},
		{"udp_src", "udp_src_min"},
		{"udp_dst", "udp_dst_min"},
		{"imix", "imix_weights"},
		{"pps", "ratep"},
		{"start", "start, written to pgctrl"},
		{"stop", "stop, written to pgctrl"},
		{"add_device", "add_device, written to kpktgend_N"},
		{"rem_device_all", "rem_device_all, written to kpktgend_N"},
	};

	for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++)
		if (!strcmp(slips[i][0], word))
			return slips[i][1];
	for (size_t i = 0; i < NR_ROWS; i++)
		if (strlen(word) >= 4 && !strncmp(rows[i].name, word, strlen(word) - 1))
			return rows[i].name;
	return NULL;
}

static int unknown(struct job *j, const char *word)
{
	const char *other = meant(word);

	result(j, "No such parameter \"%s\"", word);
	if (!word[0])
		return refuse(j, -EINVAL,
			      "no command; right is: COMMAND [ARGUMENT], such as count 1000");
	return refuse(j, -EINVAL,
		      "no device command '%s'%s%s; \"upktgen check --commands\" lists them", word,
		      other ? "; meant is perhaps " : "", other ? other : "");
}

int pg_device_command(const struct pg_device_facts *facts, bool strict, struct pg_config *config,
		      const char *buf, size_t len, struct pg_outcome *out)
{
	struct pg_config copy = *config;
	char word[NAME_MAX_LEN + 1];
	struct job j = {.facts = facts,
			.strict = strict,
			.c = &copy,
			.text = pg_text(buf, len),
			.out = out};

	memset(out, 0, sizeof(*out));
	if (!len)
		return refuse(&j, -EINVAL, "an empty write; right is: COMMAND [ARGUMENT]");
	pg_text_skip(&j.text);
	pg_text_word(&j.text, word, NAME_MAX_LEN, true);
	pg_text_skip(&j.text);
	j.row = find(word);
	if (!j.row)
		return unknown(&j, word);
	if (!j.row->set(&j))
		*config = copy;
	return out->err;
}

void pg_device_commands_print(FILE *to)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		fprintf(to, "%-15s %s\n", rows[i].name, rows[i].right);
}

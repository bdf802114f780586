// SPDX-License-Identifier: MIT
/*
 * The live backend's loop in the kernel: makes one frame per call out of a recycled page and sends
 * it to the device. Draws, order of the fields and sums are those of upktgen/packet, so that the
 * same seed gives the same packets. The configuration is constant, so what a run does not need is
 * not in the program that runs.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "live.h"

#define inline_always static inline __attribute__((always_inline))

const volatile struct pg_live_config cfg;
struct pg_live_state state;
struct pg_live_truth truth;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pg_live_flow);
} flows SEC(".maps");

/* Where frames go: held, so that no packet looks the device up by its number. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} out SEC(".maps");

inline_always __u16 be16(__u32 v)
{
	return __builtin_bswap16((__u16)v);
}

inline_always __u32 be32(__u32 v)
{
	return __builtin_bswap32(v);
}

inline_always __u32 halves(__u32 v)
{
	return (v >> 16) + (v & 0xffff);
}

/* Twice: the first may leave a carry. */
inline_always __u32 fold(__u32 sum)
{
	return halves(halves(sum));
}

/* splitmix64 */
inline_always __u64 random64(void)
{
	__u64 z = (state.rng += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* 0 to n-1, n <= 2^32: the upper half of the product with n. */
inline_always __u32 below(__u64 n)
{
	__u64 r = random64();

	return (__u32)(((r >> 32) * n + (((r & 0xffffffff) * n) >> 32)) >> 32);
}

inline_always __u32 next_of(__u32 v, __u32 min, __u32 max)
{
	return v >= max || v < min ? min : v + 1;
}

#define put16(at, v) (*(__u16 *)(at) = be16(v))
#define put32(at, v) (*(__u32 *)(at) = be32(v))
#define put64(at, v) (*(__u64 *)(at) = __builtin_bswap64(v))

/* What the moving fields add to the checksums. */
struct sums {
	__u32 ip, udp;
};

inline_always void put_mac(__u8 *at, __u64 low, __u32 offset)
{
	__u64 v = low + offset;

	at[1] = (__u8)(v >> 32);
	put32(at + 2, (__u32)v);
}

inline_always __u32 mac_offset(__u32 way, __u32 *offset, __u32 count)
{
	__u32 now;

	if (way == PG_WAY_RANDOM)
		return below(count);
	now = *offset;
	*offset = now + 1 < count ? now + 1 : 0;
	return now;
}

inline_always struct pg_live_flow *pick_flow(void)
{
	struct pg_live_flow *f;
	__u32 key;

	if (cfg.flow_way == PG_WAY_RANDOM) {
		key = below(cfg.flows);
		state.cur_flow = key;
		f = bpf_map_lookup_elem(&flows, &key);
		if (f && (f->count & ~PG_LIVE_KNOWN) > cfg.flowlen)
			f->count = 0;
	} else {
		key = state.cur_flow;
		f = bpf_map_lookup_elem(&flows, &key);
		if (f && (f->count & ~PG_LIVE_KNOWN) >= cfg.flowlen) {
			f->count = 0;
			key = key + 1 >= cfg.flows ? 0 : key + 1;
			state.cur_flow = key;
			f = bpf_map_lookup_elem(&flows, &key);
		}
	}
	if (f)
		f->count++;
	return f;
}

inline_always void link_fields(__u8 *d)
{
	if (cfg.src_mac_way)
		put_mac(d + 6, cfg.src_mac_low,
			mac_offset(cfg.src_mac_way, &state.src_mac_offset, cfg.src_mac_count));
	if (cfg.dst_mac_way)
		put_mac(d, cfg.dst_mac_low,
			mac_offset(cfg.dst_mac_way, &state.dst_mac_offset, cfg.dst_mac_count));
	if (cfg.mpls_random) {
#pragma clang loop unroll(full)
		for (int i = 0; i < PG_LIVE_LABELS; i++) {
			__u32 label;

			if (i >= cfg.nr_mpls)
				break;
			label = cfg.mpls[i];
			if (label & 0x100)
				label = (__u32)random64() & 0xfffff;
			label &= ~0x100u;
			put32(d + 14 + 4 * i, i == cfg.nr_mpls - 1 ? label | 0x100 : label);
		}
	}
	if (cfg.vid_random)
		put16(d + cfg.vid_off, cfg.vid_bits | below(4096));
	if (cfg.svid_random)
		put16(d + cfg.svid_off, cfg.svid_bits | below(4096));
}

/* Both ports, the source in the upper half. */
inline_always __u32 ports(struct sums *s)
{
	__u32 src = cfg.udp_src, dst = cfg.udp_dst;

	if (cfg.udp_src_way) {
		src = cfg.udp_src_way == PG_WAY_RANDOM
			      ? cfg.udp_src_min + below(cfg.udp_src_max - cfg.udp_src_min)
		      : state.udp_src + 1 >= cfg.udp_src_max ? cfg.udp_src_min
							     : state.udp_src + 1;
		state.udp_src = src;
		s->udp += src;
	}
	if (cfg.udp_dst_way) {
		dst = cfg.udp_dst_way == PG_WAY_RANDOM
			      ? cfg.udp_dst_min + below(cfg.udp_dst_max - cfg.udp_dst_min)
		      : state.udp_dst + 1 >= cfg.udp_dst_max ? cfg.udp_dst_min
							     : state.udp_dst + 1;
		state.udp_dst = dst;
		s->udp += dst;
	}
	return src << 16 | dst;
}

inline_always __u32 draw_daddr(void)
{
	__u32 at = below(cfg.dst_total);

	if (at < cfg.dst_size[0])
		return cfg.dst_first[0] + at;
	at -= cfg.dst_size[0];
	if (at < cfg.dst_size[1])
		return cfg.dst_first[1] + at;
	return cfg.dst_first[2] + (at - cfg.dst_size[1]);
}

inline_always void flow_daddr(struct pg_live_flow *f)
{
	if (!f)
		return;
	if (!(f->count & PG_LIVE_KNOWN)) {
		if (cfg.dst_total)
			state.daddr = draw_daddr();
		else if (cfg.daddr_min < cfg.daddr_max)
			state.daddr = next_of(state.daddr, cfg.daddr_min, cfg.daddr_max);
		f->daddr = state.daddr;
		f->count |= PG_LIVE_KNOWN;
		state.nr_flows++;
	}
	state.daddr = f->daddr;
}

/* Both addresses, the source in the upper half. */
inline_always __u64 addresses(struct pg_live_flow *f, struct sums *s)
{
	__u32 saddr = cfg.saddr, daddr = cfg.daddr;

	if (cfg.saddr_way) {
		saddr = cfg.saddr_way == PG_WAY_RANDOM
				? cfg.saddr_min + below((__u64)cfg.saddr_max - cfg.saddr_min)
				: next_of(state.saddr, cfg.saddr_min, cfg.saddr_max);
		state.saddr = saddr;
		s->ip += halves(saddr);
		s->udp += halves(saddr);
	}
	if (cfg.daddr_way || cfg.flow_way) {
		if (cfg.flow_way)
			flow_daddr(f);
		else if (cfg.daddr_way == PG_WAY_RANDOM)
			state.daddr = draw_daddr();
		else
			state.daddr = next_of(state.daddr, cfg.daddr_min, cfg.daddr_max);
		daddr = state.daddr;
		s->ip += halves(daddr);
		s->udp += halves(daddr);
	}
	return (__u64)saddr << 32 | daddr;
}

inline_always void address6(__u8 *ip, struct sums *s)
{
#pragma clang loop unroll(full)
	for (int i = 0; i < 2; i++) {
		__u64 v = (random64() | cfg.daddr6_min[i]) & cfg.daddr6_max[i];
		__u64 host = __builtin_bswap64(v);

		s->udp += halves((__u32)(host >> 32)) + halves((__u32)host);
		*(__u64 *)(ip + 24 + 8 * i) = v;
		state.daddr6[i] = v;
	}
}

/* The length of the next frame; draws where sizes vary. */
inline_always __u32 next_size(void)
{
	if (cfg.size_way == PG_WAY_RANDOM) {
		state.pkt_size = cfg.min_size + below(cfg.max_size - cfg.min_size);
	} else if (cfg.size_way == PG_WAY_LINEAR) {
		state.pkt_size = next_of(state.pkt_size, cfg.min_size, cfg.max_size);
	} else if (cfg.size_way == PG_WAY_IMIX) {
		__u32 slot = below(PG_LIVE_SLOTS);
		__u32 i = slot < PG_LIVE_SLOTS ? cfg.imix_slot[slot] : 0;

		if (i < 20) {
			state.imix_counts[i]++;
			state.pkt_size = cfg.imix_size[i];
		}
	}
	return state.pkt_size;
}

/* A division once a second: the stamp's upper half stays until then. */
inline_always void read_clock(void)
{
	__u64 ns = bpf_ktime_get_tai_ns() - state.tai_offset_ns, sub, seconds;

	if (cfg.stamp_ns) {
		state.stamp = ns;
		return;
	}
	sub = ns - state.second_ns;
	seconds = state.stamp >> 32;
	if (sub >= 1000000000) {
		seconds = ns / 1000000000;
		state.second_ns = seconds * 1000000000;
		sub = ns - state.second_ns;
	}
	state.stamp = seconds << 32 | sub * 274877907 >> 38; /* sub / 1000, below 2^30 */
}

/* False: not yet. Spins no longer than one call; the caller calls again. */
inline_always int time_has_come(void)
{
	__u64 now, late;
	__u32 bucket = 0;

	if (state.unit_left) { /* the rest of a unit leaves with its first */
		state.unit_left--;
		return 1;
	}
	now = bpf_ktime_get_ns();
	if (now < state.due_ns)
		return 0;
	late = now - state.due_ns;
	if (state.departures++ == 0)
		state.first_ns = now;
	state.last_ns = now;
	state.late_sum += late;
	if (late > state.late_max)
		state.late_max = late;
#pragma clang loop unroll(full)
	for (int b = 5; b >= 0; b--)
		if (late >> (1 << b)) {
			bucket += 1 << b;
			late >>= 1 << b;
		}
	if (bucket < PG_LIVE_LATE)
		state.late[bucket]++;
	state.due_ns += cfg.period_ns;
	if (!cfg.catch_up && now > state.due_ns)
		state.due_ns = now - (now - state.due_ns) % cfg.period_ns + cfg.period_ns;
	state.unit_left = cfg.unit - 1;
	return 1;
}

/* len bytes, known to the verifier: 42 + 4n or 58 + 4n, so 2 or 6 are left after whole words. */
#define COPY(to, from, len)                                                                        \
	do {                                                                                       \
		_Pragma("clang loop unroll(full)") for (int i_ = 0; i_ < PG_LIVE_WORDS; i_++)      \
		{                                                                                  \
			if (8 * i_ + 8 <= (len)) {                                                 \
				*(__u64 *)((to) + 8 * i_) = (from)[i_];                            \
			} else if (8 * i_ < (len)) {                                               \
				__u64 last_ = (from)[i_];                                          \
				if ((len)-8 * i_ == 6) {                                           \
					*(__u32 *)((to) + 8 * i_) = (__u32)last_;                  \
					*(__u16 *)((to) + 8 * i_ + 4) = (__u16)(last_ >> 32);      \
				} else {                                                           \
					*(__u16 *)((to) + 8 * i_) = (__u16)last_;                  \
				}                                                                  \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* The finished headers, for the copies that follow. */
inline_always void keep(const __u8 *d)
{
	const __u32 len = cfg.header_len + 16;

#pragma clang loop unroll(full)
	for (int i = 0; i < PG_LIVE_WORDS; i++) {
		if (8 * i + 8 <= len) {
			state.frame[i] = *(const __u64 *)(d + 8 * i);
		} else if (8 * i < len) {
			__u64 last = *(const __u16 *)(d + 8 * i);

			if (len - 8 * i == 6)
				last |= (__u64) * (const __u16 *)(d + 8 * i + 2) << 16 |
					(__u64) * (const __u16 *)(d + 8 * i + 4) << 32;
			state.frame[i] = last;
		}
	}
}

/* All before the IP header: whole words, and the last eight bytes once more over them. */
inline_always void link_header(__u8 *d)
{
#pragma clang loop unroll(full)
	for (int i = 0; i < PG_LIVE_WORDS; i++)
		if (8 * i + 8 <= cfg.ip_off)
			*(__u64 *)(d + 8 * i) = cfg.template[i];
	*(__u64 *)(d + cfg.ip_off - 8) = cfg.link_last;
}

inline_always void ip4_header(__u8 *ip, __u32 len, __u64 both, const struct sums *s)
{
	__u32 id = state.ip_id & 0xffff;

	if (cfg.size_way)
		put32(ip, be32(cfg.ip_first) | len);
	else
		*(__u32 *)ip = cfg.ip_first;
	put64(ip + 4, (__u64)id << 48 | (__u64)(32 << 8 | 17) << 16 |
			      (fold(cfg.ip_base + id + s->ip) ^ 0xffff));
	put64(ip + 12, both);
	state.ip_id = id + 1;
}

inline_always void ip6_header(__u8 *ip, struct sums *s)
{
#pragma clang loop unroll(full)
	for (int i = 0; i < 5; i++)
		*(__u64 *)(ip + 8 * i) = cfg.ip6_word[i];
	if (cfg.daddr6_random)
		address6(ip, s);
}

/* UDP's header and pktgen's. */
inline_always void udp_header(__u8 *udp, __u32 both, __u32 len, const struct sums *s)
{
	__u32 seq = state.seq, sum = 0;
	__u64 stamp = state.stamp;

	if (cfg.checksum) {
		sum = fold(cfg.udp_base + s->udp + halves(seq) + halves((__u32)(stamp >> 32)) +
			   halves((__u32)stamp)) ^
		      0xffff;
		sum = sum ? sum : 0xffff;
	}
	put64(udp, (__u64)both << 32 | (__u64)len << 16 | sum);
	put64(udp + 8, (__u64)cfg.magic << 32 | seq);
	put64(udp + 16, stamp);
}

inline_always void clock_if_due(void)
{
	if (!cfg.stamped)
		return;
	if (cfg.stamp_mask) {
		__u32 seq = state.seq;

		if ((__s32)(seq - state.stamp_at) < 0)
			return;
		state.stamp_at = (seq | cfg.stamp_mask) + 1;
	}
	read_clock();
}

/* A frame of its own; its length. The draws keep the order of upktgen/packet. */
inline_always __u32 build(__u8 *d)
{
	struct pg_live_flow *flow = 0;
	struct sums s = {0};
	__u32 len = cfg.max_len, udp_len = cfg.udp_len, both_ports;
	__u64 both = 0;

	clock_if_due();
	link_header(d);
	if (cfg.flow_way)
		flow = pick_flow();
	link_fields(d);
	both_ports = ports(&s);
	if (cfg.ip6)
		ip6_header(d + cfg.ip_off, &s);
	else
		both = addresses(flow, &s);
	if (cfg.size_way) {
		len = next_size();
		if (len < cfg.header_len + 16)
			len = cfg.header_len + 16;
		udp_len = len - cfg.udp_off;
		s.ip += len - cfg.ip_off;
		s.udp += 2 * udp_len;
		if (cfg.ip6)
			put16(d + cfg.ip_off + 4, udp_len);
	}
	if (!cfg.ip6)
		ip4_header(d + cfg.ip_off, len - cfg.ip_off, both, &s);
	udp_header(d + cfg.udp_off, both_ports, udp_len, &s);
	return len;
}

SEC("xdp")
int pg_live(struct xdp_md *ctx)
{
	__u8 *d = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end;
	__u32 len;

	if (state.seq == state.end)
		return XDP_DROP;
	if (cfg.paced && !time_has_come())
		return XDP_DROP;
	if (d + cfg.header_len + 16 > end)
		return XDP_DROP;
	if (cfg.copies > 1 && state.copies_left) {
		COPY(d, state.frame, cfg.header_len + 16);
		state.copies_left--;
		len = state.frame_len;
	} else {
		len = build(d);
		if (cfg.copies > 1) {
			keep(d);
			state.copies_left = cfg.copies - 1;
			state.frame_len = len;
		}
	}
	if (cfg.size_way && bpf_xdp_adjust_tail(ctx, (int)len - (int)cfg.max_len))
		return XDP_DROP;
	state.seq++;
	if (cfg.size_way)
		state.bytes += len;
	if (cfg.inject)
		return XDP_PASS;
	return bpf_redirect_map(&out, 0, XDP_DROP);
}

/* --- what the kernel says became of them -------------------------------------------------------- */

struct bpf_prog;
struct net_device {
	int ifindex;
} __attribute__((preserve_access_index));

inline_always __u32 cause_of(int err)
{
	switch (err) {
	case 0:
		return 3; /* PG_ERR_NOBUFS: the device's ring is full */
	case -6:	  /* ENXIO: the other end is down */
	case -100:	  /* ENETDOWN */
	case -22:	  /* EINVAL: the device is gone */
	case -19:
		return 1; /* PG_ERR_DOWN */
	case -90:
		return 2; /* PG_ERR_MTU */
	case -28:
	case -105:
		return 3;
	default:
		return 4; /* PG_ERR_OTHER */
	}
}

inline_always int ours(void)
{
	return truth.tid && (__u32)bpf_get_current_pid_tgid() == truth.tid;
}

/* Run by the sending thread, whose number in its own process namespace is another one. */
SEC("syscall")
int pg_who(void *ctx)
{
	truth.tid = (__u32)bpf_get_current_pid_tgid();
	return 0;
}

SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(pg_xmit, const struct net_device *from, const struct net_device *to, int sent,
	     int drops, int err)
{
	if (!ours() || to->ifindex != truth.ifindex)
		return 0;
	truth.sent += sent;
	if (drops > 0) {
		__u32 cause = cause_of(err);

		truth.drops += drops;
		if (cause < 5)
			truth.drops_by[cause] += drops;
		truth.last_drop_err = err;
	}
	return 0;
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(pg_refused, const struct net_device *dev, const struct bpf_prog *xdp, const void *tgt,
	     int err)
{
	__u32 cause;

	if (!ours())
		return 0;
	cause = cause_of(err);
	truth.refused++;
	if (cause < 5)
		truth.refused_by[cause]++;
	truth.last_refuse_err = err;
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";

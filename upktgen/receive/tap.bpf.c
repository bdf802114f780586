// SPDX-License-Identifier: MIT
/*
 * The receiver's half in the kernel: recognises pktgen's frames before the network stack sees them,
 * checks their sums, and passes on one record of each. Frames of others go their way.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "tap_ring.h"

#define inline_always static inline __attribute__((always_inline))

const volatile __u32 keep; /* not 0: our frames go on to the stack too */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pg_tap_ring);
} rings SEC(".maps");

enum {
	TYPE_IP4 = 0x0800,
	TYPE_IP6 = 0x86dd,
	TYPE_VLAN = 0x8100,
	TYPE_QINQ = 0x88a8,
	TYPE_MPLS = 0x8847,
	PROTO_UDP = 17,
	MAX_UDP = 9216,
	CLOCK_EVERY = 64
};

#define get16(at) __builtin_bswap16(*(__u16 *)(at))
#define get32(at) __builtin_bswap32(*(__u32 *)(at))

struct found {
	__u8 *ip, *udp;
	__u32 whole; /* the IP header's sum is right */
	__u64 sum;   /* pseudo-header, in the machine's own order */
	__u32 flow;
};

inline_always __u32 whole(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Past tags and labels. The network header, and its type; 0 if it is none of ours. */
inline_always __u8 *network(__u8 *d, __u8 *end, __u32 *type)
{
	__u8 *at = d + 14;

	if (at > end)
		return 0;
	*type = get16(d + 12);
#pragma clang loop unroll(full)
	for (int i = 0; i < 2; i++) {
		if (*type != TYPE_VLAN && *type != TYPE_QINQ)
			break;
		if (at + 4 > end)
			return 0;
		*type = get16(at + 2);
		at += 4;
	}
	if (*type != TYPE_MPLS)
		return at;
	for (int i = 0; i < 16; i++) {
		__u32 bottom;

		if (at + 5 > end)
			return 0;
		bottom = at[2] & 1;
		at += 4;
		if (bottom) {
			*type = *at >> 4 == 4 ? TYPE_IP4 : *at >> 4 == 6 ? TYPE_IP6 : 0;
			return at;
		}
	}
	return 0;
}

/* An IPv4 header without options, as pktgen's are. */
inline_always int ip4(__u8 *ip, __u8 *end, struct found *f)
{
	__u32 *w = (__u32 *)ip;

	if (ip + 20 > end || ip[0] != 0x45 || ip[9] != PROTO_UDP || get16(ip + 6) & 0x1fff)
		return 0;
	f->sum = (__u64)w[3] + w[4];
	f->whole = whole(f->sum + w[0] + w[1] + w[2]);
	f->flow = w[3] * 31 + w[4];
	f->udp = ip + 20;
	return 1;
}

inline_always int ip6(__u8 *ip, __u8 *end, struct found *f)
{
	__u32 *w = (__u32 *)ip;

	if (ip + 40 > end || ip[0] >> 4 != 6 || ip[6] != PROTO_UDP)
		return 0;
	f->sum = (__u64)w[2] + w[3] + w[4] + w[5] + w[6] + w[7] + w[8] + w[9];
	f->whole = 1;
	f->flow = (w[2] + w[3] + w[4] + w[5]) * 31 + w[6] + w[7] + w[8] + w[9];
	f->udp = ip + 40;
	return 1;
}

struct summing {
	struct xdp_md *ctx;
	__u64 sum;
	__u32 off;
};

/* 32 bytes of a long payload. */
static long sum_piece(__u32 i, struct summing *s)
{
	__u32 off = s->off;
	__u8 *at = (__u8 *)(long)s->ctx->data, *end = (__u8 *)(long)s->ctx->data_end;
	__u32 *w;

	(void)i;
	if (off > MAX_UDP + 256)
		return 1;
	at += off;
	if (at + 32 > end)
		return 1;
	w = (__u32 *)at;
	s->sum += (__u64)w[0] + w[1] + w[2] + w[3];
	s->sum += (__u64)w[4] + w[5] + w[6] + w[7];
	s->off = off + 32;
	return 0;
}

/* Sums what the UDP length spans beyond its first 24 bytes: pieces of 32, and what is left. */
inline_always int udp_whole(struct xdp_md *ctx, __u32 off, __u32 rest, __u64 sum)
{
	struct summing s = {.ctx = ctx, .sum = sum, .off = off};
	__u32 last[8] = {0};

	if (rest >= 32)
		bpf_loop(rest / 32, sum_piece, &s, 0);
	rest %= 32;
	sum = s.sum;
	if (rest && bpf_xdp_load_bytes(ctx, s.off, last, rest))
		return 0;
	for (int i = 0; i < 8; i++)
		sum += last[i];
	return whole(sum);
}

inline_always int record(struct pg_tap_ring *r, __u8 *h, const struct found *f, __u32 meta,
			 __u32 dport)
{
	struct pg_tap_record *to = &r->record[r->head & (PG_TAP_RECORDS - 1)];
	__u64 stamp = (__u64)get32(h + 8) << 32 | get32(h + 12);

	if (r->head - *(volatile __u64 *)&r->tail >= PG_TAP_RECORDS) {
		r->dropped++;
		return 0;
	}
	to->seq = get32(h + 4);
	to->meta = meta;
	to->stamp = stamp;
	to->flow = f->flow;
	to->dport = dport;
	to->arrived_ns = 0;
	if (stamp != r->last_stamp || ++r->untimed >= CLOCK_EVERY) {
		to->arrived_ns = bpf_ktime_get_tai_ns();
		r->last_stamp = stamp;
		r->untimed = 0;
	}
#if defined(__TARGET_ARCH_x86)
	/* Stores stay in order here: the record before head (pairs: TAP-1). */
	__asm__ volatile("" ::: "memory");
	*(volatile __u64 *)&r->head = r->head + 1;
#else
	__sync_fetch_and_add(&r->head, 1); /* a full barrier: the record before head */
#endif
	return 1;
}

/* Length, and whether any sum or the magic is wrong. */
inline_always __u32 judge(struct xdp_md *ctx, const struct found *f, __u8 *end, __u32 frame_len,
			  __u32 magic)
{
	__u8 *udp = f->udp;
	__u32 *w = (__u32 *)udp;
	__u32 len = get16(udp + 4), off = (__u32)(udp - (__u8 *)(long)ctx->data);
	__u64 sum = f->sum + *(__u16 *)(udp + 4) + __builtin_bswap16(PROTO_UDP);

	if (!magic || !f->whole)
		return frame_len | PG_TAP_DAMAGED;
	if (*(__u16 *)(udp + 6) == 0)
		return frame_len;
	if (len < 24 || len > MAX_UDP || off + len > frame_len)
		return frame_len | PG_TAP_DAMAGED;
	sum += (__u64)w[0] + w[1] + w[2] + w[3] + w[4] + w[5];
	if (len == 24)
		return whole(sum) ? frame_len : frame_len | PG_TAP_DAMAGED;
	if (len == 26 && udp + 26 <= end) /* 60 bytes, as most are */
		return whole(sum + *(__u16 *)(udp + 24)) ? frame_len : frame_len | PG_TAP_DAMAGED;
	return udp_whole(ctx, off + 24, len - 24, sum) ? frame_len : frame_len | PG_TAP_DAMAGED;
}

SEC("xdp")
int pg_tap(struct xdp_md *ctx)
{
	__u8 *d = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end;
	__u32 cpu = bpf_get_smp_processor_id(), type = 0, dport, meta, magic, fine;
	struct pg_tap_ring *r = bpf_map_lookup_elem(&rings, &cpu);
	struct found f = {0};
	__u8 *ip = network(d, end, &type);

	if (!r)
		return XDP_PASS;
	if (!ip || !(type == TYPE_IP4 ? ip4(ip, end, &f) : type == TYPE_IP6 && ip6(ip, end, &f)) ||
	    f.udp + 24 > end)
		goto other;
	dport = get16(f.udp + 2);
	magic = get32(f.udp + 8);
	fine = magic == 0xbe9be95b;
	magic = fine || magic == 0xbe9be955;
	if (!magic && dport + 1 != r->dport)
		goto other;
	meta = judge(ctx, &f, end, (__u32)(end - d) & 0xffff, magic);
	if (fine)
		meta |= PG_TAP_FINE;
	if (!(meta & PG_TAP_DAMAGED))
		r->dport = dport + 1;
	f.flow = f.flow * 17 + *(__u32 *)f.udp;
	record(r, f.udp + 8, &f, meta, dport);
	return keep ? XDP_PASS : XDP_DROP;
other:
	r->other++;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";

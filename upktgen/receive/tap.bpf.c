// SPDX-License-Identifier: MIT
/*
 * The receiver's half in the kernel: recognises pktgen's frames before the network stack sees them,
 * checks their sums, and passes on one record of each. Frames of others go their way.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "parse.h"
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

enum { MAX_UDP = 9216, CLOCK_EVERY = 64 };

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
	return pg_sum_is_whole(sum);
}

inline_always struct pg_tap_record *next_record(struct pg_tap_ring *r)
{
	if (r->head - *(volatile __u64 *)&r->tail >= PG_TAP_RECORDS)
		return 0;
	return &r->record[r->head & (PG_TAP_RECORDS - 1)];
}

inline_always void publish(struct pg_tap_ring *r)
{
#if defined(__TARGET_ARCH_x86)
	/* Stores stay in order here: the record before head (pairs: TAP-1). */
	__asm__ volatile("" ::: "memory");
	*(volatile __u64 *)&r->head = r->head + 1;
#else
	__sync_fetch_and_add(&r->head, 1); /* a full barrier: the record before head */
#endif
}

inline_always int tell_end(struct pg_tap_ring *r, const struct pg_parsed *p, const __u8 *end,
			   __u32 meta)
{
	struct pg_tap_record *to = next_record(r);
	const __u8 *from = p->ip + (p->version == 4 ? 12 : 8);
	__u32 *w;

	if (!to)
		return 0;
	if (meta & PG_TAP_DEST)
		from += p->version == 4 ? 4 : 16;
	if (from + 16 > end) /* also of IPv4: ports and pktgen's header follow */
		return 0;
	w = (__u32 *)to->address;
	for (int i = 0; i < 4; i++)
		w[i] = pg_raw32(from + 4 * i);
	to->flow = p->flow;
	to->seq = meta & PG_TAP_SOURCE ? pg_get16(p->udp) : pg_get16(p->udp + 2);
	to->meta = p->version == 4 ? meta : meta | PG_TAP_IP6;
	publish(r);
	return 1;
}

/* Who sends to whom, where that was not said lately. Where there is no room: another time. */
inline_always void tell_flow(struct pg_tap_ring *r, const struct pg_parsed *p, const __u8 *end)
{
	__u64 *known = &r->known[p->flow >> 8 & (PG_TAP_KNOWN - 1)];

	if (*known == p->flow)
		return;
	if (tell_end(r, p, end, PG_TAP_SOURCE) && tell_end(r, p, end, PG_TAP_DEST))
		*known = p->flow;
}

inline_always int record(struct pg_tap_ring *r, const __u8 *h, const struct pg_parsed *p,
			 __u32 meta)
{
	struct pg_tap_record *to = next_record(r);
	__u64 stamp = (__u64)pg_get32(h + 8) << 32 | pg_get32(h + 12);

	if (!to) {
		r->dropped++;
		return 0;
	}
	to->seq = pg_get32(h + 4);
	to->meta = meta;
	to->stamp = stamp;
	to->flow = p->flow;
	to->arrived_ns = 0;
	if (stamp != r->last_stamp || ++r->untimed >= CLOCK_EVERY) {
		to->arrived_ns = bpf_ktime_get_tai_ns();
		r->last_stamp = stamp;
		r->untimed = 0;
	}
	publish(r);
	return 1;
}

/*
 * Between two devices of one machine the sum may be left to a hardware that is not there: then the pseudo
 * header's stands in its place. One damaged frame of 65,536 looks the same.
 */
inline_always int left_to_hardware(const __u8 *udp, __u64 pseudo)
{
	return pg_sum_is_whole(pseudo + (__u16)~pg_raw16(udp + 6));
}

/* Length, and whether any sum or the magic is wrong. */
inline_always __u32 judge(struct xdp_md *ctx, const struct pg_parsed *p, const __u8 *end,
			  __u32 frame_len, __u32 magic)
{
	const __u8 *udp = p->udp;
	__u32 len = pg_get16(udp + 4), off = (__u32)(udp - (__u8 *)(long)ctx->data);
	__u64 pseudo = p->sum + pg_raw16(udp + 4) + pg_be16((__u16)17), sum = pseudo;

	if (!p->whole)
		return frame_len | PG_TAP_DAMAGED | PG_TAP_NO_FLOW;
	if (!magic)
		return frame_len | PG_TAP_DAMAGED;
	if (pg_raw16(udp + 6) == 0)
		return frame_len;
	if (len < 24 || len > MAX_UDP || off + len > frame_len)
		return frame_len | PG_TAP_DAMAGED;
	for (int i = 0; i < 6; i++)
		sum += pg_raw32(udp + 4 * i);
	if (len == 26 && udp + 26 <= end) { /* 60 bytes, as most are */
		if (pg_sum_is_whole(sum + pg_raw16(udp + 24)))
			return frame_len;
	} else if (len == 24 && pg_sum_is_whole(sum)) {
		return frame_len;
	}
	if (left_to_hardware(udp, pseudo))
		return frame_len;
	if (len == 24 || len == 26)
		return frame_len | PG_TAP_DAMAGED;
	return udp_whole(ctx, off + 24, len - 24, sum) ? frame_len : frame_len | PG_TAP_DAMAGED;
}

SEC("xdp")
int pg_tap(struct xdp_md *ctx)
{
	const __u8 *d = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end, *h;
	__u32 queue = ctx->rx_queue_index, dport, meta, magic, fine;
	struct pg_tap_ring *r = bpf_map_lookup_elem(&rings, &queue);
	struct pg_parsed p = {0};

	if (!r)
		return XDP_PASS;
	if (!pg_parse(d, end, &p))
		goto other;
	h = p.udp + PG_UDP_LEN;
	dport = pg_get16(p.udp + 2);
	magic = pg_get32(h);
	fine = magic == PG_MAGIC_NS;
	magic = fine || magic == PG_MAGIC;
	if (!magic && dport + 1 != r->dport)
		goto other;
	meta = judge(ctx, &p, end, (__u32)(end - d) & 0xffff, magic);
	if (fine)
		meta |= PG_TAP_FINE;
	if (!(meta & PG_TAP_DAMAGED)) {
		r->dport = dport + 1;
		tell_flow(r, &p, end);
	}
	record(r, h, &p, meta);
	return keep ? XDP_PASS : XDP_DROP;
other:
	r->other++;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// SPDX-License-Identifier: MIT
/*
 * Kernel half of live_bare.c: one program for each row, written out by hand for exactly the fields
 * of that row, with every value that a generator would be told as a constant. Each packet's headers
 * are written whole, since a page comes back with whatever its last reader left in it.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ALWAYS static inline __attribute__((always_inline))

enum { FLOWS = 8000, FLOWLEN = 10, PORT = 9, PORTS = 1000, TARGETS = 212 };

const volatile __u32 ifindex;
const volatile __s64 tai_offset_ns;

struct {
	__u64 random;
	__u64 stamp;
	__u32 sequence, id;
} state __attribute__((aligned(64))) = {.random = 1, .sequence = 1};

struct {
	__u32 count, target;
} flow[FLOWS];

struct {
	__u64 left, frame[8];
} copies __attribute__((aligned(64)));

ALWAYS __u32 halves(__u32 v)
{
	return (v >> 16) + (v & 0xffff);
}

ALWAYS __u32 fold(__u32 sum)
{
	return halves(halves(sum));
}

ALWAYS __u64 next_random(void)
{
	__u64 r = state.random;

	r ^= r << 13;
	r ^= r >> 7;
	r ^= r << 17;
	return state.random = r;
}

#define PUT32(at, v) (*(__u32 *)(at) = bpf_htonl((__u32)(v)))
#define PUT64(at, v) (*(__u64 *)(at) = bpf_cpu_to_be64(v))

enum { SOURCE = 0xc6120001, TARGET = 0xc612002a, TTL_UDP = 32 << 8 | 17 };
static const __u32 magic = 0xbe9be955;

/* Link header, without and with a tag. */
ALWAYS void link_header(__u8 *d, int tagged)
{
	PUT64(d, 0x0200000000020200);
	PUT64(d + 8, tagged ? 0x0000000181000005 : 0x0000000108004500);
	if (tagged)
		PUT32(d + 16, 0x08004500);
}

/* IPv4, UDP and pktgen's header, of len bytes. */
ALWAYS void headers(__u8 *ip, __u32 len, __u32 target, __u32 port, int checksum)
{
	__u32 sequence = state.sequence++, id = state.id++ & 0xffff, sum = 0;

	if ((sequence & 15) == 0) {
		__u64 ns = bpf_ktime_get_tai_ns() - tai_offset_ns, s = ns / 1000000000;

		state.stamp = s << 32 | (ns - s * 1000000000) / 1000;
	}
	PUT32(ip, 0x4500 << 16 | len);
	PUT64(ip + 4, (__u64)id << 48 | (__u64)TTL_UDP << 16 |
			      (fold(0x4500 + len + id + TTL_UDP + halves(SOURCE) + halves(target)) ^
			       0xffff));
	PUT64(ip + 12, (__u64)SOURCE << 32 | target);
	PUT32(ip + 20, port << 16 | PORT);
	if (checksum) {
		sum = fold(17 + 2 * (len - 20) + halves(SOURCE) + halves(target) + port + PORT +
			   halves(magic) + halves(sequence) + halves(state.stamp >> 32) +
			   halves((__u32)state.stamp)) ^
		      0xffff;
		sum = sum ? sum : 0xffff;
	}
	PUT32(ip + 24, (len - 20) << 16 | sum);
	PUT64(ip + 28, (__u64)magic << 32 | sequence);
	PUT64(ip + 36, state.stamp);
}

SEC("xdp")
int fixed(struct xdp_md *ctx)
{
	__u8 *d = (__u8 *)(long)ctx->data;

	if (d + 60 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	link_header(d, 0);
	headers(d + 14, 46, TARGET, PORT, 0);
	return bpf_redirect(ifindex, 0);
}

/* A random flow of 8000, which keeps its target for so many packets. */
ALWAYS __u32 target_of_flow(__u32 random)
{
	__u32 which = (__u32)((__u64)random * FLOWS >> 32);

	asm volatile("" : "+r"(which)); /* the verifier's bound is the test's alone */

	if (which >= FLOWS)
		return TARGET;
	if (flow[which].target == 0 || flow[which].count > FLOWLEN) {
		flow[which].count = 0;
		flow[which].target = TARGET + (__u32)((next_random() >> 32) * TARGETS >> 32);
	}
	flow[which].count++;
	return flow[which].target;
}

SEC("xdp")
int all_fields(struct xdp_md *ctx)
{
	__u8 *d = (__u8 *)(long)ctx->data;
	__u64 random = next_random();

	if (d + 62 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	link_header(d, 1);
	headers(d + 18, 44, target_of_flow((__u32)random),
		PORT + (__u32)((random >> 32) * PORTS >> 32), 1);
	return bpf_redirect(ifindex, 0);
}

/* The same frame again and again, a new one every 100000. */
SEC("xdp")
int clones(struct xdp_md *ctx)
{
	__u8 *d = (__u8 *)(long)ctx->data;
	__u32 i;

	if (d + 60 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (copies.left) {
		copies.left--;
#pragma clang loop unroll(full)
		for (i = 0; i < 7; i++)
			*(__u64 *)(d + 8 * i) = copies.frame[i];
		*(__u32 *)(d + 56) = (__u32)copies.frame[7];
		return bpf_redirect(ifindex, 0);
	}
	link_header(d, 0);
	headers(d + 14, 46, TARGET, PORT, 0);
	*(__u16 *)(d + 58) = 0;
#pragma clang loop unroll(full)
	for (i = 0; i < 7; i++)
		copies.frame[i] = *(__u64 *)(d + 8 * i);
	copies.frame[7] = *(__u32 *)(d + 56);
	copies.left = 100000 - 1;
	return bpf_redirect(ifindex, 0);
}

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";

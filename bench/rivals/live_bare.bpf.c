// SPDX-License-Identifier: MIT
/* Kernel half of live_bare.c: sequence number and, every 16 packets, the time; then out. */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 ifindex;

struct {
	__u32 sequence;
	__u64 now;
} state __attribute__((aligned(64)));

SEC("xdp")
int live_bare(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 sequence = state.sequence++;
	__u32 *field = data + 46;

	if (data + 60 > end)
		return XDP_ABORTED;
	if ((sequence & 15) == 0)
		state.now = bpf_ktime_get_ns();
	field[0] = bpf_htonl(sequence);
	field[1] = bpf_htonl((__u32)(state.now / 1000000000));
	field[2] = bpf_htonl((__u32)(state.now % 1000000000 / 1000));
	return bpf_redirect(ifindex, 0);
}

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";

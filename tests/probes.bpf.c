// SPDX-License-Identifier: MIT
/* Counts what passes each probe, and keeps what came with it last. The cookie says which probe. */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "probes.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROBES_MAX);
	__type(key, __u32);
	__type(value, struct probe_seen);
} seen SEC(".maps");

SEC("usdt")
int pass(struct pt_regs *ctx)
{
	__u32 which = (__u32)bpf_usdt_cookie(ctx);
	struct probe_seen *s = bpf_map_lookup_elem(&seen, &which);
	long value;

	if (!s)
		return 0;
	s->args = (__u64)bpf_usdt_arg_cnt(ctx);
	for (int i = 0; i < PROBE_ARGS; i++) {
		s->arg[i] = 0;
		if (bpf_usdt_arg(ctx, (__u64)i, &value) == 0)
			s->arg[i] = (__u64)value;
	}
	__sync_fetch_and_add(&s->count, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// SPDX-License-Identifier: MIT
/*
 * A bad network between two pairs of devices: what comes in goes out by another device, except that
 * some packets, chosen by their sequence numbers, are lost, come twice, come damaged, or change
 * places (their numbers do, which is the same to a receiver).
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 out;
const volatile __u32 lose, twice, damage, swap; /* each: residue of 1000, 0 for never */

enum { SEQ = 14 + 20 + 8 + 4, MAGIC = 14 + 20 + 8, APART = 7 };

SEC("tc")
int inject(struct __sk_buff *skb)
{
	__u32 be, seq, magic;

	if (bpf_skb_load_bytes(skb, SEQ, &be, sizeof(be)) ||
	    bpf_skb_load_bytes(skb, MAGIC, &magic, sizeof(magic)) || magic != bpf_htonl(0xbe9be955))
		return TC_ACT_SHOT;
	seq = bpf_ntohl(be);
	if (lose && seq % 1000 == lose)
		return TC_ACT_SHOT;
	if (twice && seq % 1000 == twice)
		bpf_clone_redirect(skb, out, 0);
	if (damage && seq % 1000 == damage) {
		magic ^= 0x100;
		bpf_skb_store_bytes(skb, MAGIC, &magic, sizeof(magic), 0);
	}
	if (swap && (seq % 1000 == swap || seq % 1000 == swap + APART)) {
		be = bpf_htonl(seq % 1000 == swap ? seq + APART : seq - APART);
		bpf_skb_store_bytes(skb, SEQ, &be, sizeof(be), 0);
	}
	return bpf_redirect(out, 0);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";

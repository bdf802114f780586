// SPDX-License-Identifier: MIT
/*
 * usage: live_bare SENDER [RECEIVER] - the bare live-frames sender, the floor under the backend
 * "live": one 60-byte UDP frame sent over and over by BPF_PROG_RUN, until killed. With RECEIVER, XDP_DROP is put there
 * instead and nothing is sent.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live_bare.skel.h"

static const unsigned char frame[60] = {
	2,
	0,
	0,
	0,
	0,
	2,
	2,
	0,
	0,
	0,
	0,
	1,
	8,
	0,
	0x45,
	0,
	0,
	46,
	0,
	0,
	0,
	0,
	32,
	17,
	/* checksum of this header */ 0xac,
	0x61,
	198,
	18,
	0,
	1,
	198,
	18,
	0,
	42,
	0,
	9,
	0,
	9,
	0,
	26,
	0,
	0,
	0xbe,
	0x9b,
	0xe9,
	0x55,
};

int main(int argc, char **argv)
{
	struct live_bare_bpf *bpf = live_bare_bpf__open();
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1 << 30, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 64);

	if (!bpf || argc < 2)
		return 2;
	bpf->rodata->ifindex = if_nametoindex(argv[1]);
	if (live_bare_bpf__load(bpf) != 0)
		return 1;
	if (argc > 2)
		return bpf_xdp_attach((int)if_nametoindex(argv[2]),
				      bpf_program__fd(bpf->progs.drop), 1u << 2 /* in the driver */,
				      NULL) != 0;
	for (;;)
		if (bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.live_bare), &opts) != 0)
			return 1;
}

// SPDX-License-Identifier: MIT
/*
 * usage: live_bare fixed|all-fields|clone-100000 SENDER - the bare live-frames sender, the floor
 * under the backend "live": frames with the fields of that row, sent over and over by BPF_PROG_RUN
 * until killed. "live_bare drop RECEIVER" puts XDP_DROP there instead.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "live_bare.skel.h"

/* Sends without end; an answer is an error. */
static int send_frames(const struct bpf_program *prog, unsigned len)
{
	unsigned char frame[64] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .repeat = 1 << 30, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 64);

	while (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) == 0)
		;
	return 1;
}

int main(int argc, char **argv)
{
	struct live_bare_bpf *bpf = live_bare_bpf__open();
	struct timex t = {0};

	if (!bpf || argc != 3 || adjtimex(&t) < 0)
		return 2;
	bpf->rodata->ifindex = if_nametoindex(argv[2]);
	bpf->rodata->tai_offset_ns = (long long)t.tai * 1000000000;
	if (live_bare_bpf__load(bpf) != 0)
		return 1;
	if (strcmp(argv[1], "drop") == 0)
		return bpf_xdp_attach((int)if_nametoindex(argv[2]),
				      bpf_program__fd(bpf->progs.drop), 1u << 2 /* in the driver */,
				      NULL) != 0;
	if (strcmp(argv[1], "all-fields") == 0)
		return send_frames(bpf->progs.all_fields, 62);
	if (strcmp(argv[1], "clone-100000") == 0)
		return send_frames(bpf->progs.clones, 60);
	return strcmp(argv[1], "fixed") == 0 ? send_frames(bpf->progs.fixed, 60) : 2;
}

/* SPDX-License-Identifier: MIT */
/* What probes.bpf.c tells probes_test.c. */
#ifndef WW_TESTS_PROBES_H
#define WW_TESTS_PROBES_H

#include <linux/types.h>

enum { PROBES_MAX = 16, PROBE_ARGS = 3 };

struct probe_seen {
	__u64 count, args, arg[PROBE_ARGS];
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A BPF program worked out for the read-only data that it was given: what follows from them is
 * computed here, once, and what can't be reached or is not needed then is left out. The kernel's
 * verifier takes away branches that are never taken, but leaves the loads and tests that led there.
 */
#ifndef UPKTGEN_TRANSMIT_SPECIALISE_H
#define UPKTGEN_TRANSMIT_SPECIALISE_H

#include <linux/bpf.h>
#include <stddef.h>

struct pg_rodata {
	int map_fd; /* as relocated instructions name it */
	const void *bytes;
	size_t size;
};

/*
 * The program as it is loaded (relocated, one function) in, its equal for these data out, to be
 * freed with ww_free(). How many instructions it has, or -ENOMEM, or -EOPNOTSUPP for a program with
 * instructions that it does not know.
 */
int pg_specialise(const struct bpf_insn *in, size_t n, const struct pg_rodata *rodata,
		  struct bpf_insn **out);

#endif

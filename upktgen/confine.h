/* SPDX-License-Identifier: MIT */
/*
 * Giving up rights, once a subcommand has read its command line: from then on a process apart (the
 * opener) opens devices by name, and this one can neither open nor start anything. While there is
 * one thread. SECURITY.md says what each may do.
 */
#ifndef UPKTGEN_CONFINE_H
#define UPKTGEN_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

struct upk_confine {
	bool sends; /* and by which backend, as on the command line (NULL: any) */
	const char *backend;
	const char *devices[2]; /* the only ones to be opened; NULL: not known yet */
	pid_t may_signal;	/* a child to pass signals on to, 0 for none */
};

/* 0, or -errno after a line on standard error. */
int upk_confine(const struct upk_confine *c);
/* For who reads what was opened before, and needs nothing else: no opener. */
int upk_confine_reader(void);

#endif

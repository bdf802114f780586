/* SPDX-License-Identifier: MIT */
/*
 * What this process may do, and giving it up. Capabilities belong to a thread: all of this happens
 * while there is only one. SECURITY.md tells who keeps what, and why.
 */
#ifndef UPKTGEN_PRIVILEGE_RIGHTS_H
#define UPKTGEN_PRIVILEGE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/* The parts that a run is made of. */
enum pg_role {
	PG_WORKER, /* reads scripts, sends, receives, reports */
	PG_OPENER, /* opens devices by name, and files that the command line named */
	PG_ANCHOR, /* owns a network namespace in which programs are anchored */
	PG_KEEPER, /* unmounts in the end */
};

/* First of all: notes what there is, and refuses a set-user-ID start. 0, or -EPERM after a line. */
int pg_rights_begin(void);
/* Was there this capability (CAP_*), before anything was given up? */
bool pg_rights_had(unsigned cap);
/* Neither filters nor fewer rights: for debuggers, and where the environment asks for it. */
bool pg_rights_unconfined(void);

/*
 * Keeps of what there is only caps (n of CAP_*), for good: bounding, inheritable and ambient sets
 * are emptied, and no program that is started can bring anything back. 0 or -errno.
 */
int pg_rights_keep(const unsigned *caps, unsigned n);

/*
 * From now on only the system calls that the role needs; others fail with EPERM. may_signal: the
 * one process that a worker may send signals to, 0 for none. 0 or -errno. All threads to come
 * inherit it.
 */
int pg_filter_apply(enum pg_role role, pid_t may_signal);

#endif

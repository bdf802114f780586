/* SPDX-License-Identifier: MIT */
/* A process beside this one that serves it through one descriptor, and ends when that is closed. */
#ifndef UPKTGEN_PRIVILEGE_CHILD_H
#define UPKTGEN_PRIVILEGE_CHILD_H

#include <sys/types.h>

/*
 * fork(), while there is one thread. In the child (0) fd has become 3 and nothing else of what was
 * inherited is open, and the terminal's signals are ignored: they are the parent's to take. -errno
 * where it can't be made; a child that can't be made so ends at once.
 */
pid_t pg_child_fork(int fd);
/* Wait until it has ended. */
void pg_child_wait(pid_t pid);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Somebody has to unmount in the end what was mounted at the beginning, and by then we may not: a
 * process that waits for our end, however it comes, and does that one thing.
 */
#ifndef UPKTGEN_PRIVILEGE_KEEPER_H
#define UPKTGEN_PRIVILEGE_KEEPER_H

#include <sys/types.h>

#define PG_KEEPER_MOUNTS 4

struct pg_keeper {
	const char *mount[PG_KEEPER_MOUNTS]; /* unmounted in this order */
	const char *folder;		     /* removed then; may be NULL */
	int fd;				     /* 0: not running */
	pid_t pid;
};

/* While there is one thread, and all of it is mounted. 0 or -errno. */
int pg_keeper_start(struct pg_keeper *k);
/* Has it done now, and waits until it is done. */
void pg_keeper_finish(struct pg_keeper *k);

#endif

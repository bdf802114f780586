// SPDX-License-Identifier: MIT
#include "privilege/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privilege/child.h"
#include "privilege/rights.h"

/*
 * Who may not unmount asks the set-user-ID fusermount3, as it was mounted: that keeper has no right
 * that it could lose, but can't be kept from starting that program.
 */
static void ask_fusermount(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("fusermount3", "fusermount3", "-u", "-q", "-z", "--", path, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void keep(const struct pg_keeper *k, int fd)
{
	const unsigned caps[] = {CAP_SYS_ADMIN};
	bool may = pg_rights_had(CAP_SYS_ADMIN);
	char byte;

	if (may && !pg_rights_unconfined() &&
	    (pg_rights_keep(caps, 1) || pg_filter_apply(PG_KEEPER, 0)))
		_exit(1);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	for (unsigned i = 0; i < PG_KEEPER_MOUNTS && k->mount[i]; i++)
		if (umount2(k->mount[i], MNT_DETACH | UMOUNT_NOFOLLOW) && errno == EPERM && !may)
			ask_fusermount(k->mount[i]);
	if (k->folder)
		rmdir(k->folder);
	_exit(0);
}

int pg_keeper_start(struct pg_keeper *k)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	k->pid = pg_child_fork(ends[0]);
	if (k->pid == 0)
		keep(k, 3);
	close(ends[0]);
	if (k->pid < 0) {
		close(ends[1]);
		return k->pid;
	}
	k->fd = ends[1];
	return 0;
}

void pg_keeper_finish(struct pg_keeper *k)
{
	if (k->fd <= 0)
		return;
	close(k->fd);
	pg_child_wait(k->pid);
	k->fd = 0;
}

// SPDX-License-Identifier: MIT
#include "privilege/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int close_inherited(int fd)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (none < 0 || dup2(none, 0) < 0 || dup2(none, 1) < 0 || dup2(none, 2) < 0)
		return -1;
	if (fd != 3 && dup2(fd, 3) < 0)
		return -1;
	fcntl(3, F_SETFD, FD_CLOEXEC);
	close_range(4, ~0u, 0);
	return 0;
}

pid_t pg_child_fork(int fd)
{
	static const int terminals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		if (close_inherited(fd))
			_exit(1);
		for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
			signal(terminals[i], SIG_IGN);
	}
	return pid;
}

void pg_child_wait(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

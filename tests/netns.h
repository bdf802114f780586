/* SPDX-License-Identifier: MIT */
/*
 * A private network for one test case: the calling process (still with one thread) moves into a
 * namespace of its own, which is gone when the case ends, however it ends.
 */
#ifndef WW_TESTS_NETNS_H
#define WW_TESTS_NETNS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static inline void netns_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		tap_note("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static inline void netns_run(const char *command)
{
	CHECK_MSG(system(command) == 0, "failed: %s", command);
}

/* Skips the case where this machine gives no private network. */
static inline void netns_enter(void)
{
	char map[64];
	unsigned uid = getuid();

	if (unshare(CLONE_NEWNET) == 0)
		return;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		tap_skip("no private network namespace here: %s", strerror(errno));
	netns_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	netns_write("/proc/self/uid_map", map);
	netns_write("/proc/self/gid_map", map);
}

/* A pair of virtual Ethernet devices, up, silent (no IPv6). */
static inline void netns_veth(const char *a, const char *b)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd),
		 "ip link add %s type veth peer name %s && "
		 "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6 && "
		 "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6 && "
		 "ip link set %s up && ip link set %s up",
		 a, b, a, b, a, b);
	netns_run(cmd);
}

/* Moves dev into a network namespace that lives as long as the process that is returned, and ups it. */
static inline pid_t netns_far(const char *dev)
{
	char command[256], c = 'n';
	int pipes[2];

	CHECK_EQ(pipe(pipes), 0);
	pid_t far = fork();

	if (far == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = unshare(CLONE_NEWNET) ? 'n' : 'y';
		if (write(pipes[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	CHECK_EQ(read(pipes[0], &c, 1), 1);
	CHECK_EQ(c, 'y');
	close(pipes[0]);
	close(pipes[1]);
	snprintf(command, sizeof(command),
		 "ip link set %s netns %d && nsenter -t %d -n sh -c 'ip link set %s up && "
		 "ethtool -K %s gro on >/dev/null'",
		 dev, far, far, dev, dev);
	netns_run(command);
	return far;
}

/* The namespace goes, and with it all that is in it. */
static inline void netns_far_gone(pid_t far)
{
	kill(far, SIGKILL);
	waitpid(far, NULL, 0);
}

#endif

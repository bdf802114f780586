// SPDX-License-Identifier: MIT
#include "transmit/anchor.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void put(struct nlmsghdr *m, unsigned short type, const void *data, size_t len)
{
	struct rtattr *a = (void *)((char *)m + NLMSG_ALIGN(m->nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), data, len);
	m->nlmsg_len = NLMSG_ALIGN(m->nlmsg_len) + (unsigned)RTA_ALIGN(a->rta_len);
}

/* ip link add anchor type veth */
static int make_veth(void)
{
	_Alignas(struct nlmsghdr) char buf[512] = {0};
	struct nlmsghdr *m = (void *)buf;
	struct nlmsgerr *e;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), err = 0;

	if (fd < 0)
		return -errno;
	m->nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	m->nlmsg_type = RTM_NEWLINK;
	m->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
	put(m, IFLA_IFNAME, "anchor", 7);
	struct rtattr *info = (void *)(buf + NLMSG_ALIGN(m->nlmsg_len));

	put(m, IFLA_LINKINFO, NULL, 0);
	put(m, IFLA_INFO_KIND, "veth", 4);
	info->rta_len = (unsigned short)(buf + m->nlmsg_len - (char *)info);
	if (send(fd, m, m->nlmsg_len, 0) < 0 || recv(fd, buf, sizeof(buf), 0) < 0)
		err = -errno;
	e = NLMSG_DATA(m);
	if (!err && m->nlmsg_type == NLMSG_ERROR)
		err = e->error;
	close(fd);
	return err;
}

int pg_anchor_open(struct pg_anchor *a, int prog_fd)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), err;

	*a = (struct pg_anchor){-1, -1};
	if (home < 0)
		return -errno;
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		close(home);
		return err;
	}
	a->netns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	err = a->netns < 0 ? -errno : make_veth();
	if (!err) {
		a->link = bpf_link_create(prog_fd, (int)if_nametoindex("anchor"), BPF_XDP, NULL);
		if (a->link < 0)
			err = -errno;
	}
	/* Back home: only this thread ever left. */
	if (setns(home, CLONE_NEWNET) && !err)
		err = -errno;
	close(home);
	if (err)
		pg_anchor_close(a);
	return err;
}

void pg_anchor_close(struct pg_anchor *a)
{
	if (a->link >= 0)
		close(a->link);
	if (a->netns >= 0)
		close(a->netns);
	*a = (struct pg_anchor){-1, -1};
}

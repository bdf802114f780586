// SPDX-License-Identifier: MIT
#include "privilege/anchor.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "privilege/ask.h"
#include "privilege/rights.h"

static void put(struct nlmsghdr *m, unsigned short type, const void *data, size_t len)
{
	struct rtattr *a = (void *)((char *)m + NLMSG_ALIGN(m->nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), data, len);
	m->nlmsg_len = NLMSG_ALIGN(m->nlmsg_len) + (unsigned)RTA_ALIGN(a->rta_len);
}

/* ip link add NAME type veth; the other end gets a name of the kernel's */
static int make_veth(const char *name)
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
	put(m, IFLA_IFNAME, name, strlen(name) + 1);
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

/* On the first device that nothing is attached to; makes one where there is none. A link, or -errno.
 */
static int anchor_here(int prog_fd)
{
	char name[IF_NAMESIZE];

	for (unsigned i = 0; i < 1024; i++) {
		snprintf(name, sizeof(name), "anchor%u", i);
		unsigned index = if_nametoindex(name);
		int err = index ? 0 : make_veth(name);

		if (err)
			return err;
		int link = bpf_link_create(prog_fd, (int)(index ? index : if_nametoindex(name)),
					   BPF_XDP, NULL);

		if (link >= 0 || errno != EBUSY)
			return link >= 0 ? link : -errno;
	}
	return -ENOSPC;
}

/* --- in a process that lives there ------------------------------------------------------------- */

struct anchor_request {
	char ifname[PG_ASK_IFNAME]; /* "" */
};

static void serve_anchor(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	(void)request;
	int link = nr_fds == 1 ? anchor_here(fds[0]) : -EINVAL;

	if (link < 0)
		a->err = link;
	else
		a->fds[a->nr_fds++] = link;
}

static const struct pg_op op_anchor = {"anchor", sizeof(struct anchor_request), serve_anchor};
static const struct pg_op *const anchor_ops[] = {&op_anchor, NULL};
static struct pg_server server;

/* A namespace of its own: by right, or, for who has none, inside of a user namespace. */
static int become_anchor(void *arg)
{
	const unsigned caps[] = {CAP_NET_ADMIN};
	int err;

	(void)arg;
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -errno;
	err = pg_rights_keep(caps, 1);
	return err ? err : pg_filter_apply(PG_ANCHOR, 0);
}

int pg_anchor_server_start(void)
{
	return pg_server_start(&server, anchor_ops, become_anchor, NULL);
}

void pg_anchor_server_finish(void)
{
	pg_server_finish(&server);
}

/* --- either way -------------------------------------------------------------------------------- */

static int open_by_server(struct pg_anchor *a, int prog_fd)
{
	struct anchor_request r = {""};
	struct pg_answer answer = {0};

	if (!pg_server_ask(&server, &op_anchor, &r, &prog_fd, 1, &answer) && answer.nr_fds == 1)
		a->link = answer.fds[0];
	return answer.err;
}

int pg_anchor_open(struct pg_anchor *a, int prog_fd)
{
	int home, err;

	*a = (struct pg_anchor){-1, -1};
	if (server.fd > 0)
		return open_by_server(a, prog_fd);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0)
		return -errno;
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		close(home);
		return err;
	}
	a->netns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	err = a->netns < 0 ? -errno : 0;
	if (!err)
		a->link = anchor_here(prog_fd);
	if (!err && a->link < 0)
		err = a->link;
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

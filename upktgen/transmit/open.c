// SPDX-License-Identifier: MIT
#include "transmit/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SNDBUF = 8 << 20 };

struct request {
	char ifname[PG_ASK_IFNAME];
	uint32_t bypass, priority, sndbuf;
	struct sockaddr_in6 from; /* or a sockaddr_in */
};

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

static int bind_packet(int fd, const struct request *r)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)if_nametoindex(r->ifname),
	};
	int err = to.sll_ifindex ? 0 : -ENODEV;

	if (!err && bind(fd, (struct sockaddr *)&to, sizeof(to)))
		err = -errno;
	if (!err)
		err = set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, r->bypass != 0);
	int sndbuf = r->sndbuf && r->sndbuf < SNDBUF ? (int)r->sndbuf : SNDBUF;

	/* The kernel takes twice as much. */
	if (!err && set(fd, SOL_SOCKET, SO_SNDBUFFORCE, sndbuf / 2))
		set(fd, SOL_SOCKET, SO_SNDBUF, sndbuf / 2);
	if (!err && r->priority)
		err = set(fd, SOL_SOCKET, SO_PRIORITY, (int)r->priority);
	return err;
}

static int bind_udp(int fd, const struct request *r)
{
	socklen_t len = r->from.sin6_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							: sizeof(struct sockaddr_in);
	int err = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, r->ifname, strlen(r->ifname)))
		err = -errno;
	if (!err && r->priority)
		err = set(fd, SOL_SOCKET, SO_PRIORITY, (int)r->priority);
	if (!err && bind(fd, (const struct sockaddr *)&r->from, len))
		err = -errno;
	return err;
}

/* "ip link set dev NAME up", unless it is. */
static int set_up(const char *ifname)
{
	struct ifreq r = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%.15s", ifname);
	if (ioctl(fd, SIOCGIFFLAGS, &r))
		err = -errno;
	if (!err && !(r.ifr_flags & IFF_UP)) {
		r.ifr_flags |= IFF_UP;
		if (ioctl(fd, SIOCSIFFLAGS, &r))
			err = -errno;
	}
	close(fd);
	return err;
}

static int attach_tap(int fd, const struct request *r)
{
	struct ifreq i = {.ifr_flags = IFF_TAP | IFF_NO_PI};

	snprintf(i.ifr_name, sizeof(i.ifr_name), "%.15s", r->ifname);
	if (ioctl(fd, TUNSETIFF, &i))
		return -errno;
	return set_up(r->ifname);
}

/* The descriptor into the answer, if all went well. */
static void answer(struct pg_answer *a, int fd, int err)
{
	if (fd >= 0 && err)
		close(fd);
	if (fd >= 0 && !err)
		a->fds[a->nr_fds++] = fd;
	a->err = err;
}

static void serve_packet(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	/* Protocol 0: it receives nothing. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	(void)fds;
	(void)nr_fds;
	answer(a, fd, fd < 0 ? -errno : bind_packet(fd, request));
}

static void serve_xsk(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	(void)request;
	(void)fds;
	(void)nr_fds;
	answer(a, fd, fd < 0 ? -errno : 0);
}

static void serve_udp(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	const struct request *r = request;
	int family = r->from.sin6_family == AF_INET6 ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)fds;
	(void)nr_fds;
	answer(a, fd, fd < 0 ? -errno : bind_udp(fd, r));
}

static void serve_tap(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	(void)fds;
	(void)nr_fds;
	answer(a, fd, fd < 0 ? -errno : attach_tap(fd, request));
}

const struct pg_op pg_op_packet = {"packet", sizeof(struct request), serve_packet};
const struct pg_op pg_op_xsk = {"xsk", sizeof(struct request), serve_xsk};
const struct pg_op pg_op_udp = {"udp", sizeof(struct request), serve_udp};
const struct pg_op pg_op_tap = {"tap", sizeof(struct request), serve_tap};

static int ask(const struct pg_op *op, const char *ifname, struct request *r)
{
	struct pg_answer a;

	snprintf(r->ifname, sizeof(r->ifname), "%.15s", ifname);
	if (pg_ask(op, r, &a))
		return a.err;
	return a.nr_fds ? a.fds[0] : -EIO;
}

int pg_open_packet(const char *ifname, bool bypass_qdisc, uint32_t priority, uint32_t sndbuf)
{
	struct request r = {.bypass = bypass_qdisc, .priority = priority, .sndbuf = sndbuf};

	return ask(&pg_op_packet, ifname, &r);
}

int pg_open_xsk(const char *ifname)
{
	struct request r = {.bypass = 0};

	return ask(&pg_op_xsk, ifname, &r);
}

int pg_open_udp(const char *ifname, const struct sockaddr_in6 *from, uint32_t priority)
{
	struct request r = {.priority = priority, .from = *from};

	return ask(&pg_op_udp, ifname, &r);
}

int pg_open_tap(const char *ifname)
{
	struct request r = {.bypass = 0};

	return ask(&pg_op_tap, ifname, &r);
}

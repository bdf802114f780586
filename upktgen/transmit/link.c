// SPDX-License-Identifier: MIT
#include "transmit/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void read_kind(struct rtattr *info, struct pg_link *out)
{
	int left = (int)RTA_PAYLOAD(info);

	for (struct rtattr *a = RTA_DATA(info); RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == IFLA_INFO_KIND)
			strncpy(out->kind, RTA_DATA(a), sizeof(out->kind) - 1);
}

static void read_attributes(struct nlmsghdr *m, struct pg_link *out)
{
	struct ifinfomsg *info = NLMSG_DATA(m);
	int left = (int)IFLA_PAYLOAD(m);

	for (struct rtattr *a = IFLA_RTA(info); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		struct rtnl_link_stats64 s;

		switch (a->rta_type) {
		case IFLA_MTU:
			memcpy(&out->mtu, RTA_DATA(a), sizeof(out->mtu));
			break;
		case IFLA_NUM_TX_QUEUES:
			memcpy(&out->nr_queues, RTA_DATA(a), sizeof(out->nr_queues));
			break;
		case IFLA_NUM_RX_QUEUES:
			memcpy(&out->nr_rx_queues, RTA_DATA(a), sizeof(out->nr_rx_queues));
			break;
		case IFLA_ADDRESS:
			if (RTA_PAYLOAD(a) == sizeof(out->mac))
				memcpy(out->mac, RTA_DATA(a), sizeof(out->mac));
			break;
		case IFLA_LINKINFO:
			read_kind(a, out);
			break;
		case IFLA_STATS64:
			memcpy(&s, RTA_DATA(a),
			       RTA_PAYLOAD(a) < sizeof(s) ? RTA_PAYLOAD(a) : sizeof(s));
			out->tx_packets = s.tx_packets;
			out->tx_bytes = s.tx_bytes;
			out->tx_dropped = s.tx_dropped;
			out->tx_errors = s.tx_errors;
			out->rx_packets = s.rx_packets;
			break;
		default:
			break;
		}
	}
}

static int ask(int fd, const char *ifname, void *answer, size_t room)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		struct rtattr attr;
		char name[IFNAMSIZ];
	} q = {
		.head = {.nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
		.attr = {.rta_type = IFLA_IFNAME},
	};

	strncpy(q.name, ifname, sizeof(q.name) - 1);
	q.attr.rta_len = (unsigned short)RTA_LENGTH(strlen(q.name) + 1);
	q.head.nlmsg_len =
		NLMSG_LENGTH(sizeof(q.info)) + (unsigned)RTA_ALIGN(RTA_LENGTH(sizeof(q.name)));
	if (send(fd, &q, q.head.nlmsg_len, 0) < 0)
		return -errno;
	ssize_t n = recv(fd, answer, room, 0);

	return n < 0 ? -errno : (int)n;
}

int pg_link_read(const char *ifname, struct pg_link *out)
{
	static const struct pg_link none;
	_Alignas(struct nlmsghdr) char answer[32768] = {0};
	int fd, n;

	*out = none;
	if (strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	n = ask(fd, ifname, answer, sizeof(answer));
	close(fd);
	if (n < 0)
		return n;
	struct nlmsghdr *m = (void *)answer;

	if (!NLMSG_OK(m, (unsigned)n))
		return -EPROTO;
	if (m->nlmsg_type == NLMSG_ERROR) {
		struct nlmsgerr *e = NLMSG_DATA(m);

		return e->error ? e->error : -EPROTO;
	}
	struct ifinfomsg *info = NLMSG_DATA(m);

	out->ifindex = info->ifi_index;
	out->type = info->ifi_type;
	out->up = info->ifi_flags & IFF_UP;
	out->running = info->ifi_flags & IFF_UP && info->ifi_flags & IFF_RUNNING;
	read_attributes(m, out);
	if (out->nr_queues == 0)
		out->nr_queues = 1;
	if (out->nr_rx_queues == 0)
		out->nr_rx_queues = 1;
	return 0;
}

void pg_link_addresses(const char *ifname, struct pg_link *out)
{
	struct ifaddrs *all;

	if (getifaddrs(&all))
		return;
	for (struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (!a->ifa_addr || strcmp(a->ifa_name, ifname) != 0)
			continue;
		if (a->ifa_addr->sa_family == AF_INET && out->addr == 0) {
			struct sockaddr_in in;

			memcpy(&in, a->ifa_addr, sizeof(in));
			out->addr = ntohl(in.sin_addr.s_addr);
		} else if (a->ifa_addr->sa_family == AF_INET6) {
			struct sockaddr_in6 in6;

			memcpy(&in6, a->ifa_addr, sizeof(in6));
			if (IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr))
				out->addr6 = in6.sin6_addr;
		}
	}
	freeifaddrs(all);
}

bool pg_link_tx_sharing(const struct pg_link *link)
{
	static const char *const without[] = {"veth",	 "tun",	   "vlan", "bridge", "macvlan",
					      "macvtap", "ipvlan", "bond", "team",   "vxlan"};

	if (link->type != ARPHRD_ETHER)
		return false;
	for (unsigned i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strcmp(link->kind, without[i]))
			return false;
	return true;
}

int pg_link_trouble(const char *ifname, const struct pg_link *before, char why[128])
{
	struct pg_link now;

	if (pg_link_read(ifname, &now) || now.ifindex != before->ifindex) {
		snprintf(why, 128, "%s is gone", ifname);
		return -ENODEV;
	}
	if (now.running)
		return 0;
	if (now.up)
		snprintf(why, 128, "%s has no carrier (is the other end up?)", ifname);
	else
		snprintf(why, 128, "%s is down: \"ip link set dev %s up\"", ifname, ifname);
	return -ENETDOWN;
}

/* SPDX-License-Identifier: MIT */
/* What the kernel says of a network device, asked through rtnetlink in the calling thread's netns.
 */
#ifndef UPKTGEN_TRANSMIT_LINK_H
#define UPKTGEN_TRANSMIT_LINK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct pg_link {
	int ifindex;
	unsigned mtu, nr_queues, nr_rx_queues;
	unsigned type; /* ARPHRD_* */
	bool up;       /* set up by the administrator */
	bool running;  /* and its carrier is there */
	char kind[16]; /* "veth", "tun", ...; empty for hardware and lo */
	uint8_t mac[6];
	uint64_t tx_packets, tx_bytes, tx_dropped, tx_errors, rx_packets;
	uint32_t addr;	       /* first IPv4 address, host order, 0 if none */
	struct in6_addr addr6; /* link-local address, all 0 if none */
};

/* 0, -ENODEV, or another -errno. The addresses are left 0. */
int pg_link_read(const char *ifname, struct pg_link *out);
/* Fills in the two addresses. */
void pg_link_addresses(const char *ifname, struct pg_link *out);
/* Kernel: IFF_TX_SKB_SHARING, which user space isn't told; by the kind of driver. */
bool pg_link_tx_sharing(const struct pg_link *link);

/*
 * Is the device gone, down or without carrier since before was read? 0, or -ENODEV / -ENETDOWN and
 * why, with the cure.
 */
int pg_link_trouble(const char *ifname, const struct pg_link *before, char why[128]);

#endif

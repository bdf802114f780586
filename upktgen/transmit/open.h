/* SPDX-License-Identifier: MIT */
/* Sockets and files that need a right to be opened: by the opener, where there is one. */
#ifndef UPKTGEN_TRANSMIT_OPEN_H
#define UPKTGEN_TRANSMIT_OPEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "privilege/ask.h"

extern const struct pg_op pg_op_packet, pg_op_xsk, pg_op_udp, pg_op_tap;

/* Each: a descriptor, or -errno. */

/* A packet socket that sends on the device and receives nothing. sndbuf: in bytes, 0: much. */
int pg_open_packet(const char *ifname, bool bypass_qdisc, uint32_t priority, uint32_t sndbuf);
/* An AF_XDP socket, not bound yet. */
int pg_open_xsk(const char *ifname);
/* A UDP socket bound to the device and to this source. */
int pg_open_udp(const char *ifname, const struct sockaddr_in6 *from, uint32_t priority);
/* The file of a tap device, which is made if it is not there, and up. */
int pg_open_tap(const char *ifname);

#endif

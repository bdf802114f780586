/* SPDX-License-Identifier: MIT */
/* Addresses as the kernel reads and prints them. */
#ifndef UPKTGEN_COMMAND_ADDRESS_H
#define UPKTGEN_COMMAND_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define PG_ADDR_TEXT 64

/* xx:xx:xx:xx:xx:xx at the front of text; *mac is untouched unless it is one. */
bool pg_mac_read(const char *text, uint8_t mac[6]);
const char *pg_mac_print(const uint8_t mac[6], char out[PG_ADDR_TEXT]);

/* "a.b.c.d" and nothing else. */
bool pg_ip4_is(const char *text);
const char *pg_ip4_print(uint32_t addr, char out[PG_ADDR_TEXT]);

/* Compressed; only mapped addresses end in dotted form. */
const char *pg_ip6_print(const struct in6_addr *addr, char out[PG_ADDR_TEXT]);

#endif

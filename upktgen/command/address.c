// SPDX-License-Identifier: MIT
#include "command/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool pg_mac_read(const char *text, uint8_t mac[6])
{
	unsigned b[6];
	int n = 0;

	for (int i = 0; i < 17; i++)
		if (i % 3 == 2 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return false;
	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &n) != 6 ||
	    n != 17)
		return false;
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	return true;
}

const char *pg_mac_print(const uint8_t mac[6], char out[PG_ADDR_TEXT])
{
	snprintf(out, PG_ADDR_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		 mac[4], mac[5]);
	return out;
}

bool pg_ip4_is(const char *text)
{
	struct in_addr a;

	return inet_pton(AF_INET, text, &a) == 1;
}

const char *pg_ip4_print(uint32_t addr, char out[PG_ADDR_TEXT])
{
	snprintf(out, PG_ADDR_TEXT, "%u.%u.%u.%u", addr >> 24, addr >> 16 & 255, addr >> 8 & 255,
		 addr & 255);
	return out;
}

/* The longest run of at least two zero words, the first of several; its length is 0 for none. */
static int longest_zeros(const uint16_t w[8], int *length)
{
	int best = 0;

	*length = 0;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && !w[i + n])
			n++;
		if (n > 1 && n > *length) {
			best = i;
			*length = n;
		}
	}
	return best;
}

const char *pg_ip6_print(const struct in6_addr *addr, char out[PG_ADDR_TEXT])
{
	const uint8_t *b = addr->s6_addr;
	uint16_t w[8];
	int zeros, length, n = 0;

	if (IN6_IS_ADDR_V4MAPPED(addr)) {
		snprintf(out, PG_ADDR_TEXT, "::ffff:%u.%u.%u.%u", b[12], b[13], b[14], b[15]);
		return out;
	}
	for (int i = 0; i < 16; i += 2)
		w[i / 2] = (uint16_t)(b[i] << 8 | b[i + 1]);
	zeros = longest_zeros(w, &length);
	for (int i = 0; i < 8; i++) {
		if (length && i == zeros) {
			n += snprintf(out + n, PG_ADDR_TEXT - (size_t)n, "::");
			i += length - 1;
			continue;
		}
		n += snprintf(out + n, PG_ADDR_TEXT - (size_t)n, "%s%x",
			      i && !(length && i == zeros + length) ? ":" : "", w[i]);
	}
	return out;
}

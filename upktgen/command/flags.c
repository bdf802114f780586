// SPDX-License-Identifier: MIT
#include "command/flags.h"

#include <stdio.h>
#include <string.h>

#include "packet/config.h"

const char *const pg_flag_names[PG_NR_FLAGS] = {
	"IPV6",		 "IPSRC_RND", "IPDST_RND",    "TXSIZE_RND", "UDPSRC_RND",
	"UDPDST_RND",	 "UDPCSUM",   "NO_TIMESTAMP", "MPLS_RND",   "QUEUE_MAP_RND",
	"QUEUE_MAP_CPU", "FLOW_SEQ",  "IPSEC",	      "MACSRC_RND", "MACDST_RND",
	"VID_RND",	 "SVID_RND",  "NODE",	      "SHARED",
};

uint32_t pg_flag_read(const char *text, bool *clear)
{
	*clear = *text == '!';
	if (*clear)
		text++;
	if (!strcmp(text, "FLOW_RND")) { /* the other half of FLOW_SEQ */
		*clear = !*clear;
		return PG_FLOW_SEQ;
	}
	for (uint32_t i = 0; i < PG_NR_FLAGS; i++) {
		if (strcmp(text, pg_flag_names[i]) != 0)
			continue;
		if (1u << i == PG_IPV6 && !*clear) /* only an IPv6 address turns it on */
			return 0;
		return 1u << i;
	}
	return 0;
}

void pg_flag_list(char *out, size_t size)
{
	size_t n = 0;

	*out = 0;
	for (uint32_t i = 0; i < PG_NR_FLAGS && n < size; i++)
		if (1u << i != PG_IPSEC)
			n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "",
					      pg_flag_names[i]);
}

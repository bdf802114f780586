/* SPDX-License-Identifier: MIT */
/* Files of a machine that is played through the topology root. */
#ifndef WW_TESTS_TOPOLOGY_H
#define WW_TESTS_TOPOLOGY_H

#include <stdio.h>

#include "tap.h"

/* NAME below ROOT/devices/system says TEXT. */
static inline void put(const char *root, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/devices/system/%s", root, name);
	FILE *f = fopen(path, "we");

	CHECK(f);
	fputs(text, f);
	fclose(f);
}

#endif

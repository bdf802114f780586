// SPDX-License-Identifier: MIT
#include "transmit/backend.h"

#include <string.h>

const struct pg_backend *const pg_backends[] = {
	&pg_backend_packet,
	&pg_backend_null,
	NULL,
};

const struct pg_backend *pg_backend_find(const char *name, const char **arg)
{
	size_t len = strcspn(name, ":");

	*arg = name[len] ? name + len + 1 : NULL;
	for (unsigned i = 0; pg_backends[i]; i++)
		if (strlen(pg_backends[i]->name) == len &&
		    !strncmp(pg_backends[i]->name, name, len))
			return pg_backends[i];
	return NULL;
}

const struct pg_backend *pg_backend_choose(const char *ifname, char why[PG_WHY])
{
	for (unsigned i = 0; i < PG_BACKENDS_BY_ITSELF; i++)
		if (pg_backends[i]->probe(ifname, why) == 0)
			return pg_backends[i];
	return NULL;
}

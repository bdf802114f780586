// SPDX-License-Identifier: MIT
#include "receive/flows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { SLOTS = 4 * PG_FLOWS_MAX };

int pg_flows_init(struct pg_flows *f)
{
	memset(f, 0, sizeof(*f));
	f->flow = ww_alloc(PG_FLOWS_MAX * sizeof(f->flow[0])); /* touched as flows come */
	f->slot = ww_alloc(SLOTS * sizeof(f->slot[0]));
	if (f->flow && f->slot)
		return 0;
	pg_flows_free(f);
	return -ENOMEM;
}

void pg_flows_free(struct pg_flows *f)
{
	ww_free(f->flow);
	ww_free(f->slot);
	f->flow = NULL;
	f->slot = NULL;
}

/* Where the key stands, or would. */
static uint32_t *slot_of(const struct pg_flows *f, uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 20) % SLOTS;

	while (f->slot[i] && f->flow[f->slot[i] - 1].key != key)
		i = (i + 1) % SLOTS;
	return &f->slot[i];
}

struct pg_flow *pg_flows_find(const struct pg_flows *f, uint64_t key)
{
	uint32_t at = *slot_of(f, key);

	return at ? &f->flow[at - 1] : NULL;
}

struct pg_flow *pg_flows_get(struct pg_flows *f, uint64_t key)
{
	uint32_t *slot = slot_of(f, key);

	if (*slot)
		return &f->flow[*slot - 1];
	if (f->nr == PG_FLOWS_MAX)
		return NULL;
	f->flow[f->nr].key = key;
	*slot = ++f->nr;
	return &f->flow[f->nr - 1];
}

const char *pg_flow_name(const struct pg_flow *f, char out[112])
{
	const struct pg_flow_id *id = &f->id;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	if (id->version == 0) {
		snprintf(out, 112, "flow %016" PRIx64, f->key);
		return out;
	}
	inet_ntop(id->version == 4 ? AF_INET : AF_INET6, id->src, src, sizeof(src));
	inet_ntop(id->version == 4 ? AF_INET : AF_INET6, id->dst, dst, sizeof(dst));
	snprintf(out, 112, id->version == 4 ? "%s:%u > %s:%u" : "[%s]:%u > [%s]:%u", src, id->sport,
		 dst, id->dport);
	return out;
}

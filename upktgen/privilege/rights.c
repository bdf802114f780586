// SPDX-License-Identifier: MIT
#include "privilege/rights.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

static bool had[CAP_LAST_CAP + 1];

int pg_rights_begin(void)
{
	if (getauxval(AT_SECURE)) {
		fputs("upktgen: it is installed set-user-ID, set-group-ID or with file "
		      "capabilities, and refuses to run so: whoever starts it must have the rights "
		      "himself (SECURITY.md)\n",
		      stderr);
		return -EPERM;
	}
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++)
		had[cap] = capng_have_capability(CAPNG_EFFECTIVE, cap);
	return 0;
}

bool pg_rights_had(unsigned cap)
{
	return cap <= CAP_LAST_CAP && had[cap];
}

bool pg_rights_unconfined(void)
{
	const char *asked = getenv("UPKTGEN_UNCONFINED");

	return asked && !strcmp(asked, "1");
}

int pg_rights_keep(const unsigned *caps, unsigned n)
{
	bool keep[CAP_LAST_CAP + 1] = {false}, may_bound;

	capng_get_caps_process(); /* as they are now: a user namespace brings some */
	may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	for (unsigned i = 0; i < n; i++)
		keep[caps[i]] = capng_have_capability(CAPNG_EFFECTIVE, caps[i]);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (keep[cap])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, cap);
	/* Who may not empty the bounding set has nothing that it could let through. */
	if (may_bound && capng_apply(CAPNG_SELECT_BOUNDS))
		return -EPERM;
	if (capng_apply(CAPNG_SELECT_AMBIENT) || capng_apply(CAPNG_SELECT_CAPS))
		return -EPERM;
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "base/debug.h"

#include "base/lock.h"
#include "base/report.h"
#include "wheelwork/base.h"

#define CHECKS_MAX 16

static bool enabled;
static struct ww_lock lock;
static int (*checks[CHECKS_MAX])(void); /* lock; entries below nr_checks never change */
static unsigned nr_checks;

void ww_debug_register(int (*check)(void))
{
	ww_lock(&lock);
	if (nr_checks < CHECKS_MAX) {
		checks[nr_checks] = check;
		ww_store_release(&nr_checks, nr_checks + 1); /* pairs: DEBUG-1 */
	}
	ww_unlock(&lock);
}

bool ww_debug_enabled(void)
{
	return ww_unlikely(ww_load_relaxed(&enabled));
}

WW_EXPORT void ww_debug_enable(bool on)
{
	ww_store_relaxed(&enabled, on);
}

WW_EXPORT int ww_debug_check(void)
{
	unsigned n = ww_load_acquire(&nr_checks); /* pairs: DEBUG-1 */
	int faults = 0;

	for (unsigned i = 0; i < n; i++)
		faults += checks[i]();
	return faults;
}

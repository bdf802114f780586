/* SPDX-License-Identifier: MIT */
/* The lock whose release is a plain store. */
#include "sim/sim_programs.h"

#include "base/light_lock.h"

static SIM_STATE struct ww_light_lock light;
static SIM_STATE unsigned count;

static void take_light_lock(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		ww_light_lock(&light);
		unsigned c = count;
		sim_step("inside");
		count = c + 1;
		ww_light_unlock(&light);
	}
}

static void light_locks(void)
{
	struct ww_os_thread a, b;

	ww_membarrier_available();
	a = sim_thread(take_light_lock, NULL);
	b = sim_thread(take_light_lock, NULL);
	sim_go();
	ww_os_thread_join(&a);
	ww_os_thread_join(&b);
	SIM_CHECK(count == 4);
}

SIM_PROGRAM(a_light_lock_excludes_and_wakes, 2, 1000)
{
	light_locks();
}

SIM_PROGRAM_WITHOUT_MEMBARRIER(a_light_lock_without_membarrier_excludes_and_wakes, 2, 500)
{
	light_locks();
}

/* SPDX-License-Identifier: MIT */
/* Readers against a grace period. */
#include "sim/sim_programs.h"

#include "wheelwork/rcu.h"

static SIM_STATE uint32_t current, gone[3];

static void reads_twice(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		ww_rcu_read_lock();
		uint32_t *object = &gone[ww_load_relaxed(&current)];
		SIM_CHECK(!ww_load_relaxed(object));
		ww_rcu_read_lock();
		sim_step("inside");
		ww_rcu_read_unlock();
		SIM_CHECK(!ww_load_relaxed(object));
		ww_rcu_read_unlock();
	}
}

static void replace_twice(void)
{
	struct ww_os_thread t = sim_thread(reads_twice, NULL);

	/* Enrolled now, so that both have a word from the start. */
	ww_rcu_read_lock();
	ww_rcu_read_unlock();
	sim_go();
	for (uint32_t i = 0; i < 2; i++) {
		ww_store_relaxed(&current, i + 1);
		ww_synchronize_rcu();
		ww_store_relaxed(&gone[i], 1u);
	}
	ww_os_thread_join(&t);
}

SIM_PROGRAM(a_grace_period_waits_for_every_reader, 2, 2000)
{
	replace_twice();
}

SIM_PROGRAM_WITHOUT_MEMBARRIER(a_grace_period_without_membarrier_waits_too, 2, 2000)
{
	replace_twice();
}

/* SPDX-License-Identifier: MIT */
/* Locks, and the simulator itself. */
#include "sim/sim_programs.h"

#include "base/futex.h"
#include "base/lock.h"
#include "base/membarrier.h"

static SIM_STATE uint32_t x, y, seen_x, seen_y;

static void store_x_read_y(void *arg)
{
	(void)arg;
	ww_store_release(&x, 1u);
	seen_y = ww_load_acquire(&y);
}

/*
 * What x86 does, and so what the simulator must show: both threads miss the other's store. The
 * programs that fail are there to see that such faults are found.
 */
static void two_threads_store_and_read(void)
{
	struct ww_os_thread t = sim_thread(store_x_read_y, NULL);

	sim_go();
	ww_store_release(&y, 1u);
	seen_x = ww_load_acquire(&x);
	ww_os_thread_join(&t);
	SIM_CHECK(seen_x || seen_y);
}

SIM_PROGRAM_FAILS(stores_wait_in_a_buffer, 2, 0)
{
	two_threads_store_and_read();
}

static void exchange_x_read_y(void *arg)
{
	(void)arg;
	ww_xchg(&x, 1u);
	seen_y = ww_load_acquire(&y);
}

SIM_PROGRAM(exchanges_do_not_wait_in_a_buffer, 4, 200)
{
	struct ww_os_thread t = sim_thread(exchange_x_read_y, NULL);

	sim_go();
	ww_xchg(&y, 1u);
	seen_x = ww_load_acquire(&x);
	ww_os_thread_join(&t);
	SIM_CHECK(seen_x || seen_y);
}

SIM_PROGRAM(a_barrier_by_one_thread_serves_both, 3, 500)
{
	struct ww_os_thread t;

	ww_membarrier_available();
	t = sim_thread(store_x_read_y, NULL);
	sim_go();
	ww_store_release(&y, 1u);
	ww_membarrier();
	seen_x = ww_load_acquire(&x);
	ww_os_thread_join(&t);
	SIM_CHECK(seen_x || seen_y);
}

static void wake_without_telling(void *arg)
{
	(void)arg;
	/* The value is not changed before the wake-up: the sleeper may come too late. */
	ww_futex_wake(&x, 1);
	ww_store_release(&x, 1u);
}

SIM_PROGRAM_FAILS(a_lost_wake_up_is_found, 2, 0)
{
	struct ww_os_thread t = sim_thread(wake_without_telling, NULL);

	sim_go();
	while (!ww_load_acquire(&x))
		ww_futex_wait(&x, 0, WW_FOREVER);
	ww_os_thread_join(&t);
}

static SIM_STATE struct ww_lock lock;
static SIM_STATE unsigned count;

static void take_lock(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		ww_lock(&lock);
		unsigned c = count;
		sim_step("inside");
		count = c + 1;
		ww_unlock(&lock);
	}
}

SIM_PROGRAM(a_lock_excludes_and_wakes, 2, 1500)
{
	struct ww_os_thread t[3];

	for (int i = 0; i < 3; i++)
		t[i] = sim_thread(take_lock, NULL);
	sim_go();
	for (int i = 0; i < 3; i++)
		ww_os_thread_join(&t[i]);
	SIM_CHECK(count == 6);
}

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
	seen_y = ww_load_seq_cst(&y);
}

SIM_PROGRAM(exchanges_do_not_wait_in_a_buffer, 4, 200)
{
	struct ww_os_thread t = sim_thread(exchange_x_read_y, NULL);

	sim_go();
	ww_xchg(&y, 1u);
	seen_x = ww_load_seq_cst(&x);
	ww_os_thread_join(&t);
	SIM_CHECK(seen_x || seen_y);
}

static void exchange_x_glance_at_y(void *arg)
{
	(void)arg;
	ww_xchg(&x, 1u);
	seen_y = ww_load_acquire(&y);
}

/* Not on x86: that an exchange is a full barrier for whatever load follows. */
SIM_PROGRAM_FAILS(a_load_behind_an_exchange_must_be_seq_cst_too, 4, 0)
{
	struct ww_os_thread t = sim_thread(exchange_x_glance_at_y, NULL);

	sim_go();
	ww_xchg(&y, 1u);
	seen_x = ww_load_acquire(&x);
	ww_os_thread_join(&t);
	SIM_CHECK(seen_x || seen_y);
}

static void store_x_then_y(void *arg)
{
	(void)arg;
	ww_store_relaxed(&x, 1u);
	ww_store_relaxed(&y, 1u);
}

static void store_x_then_release_y(void *arg)
{
	(void)arg;
	ww_store_relaxed(&x, 1u);
	ww_store_release(&y, 1u);
}

static void read_y_then_x(void (*stores)(void *))
{
	struct ww_os_thread t = sim_thread(stores, NULL);

	sim_go();
	if (ww_load_acquire(&y))
		SIM_CHECK(ww_load_relaxed(&x));
	ww_os_thread_join(&t);
}

SIM_PROGRAM_FAILS(stores_change_places_without_a_release, 4, 0)
{
	read_y_then_x(store_x_then_y);
}

SIM_PROGRAM(a_release_comes_after_what_was_stored_before, 4, 200)
{
	read_y_then_x(store_x_then_release_y);
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

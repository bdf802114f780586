/* SPDX-License-Identifier: MIT */
/*
 * Virtual time moves on only when every thread of the library sleeps. One that is awake is found by
 * its state word; that none was woken while the words were read is found by a count of wake-ups,
 * which goes up before each. A thread that others made is not waited for, and one that never sleeps
 * holds time still. Legend: all words here are atomic.
 */
#include "base/futex.h"
#include "thread/thread.h"
#include "timer/clock.h"
#include "timer/virtual.h"

uint32_t ww_rest_kept;
uint32_t ww_rest_awaited;
uint32_t ww_rest_wakes;
static uint32_t reached; /* futex of who waits */

void ww_rest_reached(void)
{
	ww_fetch_add(&reached, 1u); /* pairs: THREAD-9 */
	ww_futex_wake(&reached, INT32_MAX);
}

static void count_awake(struct ww_thread *t, void *arg)
{
	unsigned *awake = arg;
	/* Nothing is changed, but the place in the word's order of changes counts. */
	uint32_t s = ww_fetch_or(&t->state, 0u); /* pairs: THREAD-9 */

	if (t == ww_task || (ww_load_relaxed(&t->flags) & WW_TF_FOREIGN) ||
	    (s & (WW_TASK_ASLEEP | WW_TASK_DEAD)))
		return;
	(*awake)++;
}

/* Has everybody come to rest, at one and the same moment? */
static bool all_asleep(void)
{
	uint32_t wakes = ww_load_acquire(&ww_rest_wakes); /* pairs: THREAD-9 */
	unsigned awake = 0;

	ww_task_for_each(count_awake, &awake);
	return !awake && ww_load_acquire(&ww_rest_wakes) == wakes; /* pairs: THREAD-9 */
}

static bool come_to_rest(void *arg)
{
	bool waited = false;

	(void)arg;
	ww_xchg(&ww_rest_awaited, 1u);
	for (;;) {
		uint32_t seen = ww_load_acquire(&reached); /* pairs: THREAD-9 */
		uint32_t wakes = ww_load_acquire(&ww_rest_wakes);

		if (all_asleep())
			break;
		waited = true;
		/* Nobody awake, but somebody was woken: look again rather than sleep. */
		if (ww_load_acquire(&ww_rest_wakes) == wakes)
			ww_futex_wait(&reached, seen, WW_FOREVER);
	}
	ww_store_relaxed(&ww_rest_awaited, 0u);
	return waited;
}

void ww_rest_start(void)
{
	if (!ww_clock_is_virtual())
		return;
	ww_store_relaxed(&ww_rest_kept, 1u);
	ww_virtual_register_quiesce(come_to_rest, NULL);
}

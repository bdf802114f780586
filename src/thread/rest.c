/* SPDX-License-Identifier: MIT */
/*
 * Virtual time moves on only when every thread of the library sleeps. One that is awake is found by
 * its state word; that none was woken while the words were read is found by a count of wake-ups,
 * which goes up before each. A thread that others made is not waited for, and one that never sleeps
 * holds time still. Legend: (R) word_lock; all other words here are atomic.
 *
 * A thread in ww_rest_wait() rests while the word it waits for has not changed. Who changes it
 * counts no wake-up, so everybody is looked at twice: whoever changed a word after the first look
 * at its waiter was itself awake then, and came to rest before its own first look was over; the
 * second look finds the waiter awake, or, if that has gone to rest again, the count of naps changed.
 */
#include "base/futex.h"
#include "base/lock.h"
#include "thread/thread.h"
#include "timer/clock.h"
#include "timer/virtual.h"

uint32_t ww_rest_kept;
uint32_t ww_rest_awaited;
uint32_t ww_rest_wakes;
static uint32_t reached; /* futex of who waits */
static uint32_t naps;	 /* one for each wait below, before it */
static struct ww_lock word_lock;

void ww_rest_reached(void)
{
	ww_fetch_add(&reached, 1u); /* pairs: THREAD-9 */
	ww_futex_wake(&reached, INT32_MAX);
}

static void rest_on(struct ww_thread *t, uint32_t *word, uint32_t expected)
{
	ww_lock(&word_lock);
	t->rest_word = word;
	t->rest_expected = expected;
	ww_unlock(&word_lock);
}

void ww_rest_wait(uint32_t *word, uint32_t expected)
{
	struct ww_thread *t = ww_task;

	if (!t || !ww_load_relaxed(&ww_rest_kept)) {
		ww_futex_wait(word, expected, WW_FOREVER);
		return;
	}
	ww_fetch_add(&naps, 1u);
	rest_on(t, word, expected);
	if (ww_load_seq_cst(&ww_rest_awaited))
		ww_rest_reached();
	ww_futex_wait(word, expected, WW_FOREVER);
	/* From here on the word may be gone: nobody looks at it any more. */
	rest_on(t, NULL, 0);
}

static bool rests_on_word(const struct ww_thread *t)
{
	bool rests;

	ww_lock(&word_lock);
	rests = t->rest_word && ww_load_acquire(t->rest_word) == t->rest_expected;
	ww_unlock(&word_lock);
	return rests;
}

static void count_awake(struct ww_thread *t, void *arg)
{
	unsigned *awake = arg;
	/* Nothing is changed, but the place in the word's order of changes counts. */
	uint32_t s = ww_fetch_or(&t->state, 0u); /* pairs: THREAD-9 */

	if (t == ww_task || (ww_load_relaxed(&t->flags) & WW_TF_FOREIGN) ||
	    (s & (WW_TASK_ASLEEP | WW_TASK_DEAD)) || rests_on_word(t))
		return;
	(*awake)++;
}

/* What goes up with each change that a look at all threads could miss. */
static uint64_t changes(void)
{
	return (uint64_t)ww_load_seq_cst(&naps) << 32 |
	       ww_load_acquire(&ww_rest_wakes); /* pairs: THREAD-9 */
}

/* Has everybody come to rest, at one and the same moment? */
static bool all_asleep(void)
{
	uint64_t before = changes();
	unsigned awake = 0;

	for (int look = 0; look < 2 && !awake; look++)
		ww_task_for_each(count_awake, &awake);
	return !awake && changes() == before;
}

static bool come_to_rest(void *arg)
{
	bool waited = false;

	(void)arg;
	ww_xchg(&ww_rest_awaited, 1u);
	for (;;) {
		uint32_t seen = ww_load_acquire(&reached); /* pairs: THREAD-9 */
		uint64_t before = changes();

		if (all_asleep())
			break;
		waited = true;
		/* Nobody awake, but somebody was woken: look again rather than sleep. */
		if (changes() == before)
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

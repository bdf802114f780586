/* SPDX-License-Identifier: MIT */
/*
 * The control word. Legend: (B) atomic RMW by anyone, read relaxed by the loop; the wait queue has
 * its own letters.
 *
 * A poster changes the word and then looks whether somebody queues; a waiter queues and then looks
 * at the word, by a read-modify-write of it. The word has one order of changes: if the post comes
 * first the waiter sees the bits, else the post acquires the waiter's queueing and wakes it.
 */
#include "base/clock.h"
#include "base/futex.h"
#include "thread/thread.h"
#include "thread/wait.h"
#include "wheelwork/control.h"

struct control {
	uint32_t word;	   /* (B) */
	struct ww_waitq q; /* of both kinds of waiters */
};

_Static_assert(sizeof(struct control) <= sizeof(struct ww_control), "public size");

#define inside(c) ((struct control *)(void *)(c))

WW_EXPORT void ww_control_init(struct ww_control *control)
{
	*control = (struct ww_control){{0}};
}

static void wake_waiters(struct control *c)
{
	if (ww_load_relaxed(&c->q.first))
		ww_wake_up_all((struct ww_wait_queue_head *)(void *)&c->q);
}

WW_EXPORT uint32_t ww_control_post(struct ww_control *control, uint32_t bits)
{
	struct control *c = inside(control);
	uint32_t before = ww_fetch_or(&c->word, bits); /* pairs: THREAD-7 */

	wake_waiters(c);
	return before & bits;
}

WW_EXPORT uint32_t ww_control_peek(const struct ww_control *control)
{
	return ww_load_relaxed(&((const struct control *)(const void *)control)->word);
}

WW_EXPORT uint32_t ww_control_take(struct ww_control *control, uint32_t bits)
{
	struct control *c = inside(control);
	uint32_t before = ww_fetch_and(&c->word, ~bits); /* pairs: THREAD-7 */

	wake_waiters(c);
	return before & bits;
}

struct control_wait {
	struct control *c;
	uint32_t bits;
	bool until_taken;
};

static bool satisfied(const struct control_wait *w, uint32_t *seen)
{
	/* Nothing is changed, but the place in the word's order of changes counts. */
	*seen = ww_fetch_or(&w->c->word, 0u) & w->bits; /* pairs: THREAD-7 */
	return w->until_taken ? !*seen : *seen != 0;
}

/* Sleeps in slices of either clock; *left and deadline_ns say how long. Returns the bits seen. */
static uint32_t wait_common(const struct control_wait *w, int64_t left, uint64_t deadline_ns)
{
	struct ww_wait_queue_head *q = (struct ww_wait_queue_head *)(void *)&w->c->q;
	struct ww_wait_queue_entry entry;
	const unsigned state = WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE;
	bool in_time = true;
	uint32_t seen;

	ww_might_sleep("ww_control_wait");
	ww_init_wait(&entry);
	for (;;) {
		int stop = ww_prepare_to_wait_event(q, &entry, state);

		if (satisfied(w, &seen) || stop || !in_time)
			break;
		if (!w->until_taken && ww_thread_should_park())
			break;
		if (deadline_ns != WW_FOREVER) {
			in_time = ww_schedule_until(deadline_ns);
		} else {
			left = ww_schedule_timeout(left);
			in_time = left != 0;
		}
	}
	ww_finish_wait(q, &entry);
	return seen;
}

WW_EXPORT uint32_t ww_control_wait(struct ww_control *control, uint32_t bits, int64_t timeout)
{
	struct control_wait w = {inside(control), bits, false};

	return wait_common(&w, timeout, WW_FOREVER);
}

WW_EXPORT uint32_t ww_control_wait_until(struct ww_control *control, uint32_t bits,
					 uint64_t deadline_ns)
{
	struct control_wait w = {inside(control), bits, false};

	return wait_common(&w, WW_MAX_TIMEOUT, deadline_ns);
}

WW_EXPORT bool ww_control_wait_taken(struct ww_control *control, uint32_t bits, int64_t timeout)
{
	struct control_wait w = {inside(control), bits, true};

	return wait_common(&w, timeout, WW_FOREVER) == 0;
}

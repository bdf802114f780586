/* SPDX-License-Identifier: MIT */
/*
 * Entries of wait queues with the kernel's fields. What the library can do with an entry alone
 * (wake its thread, with or without taking it off) it does; for any other function there is one of
 * ours in between.
 *
 * Letters: (A) atomic: the waker under the queue's lock, the waiter without; the rest of an entry
 * is its owner's until it is queued.
 */
#include "support.h"

#include <linux/kthread.h>
#include <linux/wait.h>

static __thread void *key_now; /* of the wake-up that this thread is in */

static bool call_func(struct ww_wait_queue_entry *inner, unsigned mode)
{
	struct wait_queue_entry *entry =
		ww_linux_container_of(inner, struct wait_queue_entry, ww_entry);
	void *key = key_now;
	bool woke;

	key_now = NULL; /* what the function wakes in turn has none */
	woke = entry->func(entry, mode, 0, key) != 0;
	key_now = key;
	return woke;
}

WW_LINUX_EXPORT int ww_linux_wake_up(struct ww_wait_queue_head *q, unsigned mode, int nr, void *key)
{
	void *before = key_now;
	int woken;

	key_now = key;
	woken = ww_wake_up_mode(q, mode, nr);
	key_now = before;
	return woken;
}

WW_LINUX_EXPORT int ww_linux_default_wake(struct wait_queue_entry *entry, unsigned mode, int flags,
					  void *key)
{
	(void)flags;
	(void)key;
	return ww_linux_wake_up_state(entry->private, mode);
}

/* The entry's owner may be gone once it is off the queue. */
WW_LINUX_EXPORT int ww_linux_autoremove_wake(struct wait_queue_entry *entry, unsigned mode,
					     int flags, void *key)
{
	int woke = ww_linux_default_wake(entry, mode, flags, key);

	if (woke)
		ww_remove_wait_queue_locked(entry->ww_queue, &entry->ww_entry);
	return woke;
}

WW_LINUX_EXPORT int ww_linux_woken_wake(struct wait_queue_entry *entry, unsigned mode, int flags,
					void *key)
{
	ww_fetch_or(&entry->flags, WQ_FLAG_WOKEN); /* (A) before it looks at the state */
	return ww_linux_default_wake(entry, mode, flags, key);
}

/* The state first, then the mark: a waker writes the mark, then looks at the state. */
WW_LINUX_EXPORT long ww_linux_wait_woken(struct wait_queue_entry *entry, unsigned mode,
					 long timeout)
{
	ww_set_current_state(mode);
	if (!(ww_load_acquire(&entry->flags) & WQ_FLAG_WOKEN) && /* (A) */
	    !kthread_should_stop_or_park())
		timeout = schedule_timeout(timeout);
	ww_set_current_state_plain(WW_TASK_RUNNING);
	ww_fetch_and(&entry->flags, ~WQ_FLAG_WOKEN); /* (A) a full barrier before the next test */
	return timeout;
}

/* Whose wake-up the library does by itself. */
static bool is_plain(const struct wait_queue_entry *entry)
{
	return (entry->func == ww_linux_autoremove_wake && entry->private == current) ||
	       entry->func == ww_linux_default_wake;
}

static void make_ready(struct wait_queue_entry *entry)
{
	const struct task_struct *task = entry->private;

	if (!is_plain(entry))
		ww_init_waitqueue_func_entry(&entry->ww_entry, call_func);
	else if (entry->func == ww_linux_default_wake)
		ww_init_waitqueue_entry(&entry->ww_entry, task->ww_thread);
	else
		ww_init_wait_entry(&entry->ww_entry, entry->flags & WQ_FLAG_EXCLUSIVE);
}
static void set_exclusive(struct wait_queue_entry *entry, bool exclusive)
{
	if (exclusive == !!(ww_load_relaxed(&entry->flags) & WQ_FLAG_EXCLUSIVE))
		return;
	if (exclusive)
		ww_fetch_or(&entry->flags, WQ_FLAG_EXCLUSIVE);
	else
		ww_fetch_and(&entry->flags, ~WQ_FLAG_EXCLUSIVE);
}

WW_LINUX_EXPORT void ww_linux_add_wait(struct ww_wait_queue_head *q, struct wait_queue_entry *entry,
				       bool exclusive)
{
	set_exclusive(entry, exclusive);
	make_ready(entry);
	entry->ww_queue = q;
	if (exclusive)
		ww_add_wait_queue_exclusive(q, &entry->ww_entry);
	else
		ww_add_wait_queue(q, &entry->ww_entry);
}

WW_LINUX_EXPORT void ww_linux_remove_wait(struct ww_wait_queue_head *q,
					  struct wait_queue_entry *entry)
{
	ww_remove_wait_queue(q, &entry->ww_entry);
	entry->ww_queue = NULL;
}

/* The queue is stored while no waker can see the entry: queued, it has been stored before. */
static void enter(struct ww_wait_queue_head *q, struct wait_queue_entry *entry)
{
	if (!entry->ww_queue)
		make_ready(entry);
	if (entry->ww_queue != q)
		entry->ww_queue = q;
}

WW_LINUX_EXPORT void ww_linux_prepare_wait(struct ww_wait_queue_head *q,
					   struct wait_queue_entry *entry, unsigned state,
					   bool exclusive)
{
	set_exclusive(entry, exclusive);
	enter(q, entry);
	if (exclusive)
		ww_prepare_to_wait_exclusive(q, &entry->ww_entry, state);
	else
		ww_prepare_to_wait(q, &entry->ww_entry, state);
}

/* The library asks the entry's thread; one with a function has none, and is this one's. */
WW_LINUX_EXPORT long ww_linux_prepare_wait_event(struct ww_wait_queue_head *q,
						 struct wait_queue_entry *entry, unsigned state)
{
	enter(q, entry);
	if (is_plain(entry))
		return ww_prepare_to_wait_event(q, &entry->ww_entry, state);
	if ((state & (WW_TASK_INTERRUPTIBLE | WW_TASK_WAKEKILL)) && ww_thread_should_stop()) {
		ww_remove_wait_queue(q, &entry->ww_entry);
		return -WW_ERESTARTSYS;
	}
	if (ww_load_relaxed(&entry->flags) & WQ_FLAG_EXCLUSIVE)
		ww_prepare_to_wait_exclusive(q, &entry->ww_entry, state);
	else
		ww_prepare_to_wait(q, &entry->ww_entry, state);
	return 0;
}

WW_LINUX_EXPORT void ww_linux_finish_wait(struct ww_wait_queue_head *q,
					  struct wait_queue_entry *entry)
{
	if (!entry->ww_queue) /* never queued: nothing to undo but the state */
		make_ready(entry);
	ww_finish_wait(q, &entry->ww_entry);
	entry->ww_queue = NULL;
}

WW_LINUX_EXPORT long ww_linux_sleep_on(struct ww_wait_queue_head *q, unsigned state, long timeout)
{
	struct ww_wait_queue_entry entry;

	ww_init_wait(&entry);
	ww_prepare_to_wait(q, &entry, state);
	timeout = schedule_timeout(timeout);
	ww_finish_wait(q, &entry);
	return timeout;
}

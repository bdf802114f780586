/* SPDX-License-Identifier: MIT */
/*
 * Wait queues. Legend: (Q) the queue's lock; (W) the waiting thread alone, before it queues;
 * (H) handed over: cleared by the waker as its last touch of the entry, which lies on the
 * waiter's stack and may be gone the moment after.
 */
#include "thread/wait.h"

#include "base/report.h"
#include "thread/thread.h"

_Static_assert(sizeof(struct ww_waitq) <= sizeof(struct ww_wait_queue_head), "public size");
_Static_assert(sizeof(struct ww_waiter) <= sizeof(struct ww_wait_queue_entry), "public size");

#define WAITER_STAYS 0x100u /* queued until removed */

#define queue_of(q)  ((struct ww_waitq *)(void *)(q))
#define waiter_of(e) ((struct ww_waiter *)(void *)(e))

static void renew(struct ww_waitq *q)
{
	ww_lock(&ww_fork_renew_lock);
	if (q->generation != ww_fork_generation) {
		ww_lock_init(&q->lock);
		ww_store_relaxed(&q->first, NULL);
		q->last = NULL;
		ww_store_release(&q->generation, ww_fork_generation); /* pairs: THREAD-10 */
	}
	ww_unlock(&ww_fork_renew_lock);
}

void ww_waitq_lock(struct ww_waitq *q)
{
	if (ww_unlikely(ww_load_acquire(&q->generation) !=
			ww_fork_generation)) /* pairs: THREAD-10 */
		renew(q);
	ww_lock(&q->lock);
}

static void insert_first(struct ww_waitq *q, struct ww_waiter *w)
{
	w->prev = NULL;
	w->next = q->first;
	if (q->first)
		q->first->prev = w;
	else
		q->last = w;
	ww_store_relaxed(&q->first, w);
	ww_store_relaxed(&w->queued, 1u);
}

static void insert_last(struct ww_waitq *q, struct ww_waiter *w)
{
	w->next = NULL;
	w->prev = q->last;
	if (q->last)
		q->last->next = w;
	else
		ww_store_relaxed(&q->first, w);
	q->last = w;
	ww_store_relaxed(&w->queued, 1u);
}

static void unlink_waiter(struct ww_waitq *q, struct ww_waiter *w)
{
	if (w->prev)
		w->prev->next = w->next;
	else
		ww_store_relaxed(&q->first, w->next);
	if (w->next)
		w->next->prev = w->prev;
	else
		q->last = w->prev;
	ww_store_release(&w->queued, 0u); /* pairs: THREAD-5 */
}

WW_EXPORT void ww_init_waitqueue_head(struct ww_wait_queue_head *queue)
{
	*queue = (struct ww_wait_queue_head){{0}};
}

WW_EXPORT void ww_init_wait_entry(struct ww_wait_queue_entry *entry, unsigned flags)
{
	*waiter_of(entry) = (struct ww_waiter){.thread = ww_task_self(), .flags = flags};
}

WW_EXPORT void ww_init_wait(struct ww_wait_queue_entry *entry)
{
	ww_init_wait_entry(entry, 0);
}

WW_EXPORT void ww_init_waitqueue_entry(struct ww_wait_queue_entry *entry, struct ww_thread *thread)
{
	*waiter_of(entry) = (struct ww_waiter){.thread = thread, .flags = WAITER_STAYS};
}

WW_EXPORT void ww_init_waitqueue_func_entry(struct ww_wait_queue_entry *entry,
					    ww_wait_queue_func func)
{
	*waiter_of(entry) = (struct ww_waiter){.func = func, .flags = WAITER_STAYS};
}

static void add(struct ww_waitq *q, struct ww_waiter *w, unsigned exclusive)
{
	w->flags = (w->flags & ~WW_WAIT_EXCLUSIVE) | exclusive;
	ww_waitq_lock(q);
	ww_waitq_add(q, w, exclusive);
	ww_waitq_unlock(q);
}

WW_EXPORT void ww_add_wait_queue(struct ww_wait_queue_head *queue,
				 struct ww_wait_queue_entry *entry)
{
	add(queue_of(queue), waiter_of(entry), 0);
}

WW_EXPORT void ww_add_wait_queue_exclusive(struct ww_wait_queue_head *queue,
					   struct ww_wait_queue_entry *entry)
{
	add(queue_of(queue), waiter_of(entry), WW_WAIT_EXCLUSIVE);
}

WW_EXPORT void ww_remove_wait_queue(struct ww_wait_queue_head *queue,
				    struct ww_wait_queue_entry *entry)
{
	struct ww_waitq *q = queue_of(queue);

	ww_waitq_lock(q);
	ww_waitq_del(q, waiter_of(entry));
	ww_waitq_unlock(q);
}

WW_EXPORT void ww_remove_wait_queue_locked(struct ww_wait_queue_head *queue,
					   struct ww_wait_queue_entry *entry)
{
	ww_waitq_del(queue_of(queue), waiter_of(entry));
}

WW_EXPORT void ww_wait_begins(void)
{
	ww_might_sleep("ww_wait_event");
}

void ww_waitq_add(struct ww_waitq *q, struct ww_waiter *w, bool exclusive)
{
	if (w->queued)
		return;
	if (exclusive)
		insert_last(q, w);
	else
		insert_first(q, w);
}

void ww_waitq_del(struct ww_waitq *q, struct ww_waiter *w)
{
	if (w->queued)
		unlink_waiter(q, w);
}

static void prepare(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry,
		    unsigned state, unsigned flags)
{
	struct ww_waitq *q = queue_of(queue);
	struct ww_waiter *w = waiter_of(entry);

	w->flags = (w->flags & ~WW_WAIT_EXCLUSIVE) | flags;
	ww_waitq_lock(q);
	ww_waitq_add(q, w, flags & WW_WAIT_EXCLUSIVE);
	ww_set_current_state(state);
	ww_waitq_unlock(q);
}

WW_EXPORT void ww_prepare_to_wait(struct ww_wait_queue_head *queue,
				  struct ww_wait_queue_entry *entry, unsigned state)
{
	prepare(queue, entry, state, 0);
}

WW_EXPORT void ww_prepare_to_wait_exclusive(struct ww_wait_queue_head *queue,
					    struct ww_wait_queue_entry *entry, unsigned state)
{
	prepare(queue, entry, state, WW_WAIT_EXCLUSIVE);
}

WW_EXPORT int ww_prepare_to_wait_event(struct ww_wait_queue_head *queue,
				       struct ww_wait_queue_entry *entry, unsigned state)
{
	struct ww_waitq *q = queue_of(queue);
	struct ww_waiter *w = waiter_of(entry);

	ww_waitq_lock(q);
	if (ww_task_interrupted(w->thread, state)) {
		/*
		 * Off the queue, so that an exclusive wake-up can't choose it any more. If one has
		 * already, the condition is true: the caller tests that first.
		 */
		ww_waitq_del(q, w);
		ww_waitq_unlock(q);
		return -WW_ERESTARTSYS;
	}
	ww_waitq_add(q, w, w->flags & WW_WAIT_EXCLUSIVE);
	ww_set_current_state(state);
	ww_waitq_unlock(q);
	return 0;
}

WW_EXPORT void ww_finish_wait(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry)
{
	struct ww_waitq *q = queue_of(queue);
	struct ww_waiter *w = waiter_of(entry);

	ww_set_current_state_plain(WW_TASK_RUNNING);
	if (!ww_load_acquire(&w->queued)) /* pairs: THREAD-5 */
		return;
	ww_waitq_lock(q);
	ww_waitq_del(q, w);
	ww_waitq_unlock(q);
}

void ww_wake_batch_flush(struct ww_wake_batch *b)
{
	for (int i = 0; i < b->n; i++)
		ww_task_kick(b->thread[i], WW_TASK_ASLEEP);
	b->n = 0;
}

/*
 * The thread is claimed and unlinked under the lock; the system call that ends its sleep follows
 * without it, so that it does not wake up only to wait for the lock. Records are type-stable, so a
 * thread that has gone on meanwhile does no harm.
 */
bool ww_waitq_wake_one(struct ww_waitq *q, struct ww_waiter *w, unsigned mode,
		       struct ww_wake_batch *b)
{
	if (w->func)
		return w->func((struct ww_wait_queue_entry *)(void *)w, mode);
	struct ww_thread *t = w->thread;
	uint32_t was = ww_task_claim(t, mode);

	if (!was)
		return false;
	if (!(w->flags & WAITER_STAYS))
		unlink_waiter(q, w);
	if (was & WW_TASK_ASLEEP) {
		if (b->n == WW_WAKE_BATCH)
			ww_wake_batch_flush(b);
		b->thread[b->n++] = t;
	}
	return true;
}

WW_EXPORT int ww_wake_up_mode(struct ww_wait_queue_head *queue, unsigned mode, int nr)
{
	struct ww_waitq *q = queue_of(queue);
	struct ww_wake_batch batch = {.n = 0};
	struct ww_waiter *next;
	int woken = 0;

	ww_waitq_lock(q);
	for (struct ww_waiter *w = q->first; w; w = next) {
		unsigned flags = w->flags;

		next = w->next;
		if (ww_waitq_wake_one(q, w, mode, &batch) && (flags & WW_WAIT_EXCLUSIVE) &&
		    ++woken == nr)
			break;
	}
	ww_waitq_unlock(q);
	ww_wake_batch_flush(&batch);
	return woken;
}

WW_EXPORT bool ww_waitqueue_active(const struct ww_wait_queue_head *queue)
{
	const struct ww_waitq *q = (const void *)queue;

	return ww_load_relaxed(&q->first) && ww_load_relaxed(&q->generation) == ww_fork_generation;
}

WW_EXPORT bool ww_wq_has_sleeper(struct ww_wait_queue_head *queue)
{
	struct ww_waitq *q = queue_of(queue);

	/*
	 * The lock, and not just a barrier: a waiter queues under it before it tests the condition,
	 * so either it is seen here or its test sees what the caller wrote. pairs: LOCK-1
	 */
	ww_waitq_lock(q);
	bool some = q->first != NULL;
	ww_waitq_unlock(q);
	return some;
}

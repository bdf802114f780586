/* SPDX-License-Identifier: MIT */
/* The inside of a wait queue, shared with completions and work flushes. Letters: wait.c. */
#ifndef WW_THREAD_WAIT_H
#define WW_THREAD_WAIT_H

#include "base/lock.h"
#include "wheelwork/wait.h"

struct ww_waiter {
	struct ww_waiter *next, *prev; /* (Q) */
	struct ww_thread *thread;      /* (W) */
	ww_wait_queue_func func;       /* (W) instead of the thread, or NULL */
	uint32_t flags;		       /* (W) WW_WAIT_EXCLUSIVE, WAITER_STAYS */
	uint32_t queued;	       /* (Q), (H) */
};

struct ww_waitq {
	struct ww_lock lock;
	uint32_t generation; /* of the process whose threads wait here: see ww_waitq_lock() */
	struct ww_waiter *first, *last; /* (Q) those that are not exclusive first */
};

/* Threads to wake once the lock is free. */
#define WW_WAKE_BATCH 16
struct ww_wake_batch {
	int n;
	struct ww_thread *thread[WW_WAKE_BATCH];
};

/*
 * After fork, a queue may hold waiters, and a lock, of threads that the child does not have, on
 * stacks that the child uses again: its first use there empties it.
 */
void ww_waitq_lock(struct ww_waitq *q);
static inline void ww_waitq_unlock(struct ww_waitq *q)
{
	ww_unlock(&q->lock);
}

/* All with the queue's lock held, but the flush. */
void ww_waitq_add(struct ww_waitq *q, struct ww_waiter *w, bool exclusive);
void ww_waitq_del(struct ww_waitq *q, struct ww_waiter *w);
bool ww_waitq_wake_one(struct ww_waitq *q, struct ww_waiter *w, unsigned mode,
		       struct ww_wake_batch *b);
void ww_wake_batch_flush(struct ww_wake_batch *b);

#endif

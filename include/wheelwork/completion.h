/* SPDX-License-Identifier: MIT */
/*
 * Completions: "this has happened" between threads. A counter with sleepers; what was done before
 * complete is seen after the wait. May lie on the waiter's stack: once a wait has returned (or
 * ww_completion_done() is true), the completing call no longer touches it.
 */
#ifndef WHEELWORK_COMPLETION_H
#define WHEELWORK_COMPLETION_H

#include <wheelwork/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 64 bytes; all zero is a valid completion that has not happened. */
struct ww_completion {
	uint64_t ww_private[8];
};

void ww_init_completion(struct ww_completion *done);
/* Only while nobody waits; needed before a new use after ww_complete_all(). */
void ww_reinit_completion(struct ww_completion *done);

/* One waiter, now or later. Any thread. */
void ww_complete(struct ww_completion *done);
/* Every waiter, now and later, until ww_reinit_completion(). Any thread. */
void ww_complete_all(struct ww_completion *done);

/* The last words of a thread: completes (NULL: nothing) and exits. kthread_complete_and_exit(). */
void ww_thread_complete_and_exit(struct ww_completion *done, int result) __attribute__((noreturn));

/* Sleeps. The interruptible and killable forms: 0, or -WW_ERESTARTSYS when a stop ends them. */
void ww_wait_for_completion(struct ww_completion *done);
int ww_wait_for_completion_interruptible(struct ww_completion *done);
int ww_wait_for_completion_killable(struct ww_completion *done);
/* Ticks: 0 if they passed, else what remains, at least 1. Interruptible: or -WW_ERESTARTSYS. */
int64_t ww_wait_for_completion_timeout(struct ww_completion *done, int64_t timeout);
int64_t ww_wait_for_completion_interruptible_timeout(struct ww_completion *done, int64_t timeout);
int64_t ww_wait_for_completion_killable_timeout(struct ww_completion *done, int64_t timeout);

/* Takes one if there is one; never sleeps. */
bool ww_try_wait_for_completion(struct ww_completion *done);
/* Would a wait return at once? Takes nothing. */
bool ww_completion_done(struct ww_completion *done);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Threads that are created asleep, bound, woken, parked and stopped, with the kernel's kthread
 * semantics: ww_thread_* is kthread_*, struct ww_thread the task.
 */
#ifndef WHEELWORK_THREAD_H
#define WHEELWORK_THREAD_H

#include <wheelwork/clock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_thread; /* opaque */
typedef int (*ww_thread_fn)(void *data);

/*
 * A new thread that sleeps until ww_wake_up_process(); its name is made from fmt (15 bytes are
 * visible outside). NULL + errno (ENOMEM, EAGAIN). Kernel: kthread_create().
 */
struct ww_thread *ww_thread_create(ww_thread_fn fn, void *data, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, woken at once. Kernel: kthread_run(). */
struct ww_thread *ww_thread_run(ww_thread_fn fn, void *data, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Before the first wake-up only. Kernel: kthread_bind(). */
void ww_thread_bind(struct ww_thread *thread, int cpu);
/* Tell it to stop, wait for its end, free it; its value, -EINTR if never woken. kthread_stop(). */
int ww_thread_stop(struct ww_thread *thread);
int ww_thread_park(struct ww_thread *thread);
void ww_thread_unpark(struct ww_thread *thread);
bool ww_thread_should_stop(void);
bool ww_thread_should_park(void);
void ww_thread_parkme(void);
/* 1 if it slept, 0 if not. Kernel: wake_up_process(). */
int ww_wake_up_process(struct ww_thread *thread);
/* The calling library thread; a record made on first use for any other. Kernel: current. */
struct ww_thread *ww_current(void);

#define WW_TASK_RUNNING		0x0u
#define WW_TASK_INTERRUPTIBLE	0x1u
#define WW_TASK_UNINTERRUPTIBLE 0x2u

/* Store + full barrier. Kernel: set_current_state(). */
void ww_set_current_state(unsigned state);
/* Plain store: only to RUNNING, or under the lock that the waker holds. __set_current_state(). */
void ww_set_current_state_plain(unsigned state);
/* Sleep unless the state is RUNNING (a wake-up in between made it so). */
void ww_schedule(void);
/* The same, for at most timeout ticks; what remains, 0 when all of it passed. */
int64_t ww_schedule_timeout(int64_t timeout);

#ifdef __cplusplus
}
#endif
#endif

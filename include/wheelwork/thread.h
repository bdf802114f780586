/* SPDX-License-Identifier: MIT */
/*
 * Threads that are created asleep, bound, woken, parked and stopped, with the kernel's kthread
 * semantics: ww_thread_* is kthread_*, struct ww_thread the task. All signals are blocked in them.
 * Where nothing else is said: any thread may call, and the call does not sleep.
 *
 * References. ww_thread_create() lends a pointer; the thread itself holds the one reference until
 * it has ended. Where the function ends only when it is told to stop, ww_thread_stop() is all that
 * is needed, and it frees. Where the function may end by itself, take a reference with
 * ww_thread_get() before the first wake-up, and give it back with ww_thread_put() or
 * ww_thread_stop_put(). A call on a thread that is gone is reported.
 */
#ifndef WHEELWORK_THREAD_H
#define WHEELWORK_THREAD_H

#include <wheelwork/clock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_thread; /* opaque */
typedef int (*ww_thread_fn)(void *data);

/* What an interruptible wait gives (negative) when a stop ends it. Kernel: ERESTARTSYS, 512. */
#define WW_ERESTARTSYS 512

/*
 * A new thread that sleeps until ww_wake_up_process(); its name is made from fmt (15 bytes are
 * visible outside, 63 in reports). May sleep. NULL + errno (ENOMEM, EAGAIN).
 * Kernel: kthread_create().
 */
struct ww_thread *ww_thread_create(ww_thread_fn fn, void *data, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, woken at once. Kernel: kthread_run(). */
struct ww_thread *ww_thread_run(ww_thread_fn fn, void *data, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same, bound to this CPU, and bound again each time it is unparked; fmt holds one %u, which
 * becomes the CPU's number. EINVAL for a format or a CPU that can't be (reported).
 * Kernel: kthread_create_on_cpu(), kthread_run_on_cpu().
 */
struct ww_thread *ww_thread_create_on_cpu(ww_thread_fn fn, void *data, unsigned cpu,
					  const char *fmt);
struct ww_thread *ww_thread_run_on_cpu(ww_thread_fn fn, void *data, unsigned cpu, const char *fmt);
/* On the CPUs of this NUMA node; -1 for any. Kernel: kthread_create_on_node(). */
struct ww_thread *ww_thread_create_on_node(ww_thread_fn fn, void *data, int node, const char *fmt,
					   ...) __attribute__((format(printf, 4, 5)));

/*
 * Where it may run, before its first wake-up only (reported otherwise). A CPU is a number of the
 * system's; in a mask, bit n of word n / bits-per-word is CPU n. Where the system refuses (a
 * cpuset, a CPU outside of the affinity mask) the thread runs unbound. A thread made by a bound one
 * does not inherit its CPU. Kernel: kthread_bind(), kthread_bind_mask(),
 * kthread_affine_preferred().
 */
void ww_thread_bind(struct ww_thread *thread, int cpu);
void ww_thread_bind_mask(struct ww_thread *thread, const unsigned long *bits, unsigned nbits);
/* 0, -EINVAL for an empty mask or after the first wake-up. */
int ww_thread_affine_preferred(struct ww_thread *thread, const unsigned long *bits, unsigned nbits);

/*
 * Scheduling class and nice value, at any time. 0, -EINVAL for a nice value outside of -20..19,
 * -EPERM where the process may not (then nothing changes), -ESRCH after its end.
 * Kernel: sched_set_fifo() (priority 50), sched_set_fifo_low() (1), sched_set_normal(),
 * set_user_nice().
 */
int ww_sched_set_fifo(struct ww_thread *thread);
int ww_sched_set_fifo_low(struct ww_thread *thread);
int ww_sched_set_normal(struct ww_thread *thread, int nice);
int ww_set_user_nice(struct ww_thread *thread, int nice);

/*
 * Called in each thread that the library makes from now on (timer bases and pool workers too): at
 * its start in order of addition, at its exit in reverse, after its function. The place for RCU
 * registration and thread-local state; either may be NULL. Returns an id, or -ENOMEM. A thread
 * which ran a start hook runs its exit hook, unless that was removed meanwhile; removal (0, or
 * -ENOENT) does not wait for a hook that runs just now.
 */
int ww_thread_add_hooks(void (*start)(void *arg), void (*exit)(void *arg), void *arg);
int ww_thread_remove_hooks(int id);

/*
 * Tell it to stop, wait for its end, free it. An interruptible or killable sleep of it ends, a
 * parked one is unparked. Returns what its function returned; -EINTR if it was stopped before it
 * ran (the function is never called then); -ESRCH if it is gone, -EDEADLK from itself (reported).
 * May sleep; not from the thread itself. Kernel: kthread_stop(), kthread_stop_put().
 */
int ww_thread_stop(struct ww_thread *thread);
int ww_thread_stop_put(struct ww_thread *thread);

/* Kernel: get_task_struct(), put_task_struct(). */
struct ww_thread *ww_thread_get(struct ww_thread *thread);
void ww_thread_put(struct ww_thread *thread);

/*
 * Ask it to park and wait until it sleeps in ww_thread_parkme(): 0; -ENOSYS if it ends instead,
 * -EBUSY if it has been asked already (reported). One that has never run parks before its
 * function. From the thread itself: only sets the request. Callers of park, unpark and stop of one
 * thread take turns. May sleep. Kernel: kthread_park().
 */
int ww_thread_park(struct ww_thread *thread);
/* Nothing unless it was asked to park. Kernel: kthread_unpark(). */
void ww_thread_unpark(struct ww_thread *thread);

/* Of the calling thread. Cheap enough for every turn of a loop: one relaxed load. */
bool ww_thread_should_stop(void);
bool ww_thread_should_park(void);
bool ww_thread_should_stop_or_park(void);
/* Sleeps until unparked, if asked to park. May sleep. Kernel: kthread_parkme(). */
void ww_thread_parkme(void);
/*
 * Ends the calling library thread with this value, without unwinding its stack (no C++ destructor,
 * no cleanup handler runs). Kernel: kthread_exit().
 */
void ww_thread_exit(int result) __attribute__((noreturn));

/* The calling library thread; a record made on first use for any other. Kernel: current. */
struct ww_thread *ww_current(void);
/* Kernel: kthread_data(), kthread_func(), task->comm, task->pid. */
void *ww_thread_data(struct ww_thread *thread);
ww_thread_fn ww_thread_func(struct ww_thread *thread);
const char *ww_thread_name(const struct ww_thread *thread);
int ww_thread_pid(const struct ww_thread *thread);

#define WW_TASK_RUNNING		0x0000u
#define WW_TASK_INTERRUPTIBLE	0x0001u
#define WW_TASK_UNINTERRUPTIBLE 0x0002u
#define WW_TASK_PARKED		0x0040u /* only ww_thread_parkme() */
#define WW_TASK_WAKEKILL	0x0100u
#define WW_TASK_NOLOAD		0x0400u
#define WW_TASK_FREEZABLE	0x2000u /* may be frozen where it sleeps: freezer.h */
#define WW_TASK_KILLABLE	(WW_TASK_WAKEKILL | WW_TASK_UNINTERRUPTIBLE)
#define WW_TASK_IDLE		(WW_TASK_UNINTERRUPTIBLE | WW_TASK_NOLOAD)
#define WW_TASK_NORMAL		(WW_TASK_INTERRUPTIBLE | WW_TASK_UNINTERRUPTIBLE)

/*
 * Sleep without losing a wake-up:
 *
 *	for (;;) {
 *		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
 *		if (condition)
 *			break;
 *		ww_schedule();
 *	}
 *	ww_set_current_state_plain(WW_TASK_RUNNING);
 *
 * State first, then the test. Who makes the condition true calls ww_wake_up_process() afterwards.
 */
/* Store + full barrier. Kernel: set_current_state(). */
void ww_set_current_state(unsigned state);
/* Plain store: only to RUNNING, or under the lock that the waker holds. __set_current_state(). */
void ww_set_current_state_plain(unsigned state);
unsigned ww_get_current_state(void);
/*
 * Sleep unless the state is RUNNING (a wake-up in between made it so); RUNNING afterwards. Wakes
 * up for no reason at times: test again.
 */
void ww_schedule(void);
/*
 * The same, for at most timeout ticks, at least that many where nobody wakes it. Returns what
 * remains, 0 when all of it passed; WW_MAX_TIMEOUT sleeps without end; negative: 0, reported.
 */
int64_t ww_schedule_timeout(int64_t timeout);
/* With the state set first. Kernel: schedule_timeout_interruptible() and its kin. */
int64_t ww_schedule_timeout_interruptible(int64_t timeout);
int64_t ww_schedule_timeout_killable(int64_t timeout);
int64_t ww_schedule_timeout_uninterruptible(int64_t timeout);
/* The callback of the timer that a sleep is under virtual time; for debuggers to know it by. */
struct ww_timer;
void ww_sleep_is_over(struct ww_timer *timer);
/*
 * The same until the clock of ww_ktime_get_ns() reads expires_ns (UINT64_MAX: no end), which is
 * finer than a tick under the real clock. 0 when it does, -EINTR when woken before.
 * Kernel: schedule_hrtimeout().
 */
int ww_schedule_hrtimeout(uint64_t expires_ns);

/*
 * 1 if it slept, 0 if not. A full barrier in both cases. The thread must be referenced, or known
 * not to end. Unlike all else here, also from a signal handler: no lock, no allocation, errno kept.
 * Kernel: wake_up_process(), wake_up_state() (only out of the states in mask).
 */
int ww_wake_up_process(struct ww_thread *thread);
int ww_wake_up_state(struct ww_thread *thread, unsigned mask);

#ifdef __cplusplus
}
#endif
#endif

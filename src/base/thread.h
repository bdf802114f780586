/* SPDX-License-Identifier: MIT */
/*
 * The only place that makes operating system threads. Each gets a name, all signals blocked, and
 * the start and exit hooks. src/thread builds the library's threads on it; src/timer its bases'.
 */
#ifndef WW_BASE_THREAD_H
#define WW_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct ww_os_thread {
	pthread_t handle;
};

/*
 * Start fn(arg) on a new joinable thread called name (cut to 15 bytes). cpu >= 0: bound to it
 * before fn starts, unbound where that is refused. Returns 0 or -errno. What the caller wrote
 * before is seen by fn.
 */
int ww_os_thread_start(struct ww_os_thread *t, const char *name, int cpu, void (*fn)(void *),
		       void *arg);

/* Wait for its end; not from itself. */
void ww_os_thread_join(struct ww_os_thread *t);

/* Never joined: its memory goes with it. */
void ww_os_thread_detach(struct ww_os_thread *t);

/* Kernel id of the calling thread. */
pid_t ww_os_thread_id(void);

/* Name of the calling thread, as the system shows it. */
void ww_os_thread_get_name(char *name, size_t size);

/* fn(arg) at the end of the calling thread, which may have been made by anyone. */
void ww_os_thread_at_exit(void (*fn)(void *), void *arg);

/* Run the exit hooks now rather than after fn: for a thread with a last word to say after them. */
void ww_os_thread_run_exit_hooks(void);

/* The calling thread's timed sleeps end on time: no slack is added to share wake-ups. */
void ww_os_thread_exact_sleep(void);

/* Give up the CPU. */
void ww_os_yield(void);

/*
 * Whether a thread of this process sleeps in the operating system now, as opposed to running or
 * waiting for a CPU. False where that can't be told.
 */
bool ww_os_thread_asleep(pid_t tid);

/*
 * Hooks that every thread made here from now on runs at its start (in order of addition) and at its
 * exit (in reverse). Returns an id, or -ENOMEM. A thread that has run a start hook runs its exit
 * hook too, unless it was removed meanwhile. Removing does not wait for a hook that runs just now.
 */
int ww_os_thread_add_hooks(void (*start)(void *), void (*exit)(void *), void *arg);
int ww_os_thread_remove_hooks(int id);

/* Scheduling of any thread of this process, by its kernel id; 0 or -errno. */
int ww_os_thread_set_policy(pid_t tid, int policy, int priority);
int ww_os_thread_set_nice(pid_t tid, int nice);
int ww_os_thread_get_nice(pid_t tid);

#endif

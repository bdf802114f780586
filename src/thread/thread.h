/* SPDX-License-Identifier: MIT */
/*
 * The record of a thread, and what the files of this room share.
 *
 * Legend of guards:
 *   (S) the state word: RMW by anyone (a waker may only turn a sleeping value into RUNNING), plain
 *       stores by the thread itself alone
 *   (F) atomic RMW by anyone; read relaxed by the thread in its loop
 *   (C) written by the creator before the thread starts, constant afterwards
 *   (T) written by the thread itself; others read it after an acquire of the word named there
 *   (P) pool_lock in task.c
 *   (A) atomic reference count
 *
 * Records are type-stable: their memory is never given back while the process lives, and a freed
 * one is reused last. So a waker may hold a bare pointer: at worst it wakes a stranger once too
 * often, which every sleeper must bear anyhow; and a call on a dead thread is found and reported.
 */
#ifndef WW_THREAD_THREAD_H
#define WW_THREAD_THREAD_H

#include <setjmp.h>

#include "base/atomic.h"
#include "base/list.h"
#include "base/thread.h"
#include "wheelwork/thread.h"

/* Set in the state word once the thread is about to sleep in the operating system. */
#define WW_TASK_ASLEEP 0x80000000u
#define WW_TASK_DEAD   0x80u

enum ww_task_flags {
	WW_TF_SHOULD_STOP = 1u << 0,
	WW_TF_SHOULD_PARK = 1u << 1,
	WW_TF_FOREIGN = 1u << 2, /* not made by this library: adopted on first use */
	WW_TF_BOUND = 1u << 3,
	WW_TF_EXITING = 1u << 4,
	WW_TF_IS_PARKED = 1u << 5, /* set by itself, only while SHOULD_PARK is; cleared with it */
};

enum ww_task_life {
	WW_LIFE_FREE,  /* in the pool */
	WW_LIFE_NEW,   /* made, never woken */
	WW_LIFE_LIVE,  /* its function may run */
	WW_LIFE_ENDED, /* its value is known; somebody still holds a reference */
};

struct ww_thread {
	/* What the loop of the thread reads; wakers don't write this line. */
	ww_aligned_line uint32_t flags; /* (F) enum ww_task_flags; who parks it sleeps on it */
	uint32_t life;			/* (F) enum ww_task_life */
	ww_thread_fn fn;		/* (C) */
	void *data;			/* (C) */
	char name[64];			/* (C) whole; the system shows 15 bytes of it */
	struct ww_list all;		/* (P) every record in use, or the free ones */
	jmp_buf *end;			/* (T) where ww_thread_exit() goes */
	int result;			/* (T) after "ended" */
	int cpu;			/* (F) that it is bound to, -1 for none */
	pid_t tid;			/* (T) after "up" */
	struct ww_os_thread os;		/* (C) */
	void *pool_data;		/* (T) src/work's worker, for the hooks below */

	/* What wakers write. */
	ww_aligned_line uint32_t state; /* (S) */
	uint32_t refs;			/* (A) */
	uint32_t up;			/* (T) futex: the thread has begun */
	uint32_t ended;			/* (T) futex: result is known, the function is over */
	uint32_t reaper;		/* (F) who collects the OS thread: REAP_* in kthread.c */
};

/* Told when a thread really goes to sleep, and when it is back (a pool counts its workers so). */
struct ww_sched_hooks {
	void (*sleeping)(struct ww_thread *thread);
	void (*running)(struct ww_thread *thread);
};
void ww_sched_set_hooks(const struct ww_sched_hooks *hooks);

/* task.c */
extern __thread struct ww_thread *ww_task __attribute__((tls_model("initial-exec")));
extern struct ww_thread ww_task_nobody;
struct ww_thread *ww_task_adopt(void);
struct ww_thread *ww_task_alloc(void);
void ww_task_free(struct ww_thread *t);
/* Is it the record of a thread in use? Reports (call, name) otherwise. */
bool ww_task_valid(const struct ww_thread *t, const char *call);

static inline struct ww_thread *ww_task_self(void)
{
	struct ww_thread *t = ww_task;

	return ww_likely(t != &ww_task_nobody) ? t : ww_task_adopt();
}

/* sched.c */
/* Turns a state in mask into RUNNING; the state that it was, or 0. Then ww_task_kick() it. */
uint32_t ww_task_claim(struct ww_thread *t, uint32_t mask);
void ww_task_kick(struct ww_thread *t, uint32_t was);
int ww_task_wake(struct ww_thread *t, uint32_t mask);
/* Does a stop request end a sleep in this state? */
bool ww_task_interrupted(struct ww_thread *t, uint32_t state);
/* Around a sleep that does not go through ww_schedule(): tells the hooks. */
void ww_sched_begin_block(void);
void ww_sched_end_block(void);
/* Reports a call that sleeps while the thread's state is not RUNNING, and makes it so. */
void ww_might_sleep(const char *call);
/* ww_schedule() with a deadline of the clock of base/clock.h; false when it passed. */
bool ww_schedule_until(uint64_t deadline_ns);

#endif

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
#include <stdarg.h>

#include "base/atomic.h"
#include "base/list.h"
#include "base/thread.h"
#include "thread/wait.h"
#include "wheelwork/thread.h"

/* Set in the state word once the thread is about to sleep in the operating system. */
#define WW_TASK_ASLEEP 0x80000000u
#define WW_TASK_DEAD   0x80u
/* Frozen: in the refrigerator if alone, else where it slept. A wake-up is kept until the thaw. */
#define WW_TASK_FROZEN	     0x8000u
#define WW_TASK_FROZEN_WOKEN 0x10000u

enum ww_task_flags {
	WW_TF_SHOULD_STOP = 1u << 0,
	WW_TF_SHOULD_PARK = 1u << 1,
	WW_TF_FOREIGN = 1u << 2, /* not made by this library: adopted on first use */
	WW_TF_BOUND = 1u << 3,
	WW_TF_EXITING = 1u << 4,
	WW_TF_IS_PARKED = 1u << 5, /* set by itself, only while SHOULD_PARK is; cleared with it */
	WW_TF_PER_CPU = 1u << 6,   /* bound again when unparked */
	WW_TF_FREEZABLE = 1u << 7,
	WW_TF_RESCHED = 1u << 8, /* its class or nice value was changed */
};

enum ww_task_life {
	WW_LIFE_FREE,  /* in the pool */
	WW_LIFE_NEW,   /* made, never woken */
	WW_LIFE_LIVE,  /* its function may run */
	WW_LIFE_ENDED, /* its value is known; somebody still holds a reference */
};

/* What may follow what: debug builds check each change. Bit n of allowed[from]: to n. */
void ww_task_set_life(struct ww_thread *t, enum ww_task_life to);

struct ww_thread {
	/* What the loop of the thread reads; wakers don't write this line. */
	ww_aligned_line uint32_t flags; /* (F) enum ww_task_flags */
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
	uint32_t up;			/* (T) the thread has begun */
	uint32_t ended;			/* (T) result is known, the function is over */
	struct ww_waitq waiters;	/* for up, ended, and parking */
	uint32_t reaper;		/* (F) who collects the OS thread: REAP_* in kthread.c */
	uint32_t rest_expected;		/* (R) of rest.c */
	uint32_t *rest_word;		/* (R) */
};

/* Told when a thread really goes to sleep, and when it is back (a pool counts its workers so). */
struct ww_sched_hooks {
	void (*sleeping)(struct ww_thread *thread);
	void (*running)(struct ww_thread *thread);
};
void ww_sched_set_hooks(const struct ww_sched_hooks *hooks);

/* task.c */
/* How many forks lie between this process and the first one; a queue of an older one is stale. */
extern uint32_t ww_fork_generation;
extern struct ww_lock ww_fork_renew_lock;
extern __thread struct ww_thread *ww_task __attribute__((tls_model("initial-exec")));
extern struct ww_thread ww_task_nobody;
struct ww_thread *ww_task_adopt(void);
struct ww_thread *ww_task_alloc(void);
void ww_task_free(struct ww_thread *t);
/* Calls fn for each record in use, with the pool's lock held. */
void ww_task_for_each(void (*fn)(struct ww_thread *t, void *arg), void *arg);
/* Is it the record of a thread in use? Reports (call, name) otherwise. */
bool ww_task_valid(const struct ww_thread *t, const char *call);
/* The same, and takes a reference. */
bool ww_task_get(struct ww_thread *t, const char *call);

static inline struct ww_thread *ww_task_self(void)
{
	struct ww_thread *t = ww_task;

	return ww_likely(t != &ww_task_nobody) ? t : ww_task_adopt();
}

/* check.c: says what is wrong with a record; returns how many faults. */
int ww_task_check(struct ww_thread *t, bool in_use);

/* kthread.c */
struct ww_thread *ww_thread_create_va(ww_thread_fn fn, void *data, int node, const char *fmt,
				      va_list ap);
/* attrs.c */
void ww_thread_bind_node(struct ww_thread *t, int node);

/* sched.c */
/* Turns a state in mask into RUNNING; the state that it was, or 0. Then ww_task_kick() it. */
uint32_t ww_task_claim(struct ww_thread *t, uint32_t mask);
void ww_task_kick(struct ww_thread *t, uint32_t was);
int ww_task_wake(struct ww_thread *t, uint32_t mask);
/* Does a stop request end a sleep in this state? */
bool ww_task_interrupted(struct ww_thread *t, uint32_t state);
/* Reports a call that sleeps while the thread's state is not RUNNING, and makes it so. */
void ww_might_sleep(const char *call);
/* ww_schedule() with a deadline of CLOCK_MONOTONIC; false when it passed. */
bool ww_sleep_until(uint64_t os_deadline_ns);

/* timeout.c */
/* The same by the library's clock (ww_ktime_get_ns()). */
bool ww_schedule_until(uint64_t deadline_ns);

/* rest.c: under the virtual clock, time waits until every thread of ours sleeps. */
extern uint32_t ww_rest_kept;	 /* time is virtual, so wake-ups are counted */
extern uint32_t ww_rest_awaited; /* somebody waits for all to sleep */
extern uint32_t ww_rest_wakes;	 /* atomic: one for each wake-up, before it */
void ww_rest_start(void);
void ww_rest_reached(void);
/*
 * A futex wait without end for a word that another thread will change: to the virtual clock the
 * calling thread is at rest meanwhile. May return for no reason.
 */
void ww_rest_wait(uint32_t *word, uint32_t expected);

/* freezer.c */
extern uint32_t ww_freezer_on; /* read relaxed in loops */
/* Somebody has come closer to being frozen: the freezing thread looks again. */
void ww_freezer_progress(void);
bool ww_freezing_task(const struct ww_thread *t);
/* A room that freezes things of its own (workqueues): begin, still-busy count, thaw. */
struct ww_freezer_client {
	void (*begin)(void);
	unsigned (*busy)(void); /* ww_freezer_progress() when it falls */
	void (*thaw)(void);
};
void ww_freezer_fork_child(void);
void ww_freezer_register(const struct ww_freezer_client *client);

#endif

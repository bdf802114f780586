/* SPDX-License-Identifier: MIT */
/*
 * Timers and their bases, as the files of this folder share them.
 *
 * Legend of guards:
 *   (B) the lock of the timer's or base's own base. A timer's word names its base; holding that
 *	 base's lock is holding the timer ("hashed locking"). An idle timer changes base, and a
 *	 pending one is moved, with both locks held, taken in the order of base numbers.
 *   (W) written under (B), read by anyone.
 *   (R) written by the thread that runs the base's timers, read by anyone.
 *   (I) constant once made.
 */
#ifndef WW_TIMER_TIMER_H
#define WW_TIMER_TIMER_H

#include "base/atomic.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/thread.h"
#include "timer/clock.h"
#include "timer/wheel.h"
#include "wheelwork/timer.h"

/* What lies in struct ww_timer. */
struct ww_timer_impl {
	uint64_t expires;     /* (W) */
	ww_timer_fn function; /* (W) NULL: shut down */
	uint64_t word;	      /* (W) see below */
	uint64_t bound;	      /* (B) where filed: the tick at which its bucket is looked at */
	struct ww_hnode node; /* (B) */
	uint64_t filed;	      /* (B) the exact deadline, which is also that of the callback */
	uint64_t magic;	      /* (I) */
};
_Static_assert(sizeof(struct ww_timer_impl) == sizeof(struct ww_timer), "public size");
_Static_assert(sizeof(struct ww_timer) == 64, "one cache line");

#define WW_TIMER_MAGIC WW_TIMER_MAGIC_

/*
 * The word: state, flags, base and generation in one 64-bit load. Each change of state is a new
 * generation, so a reader that finds the same word twice knows that nothing happened in between.
 */
#define WW_TW_PENDING	 0x01ull /* armed: in a wheel or on its base's list of expired timers */
#define WW_TW_EXPIRED	 0x02ull /* on that list: found due, its callback is about to run */
#define WW_TW_PINNED	 0x10ull
#define WW_TW_DEFERRABLE 0x20ull
#define WW_TW_STATE	 (WW_TW_PENDING | WW_TW_EXPIRED)
#define WW_TW_BASE_SHIFT 16
#define WW_TW_BASE_MASK	 (0xffffull << WW_TW_BASE_SHIFT)
#define WW_TW_GENERATION (1ull << 32)

#define WW_BASES_MAX 4096u
#define WW_BASE_NONE 0u /* of a timer that was never armed, from a static initialiser */

enum ww_wheel_kind {
	WW_WHEEL_NORMAL,
	WW_WHEEL_DEFERRABLE,
	WW_WHEELS,
};

/* A thread that waits for the end of a callback; lives on its stack. */
struct ww_timer_waiter {
	struct ww_list link;	     /* (B) on base->waiters */
	struct ww_timer_impl *timer; /* (I) whose callback */
	bool shutdown;		     /* (I) also make it unusable */
	int deleted;		     /* (B) what its call returns */
	uint32_t done;		     /* (W) set by the base, which forgets it */
	unsigned waiting_base; /* (I) the base whose callback the waiter itself runs, or none */
};

enum ww_base_sleep {
	WW_BASE_AWAKE,	 /* looks at its wheels before it sleeps: never needs a wake-up */
	WW_BASE_TIMED,	 /* sleeps until tick `wake` */
	WW_BASE_FOREVER, /* sleeps until somebody wakes it */
};

struct ww_base {
	unsigned id;			  /* (I) */
	int cpu;			  /* (I) bound to it; -1 for none */
	enum ww_base_sleep sleep;	  /* (B) */
	uint64_t wake;			  /* (B) */
	struct ww_hlist expired;	  /* (B) */
	struct ww_list waiters;		  /* (B) */
	struct ww_os_thread thread;	  /* (I) */
	struct ww_wheel wheel[WW_WHEELS]; /* (B) */
};

/*
 * The part of a base that others look at without its lock. All of them stand in one static array,
 * so that a timer's word leads there without another load, and stay valid for ever.
 */
struct ww_base_hot {
	/* Read by whoever deletes synchronously. */
	struct ww_timer_impl *running ww_aligned_line; /* (R) */
	uint32_t done_seq;			       /* (W) futex of the waiters */
	/* The lock's line. */
	struct ww_lock lock ww_aligned_line;
	uint32_t wake_seq;    /* (W) futex on which the base's thread sleeps */
	struct ww_base *base; /* (I) NULL before its first use; the lock works all the same */
};

extern struct ww_base_hot ww_base_hot[WW_BASES_MAX];

/* What the calling thread is in the middle of. */
struct ww_timer_context {
	struct ww_timer_impl *running; /* the timer whose callback it runs, or NULL */
	struct ww_base *base;	       /* on this base */
};
extern __thread struct ww_timer_context ww_timer_context;

static inline struct ww_timer_impl *ww_timer_impl(const struct ww_timer *t)
{
	return (struct ww_timer_impl *)(uintptr_t)t;
}

static inline struct ww_timer_impl *ww_timer_of_node(struct ww_hnode *n)
{
	return ww_container_of(n, struct ww_timer_impl, node);
}

static inline unsigned ww_word_base(uint64_t word)
{
	return (unsigned)(word >> WW_TW_BASE_SHIFT) & 0xffffu;
}

static inline struct ww_base_hot *ww_base_hot_of(const struct ww_base *b)
{
	return &ww_base_hot[b->id];
}

static inline enum ww_wheel_kind ww_word_wheel(uint64_t word)
{
	return word & WW_TW_DEFERRABLE ? WW_WHEEL_DEFERRABLE : WW_WHEEL_NORMAL;
}

/* base.c: the number of the base on which the caller's timers are armed / of that CPU. */
unsigned ww_base_id_here(void);
unsigned ww_base_id_of_cpu(int cpu);
/* Its base, made now where it is not yet. Takes locks: the caller holds none. */
struct ww_base *ww_base_get(unsigned id);
/* Wake the base's thread: the caller changed wake_seq under the lock, and has dropped that. */
void ww_base_wake(unsigned id);

/* sweep.c; the base is locked. */
void ww_timer_enqueue(struct ww_base *b, struct ww_timer_impl *t, uint64_t expires, bool *wake);
void ww_timer_dequeue(struct ww_base *b, struct ww_timer_impl *t);
/* Run all that is due at tick now; drops the lock around each callback. Returns how many ran. */
unsigned ww_base_sweep(struct ww_base *b, uint64_t now);
/* The tick at which the base must look again, deferrable timers aside; false for never. */
bool ww_base_next(struct ww_base *b, uint64_t *tick);

#endif

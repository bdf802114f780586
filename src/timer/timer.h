/* SPDX-License-Identifier: MIT */
/*
 * Timers and their bases, as the files of this folder share them. The protocols are argued in
 * docs/memory-ordering.md, section Timers.
 *
 * Legend of guards:
 *   (B) the lock of the timer's or base's own base. A timer's word names its base; holding that
 *	 base's lock is holding the timer ("hashed locking"). An idle timer changes base, and a
 *	 pending one is moved, with both locks held, taken in the order of base numbers.
 *   (W) written under (B), read by anyone.
 *   (D) the deadline: written under (B); while the timer is open also by any thread, with no lock,
 *	 to a later time (mechanism in rearm.h).
 *   (R) written by the thread that runs the base's timers, read by anyone.
 *   (I) constant once made.
 */
#ifndef WW_TIMER_TIMER_H
#define WW_TIMER_TIMER_H

#include "base/atomic.h"
#include "base/cpu.h"
#include "base/light_lock.h"
#include "base/list.h"
#include "base/thread.h"
#include "timer/clock.h"
#include "timer/wheel.h"
#include "wheelwork/timer.h"

/* What lies in struct ww_timer. */
struct ww_timer_impl {
	uint64_t expires;     /* (D) the deadline of an open timer; a copy of filed for others */
	ww_timer_fn function; /* (W) NULL: shut down */
	uint64_t word;	      /* (W) see below */
	uint64_t bound;	      /* (B) where filed: the tick at which its bucket is looked at */
	struct ww_hnode node; /* (B) */
	uint64_t filed;	      /* (W) the deadline with which it was filed (one in the past: the last
				 tick); no store is before */
	uint64_t tail;	      /* (B) magic, and the stamp of a dirty timer */
};
_Static_assert(sizeof(struct ww_timer_impl) == sizeof(struct ww_timer), "public size");
_Static_assert(sizeof(struct ww_timer) == 64, "one cache line");

/*
 * The word: state, flags, base and generation in one 64-bit load. Each change of state is a new
 * generation, so a reader that finds the same word twice knows that nothing happened in between.
 */
#define WW_TW_PENDING	 0x0001ull /* armed: in a wheel, or taken out and about to run */
#define WW_TW_EXPIRED	 0x0002ull /* found due by a sweep; its callback has not begun */
#define WW_TW_OPEN	 0x0004ull /* any thread may push it out by a store */
#define WW_TW_OWN	 0x0008ull /* the thread that runs its base may */
#define WW_TW_PINNED	 0x0010ull
#define WW_TW_DEFERRABLE 0x0020ull
#define WW_TW_BOUND	 0x0040ull    /* to a base object: no arming moves it elsewhere */
#define WW_TW_DIRTY	 0x0080ull    /* was open; a store from then may still be on its way */
#define WW_TW_FREE	 0x1000000ull /* open, and not pinned: one look shows both */
#define WW_TW_STATE	 (WW_TW_PENDING | WW_TW_EXPIRED | WW_TW_STORED)
#define WW_TW_STORED	 (WW_TW_OPEN | WW_TW_OWN | WW_TW_FREE) /* its deadline is t->expires */
#define WW_TW_SETUP	 ((uint64_t)WW_TIMER_WORD_)
#define WW_TW_SETUP_MASK 0xf00000ull
_Static_assert((WW_TIMER_FLAGS_(WW_TIMER_PINNED)) == WW_TW_PINNED, "initialiser");
_Static_assert((WW_TIMER_FLAGS_(WW_TIMER_DEFERRABLE)) == WW_TW_DEFERRABLE, "initialiser");
#define WW_TW_BASE_SHIFT 8 /* so that the number, where it stands, is the offset in ww_base_hot */
#define WW_TW_BASE_MASK	 0xfff00ull
#define WW_TW_GENERATION (1ull << 32)

#define WW_TAIL_MAGIC	   ((uint64_t)WW_TIMER_MAGIC_)
#define WW_TAIL_MAGIC_MASK 0xffffffull
#define WW_TAIL_STAMP_BITS 24

#define WW_BASES_MAX 4096u
#define WW_BASE_NONE 0u /* of a timer that was never armed, from a static initialiser */
#define WW_BASE_CPUS 1u /* 1 + slot; objects have the numbers behind the slots */

/* Open timers have wheels of their own: only a sweep of those needs the barrier. */
enum ww_wheel_kind {
	WW_WHEEL_NORMAL,
	WW_WHEEL_DEFERRABLE,
	WW_WHEEL_OPEN,
	WW_WHEEL_OPEN_DEFERRABLE,
	WW_WHEELS,
};

/* A thread that waits for the end of a callback; lives on its stack. */
struct ww_timer_waiter {
	struct ww_list link;	     /* (B) on base->waiters */
	struct ww_timer_impl *timer; /* (I) whose callback */
	struct ww_base *from; /* (I) the base whose callback the waiter itself is in, or NULL */
	bool only_wait;	      /* (I) leave the timer as it is */
	bool shutdown;	      /* (I) also make it unusable */
	int deleted;	      /* (B) what its call returns */
	uint32_t done;	      /* (W) set by the base, which then forgets it */
};

enum ww_base_sleep {
	WW_BASE_AWAKE,	 /* looks at its wheels before it sleeps: never needs a wake-up */
	WW_BASE_TIMED,	 /* sleeps until tick `wake` */
	WW_BASE_FOREVER, /* sleeps until somebody wakes it */
};

enum ww_base_kind {
	WW_BASE_CPU,	/* of a slot, with a thread */
	WW_BASE_THREAD, /* an object with a thread */
	WW_BASE_DRIVEN, /* an object that a caller's loop runs */
};

struct ww_base {
	unsigned id;		  /* (I) */
	enum ww_base_kind kind;	  /* (I) */
	int cpu;		  /* (I) bound to it; -1 for none */
	int fd;			  /* (I) driven: a timer descriptor; else -1 */
	char name[16];		  /* (I) */
	unsigned forks;		  /* (I) of the process whose thread or descriptor it has */
	bool stop;		  /* (B) its thread ends */
	bool swept;		  /* (B) a thread is running its timers */
	enum ww_base_sleep sleep; /* (B) */
	uint64_t wake;		  /* (B) */
	uint64_t floor;		  /* (B) no timer is armed for a tick before */
	struct ww_bucket expired; /* (B) taken out of the open wheels, to run */
	unsigned expired_turn;	  /* (B) its next lane */
	struct ww_list waiters;	  /* (B) */
	void *block;		  /* (I) the memory, the wheels' buckets at its end */
	struct ww_os_thread thread;
	unsigned dirty_rearms; /* (B) slow re-arms that only wait for barriers to pass */
	/* What barriers cost here: timer/barrier.c. */
	uint64_t window_ns, window_spent_ns; /* (B) */
	unsigned window_barriers;	     /* (B) */
	unsigned exchange_s;		     /* (B) how long the next spell of exchanges lasts */
	uint64_t exchange_until;	     /* (B) tick */
	bool time_each;			     /* (B) time every callback: one took too long */
	uint64_t moved; /* (B) pending timers that came from other bases, less those that went */
	struct ww_timer_stats stats;	  /* (B) but for those in struct ww_base_hot */
	struct ww_wheel wheel[WW_WHEELS]; /* (B) */
};

/* Bits of the mark. */
#define WW_MARK_SWEEP	 1u /* a sweep reads deadlines: no store may count any more */
#define WW_MARK_EXCHANGE 2u /* stores must be exchanges: no barrier will come */

/*
 * The part of a base that others look at without its lock. All of them stand in one static array,
 * so that a timer's word leads there without another load, and stay valid for ever.
 */
struct ww_base_hot {
	/* Read by every re-arm, written by few: two lines, for machines that fetch pairs. */
	uint32_t mark __attribute__((aligned(2 * WW_CACHE_LINE))); /* (W) */
	const void *owner; /* (W) &ww_timer_context of the thread that runs it; NULL for none */
	/* Read by whoever deletes synchronously. */
	struct ww_timer_impl *running __attribute__((aligned(2 * WW_CACHE_LINE))); /* (R) */
	uint32_t done_seq; /* (W) futex of the waiters */
	/* The lock's line. */
	struct ww_light_lock lock ww_aligned_line;
	uint32_t wake_seq;    /* (W) futex on which the base's thread sleeps */
	bool stale;	      /* of a process that forked this one: its timers are idle */
	struct ww_base *base; /* (W) NULL before its first use; the lock works all the same */
	/* (B) The base's counters of the same name: here, so that threads that take turns with the
	 * lock fetch one line with it. */
	uint64_t armed, cancelled;
};

static inline struct ww_base_hot *ww_base_hot_of(const struct ww_base *b);

/* The base is locked. How many timers are armed on it: counted by how they come and go. */
static inline uint64_t ww_base_pending(const struct ww_base *b)
{
	const struct ww_base_hot *h = ww_base_hot_of(b);

	return h->armed + b->moved - h->cancelled - b->stats.fired;
}

extern struct ww_base_hot ww_base_hot[WW_BASES_MAX] __attribute__((visibility("hidden")));

/* What the calling thread is in the middle of. */
struct ww_timer_context {
	struct ww_timer_impl *running; /* the timer whose callback it runs, or NULL */
	struct ww_base *base;	       /* on this base */
};
extern __thread struct ww_timer_context ww_timer_context
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

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
	return (unsigned)(word & WW_TW_BASE_MASK) >> WW_TW_BASE_SHIFT;
}

_Static_assert(sizeof(struct ww_base_hot) == 1u << WW_TW_BASE_SHIFT, "a word holds its offset");

static inline struct ww_base_hot *ww_word_hot(uint64_t word)
{
	return (struct ww_base_hot *)(void *)((char *)ww_base_hot + (word & WW_TW_BASE_MASK));
}

static inline struct ww_base_hot *ww_base_hot_of(const struct ww_base *b)
{
	return &ww_base_hot[b->id];
}

static inline enum ww_wheel_kind ww_word_wheel(uint64_t word)
{
	return (enum ww_wheel_kind)((word & WW_TW_DEFERRABLE ? WW_WHEEL_DEFERRABLE : 0) +
				    (word & WW_TW_OPEN ? WW_WHEEL_OPEN : 0));
}

/* base.c: the number of the base on which the caller's timers are armed / of that CPU. */
extern unsigned ww_base_first_cpu __attribute__((visibility("hidden")));

static inline unsigned ww_base_id_here(void)
{
	/* On the virtual clock nothing may depend on where the scheduler put a thread. */
	return ww_base_first_cpu +
	       (ww_unlikely(ww_clock_is_virtual()) ? 0 : (unsigned)ww_cpu_current_slot());
}

unsigned ww_base_id_of_cpu(int cpu);
/* Its base, made now where it is not yet; NULL (reported) for none. The caller holds no lock. */
struct ww_base *ww_base_get(unsigned id);
/* Wake the base's thread: the caller changed wake_seq under the lock, and has dropped that. */
void ww_base_wake(unsigned id);
/* No base has a higher number. */
unsigned ww_base_highest(void);
/* Counts how often the process forked around here: a different value is another process. */
extern unsigned ww_timer_forks __attribute__((visibility("hidden")));
/* The number that the base object id has now, after forks. */
unsigned ww_base_id_since_fork(unsigned id);

/* check.c: whether any base has this address in a list; reads nothing there. Takes locks. */
bool ww_timer_linked(const struct ww_timer_impl *t);

/* Whether it looks like a timer that was set up. */
static inline bool ww_timer_is_set_up(const struct ww_timer_impl *t)
{
	return (ww_load_relaxed(&t->tail) & WW_TAIL_MAGIC_MASK) == WW_TAIL_MAGIC &&
	       (ww_load_relaxed(&t->word) & WW_TW_SETUP_MASK) == WW_TW_SETUP;
}

/* Lock a timer: the lock of the base that its word names. */
struct ww_base_hot *ww_timer_lock_slow(struct ww_timer_impl *t, struct ww_base_hot *h);

static inline struct ww_base_hot *ww_timer_lock(struct ww_timer_impl *t)
{
	struct ww_base_hot *h = ww_word_hot(ww_load_relaxed(&t->word));

	ww_light_lock(&h->lock);
	if (ww_likely(ww_word_hot(ww_load_relaxed(&t->word)) == h && !h->stale))
		return h;
	return ww_timer_lock_slow(t, h);
}

/* The base is locked. A new word with another generation, for others to see. */
static inline void ww_timer_set_word(struct ww_timer_impl *t, uint64_t clear, uint64_t set)
{
	uint64_t w = (t->word & ~clear) | set;

	ww_store_release(&t->word, w + WW_TW_GENERATION); /* pairs: TIMER-1 */
}

/* The base is locked. The deadline that counts. */
static inline uint64_t ww_timer_deadline(const struct ww_timer_impl *t)
{
	uint64_t at;

	if (!(t->word & WW_TW_STORED))
		return t->filed;
	/* seq_cst for the sweep that exchanges instead of a barrier; elsewhere it costs nothing. */
	at = ww_load_seq_cst(&t->expires); /* pairs: TIMER-3 TIMER-5 */
	/* What is before the filing comes from an earlier one, by a caller who will correct it. */
	return ww_time_before(at, t->filed) ? t->filed : at;
}

/* file.c; the base is locked. */
/* t is on no list; it gets word, which names b, made pending. *wake: ww_base_wake() is due. */
void ww_timer_enqueue(struct ww_base *b, struct ww_timer_impl *t, uint64_t word, uint64_t expires,
		      bool *wake);
/*
 * Pending t, to be moved: off its list, and the word with which it goes on; where stores were open
 * to it, ww_timer_stamp() follows once that word is set.
 */
uint64_t ww_timer_unlink(struct ww_base *b, struct ww_timer_impl *t);
void ww_timer_stamp(struct ww_timer_impl *t);
/* Pending t is idle now. */
void ww_timer_dequeue(struct ww_base *b, struct ww_timer_impl *t);
/* Pending t to another deadline on its base; may open it for stores. */
void ww_timer_refile(struct ww_base *b, struct ww_timer_impl *t, uint64_t expires, bool *wake);
/*
 * What a base holds, a bucket at a time, in an order of its own: calls fn for each timer. fn may
 * dequeue the one it is given.
 */
void ww_base_each(struct ww_base *b, void (*fn)(struct ww_base *, struct ww_timer_impl *, void *),
		  void *arg);
/* The tick at which the base must look again, deferrable timers aside; false for never. */
bool ww_base_next(struct ww_base *b, uint64_t *tick);

/*
 * sweep.c: run all that is due at tick now; the base is locked, and unlocked around each callback.
 * Returns how many ran, or -1 in the child of a fork that a callback did: then touch nothing.
 */
long ww_base_sweep(struct ww_base *b, uint64_t now);

/* wait.c: t is locked by h and its callback runs in another thread: wait for its end. */
int ww_timer_wait(const char *call, struct ww_timer_impl *t, struct ww_base_hot *h, bool shutdown);
/* Wait until the callback that the base runs now, if any, is over; the caller's own aside. */
void ww_timer_wait_running(struct ww_base_hot *h);
/* The base is locked and t's callback is over: answer those who wait for it. */
void ww_timer_answer(struct ww_base *b, const struct ww_timer_impl *t);

#endif

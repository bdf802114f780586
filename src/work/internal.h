/* SPDX-License-Identifier: MIT */
/*
 * The inside of work items, pools and workqueues. What each field is guarded by:
 *
 *   C  constant after creation
 *   L  the pool's lock
 *   A  atomic, changed by anybody
 *   W  written by its worker alone; others read it as its comment says
 *   G  the global lock (ww_wq_lock)
 *   Q  the workqueue's mutex
 *
 * Lock order: Q, G, pool lock, bucket of the waiters' table. Nothing of a user runs under any.
 *
 * The life of an item. PENDING in its data word is the ownership bit: who flips it from 0 to 1 owns
 * the item until it is in a pool's inbox. A push is an exchange of the inbox's tail; whoever holds
 * the pool's lock takes items out of the inbox and admits them to the pool's list, to a worker's
 * slots, or, over max_active, to the queue's inactive list. A worker claims a slot by exchange,
 * clears PENDING, and only then reads the function and calls it.
 */
#ifndef WW_WORK_INTERNAL_H
#define WW_WORK_INTERNAL_H

#include "wheelwork/work.h"

#include "base/atomic.h"
#include "base/cpu.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/thread.h"

#include <sys/types.h>

/* The data word of an item (ww_private[0]), changed by read-modify-write alone. */
#define WORK_PENDING	 (1ull << 0)
#define WORK_WAITED	 (1ull << 1) /* a flush waits for the queued instance */
#define WORK_MOVED	 (1ull << 2) /* was moved to another pool while it ran */
#define WORK_ONSTACK	 (1ull << 3)
#define WORK_RCU	 (1ull << 4) /* inside a struct ww_rcu_work */
#define WORK_DELAYED	 (1ull << 5) /* inside a struct ww_delayed_work */
#define WORK_DEPTH_SHIFT 8	     /* how often it is disabled */
#define WORK_DEPTH_ONE	 (1ull << WORK_DEPTH_SHIFT)
#define WORK_DEPTH_MASK	 (0xffffull << WORK_DEPTH_SHIFT)
#define WORK_POOL_SHIFT	 24 /* the tag of the pool it was last queued on, 0 for none */
#define WORK_POOL_MASK	 (0xffffull << WORK_POOL_SHIFT)
#define WORK_MAGIC_MASK	 (0xffffull << 48)
#define WORK_CHECKED	 (WORK_MAGIC_MASK | WORK_DEPTH_MASK) /* initialised, and not disabled */
#define WORK_USUAL_MASK	 (WORK_MAGIC_MASK | WORK_DEPTH_MASK | WORK_POOL_MASK)

#define BATCH	    16 /* slots of a worker */
#define COLOURS	    16 /* generations of items that flushes can tell apart */
#define DRAIN_STEP  64 /* items moved out of an inbox under one hold of the lock */
#define POOLS_MAX   4096
#define POOL_FORKS  16 /* a pool's tag: its id and, above it, forks so far, modulo this */
#define HINTS_MIN   256
#define HINTS_MAX   (1u << 20)
#define HINT_AHEAD  24
#define HINTS_LINE  (WW_CACHE_LINE / sizeof(void *))
#define WQ_NAME_LEN 32

/*
 * A pool's look word: all that a push must see to, in one load. A bit for each seat, in which a
 * worker sleeps that a push may take; the lowest is taken, so that a pool with little to do has one
 * worker that is warm, and others that may leave.
 */
#define SEATS	      62
#define LOOK_SEATS    ((1ull << SEATS) - 1)
#define LOOK_SHORTAGE (1ull << 62) /* fewer licences out than there might be */
#define LOOK_UNARMED  (1ull << 63) /* the manager does not look at this pool */

#define NODES 64 /* those with higher numbers share a count */

/* Low bits of an item's queue word (ww_private[3]): the pwq it is queued on, and L about it. */
#define PWQ_COLOUR   0x0full
#define PWQ_INACTIVE 0x10ull /* waits over max_active */
#define PWQ_COLLIDE  0x20ull /* was running when it left the inbox */
#define PWQ_MARKER   0x40ull /* not an item: a flush's marker */
#define PWQ_TAGS     0xffull
#define PWQ_ALIGN    256

struct ww_pool;
struct ww_pworker;

/* An item's links, in ww_private[1] and [2]; walked under L, read elsewhere as said below. */
struct item_link {
	struct item_link *next, *prev;
};

/* One workqueue in one pool. Pushers read its first line, workers write the others. */
struct ww_pwq {
	struct ww_pool *pool;	 /* C */
	struct ww_workqueue *wq; /* C */
	int *node_active;	 /* C: of its NUMA node; NULL where the queue has but one */
	bool urgent;		 /* L: workers settle after each item: somebody waits for it */
	bool intensive_items;	 /* C: of a queue of CPU_INTENSIVE items */
	uint64_t usual; /* C, but for a fork: the word of an item that may be queued here at once */
	/* Of each item. */
	int nr_active ww_aligned_line; /* L */
	int max_active;		       /* L */
	unsigned colour;	       /* L: given to what leaves the inbox now */
	bool frozen;		       /* L */
	bool starved;		       /* L: counted in the queue's starved */
	bool shared;		       /* L: its active items count in the queue's shared_active */
	uint64_t admitted, completed;  /* L */
	struct item_link inactive;     /* L */
	uint32_t in_flight[COLOURS] ww_aligned_line; /* L */
	/* Of what is rare. */
	bool stuck_colour;	 /* L: a flush wants another one, and none is free */
	bool mayday_now;	 /* L: its rescuer shall come */
	struct ww_list flushers; /* L */
	struct ww_list node;	 /* L: in the pool's pwqs */
	uint64_t cancelled, cpu_ns, intensive, woken, moved, mayday, rescued; /* L */
} __attribute__((aligned(PWQ_ALIGN)));

enum worker_state {
	WORKER_NEW,	/* its thread has not begun */
	WORKER_RUN,	/* looks for items or runs them */
	WORKER_IDLE,	/* sleeps in a seat of the pool; holds a licence */
	WORKER_RESERVE, /* sleeps on its own word; holds none */
	WORKER_DEAD,	/* its thread is gone; the structure waits for another */
};

/*
 * A worker. Never freed: an item carries the address of the worker that ran it last, and may be
 * asked about it at any time later.
 */
struct ww_pworker {
	/* Published in this order: func NULL, seq, current; then the slot is claimed. */
	struct ww_work *current;    /* W, release; read by anybody */
	ww_work_fn current_func;    /* W; NULL until the item is claimed */
	struct ww_pwq *current_pwq; /* W: from the claim to the end of the function */
	uint32_t seq;		    /* W: counts claims */
	uint32_t attention;	    /* A: set under L: look at what stands below */
	uint32_t pos;		    /* W, release: slots below it are over */
	uint32_t n;		    /* L, and W's own thread: slots of this batch */
	uint32_t settled;	    /* L: slots below it are accounted for */
	bool licensed;		    /* L: counts in the pool's licensed */
	bool blocked;		    /* L: its licence was taken because it blocks */
	uint8_t state;		    /* L */
	bool rescuer;		    /* C */
	uint8_t brief;		    /* W: how often in a row it was hardly worth waking */
	struct ww_work *slot[BATCH] ww_aligned_line; /* A: filled under L */
	uint64_t slot_pwq[BATCH]; /* filled under L; 0 by W where the claim was lost */
	struct ww_pool *pool;	  /* C, for a rescuer L of the pool it visits */
	struct ww_list node;	  /* L: in the pool's workers */
	struct ww_list reserve;	  /* L: in the pool's reserve, or its dozers */
	struct ww_list waiters;	  /* L: flushes that wait for the current run */
	struct item_link own;	  /* L: items that may not run before the current one ends */
	uint32_t wake;		  /* A: the futex on which it sleeps */
	unsigned block_nest;	  /* W */
	uint32_t waiting;	  /* W, atomic: inside a wait of this room */
	struct ww_thread *thread; /* A: its record in src/thread, while it lives */
	unsigned id;		  /* C */
	pid_t tid;		  /* A: 0 before it runs */
	/* What the manager saw at its last look (L). */
	uint32_t seen_seq;
	uint64_t seen_cpu, item_cpu;
	bool hog;
	uint64_t cpu_mark;	 /* W: its CPU clock when it was last read */
	uint64_t ran;		 /* W: items since then */
	ww_work_fn hogged;	 /* W: what is to be reported when no lock is held */
	struct ww_pwq *last_pwq; /* L: whom that CPU time is charged to */
	/* What its handler waits for, under the lock of deadlock.c. */
	struct ww_pworker *waits_worker;
	struct ww_pool *waits_pool;
	struct ww_pwq *waits_pwq; /* compared, never followed */
	uint32_t waits_seq;
	struct ww_workqueue *rescues;  /* C of a rescuer */
	char desc[WW_WORKER_DESC_LEN]; /* L: what the run with this seq says of itself */
	uint32_t desc_seq;
};

#define URGENT_SOME 1 /* in a pool's urgent */

/* Addresses of pushed items, to prefetch and never to follow. */
struct hint_ring {
	uint64_t mask;		 /* C */
	struct hint_ring *older; /* C: kept, see grow_ring_l() */
	/* A; more of them in a ring made later. */
	struct ww_work *at[HINTS_MIN] ww_aligned_line;
};

struct ww_pool {
	/* Written by pushers. */
	struct ww_work *tail ww_aligned_line; /* A */
	struct ww_work *head;		      /* A: set by the pusher that found tail NULL */
	uint64_t hints;			      /* A, no order, may lose counts: see push_hint() */
	/* Read by pushers, written when workers sleep or wake. */
	uint64_t look ww_aligned_line; /* A: LOOK_*; 0: a push has nothing to see to */
	struct hint_ring *ring;	       /* A: replaced by a bigger one under L */
	unsigned id;		       /* C */
	unsigned tag;		       /* C, but for a fork: another one in the child */
	/* A: what is urgent here: no pwq, one, or some (URGENT_SOME). Never followed. */
	uintptr_t urgent;
	/* Under the lock. */
	struct ww_lock lock ww_aligned_line;
	struct ww_work *chain, *chain_last; /* L: taken off the inbox, not admitted yet */
	uint64_t hint_pos, hint_known;	    /* L: items taken out, and hints that were there */
	struct item_link list;		    /* L: admitted, waiting for a worker */
	struct ww_list workers, reserve;    /* L */
	struct ww_list dozers;		    /* L: see doze_l() */
	struct ww_list dead;		    /* L: structures to use again */
	struct ww_list pwqs;		    /* L */
	unsigned licensed, target;	    /* L: workers that may run items, now and at most */
	unsigned nr_workers, want;	    /* L: threads that live; threads asked for */
	unsigned refs;			    /* G */
	unsigned nr_urgent;		    /* L: pwqs that are */
	unsigned keep;			    /* L: idle threads that stay for good */
	unsigned next_worker;		    /* L */
	struct ww_workqueue *feed;	    /* L: give their freed room to other pools on unlock */
	uint64_t progress;		    /* L: grows with each batch taken */
	uint64_t seats;			    /* L: those that are given away */
	struct ww_pworker *seat[SEATS];	    /* L, and read by who took the seat's bit from look */
	/* The manager's (L). */
	uint64_t seen_progress, stuck_since, retry_at, mayday_at;
	unsigned calm;
	bool stall_reported, cap_reported;
	/* What it is for (C). */
	int cpu; /* bound to it, -1 for an unbound pool */
	int nice;
	bool unbound;
	uint64_t mask[16]; /* CPUs as in ww_cpumask */
	struct hint_ring first_hints;
};

/* Why nothing but a flag word is read on the queueing path. */
#define WQ_DRAINING   0x1u /* A: only its own items may queue on it */
#define WQ_DESTROYING 0x2u

struct ww_workqueue {
	unsigned flags;		 /* C */
	uint32_t state;		 /* A */
	struct ww_pwq **by_slot; /* A: one entry for each CPU slot; replaced, never changed */
	bool ordered;		 /* C */
	bool system;		 /* C */
	bool orphan;		 /* Q: came over a fork: its rescuer did not */
	uint32_t delayed_used;	 /* A: some delayed work was armed for it */
	uint32_t rcu_used;	 /* A: some rcu work was queued for it */
	uint32_t flushers;	 /* A */
	unsigned drainers;	 /* Q */
	struct ww_lock mutex;	 /* Q itself */
	int max_active;		 /* Q */
	int min_active;		 /* Q */
	unsigned npwq;		 /* Q, G to read: all pwqs, also replaced ones */
	struct ww_pwq **pwqs;	 /* Q, G */
	int shared_active;	 /* A: active items of all pwqs, where that is what is bounded */
	int shared_max;		 /* A */
	int shared_min;		 /* A: each node's own, whatever the others have */
	int node_active[NODES];	 /* A: active items of a node's pwqs, where there are several */
	uint32_t starved;	 /* A: pwqs that have inactive items for want of it */
	uint32_t feeders;	 /* A: threads about to look at the starved pwqs */
	uint32_t feed_queued;	 /* A: on the feed list of some pool */
	struct ww_workqueue *feed_next;	    /* by whoever set feed_queued */
	uint64_t updates_idle;		    /* A: void updates that found the item idle */
	uint64_t timer_cancelled;	    /* A */
	struct ww_pworker *rescuer;	    /* G to write; A: whether there is one */
	struct ww_os_thread rescuer_thread; /* C */
	uint32_t rescue;	/* A: futex: the rescuer is asked for; 2: it shall end */
	struct ww_list node;	/* G */
	void *garbage;		/* Q: freed with the queue */
	char name[WQ_NAME_LEN]; /* C */
};

/* Somebody who waits for one run of one item. On the waiter's stack. */
struct ww_run_waiter {
	struct ww_list node; /* bucket lock, then L of the worker's pool */
	struct ww_work *work;
	uint32_t seq;  /* of the run it waits for */
	uint32_t done; /* A: futex */
};

extern struct ww_lock ww_wq_lock;
extern struct ww_list ww_all_wqs;	    /* G */
extern struct ww_pool *ww_pools[POOLS_MAX]; /* A: [0] unused; published by release */
extern unsigned ww_nr_pools;		    /* A */
extern __thread struct ww_pworker *ww_self_worker;
extern bool ww_work_virtual; /* G, once: on the virtual clock everything runs in one order */

/* Tunables (see ww_workqueue_set_param()). A, relaxed. */
extern uint64_t ww_param_idle_ms, ww_param_watchdog_ms, ww_param_threads_max;
extern uint64_t ww_param_power_efficient, ww_param_intensive_us, ww_param_intensive_warn,
	ww_param_period_us;

static inline uint64_t *ww_work_data(struct ww_work *work)
{
	return &work->ww_private[0];
}

static inline struct item_link *ww_work_link(struct ww_work *work)
{
	return (struct item_link *)(void *)&work->ww_private[1];
}

static inline struct ww_work *ww_link_work(struct item_link *l)
{
	return (struct ww_work *)(void *)((char *)l -
					  __builtin_offsetof(struct ww_work, ww_private[1]));
}

static inline struct ww_work **ww_work_next(struct ww_work *work)
{
	return (struct ww_work **)(void *)&work->ww_private[1];
}

/* Where it is: 0, a worker's address + 1 (its last one), or its predecessor on a list. */
static inline uint64_t *ww_work_where(struct ww_work *work)
{
	return &work->ww_private[2];
}

static inline uint64_t *ww_work_queue(struct ww_work *work)
{
	return &work->ww_private[3];
}

static inline struct ww_pwq *ww_tagged_pwq(uint64_t tagged)
{
	return (struct ww_pwq *)(uintptr_t)(tagged & ~PWQ_TAGS);
}

static inline struct ww_pworker *ww_where_worker(uint64_t where)
{
	return where & 1 ? (struct ww_pworker *)(uintptr_t)(where - 1) : NULL;
}

static inline unsigned ww_data_tag(uint64_t data)
{
	return (unsigned)((data & WORK_POOL_MASK) >> WORK_POOL_SHIFT);
}

/* Lists of items: links are atomics, because an item's owner may look at `prev` without L. */
static inline void ww_items_init(struct item_link *l)
{
	l->next = l->prev = l;
}

static inline bool ww_items_empty(const struct item_link *l)
{
	return l->next == l;
}

static inline void ww_items_insert(struct item_link *n, struct item_link *prev,
				   struct item_link *next)
{
	ww_store_relaxed(&n->next, next);
	ww_store_relaxed(&n->prev, prev);
	ww_store_relaxed(&next->prev, n);
	ww_store_relaxed(&prev->next, n);
}

static inline void ww_items_add_tail(struct item_link *n, struct item_link *head)
{
	ww_items_insert(n, head->prev, head);
}

static inline void ww_items_add(struct item_link *n, struct item_link *head)
{
	ww_items_insert(n, head, head->next);
}

static inline void ww_items_del(struct item_link *n)
{
	ww_store_relaxed(&n->prev->next, n->next);
	ww_store_relaxed(&n->next->prev, n->prev);
}

/* pool.c: inbox, admission, licences. "_l": the pool's lock is held. */
void ww_push_look(struct ww_pool *pool);
struct ww_work *ww_inbox_pop_l(struct ww_pool *pool);
bool ww_inbox_gap_l(const struct ww_pool *pool);
unsigned ww_pool_drain_l(struct ww_pool *pool, unsigned max);
void ww_pool_settle_all_l(struct ww_pool *pool);
void ww_pool_kick_l(struct ww_pool *pool);
uint64_t ww_pool_backlog(const struct ww_pool *pool);
bool ww_pool_waiting_l(struct ww_pool *pool);
void ww_pool_shortage_l(struct ww_pool *pool);
void ww_pwq_over_l(uint64_t tagged, unsigned n, bool ran);
void ww_pwq_set_urgent_l(struct ww_pwq *pwq, bool on);
void ww_pwq_urgent_l(struct ww_pwq *pwq);
void ww_pwq_activate_l(struct ww_pwq *pwq);
bool ww_pwq_idle_l(const struct ww_pwq *pwq);
const struct ww_workqueue *ww_pool_queue_l(struct ww_pool *pool, const struct ww_pwq *pwq);
void ww_pool_unlock_feed(struct ww_pool *pool);
struct ww_pool *ww_pool_get(int cpu, int nice, bool unbound, const uint64_t *mask, unsigned target);
void ww_pool_put(struct ww_pool *pool);
struct ww_pool *ww_pool_of(unsigned id);
struct ww_pool *ww_data_pool(uint64_t data); /* NULL: none, or one of before a fork */
void ww_pool_new_tag(struct ww_pool *pool);

static inline bool ww_pool_armed(const struct ww_pool *pool)
{
	return !(ww_load_seq_cst(&pool->look) & LOOK_UNARMED);
}

static inline void ww_pool_lock(struct ww_pool *pool)
{
	ww_lock(&pool->lock);
}

static inline void ww_pool_unlock(struct ww_pool *pool)
{
	if (ww_unlikely(pool->feed != NULL))
		ww_pool_unlock_feed(pool);
	else
		ww_unlock(&pool->lock);
}

/* worker.c */
int ww_pworker_create(struct ww_pool *pool);
unsigned ww_pworker_take_l(struct ww_pworker *w);
void ww_pworker_settle_l(struct ww_pworker *w);
void ww_pworker_state_l(struct ww_pworker *w, enum worker_state to);
void ww_pworker_unbatch_l(struct ww_pworker *w, bool for_others);
void ww_pworker_attend_l(struct ww_pworker *w);
void ww_pworker_block_l(struct ww_pworker *w);
struct ww_pworker *ww_pool_running_l(struct ww_pool *pool, struct ww_work *work);
struct ww_pworker *ww_pool_runner_l(struct ww_pool *pool, struct ww_work *work);
bool ww_pool_holds_l(struct ww_pool *pool, struct ww_work *work);
struct ww_pworker *ww_rescuer_worker(struct ww_workqueue *wq);
void ww_rescuer_worker_put(struct ww_pworker *w);
bool ww_pworker_visit(struct ww_pworker *rescuer, struct ww_pool *pool);
unsigned ww_workers_alive(void);
void ww_workers_forget(void);
/* Around a wait of this room: announced as blocking, and at rest for the virtual clock. */
void ww_wait_enter(void);
void ww_wait_leave(void);

/* manager.c */
int ww_manager_start(void);
void ww_manager_kick(void);
void ww_pool_arm(struct ww_pool *pool);
void ww_manager_forget(void);
void ww_report_hog(ww_work_fn fn);

/* show.c */
void ww_report_stall(struct ww_pool *pool, uint64_t stuck_ns);

/* item.c */
bool ww_queue_owned(int cpu, struct ww_workqueue *wq, struct ww_work *work);
void ww_work_release(struct ww_work *work);
/* The item is disabled, or was never initialised; was: PENDING was set already. False. */
bool ww_work_may_not_queue(struct ww_work *work, bool was, const char *call);
bool ww_init_item(struct ww_work *work, ww_work_fn func, uint64_t flags, const char *call);
bool ww_refused_by_drain(struct ww_workqueue *wq);

/*
 * Take PENDING: always a read-modify-write, also where it is set already, so that the run which is
 * due sees what the caller stored before (WORK-8). It asks for one bit alone, which is a single
 * instruction that fetches the line once. False: pending already, or may not be queued.
 */
static inline bool ww_work_take(struct ww_work *work, const char *call)
{
	bool was = ww_fetch_or(ww_work_data(work), WORK_PENDING) & WORK_PENDING; /* pairs: WORK-8 */
	uint64_t data = ww_load_relaxed(ww_work_data(work));

	if (ww_unlikely((data & WORK_CHECKED) != WW_WORK_MAGIC_))
		return ww_work_may_not_queue(work, was, call);
	return !was;
}

/* cancel.c */
int ww_work_grab(struct ww_work *work, const char *call);
bool ww_claim_waited(struct ww_pworker *w, struct ww_work *work);
void ww_waiter_sleep(struct ww_run_waiter *waiter);
void ww_waiter_wake(struct ww_run_waiter *waiter);
bool ww_wait_idle(struct ww_work *work);
void ww_waiters_reset(void);
bool ww_left_by_fork(struct ww_work *work, const char *call);

/* delayed.c: takes a delayed work off its timer; true: the caller owns PENDING. */
bool ww_delayed_steal(struct ww_work *work);
bool ww_delayed_armed(struct ww_work *work);

/* flush.c */
void ww_flush_all(struct ww_workqueue *wq);
void ww_drain_all(struct ww_workqueue *wq);
void ww_flush_marker_l(struct ww_pool *pool, struct ww_work *marker, struct ww_pwq *pwq);
void ww_flush_colour_over_l(struct ww_pwq *pwq, unsigned colour);

/* deadlock.c: around a wait for work's end; false: it would never end, and was reported. */
bool ww_wait_begin(struct ww_work *work, const char *call, bool flush);
void ww_wait_end(void);

/* How a queue is spread over pools: slots fall into units, each with a pool of its own. */
struct ww_wq_layout {
	unsigned units;
	int nice;
	unsigned unit[WW_SLOTS_MAX];
	unsigned workers[WW_SLOTS_MAX]; /* of a unit */
	uint64_t (*mask)[16];		/* of a unit; the layout's own memory */
};

/* queue.c */
int ww_wq_lay_out(struct ww_workqueue *wq, const struct ww_wq_layout *lay, bool shared);
void ww_wq_free(struct ww_workqueue *wq);
void ww_garbage_add(struct ww_workqueue *wq, void *p);

/* attrs.c */
void ww_layout_free(struct ww_wq_layout *lay);
int ww_wq_default_layout(struct ww_workqueue *wq, struct ww_wq_layout *lay);

/* system.c: the start of the room (threads, virtual clock, fork); 0 or -errno. */
int ww_work_start(void);

/* delayed.c: cancels and reports every delayed work that is armed for wq. */
void ww_delayed_cancel_all(struct ww_workqueue *wq);

/* check.c */
void ww_work_check_init(void);

/* rescuer.c */
int ww_rescuer_start(struct ww_workqueue *wq);
void ww_rescuers_adopt(void);
void ww_rescuer_stop(struct ww_workqueue *wq);
void ww_rescuer_call_l(struct ww_pool *pool);

/* rcu.c */
void ww_rcu_barrier(void);

/* freeze.c */
bool ww_wq_begins_frozen(const struct ww_workqueue *wq);
void ww_freeze_progress_l(const struct ww_pwq *pwq);
void ww_freeze_init(void);

/* queue.c: whether an inactive list of this pool holds work. */
bool ww_wqs_hold_l(struct ww_pool *pool, struct ww_work *work);

extern unsigned ww_work_forks; /* of this process and its parents; written while alone */
void ww_work_fork_init(void);

#endif

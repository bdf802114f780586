/* SPDX-License-Identifier: MIT */
/*
 * Timers: a function called once, when the tick counter first reads expires + 1. The caller embeds
 * struct ww_timer in its own object; nothing is allocated per operation.
 *
 * Exactness. A timer never fires early, and late only by what the machine takes to run it, at every
 * distance up to 2^62 ticks. The + 1 makes "now + d" never less than d whole ticks. A deadline in
 * the past fires at the next tick (of real time a base that is late, or just awake, may come to it
 * even in this one), never inside the arming call; a function that arms its own timer so runs once a
 * tick. No order is promised among timers.
 *
 * Where. Each CPU that the process may use has a base with a thread (bound to that CPU), made on
 * first use; a timer is armed on the base of the calling thread's CPU. While it is pending and
 * pushed out it stays there. More bases can be made as objects, driven by a thread of their own or
 * by the caller's event loop.
 *
 * Promises between threads:
 * - A timer's function never runs concurrently with itself, whoever re-arms it.
 * - When it starts the timer is no longer pending: it may re-arm, delete, shut down or free its own
 *   timer.
 * - Each arming comes to exactly one end: it runs, or a delete returns 1. Calls that race take
 *   effect in some order; while calls on one timer are in progress it may act on the deadline of
 *   any of them. One limit: as long as a call is stopped in the middle that began before the timer
 *   was last armed or moved closer, a timer that has been pushed out since may run at the deadline
 *   to which it was armed or moved then. It takes three calls for that.
 * - What a thread did before a call that armed the timer (or found it pending and returned 1) is
 *   seen by the run that follows. What the function did is seen after a synchronous delete.
 *
 * Context of every call: any thread, also from a timer's function, never a signal handler; calls do
 * not sleep unless they say so. Timer functions run in the base's thread, one after another: they
 * should be short, and others are late while one runs (one that takes long is reported).
 *
 * Misuse (see ww_set_misuse_handler()) is reported and the call does nothing: a timer that was never
 * set up, adding a pending one, a synchronous delete from the timer's own function.
 */
#ifndef WHEELWORK_TIMER_H
#define WHEELWORK_TIMER_H

#include <wheelwork/clock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_timer;
typedef void (*ww_timer_fn)(struct ww_timer *timer);

/*
 * 64 bytes on every 64-bit machine; re-arming is cheapest when it begins on a cache line. Owned by
 * the caller, who may free it when it is idle and its function is not running (after
 * ww_timer_delete_sync() or ww_timer_shutdown_sync(), or inside that function itself).
 */
struct ww_timer {
	/*
	 * The deadline in ticks. Read it freely (while calls on the timer race, it may show what
	 * one of them asked for); write it only while idle, before ww_add_timer() and its kin.
	 */
	uint64_t expires;
	ww_timer_fn function; /* NULL once shut down */
	uint64_t ww_private[6];
};

/*
 * Never wakes a sleeping base: runs when that next wakes up for something else, so it may be late
 * without bound, but never early. Kernel: TIMER_DEFERRABLE.
 */
#define WW_TIMER_DEFERRABLE 0x1u
/* Fires on the base of the CPU that armed it last; ww_mod_timer() elsewhere moves it. TIMER_PINNED. */
#define WW_TIMER_PINNED 0x2u

/*
 * Before any other call, and never while pending. A timer that was shut down can be set up again.
 * Kernel: timer_setup().
 */
void ww_timer_setup(struct ww_timer *timer, ww_timer_fn function, unsigned flags);
/*
 * The same for a timer in a function's frame: ww_timer_destroy_on_stack() must follow before that
 * function returns, after a synchronous delete; it reports (and deletes) a timer that was forgotten.
 * Kernel: timer_setup_on_stack(), timer_destroy_on_stack().
 */
void ww_timer_setup_on_stack(struct ww_timer *timer, ww_timer_fn function, unsigned flags);
void ww_timer_destroy_on_stack(struct ww_timer *timer);

/*
 * A timer that is set up when the program starts:
 *	static WW_DEFINE_TIMER(my_timer, my_function);
 * or, inside another static object, .timer = WW_TIMER_INITIALIZER(my_function); with flags (constants
 * of those above) WW_TIMER_INITIALIZER_FLAGS(my_function, flags).
 * Kernel: DEFINE_TIMER(), __TIMER_INITIALIZER().
 */
#define WW_TIMER_MAGIC_ 0x776d31u
#define WW_TIMER_WORD_	0xa00000u
#define WW_TIMER_FLAGS_(flags)                                                                     \
	(((flags)&WW_TIMER_DEFERRABLE ? 0x20u : 0u) | ((flags)&WW_TIMER_PINNED ? 0x10u : 0u))
#define WW_TIMER_INITIALIZER_FLAGS(fn, flags)                                                      \
	{                                                                                          \
		0, (fn),                                                                           \
		{                                                                                  \
			WW_TIMER_WORD_ | WW_TIMER_FLAGS_(flags), 0, 0, 0, 0, WW_TIMER_MAGIC_       \
		}                                                                                  \
	}
#define WW_TIMER_INITIALIZER(fn)  WW_TIMER_INITIALIZER_FLAGS(fn, 0u)
#define WW_DEFINE_TIMER(name, fn) struct ww_timer name = WW_TIMER_INITIALIZER(fn)

/*
 * Arm an idle timer at timer->expires, on the caller's CPU. Of a timer that was shut down: nothing,
 * silently. Kernel: add_timer().
 */
void ww_add_timer(struct ww_timer *timer);
/* The same, and from now on pinned / no longer pinned. Kernel: add_timer_local(), _global(). */
void ww_add_timer_local(struct ww_timer *timer);
void ww_add_timer_global(struct ww_timer *timer);
/*
 * The same, pinned, on that CPU's base (any CPU number; those the process may not use share the
 * bases of the others). From the timer's own function it stays on the base where that runs.
 * Kernel: add_timer_on().
 */
void ww_add_timer_on(struct ww_timer *timer, int cpu);

/*
 * Arm or re-arm. Returns 1 if it was pending, 0 if it was idle and is armed now, or was shut down
 * and nothing happened. Pushing a pending timer out costs about a store: no lock, no clock.
 * Kernel: mod_timer().
 */
int ww_mod_timer(struct ww_timer *timer, uint64_t expires);
/* Only if it is pending: 1; else nothing and 0. Kernel: mod_timer_pending(). */
int ww_mod_timer_pending(struct ww_timer *timer, uint64_t expires);
/* Arm, or bring forward; never push out. Returns as ww_mod_timer(). Kernel: timer_reduce(). */
int ww_timer_reduce(struct ww_timer *timer, uint64_t expires);
/*
 * As ww_mod_timer(), for a caller to whom any deadline from expires to expires + slack will do: one
 * is chosen that is likely to be shared with other timers (timer->expires tells which), and a
 * pending timer whose deadline lies in that window is left as it is. slack 0 is exact.
 * Kernel: set_timer_slack(), until 4.7.
 */
int ww_mod_timer_slack(struct ww_timer *timer, uint64_t expires, uint64_t slack);

/*
 * Make it idle: 1 if it was pending, 0 if not. Does not wait for a running function and does not
 * keep anyone from arming it again. Kernel: timer_delete().
 */
int ww_timer_delete(struct ww_timer *timer);
/* The same, but -1 and nothing done while its function runs. Kernel: timer_delete_sync_try(). */
int ww_timer_delete_sync_try(struct ww_timer *timer);
/*
 * Make it idle and wait until its function is not running: sleeps. On return it is neither pending
 * nor running, which lasts if nobody arms it. The caller holds no lock that the function takes. Not
 * from its own function, nor from another timer's function for which this one's waits (reported;
 * then as ww_timer_delete()). 1 if it was pending, else 0. Of an idle timer it costs three loads,
 * however many CPUs there are. Kernel: timer_delete_sync().
 */
int ww_timer_delete_sync(struct ww_timer *timer);
/*
 * As ww_timer_delete() / ww_timer_delete_sync(), and every later attempt to arm it does nothing and
 * returns 0, until ww_timer_setup(). Kernel: timer_shutdown(), timer_shutdown_sync().
 */
int ww_timer_shutdown(struct ww_timer *timer);
int ww_timer_shutdown_sync(struct ww_timer *timer);

/* Whether it is armed, at some instant of the call; false while its function runs (unless that has
 * armed it again). Kernel: timer_pending(). */
bool ww_timer_pending(const struct ww_timer *timer);

/*
 * A tick rounded to a whole second, so that timers that need no precision share wake-ups; down
 * where it is less than a quarter past one, never to a tick in the past; each CPU (the caller's, or
 * the one given) three ticks after the one before. The _up forms never round down; the _relative
 * ones take and return ticks from now. Kernel: round_jiffies() and its kin.
 */
uint64_t ww_round_jiffies(uint64_t j);
uint64_t ww_round_jiffies_up(uint64_t j);
uint64_t ww_round_jiffies_relative(uint64_t delta);
uint64_t ww_round_jiffies_up_relative(uint64_t delta);
uint64_t ww_round_jiffies_on(uint64_t j, int cpu);
uint64_t ww_round_jiffies_up_on(uint64_t j, int cpu);

/* --- Bases as objects --- */

struct ww_base; /* opaque */

/*
 * A base with a thread of its own, bound to no CPU, or one that the caller's event loop drives. name
 * is copied (15 bytes). NULL + errno (ENOMEM, EAGAIN; EMFILE, ENFILE for a driven one). After a
 * fork the child's copy is empty.
 */
struct ww_base *ww_base_create(const char *name);
struct ww_base *ww_base_create_driven(const char *name);
/*
 * Ends its thread (waits for that) and frees it. -EBUSY and nothing done while timers are pending
 * on it or it is being run; -EDEADLK from one of its own timers' functions.
 */
int ww_base_destroy(struct ww_base *base);
/*
 * From now on every arming of this idle timer goes to base, whatever CPU the caller is on; NULL:
 * to the caller's CPU again. 0; -EBUSY (reported) while it is pending or runs; -EINVAL (reported) of
 * one that was never set up.
 */
int ww_timer_set_base(struct ww_timer *timer, struct ww_base *base);
/*
 * A driven base's descriptor: it polls readable when ww_base_run() is due. Owned by the base; do
 * not read, set or close it.
 */
int ww_base_fd(struct ww_base *base);
/*
 * Run all that is due on a driven base, in the calling thread. Returns how many ran; -EBUSY while
 * another thread is in it, -EDEADLK from one of its own timers' functions. Re-arming its timers from
 * the thread that runs it is cheapest. On the virtual clock ww_clock_advance() runs them, and
 * nothing is left to do here.
 */
int ww_base_run(struct ww_base *base);

/* --- Seen from outside --- */

/* Counts since the start; 128 bytes. */
struct ww_timer_stats {
	uint64_t pending; /* armed now */
	uint64_t armed;	  /* idle timers armed */
	/* Looks at a timer that found it pushed out by stores, however often. Nothing counts each of
	 * those: counting would cost as much as the store. */
	uint64_t pushed_out;
	uint64_t slow_rearms; /* pending timers re-armed under the base's lock */
	uint64_t cancelled;   /* pending timers deleted */
	uint64_t fired;	      /* functions called */
	uint64_t refiled;     /* looked at before their time and filed closer */
	uint64_t barriers;    /* asymmetric barriers */
	uint64_t
		exchange_spells; /* times when those cost too much and re-arming did without them */
	uint64_t sleeps;	 /* times that the base's thread went to sleep */
	uint64_t lateness_ns_max; /* of the first timer in a wake-up, real time only */
	uint64_t ww_spare[5];
};

/* Of that CPU's base, or of all bases for cpu < 0. */
void ww_timer_get_stats(int cpu, struct ww_timer_stats *stats);
void ww_base_get_stats(struct ww_base *base, struct ww_timer_stats *stats);
typedef void (*ww_timer_view_fn)(const struct ww_timer *timer, void *arg);
/*
 * A moment's view for a debugger or a check at the end: every pending timer. fn is called with a
 * lock held, must call nothing of this library, and may read expires and function.
 */
void ww_timer_for_each(ww_timer_view_fn fn, void *arg);
/*
 * Report a timer function that runs for so long (once each, by its name); 0 for never. Default: half
 * a second.
 */
void ww_timer_set_long_callback(uint64_t ns);

#ifdef __cplusplus
}
#endif
#endif

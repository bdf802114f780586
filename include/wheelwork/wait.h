/* SPDX-License-Identifier: MIT */
/*
 * Wait queues: sleep until a condition is true.
 *
 *	waiter:	ww_wait_event(&queue, done);
 *	waker:	done = true; ww_wake_up(&queue);
 *
 * The condition is evaluated several times, without a lock: it must have no side effect, must not
 * sleep, and reads atomically what others write. Any thread may wait and wake; waiting sleeps.
 * A queue must outlive its waiters and wakers.
 */
#ifndef WHEELWORK_WAIT_H
#define WHEELWORK_WAIT_H

#include <wheelwork/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 48 bytes; all zero is a valid empty queue. Kernel: struct wait_queue_head. */
struct ww_wait_queue_head {
	uint64_t ww_private[6];
};

/* 64 bytes. Kernel: struct wait_queue_entry. */
struct ww_wait_queue_entry {
	uint64_t ww_private[8];
};

/* Kernel: init_waitqueue_head(). */
void ww_init_waitqueue_head(struct ww_wait_queue_head *queue);

/*
 * Wake all sleepers in mode that are not exclusive, and at most nr exclusive ones (0: all).
 * Returns how many exclusive ones it woke.
 * Kernel: __wake_up().
 */
int ww_wake_up_mode(struct ww_wait_queue_head *queue, unsigned mode, int nr);
#define ww_wake_up(q)			ww_wake_up_mode(q, WW_TASK_NORMAL, 1)
#define ww_wake_up_nr(q, nr)		ww_wake_up_mode(q, WW_TASK_NORMAL, nr)
#define ww_wake_up_all(q)		ww_wake_up_mode(q, WW_TASK_NORMAL, 0)
#define ww_wake_up_interruptible(q)	ww_wake_up_mode(q, WW_TASK_INTERRUPTIBLE, 1)
#define ww_wake_up_interruptible_all(q) ww_wake_up_mode(q, WW_TASK_INTERRUPTIBLE, 0)

/*
 * Does anybody wait? The first has the barrier that a waker needs between its store and this
 * look; the second has none. Kernel: wq_has_sleeper(), waitqueue_active().
 */
bool ww_wq_has_sleeper(struct ww_wait_queue_head *queue);
bool ww_waitqueue_active(const struct ww_wait_queue_head *queue);

/*
 * The parts of which the waits below are made, for a loop of one's own. An entry lies on the
 * waiter's stack; ww_finish_wait() in every case before it goes.
 * Kernel: init_wait(), prepare_to_wait(), prepare_to_wait_exclusive(), finish_wait().
 */
void ww_init_wait(struct ww_wait_queue_entry *entry);
void ww_prepare_to_wait(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry,
			unsigned state);
void ww_prepare_to_wait_exclusive(struct ww_wait_queue_head *queue,
				  struct ww_wait_queue_entry *entry, unsigned state);
/* 0, or -WW_ERESTARTSYS and not queued. Kernel: prepare_to_wait_event(). */
int ww_prepare_to_wait_event(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry,
			     unsigned state);
void ww_finish_wait(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry);

/*
 * An entry that stays queued until it is removed: for a thread, which a wake-up wakes; or with a
 * function, which is called instead, with the queue's lock held: it must be short, must not sleep
 * nor touch the queue, and returns true if it woke somebody (that counts for an exclusive entry).
 * Kernel: init_waitqueue_entry(), init_waitqueue_func_entry(), add_wait_queue(),
 * add_wait_queue_exclusive(), remove_wait_queue().
 */
typedef bool (*ww_wait_queue_func)(struct ww_wait_queue_entry *entry, unsigned mode);
void ww_init_waitqueue_entry(struct ww_wait_queue_entry *entry, struct ww_thread *thread);
void ww_init_waitqueue_func_entry(struct ww_wait_queue_entry *entry, ww_wait_queue_func func);
void ww_add_wait_queue(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry);
void ww_add_wait_queue_exclusive(struct ww_wait_queue_head *queue,
				 struct ww_wait_queue_entry *entry);
/* After it has returned, the function is not running and won't be called. */
void ww_remove_wait_queue(struct ww_wait_queue_head *queue, struct ww_wait_queue_entry *entry);
/*
 * The same from the entry's own function, and only there: the lock is held. The entry may be gone
 * once this has returned, where its owner looks by ww_finish_wait(). Kernel: what
 * autoremove_wake_function() does.
 */
void ww_remove_wait_queue_locked(struct ww_wait_queue_head *queue,
				 struct ww_wait_queue_entry *entry);
#define WW_WAIT_EXCLUSIVE 0x1u
void ww_init_wait_entry(struct ww_wait_queue_entry *entry, unsigned flags);
/* Reports a wait that begins while the state is not RUNNING. Kernel: might_sleep(). */
void ww_wait_begins(void);

/* cmd sleeps; sets ww_ret to leave early through interruption. */
#define WW_WAIT_EVENT_(queue, cond, state, flags, ret0, cmd)                                       \
	__extension__({                                                                            \
		struct ww_wait_queue_head *ww_q_ = (queue);                                        \
		struct ww_wait_queue_entry ww_entry_;                                              \
		int64_t ww_ret_ = (ret0);                                                          \
		ww_init_wait_entry(&ww_entry_, flags);                                             \
		for (;;) {                                                                         \
			int ww_int_ = ww_prepare_to_wait_event(ww_q_, &ww_entry_, state);          \
			if (cond)                                                                  \
				break;                                                             \
			if (ww_int_) {                                                             \
				ww_ret_ = ww_int_;                                                 \
				break;                                                             \
			}                                                                          \
			cmd;                                                                       \
		}                                                                                  \
		ww_finish_wait(ww_q_, &ww_entry_);                                                 \
		ww_ret_;                                                                           \
	})

#define WW_WAIT_PLAIN_(queue, cond, state, flags)                                                  \
	__extension__({                                                                            \
		int ww_rc_ = 0;                                                                    \
		ww_wait_begins();                                                                  \
		if (!(cond))                                                                       \
			ww_rc_ = (int)WW_WAIT_EVENT_(queue, cond, state, flags, 0, ww_schedule()); \
		ww_rc_;                                                                            \
	})

#define WW_WAIT_CMD_(queue, cond, state, unlock, lock)                                             \
	__extension__({                                                                            \
		int ww_rc_ = 0;                                                                    \
		ww_wait_begins();                                                                  \
		if (!(cond))                                                                       \
			ww_rc_ = (int)WW_WAIT_EVENT_(queue, cond, state, 0, 0, {                   \
				unlock;                                                            \
				ww_schedule();                                                     \
				lock;                                                              \
			});                                                                        \
		ww_rc_;                                                                            \
	})

/* True ends the wait; true just when the time is up counts as one tick left. */
#define WW_WAIT_COND_TIMEOUT_(cond, left)                                                          \
	__extension__({                                                                            \
		bool ww_true_ = (cond);                                                            \
		if (ww_true_ && !(left))                                                           \
			(left) = 1;                                                                \
		ww_true_ || !(left);                                                               \
	})

#define WW_WAIT_TIMEOUT_(queue, cond, state, timeout)                                              \
	__extension__({                                                                            \
		int64_t ww_left_ = (timeout);                                                      \
		ww_wait_begins();                                                                  \
		if (!WW_WAIT_COND_TIMEOUT_(cond, ww_left_))                                        \
			ww_left_ = WW_WAIT_EVENT_(queue, WW_WAIT_COND_TIMEOUT_(cond, ww_ret_),     \
						  state, 0, ww_left_,                              \
						  ww_ret_ = ww_schedule_timeout(ww_ret_));         \
		ww_left_;                                                                          \
	})

/* Until cond. Kernel: wait_event(). */
#define ww_wait_event(queue, cond) ((void)WW_WAIT_PLAIN_(queue, cond, WW_TASK_UNINTERRUPTIBLE, 0))
/* 0, or -WW_ERESTARTSYS when a stop of the waiting thread ends it. Kernel: the same names. */
#define ww_wait_event_interruptible(queue, cond)                                                   \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_INTERRUPTIBLE, 0)
#define ww_wait_event_killable(queue, cond) WW_WAIT_PLAIN_(queue, cond, WW_TASK_KILLABLE, 0)
/* Queued exclusively: one ww_wake_up() wakes one of these. */
#define ww_wait_event_exclusive(queue, cond)                                                       \
	((void)WW_WAIT_PLAIN_(queue, cond, WW_TASK_UNINTERRUPTIBLE, WW_WAIT_EXCLUSIVE))
#define ww_wait_event_interruptible_exclusive(queue, cond)                                         \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_INTERRUPTIBLE, WW_WAIT_EXCLUSIVE)
#define ww_wait_event_killable_exclusive(queue, cond)                                              \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_KILLABLE, WW_WAIT_EXCLUSIVE)
/*
 * cond is evaluated with a lock of the caller's held; unlock and lock are statements around each
 * sleep: ww_wait_event_cmd(&queue, n > 0, pthread_mutex_unlock(&m), pthread_mutex_lock(&m)).
 * Kernel: wait_event_cmd(); for any lock what wait_event_lock_irq() is for a spinlock.
 */
#define ww_wait_event_cmd(queue, cond, unlock, lock)                                               \
	((void)WW_WAIT_CMD_(queue, cond, WW_TASK_UNINTERRUPTIBLE, unlock, lock))
#define ww_wait_event_interruptible_cmd(queue, cond, unlock, lock)                                 \
	WW_WAIT_CMD_(queue, cond, WW_TASK_INTERRUPTIBLE, unlock, lock)
/* As the plain and the exclusive form. Kernel: the same, but not counted in the load average. */
#define ww_wait_event_idle(queue, cond) ((void)WW_WAIT_PLAIN_(queue, cond, WW_TASK_IDLE, 0))
#define ww_wait_event_idle_exclusive(queue, cond)                                                  \
	((void)WW_WAIT_PLAIN_(queue, cond, WW_TASK_IDLE, WW_WAIT_EXCLUSIVE))
/* Frozen where they sleep (freezer.h); else as the interruptible and the killable form. */
#define ww_wait_event_freezable(queue, cond)                                                       \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE, 0)
#define ww_wait_event_freezable_exclusive(queue, cond)                                             \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE, WW_WAIT_EXCLUSIVE)
#define ww_wait_event_freezable_killable(queue, cond)                                              \
	WW_WAIT_PLAIN_(queue, cond, WW_TASK_KILLABLE | WW_TASK_FREEZABLE, 0)
/*
 * For at most timeout ticks (int64_t): 0 if they passed and cond is false; else what remains, at
 * least 1 even if cond became true in the last moment. Interruptible: also -WW_ERESTARTSYS.
 */
#define ww_wait_event_timeout(queue, cond, timeout)                                                \
	WW_WAIT_TIMEOUT_(queue, cond, WW_TASK_UNINTERRUPTIBLE, timeout)
#define ww_wait_event_interruptible_timeout(queue, cond, timeout)                                  \
	WW_WAIT_TIMEOUT_(queue, cond, WW_TASK_INTERRUPTIBLE, timeout)
#define ww_wait_event_killable_timeout(queue, cond, timeout)                                       \
	WW_WAIT_TIMEOUT_(queue, cond, WW_TASK_KILLABLE, timeout)
#define ww_wait_event_idle_timeout(queue, cond, timeout)                                           \
	WW_WAIT_TIMEOUT_(queue, cond, WW_TASK_IDLE, timeout)
#define ww_wait_event_freezable_timeout(queue, cond, timeout)                                      \
	WW_WAIT_TIMEOUT_(queue, cond, WW_TASK_INTERRUPTIBLE | WW_TASK_FREEZABLE, timeout)

#ifdef __cplusplus
}
#endif
#endif

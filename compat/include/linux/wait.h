/* SPDX-License-Identifier: MIT */
#include_next <linux/wait.h>
#ifndef WW_LINUX_WAIT_H
#define WW_LINUX_WAIT_H

#include <wheelwork/wait.h>
#include <ww-linux/base.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/sched.h>

#define wait_queue_head ww_wait_queue_head
typedef struct ww_wait_queue_head wait_queue_head_t;
typedef struct wait_queue_entry wait_queue_entry_t;
typedef struct wait_queue_entry wait_queue_t;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name)                                                        \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define DECLARE_WAIT_QUEUE_HEAD(name)	      struct ww_wait_queue_head name = {{0}}
#define DECLARE_WAIT_QUEUE_HEAD_ONSTACK(name) struct ww_wait_queue_head name = {{0}}
#define init_waitqueue_head		      ww_init_waitqueue_head

/*
 * An entry has the kernel's fields but for the links, and the library's entry inside, which is made
 * ready when it is queued; so code may store private and func itself before. func is called with
 * the queue's lock held: it may wake and take its own entry off, by the three functions below, but
 * not touch the queue.
 */
typedef int (*wait_queue_func_t)(struct wait_queue_entry *entry, unsigned mode, int flags,
				 void *key);
struct wait_queue_entry {
	unsigned int flags;
	void *private; /* the task, for the functions below */
	wait_queue_func_t func;
	/* the support library's */
	struct ww_wait_queue_head *ww_queue; /* NULL before it is queued, and at the end */
	struct ww_wait_queue_entry ww_entry;
};

#define WQ_FLAG_EXCLUSIVE 0x01u
#define WQ_FLAG_WOKEN	  0x02u
#define WQ_FLAG_CUSTOM	  0x04u
#define WQ_FLAG_DONE	  0x08u
#define WQ_FLAG_PRIORITY  0x10u

int ww_linux_default_wake(struct wait_queue_entry *entry, unsigned mode, int flags, void *key);
int ww_linux_autoremove_wake(struct wait_queue_entry *entry, unsigned mode, int flags, void *key);
int ww_linux_woken_wake(struct wait_queue_entry *entry, unsigned mode, int flags, void *key);
#define default_wake_function	 ww_linux_default_wake
#define autoremove_wake_function ww_linux_autoremove_wake
#define woken_wake_function	 ww_linux_woken_wake
/* Until a wake-up since the last call, a stop or a park; returns what remains of the timeout. */
long ww_linux_wait_woken(struct wait_queue_entry *entry, unsigned mode, long timeout);
#define wait_woken ww_linux_wait_woken

#define WW_LINUX_WAIT_ENTRY(f, p, fn)                                                              \
	{                                                                                          \
		.flags = (f), .private = (p), .func = (fn)                                         \
	}
#define __WAITQUEUE_INITIALIZER(name, tsk) WW_LINUX_WAIT_ENTRY(0, tsk, default_wake_function)
#define DECLARE_WAITQUEUE(name, tsk)                                                               \
	struct wait_queue_entry name = __WAITQUEUE_INITIALIZER(name, tsk)
#define DEFINE_WAIT_FUNC(name, fn)                                                                 \
	struct wait_queue_entry name = WW_LINUX_WAIT_ENTRY(0, current, fn)
#define DEFINE_WAIT(name) DEFINE_WAIT_FUNC(name, autoremove_wake_function)

WW_LINUX_INLINE void ww_linux_init_wait(struct wait_queue_entry *entry, unsigned flags, void *task,
					wait_queue_func_t func)
{
	*entry = (struct wait_queue_entry)WW_LINUX_WAIT_ENTRY(flags, task, func);
}
#define init_wait(entry)	  ww_linux_init_wait(entry, 0, current, autoremove_wake_function)
#define init_wait_func(entry, fn) ww_linux_init_wait(entry, 0, current, fn)
#define init_wait_entry(entry, flags)                                                              \
	ww_linux_init_wait(entry, flags, current, autoremove_wake_function)
#define init_waitqueue_entry(entry, tsk)     ww_linux_init_wait(entry, 0, tsk, default_wake_function)
#define init_waitqueue_func_entry(entry, fn) ww_linux_init_wait(entry, 0, NULL, fn)

void ww_linux_add_wait(struct ww_wait_queue_head *q, struct wait_queue_entry *entry,
		       bool exclusive);
void ww_linux_remove_wait(struct ww_wait_queue_head *q, struct wait_queue_entry *entry);
void ww_linux_prepare_wait(struct ww_wait_queue_head *q, struct wait_queue_entry *entry,
			   unsigned state, bool exclusive);
long ww_linux_prepare_wait_event(struct ww_wait_queue_head *q, struct wait_queue_entry *entry,
				 unsigned state);
void ww_linux_finish_wait(struct ww_wait_queue_head *q, struct wait_queue_entry *entry);
#define add_wait_queue(q, entry)		   ww_linux_add_wait(q, entry, false)
#define add_wait_queue_priority(q, entry)	   ww_linux_add_wait(q, entry, false)
#define add_wait_queue_exclusive(q, entry)	   ww_linux_add_wait(q, entry, true)
#define remove_wait_queue			   ww_linux_remove_wait
#define prepare_to_wait(q, entry, state)	   ww_linux_prepare_wait(q, entry, state, false)
#define prepare_to_wait_exclusive(q, entry, state) ww_linux_prepare_wait(q, entry, state, true)
#define prepare_to_wait_event			   ww_linux_prepare_wait_event
#define finish_wait				   ww_linux_finish_wait
#define waitqueue_active			   ww_waitqueue_active
#define wq_has_sleeper				   ww_wq_has_sleeper

#define wake_up(q)			ww_wake_up(q)
#define wake_up_nr(q, nr)		ww_wake_up_nr(q, nr)
#define wake_up_all(q)			ww_wake_up_all(q)
#define wake_up_locked(q)		ww_wake_up(q)
#define wake_up_all_locked(q)		ww_wake_up_all(q)
#define wake_up_sync(q)			ww_wake_up(q)
#define wake_up_interruptible(q)	ww_wake_up_interruptible(q)
#define wake_up_interruptible_nr(q, nr) ww_wake_up_mode(q, WW_TASK_INTERRUPTIBLE, nr)
#define wake_up_interruptible_all(q)	ww_wake_up_interruptible_all(q)
#define wake_up_interruptible_sync(q)	ww_wake_up_interruptible(q)
/* key is for the functions of entries that have one. */
int ww_linux_wake_up(struct ww_wait_queue_head *q, unsigned mode, int nr, void *key);
#define __wake_up(q, mode, nr, key)		 ww_linux_wake_up(q, mode, nr, key)
#define wake_up_interruptible_sync_poll(q, mask) wake_up_interruptible_poll(q, mask)
#define poll_to_key(mask)			 ((void *)(uintptr_t)(mask))
#define key_to_poll(key)			 ((unsigned)(uintptr_t)(void *)(key))
#define wake_up_poll(q, mask)			 ww_linux_wake_up(q, WW_TASK_NORMAL, 1, poll_to_key(mask))
#define wake_up_interruptible_poll(q, mask)                                                        \
	ww_linux_wake_up(q, WW_TASK_INTERRUPTIBLE, 1, poll_to_key(mask))

/* Takes the queue by name, not by address. */
#define wait_event(q, cond)			ww_wait_event(&(q), cond)
#define wait_event_interruptible(q, cond)	ww_wait_event_interruptible(&(q), cond)
#define wait_event_killable(q, cond)		ww_wait_event_killable(&(q), cond)
#define wait_event_exclusive(q, cond)		ww_wait_event_exclusive(&(q), cond)
#define wait_event_exclusive_cmd(q, cond, a, b) wait_event_cmd(q, cond, a, b)
#define wait_event_interruptible_exclusive(q, cond)                                                \
	ww_wait_event_interruptible_exclusive(&(q), cond)
#define wait_event_killable_exclusive(q, cond) ww_wait_event_killable_exclusive(&(q), cond)
#define wait_event_timeout(q, cond, t)	       ((long)ww_wait_event_timeout(&(q), cond, (long)(t)))
#define wait_event_interruptible_timeout(q, cond, t)                                               \
	((long)ww_wait_event_interruptible_timeout(&(q), cond, (long)(t)))
#define wait_event_killable_timeout(q, cond, t)                                                    \
	((long)ww_wait_event_killable_timeout(&(q), cond, (long)(t)))
#define wait_event_idle(q, cond)	    ww_wait_event(&(q), cond)
#define wait_event_idle_exclusive(q, cond)  ww_wait_event_exclusive(&(q), cond)
#define wait_event_idle_timeout(q, cond, t) wait_event_timeout(q, cond, t)
#define io_wait_event(q, cond)		    ww_wait_event(&(q), cond)
#define wait_event_cmd(q, cond, before, after)                                                     \
	((void)((cond) || WW_WAIT_EVENT_(&(q), cond, WW_TASK_UNINTERRUPTIBLE, 0, 0, ({             \
			before;                                                                    \
			ww_schedule();                                                             \
			after;                                                                     \
		}))))
#define wait_event_state(q, cond, state)                                                           \
	((cond) ? 0 : (int)WW_WAIT_EVENT_(&(q), cond, state, 0, 0, ww_schedule()))
#define wait_event_idle_exclusive_timeout(q, cond, t)                                              \
	({                                                                                         \
		int64_t ww_left_ = (long)(t);                                                      \
		if (!WW_WAIT_COND_TIMEOUT_(cond, ww_left_))                                        \
			ww_left_ = WW_WAIT_EVENT_(&(q), WW_WAIT_COND_TIMEOUT_(cond, ww_ret_),      \
						  WW_TASK_IDLE, WW_WAIT_EXCLUSIVE, ww_left_,       \
						  ww_ret_ = ww_schedule_timeout(ww_ret_));         \
		(long)ww_left_;                                                                    \
	})
/* The lock is held when cond is evaluated, and at the end. */
#define wait_event_lock_irq(q, cond, lock)                                                         \
	wait_event_cmd(q, cond, spin_unlock(&(lock)), spin_lock(&(lock)))
#define wait_event_lock_irq_cmd(q, cond, lock, cmd)                                                \
	wait_event_cmd(q, cond, spin_unlock(&(lock)); cmd, spin_lock(&(lock)))
#define wait_event_interruptible_lock_irq(q, cond, lock)                                           \
	((cond) ? 0 : (int)WW_WAIT_EVENT_(&(q), cond, WW_TASK_INTERRUPTIBLE, 0, 0, ({              \
		spin_unlock(&(lock));                                                              \
		ww_schedule();                                                                     \
		spin_lock(&(lock));                                                                \
	})))
#define wait_event_interruptible_lock_irq_cmd(q, cond, lock, cmd)                                  \
	((cond) ? 0 : (int)WW_WAIT_EVENT_(&(q), cond, WW_TASK_INTERRUPTIBLE, 0, 0, ({              \
		spin_unlock(&(lock));                                                              \
		cmd;                                                                               \
		ww_schedule();                                                                     \
		spin_lock(&(lock));                                                                \
	})))
#define wait_event_lock_irq_timeout(q, cond, lock, t)                                              \
	ww_wait_lock_irq_timeout_(q, cond, lock, t, WW_TASK_UNINTERRUPTIBLE)
#define wait_event_interruptible_lock_irq_timeout(q, cond, lock, t)                                \
	ww_wait_lock_irq_timeout_(q, cond, lock, t, WW_TASK_INTERRUPTIBLE)
#define ww_wait_lock_irq_timeout_(q, cond, lock, t, state)                                         \
	({                                                                                         \
		int64_t ww_left_ = (long)(t);                                                      \
		if (!WW_WAIT_COND_TIMEOUT_(cond, ww_left_))                                        \
			ww_left_ = WW_WAIT_EVENT_(&(q), WW_WAIT_COND_TIMEOUT_(cond, ww_ret_),      \
						  state, 0, ww_left_, ({                           \
							  spin_unlock(&(lock));                    \
							  ww_ret_ = ww_schedule_timeout(ww_ret_);  \
							  spin_lock(&(lock));                      \
						  }));                                             \
		(long)ww_left_;                                                                    \
	})
/* 0, or -ETIME; the time is a ktime_t. */
#define wait_event_hrtimeout(q, cond, t)                                                           \
	(wait_event_timeout(q, cond, (long)ww_nsecs_to_jiffies((uint64_t)(t)) + 1) ? 0 : -ETIME)
#define wait_event_interruptible_hrtimeout(q, cond, t)                                             \
	({                                                                                         \
		long ww_hr_ = wait_event_interruptible_timeout(                                    \
			q, cond, (long)ww_nsecs_to_jiffies((uint64_t)(t)) + 1);                    \
		ww_hr_ > 0 ? 0L : ww_hr_ ? ww_hr_ : (long)-ETIME;                                  \
	})
#define wait_event_freezable(q, cond)		ww_wait_event_freezable(&(q), cond)
#define wait_event_freezable_exclusive(q, cond) ww_wait_event_freezable_exclusive(&(q), cond)
#define wait_event_freezable_killable(q, cond)	ww_wait_event_freezable_killable(&(q), cond)
#define wait_event_freezable_timeout(q, cond, t)                                                   \
	((long)ww_wait_event_freezable_timeout(&(q), cond, (long)(t)))

/* The loop of which the waits are made, for a wait of one's own: cmd sleeps, and may set __ret. */
#define ___wait_event(q, cond, state, exclusive, ret, cmd)                                         \
	({                                                                                         \
		__label__ __out;                                                                   \
		struct wait_queue_entry __wq_entry;                                                \
		long __ret = (ret);                                                                \
		init_wait_entry(&__wq_entry, (exclusive) ? WQ_FLAG_EXCLUSIVE : 0);                 \
		for (;;) {                                                                         \
			long __int = prepare_to_wait_event(&(q), &__wq_entry, state);              \
			if (cond)                                                                  \
				break;                                                             \
			if (__int) {                                                               \
				__ret = __int;                                                     \
				goto __out;                                                        \
			}                                                                          \
			cmd;                                                                       \
		}                                                                                  \
		finish_wait(&(q), &__wq_entry);                                                    \
	__out:                                                                                     \
		__ret;                                                                             \
	})
#define ___wait_cond_timeout(cond) WW_WAIT_COND_TIMEOUT_(cond, __ret)

/* until 3.15: sleeps until the next wake-up, whatever it is for; returns what remains */
long ww_linux_sleep_on(struct ww_wait_queue_head *q, unsigned state, long timeout);
#define sleep_on(q)		     ((void)ww_linux_sleep_on(q, WW_TASK_UNINTERRUPTIBLE, INT64_MAX))
#define interruptible_sleep_on(q)    ((void)ww_linux_sleep_on(q, WW_TASK_INTERRUPTIBLE, INT64_MAX))
#define sleep_on_timeout(q, timeout) ww_linux_sleep_on(q, WW_TASK_UNINTERRUPTIBLE, timeout)
#define interruptible_sleep_on_timeout(q, timeout)                                                 \
	ww_linux_sleep_on(q, WW_TASK_INTERRUPTIBLE, timeout)

WW_LINUX_INLINE int wait_on_bit(unsigned long *word, int bit, unsigned mode)
{
	(void)mode;
	ww_linux_wait_on_bit(word, bit);
	return 0;
}
WW_LINUX_INLINE int wait_on_bit_lock(unsigned long *word, int bit, unsigned mode)
{
	(void)mode;
	ww_linux_wait_on_bit_lock(word, bit);
	return 0;
}
#define wait_on_bit_io(word, bit, mode)	     wait_on_bit(word, bit, mode)
#define wait_on_bit_lock_io(word, bit, mode) wait_on_bit_lock(word, bit, mode)
/* 0, or -EAGAIN when the time is up. */
#define wait_on_bit_timeout(word, bit, mode, t)                                                    \
	({                                                                                         \
		unsigned long *ww_word_ = (word);                                                  \
		long ww_bit_ = (bit);                                                              \
		(void)(mode);                                                                      \
		ww_wait_event_timeout(ww_linux_var_queue(ww_word_),                                \
				      !test_bit_acquire((unsigned long)ww_bit_, ww_word_),         \
				      (long)(t))                                                   \
			? 0                                                                        \
			: -EAGAIN;                                                                 \
	})
/* A queue that many addresses share: cond decides. */
struct ww_wait_queue_head *ww_linux_var_queue(const void *var);
#define wait_var_event(var, cond)	   ww_wait_event(ww_linux_var_queue(var), cond)
#define wait_var_event_killable(var, cond) ww_wait_event_killable(ww_linux_var_queue(var), cond)
#define wait_var_event_interruptible(var, cond)                                                    \
	ww_wait_event_interruptible(ww_linux_var_queue(var), cond)
#define wait_var_event_timeout(var, cond, t)                                                       \
	((long)ww_wait_event_timeout(ww_linux_var_queue(var), cond, (long)(t)))
#define wake_up_var(var) ((void)ww_wake_up_all(ww_linux_var_queue(var)))
#define store_release_wake_up(var, v)                                                              \
	do {                                                                                       \
		smp_store_release(var, v);                                                         \
		smp_mb();                                                                          \
		wake_up_var(var);                                                                  \
	} while (0)
#define atomic_dec_and_wake_up(v) (atomic_dec_and_test(v) ? (wake_up_var(v), true) : false)
#define test_and_clear_wake_up_bit(bit, word)                                                      \
	(test_and_clear_bit(bit, word) ? (ww_linux_wake_up_bit(word, bit), true) : false)
#define wake_up_bit(word, bit) ww_linux_wake_up_bit(word, bit)
#define clear_and_wake_up_bit(bit, word)                                                           \
	do {                                                                                       \
		clear_bit_unlock(bit, word);                                                       \
		smp_mb();                                                                          \
		ww_linux_wake_up_bit(word, bit);                                                   \
	} while (0)

#endif

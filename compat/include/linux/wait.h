/* SPDX-License-Identifier: MIT */
#include_next <linux/wait.h>
#ifndef WW_LINUX_WAIT_H
#define WW_LINUX_WAIT_H

#include <wheelwork/wait.h>
#include <ww-linux/base.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/sched.h>

#define wait_queue_head	 ww_wait_queue_head
#define wait_queue_entry ww_wait_queue_entry
typedef struct ww_wait_queue_head wait_queue_head_t;
typedef struct ww_wait_queue_entry wait_queue_entry_t;
typedef struct ww_wait_queue_entry wait_queue_t;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name)                                                        \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define DECLARE_WAIT_QUEUE_HEAD(name)	      struct ww_wait_queue_head name = {{0}}
#define DECLARE_WAIT_QUEUE_HEAD_ONSTACK(name) struct ww_wait_queue_head name = {{0}}
#define init_waitqueue_head		      ww_init_waitqueue_head

/* An entry of the thread that runs this, taken off its queue by the wake-up; and one that stays. */
WW_LINUX_INLINE struct ww_wait_queue_entry ww_linux_wait_entry(void)
{
	struct ww_wait_queue_entry entry;

	ww_init_wait(&entry);
	return entry;
}
WW_LINUX_INLINE struct ww_wait_queue_entry ww_linux_staying_entry(struct task_struct *task)
{
	struct ww_wait_queue_entry entry;

	ww_init_waitqueue_entry(&entry, task->ww_thread);
	return entry;
}
#define DEFINE_WAIT(name)		 struct ww_wait_queue_entry name = ww_linux_wait_entry()
#define DECLARE_WAITQUEUE(name, tsk)	 struct ww_wait_queue_entry name = ww_linux_staying_entry(tsk)
#define init_waitqueue_entry(entry, tsk) ww_init_waitqueue_entry(entry, (tsk)->ww_thread)
#define init_wait			 ww_init_wait
#define add_wait_queue			 ww_add_wait_queue
#define add_wait_queue_exclusive	 ww_add_wait_queue_exclusive
#define remove_wait_queue		 ww_remove_wait_queue
#define prepare_to_wait			 ww_prepare_to_wait
#define prepare_to_wait_exclusive	 ww_prepare_to_wait_exclusive
#define prepare_to_wait_event		 ww_prepare_to_wait_event
#define finish_wait			 ww_finish_wait
#define waitqueue_active		 ww_waitqueue_active
#define wq_has_sleeper			 ww_wq_has_sleeper

#define wake_up(q)			 ww_wake_up(q)
#define wake_up_nr(q, nr)		 ww_wake_up_nr(q, nr)
#define wake_up_all(q)			 ww_wake_up_all(q)
#define wake_up_locked(q)		 ww_wake_up(q)
#define wake_up_sync(q)			 ww_wake_up(q)
#define wake_up_interruptible(q)	 ww_wake_up_interruptible(q)
#define wake_up_interruptible_nr(q, nr)	 ww_wake_up_mode(q, WW_TASK_INTERRUPTIBLE, nr)
#define wake_up_interruptible_all(q)	 ww_wake_up_interruptible_all(q)
#define wake_up_interruptible_sync(q)	 ww_wake_up_interruptible(q)
#define wake_up_poll(q, mask)		 ((void)(mask), ww_wake_up(q))
#define wake_up_interruptible_poll(q, m) ((void)(m), ww_wake_up_interruptible(q))

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
#define wait_event_lock_irq_timeout(q, cond, lock, t)                                              \
	({                                                                                         \
		int64_t ww_left_ = (long)(t);                                                      \
		if (!WW_WAIT_COND_TIMEOUT_(cond, ww_left_))                                        \
			ww_left_ = WW_WAIT_EVENT_(&(q), WW_WAIT_COND_TIMEOUT_(cond, ww_ret_),      \
						  WW_TASK_UNINTERRUPTIBLE, 0, ww_left_, ({         \
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

/* until 3.15: sleeps until the next wake-up, whatever it is for */
void ww_linux_sleep_on(struct ww_wait_queue_head *q, unsigned state, long timeout);
#define sleep_on(q)		  ww_linux_sleep_on(q, WW_TASK_UNINTERRUPTIBLE, INT64_MAX)
#define interruptible_sleep_on(q) ww_linux_sleep_on(q, WW_TASK_INTERRUPTIBLE, INT64_MAX)

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
#define wake_up_bit(word, bit) ww_linux_wake_up_bit(word, bit)
#define clear_and_wake_up_bit(bit, word)                                                           \
	do {                                                                                       \
		clear_bit_unlock(bit, word);                                                       \
		smp_mb();                                                                          \
		ww_linux_wake_up_bit(word, bit);                                                   \
	} while (0)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A task_struct stands for any thread of the process: those that kthread_create() made, the
 * library's workers and timer bases, and the program's own. Its fields are for reading.
 */
#include_next <linux/sched.h>
#ifndef WW_LINUX_SCHED_H
#define WW_LINUX_SCHED_H

#include <wheelwork/thread.h>
#include <ww-linux/base.h>
#include <linux/types.h>
#include <linux/jiffies.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#define TASK_COMM_LEN 16

struct mm_struct;
struct task_struct {
	struct ww_thread *ww_thread;
	pid_t pid, tgid;
	char comm[TASK_COMM_LEN];
	unsigned flags;
	int prio, static_prio, normal_prio;
	unsigned policy;
	void *journal_info;
	/* nothing to look into: NULL tells a thread of the kernel from one of a program */
	struct mm_struct *mm, *active_mm;
	struct task_struct *group_leader, *real_parent, *parent;
	struct cpumask cpus_mask;
	const struct cpumask *cpus_ptr;
	int nr_cpus_allowed;
	/* the support library's */
	uint32_t ww_refs;
	int (*ww_fn)(void *data);
	void *ww_data;
	int ww_cpu;
};

struct task_struct *ww_linux_current(void);
#define get_current() ww_linux_current()
#define current	      ww_linux_current()

#define TASK_RUNNING	     WW_TASK_RUNNING
#define TASK_INTERRUPTIBLE   WW_TASK_INTERRUPTIBLE
#define TASK_UNINTERRUPTIBLE WW_TASK_UNINTERRUPTIBLE
#define TASK_PARKED	     WW_TASK_PARKED
#define TASK_WAKEKILL	     WW_TASK_WAKEKILL
#define TASK_KILLABLE	     WW_TASK_KILLABLE
#define TASK_IDLE	     WW_TASK_UNINTERRUPTIBLE
#define TASK_NORMAL	     WW_TASK_NORMAL
#define TASK_FREEZABLE	     WW_TASK_FREEZABLE
#define MAX_SCHEDULE_TIMEOUT INT64_MAX

#define PF_KTHREAD   0x00200000
#define PF_WQ_WORKER 0x00000020
#define PF_NOFREEZE  0x00008000
#define PF_EXITING   0x00000004
#define PF_MEMALLOC  0x00000800

#define set_current_state(s)   ww_set_current_state(s)
#define __set_current_state(s) ww_set_current_state_plain(s)
#define set_special_state(s)   ww_set_current_state(s)
#define get_current_state()    ww_get_current_state()
/* until 4.13; for the current task, the only one for which it was ever right */
#define set_task_state(tsk, s)		    ((void)(tsk), ww_set_current_state(s))
#define __set_task_state(tsk, s)	    ((void)(tsk), ww_set_current_state_plain(s))
#define schedule			    ww_schedule
#define io_schedule			    ww_schedule
#define schedule_timeout(t)		    ((long)ww_schedule_timeout((long)(t)))
#define io_schedule_timeout(t)		    ((long)ww_schedule_timeout((long)(t)))
#define schedule_timeout_interruptible(t)   ((long)ww_schedule_timeout_interruptible((long)(t)))
#define schedule_timeout_killable(t)	    ((long)ww_schedule_timeout_killable((long)(t)))
#define schedule_timeout_uninterruptible(t) ((long)ww_schedule_timeout_uninterruptible((long)(t)))
#define schedule_timeout_idle(t)	    ((long)ww_schedule_timeout_uninterruptible((long)(t)))
/* The mode says whether *t is absolute or from now; the slack is not needed. */
enum hrtimer_mode {
	HRTIMER_MODE_ABS = 0,
	HRTIMER_MODE_REL = 1,
	HRTIMER_MODE_PINNED = 2,
	HRTIMER_MODE_SOFT = 4,
	HRTIMER_MODE_HARD = 8,
	HRTIMER_MODE_ABS_PINNED = 2,
	HRTIMER_MODE_REL_PINNED = 3,
	HRTIMER_MODE_ABS_SOFT = 4,
	HRTIMER_MODE_REL_SOFT = 5,
	HRTIMER_MODE_ABS_PINNED_SOFT = 6,
	HRTIMER_MODE_REL_PINNED_SOFT = 7,
	HRTIMER_MODE_ABS_HARD = 8,
	HRTIMER_MODE_REL_HARD = 9,
	HRTIMER_MODE_ABS_PINNED_HARD = 10,
	HRTIMER_MODE_REL_PINNED_HARD = 11,
};
#define schedule_hrtimeout(t, mode)                                                                \
	ww_schedule_hrtimeout(!(t)			  ? UINT64_MAX                             \
			      : ((mode)&HRTIMER_MODE_REL) ? ww_ktime_get_ns() + (uint64_t)(*(t))   \
							  : (uint64_t)(*(t)))
#define schedule_hrtimeout_range(t, delta, mode) ((void)(delta), schedule_hrtimeout(t, mode))

int ww_linux_wake_up_process(struct task_struct *task);
int ww_linux_wake_up_state(struct task_struct *task, unsigned mask);
#define wake_up_process ww_linux_wake_up_process
#define wake_up_state	ww_linux_wake_up_state

struct task_struct *ww_linux_get_task(struct task_struct *task);
void ww_linux_put_task(struct task_struct *task);
#define get_task_struct ww_linux_get_task
#define put_task_struct ww_linux_put_task

/* Gives the CPU up; cond_resched() does only what keeps other threads going. */
#define yield() ww_linux_yield()
WW_LINUX_INLINE int cond_resched(void)
{
	ww_linux_yield();
	return 0;
}
#define cond_resched_lock(l)                                                                       \
	({                                                                                         \
		spin_unlock(l);                                                                    \
		ww_linux_yield();                                                                  \
		spin_lock(l);                                                                      \
		1;                                                                                 \
	})
#define need_resched()		    0
#define cond_resched_rcu()	    ((void)cond_resched())
#define cond_resched_tasks_rcu_qs() ((void)cond_resched())
#define schedule_preempt_disabled() ww_schedule()
#define cpu_relax()		    ww_linux_yield()

/* A thread that was told to stop has a signal, so to speak: its interruptible sleeps end. */
#define signal_pending(task)	      ((void)(task), (int)ww_thread_should_stop())
#define fatal_signal_pending(task)    ((void)(task), (int)ww_thread_should_stop())
#define signal_pending_state(s, task) (((s)&WW_TASK_INTERRUPTIBLE) && signal_pending(task))
#define flush_signals(task)	      ((void)(task))
#define allow_signal(sig)	      ((void)(sig))
#define disallow_signal(sig)	      ((void)(sig))

int ww_linux_set_cpus_allowed(struct task_struct *task, const struct cpumask *mask);
int ww_linux_set_nice(struct task_struct *task, int nice);
int ww_linux_task_nice(const struct task_struct *task);
#define set_cpus_allowed_ptr	  ww_linux_set_cpus_allowed
#define set_user_nice		  ww_linux_set_nice
#define task_nice		  ww_linux_task_nice
#define task_cpu(task)		  ((task) == current ? ww_linux_cpu() : (unsigned)(task)->ww_cpu)
#define task_pid_nr(task)	  ((task)->pid)
#define task_tgid_nr(task)	  ((task)->tgid)
#define task_pid_vnr(task)	  ((task)->pid)
#define task_tgid_vnr(task)	  ((task)->tgid)
#define pid_alive(task)		  ((task)->pid != 0)
#define get_task_comm(buf, task)  ww_linux_get_comm(buf, sizeof(buf), task)
#define set_task_comm(task, name) ww_linux_set_comm(task, name)
char *ww_linux_get_comm(char *buf, size_t size, const struct task_struct *task);
void ww_linux_set_comm(struct task_struct *task, const char *name);
#define sched_set_fifo(task)	     ((void)ww_sched_set_fifo((task)->ww_thread))
#define sched_set_fifo_low(task)     ((void)ww_sched_set_fifo_low((task)->ww_thread))
#define sched_set_normal(task, nice) ((void)ww_sched_set_normal((task)->ww_thread, nice))
#define MAX_NICE		     19
#define MIN_NICE		     (-20)

#endif

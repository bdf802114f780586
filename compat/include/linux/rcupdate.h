/* SPDX-License-Identifier: MIT */
/*
 * Over liburcu (the flavour that needs no registration of threads). Readers may nest and may run
 * in any thread; a reader that sleeps holds up the grace period, as it would with preemptible RCU.
 */
#ifndef __LINUX_RCUPDATE_H
#define __LINUX_RCUPDATE_H
#define WW_LINUX_RCUPDATE_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/atomic.h>

void ww_linux_rcu_read_lock(void);
void ww_linux_rcu_read_unlock(void);
bool ww_linux_rcu_read_lock_held(void);
void ww_linux_synchronize_rcu(void);
void ww_linux_rcu_barrier(void);
/* func runs in a library thread after a grace period. The head's memory must last until then. */
void ww_linux_call_rcu(struct callback_head *head, void (*func)(struct callback_head *head));
/* Frees p after a grace period. Never fails: without memory for the request it waits instead. */
void ww_linux_kfree_rcu(void *p);

#define rcu_read_lock			   ww_linux_rcu_read_lock
#define rcu_read_unlock			   ww_linux_rcu_read_unlock
#define rcu_read_lock_bh		   ww_linux_rcu_read_lock
#define rcu_read_unlock_bh		   ww_linux_rcu_read_unlock
#define rcu_read_lock_sched		   ww_linux_rcu_read_lock
#define rcu_read_unlock_sched		   ww_linux_rcu_read_unlock
#define rcu_read_lock_held()		   ww_linux_rcu_read_lock_held()
#define rcu_read_lock_any_held()	   ww_linux_rcu_read_lock_held()
#define rcu_read_lock_bh_held()		   ww_linux_rcu_read_lock_held()
#define rcu_read_lock_sched_held()	   ww_linux_rcu_read_lock_held()
#define rcu_sleep_check()		   ((void)0)
#define call_rcu_tasks			   ww_linux_call_rcu
#define synchronize_rcu_tasks		   ww_linux_synchronize_rcu
#define rcu_barrier_tasks		   ww_linux_rcu_barrier
#define synchronize_rcu			   ww_linux_synchronize_rcu
#define synchronize_rcu_expedited	   ww_linux_synchronize_rcu
#define synchronize_sched		   ww_linux_synchronize_rcu
#define synchronize_rcu_bh		   ww_linux_synchronize_rcu
#define synchronize_net			   ww_linux_synchronize_rcu
#define rcu_barrier			   ww_linux_rcu_barrier
#define rcu_barrier_bh			   ww_linux_rcu_barrier
#define rcu_barrier_sched		   ww_linux_rcu_barrier
#define call_rcu			   ww_linux_call_rcu
#define call_rcu_bh			   ww_linux_call_rcu
#define call_rcu_sched			   ww_linux_call_rcu
#define call_rcu_hurry			   ww_linux_call_rcu
#define ww_kfree_rcu1(p)		   ww_linux_kfree_rcu(p)
#define ww_kfree_rcu2(p, member)	   ((void)sizeof((p)->member), ww_linux_kfree_rcu(p))
#define ww_kfree_rcu_pick(a, b, name, ...) name
#define kfree_rcu(args...)		   ww_kfree_rcu_pick(args, ww_kfree_rcu2, ww_kfree_rcu1)(args)
#define kvfree_rcu(args...)		   kfree_rcu(args)
#define kfree_rcu_mightsleep(p)		   ww_linux_kfree_rcu(p)
#define kvfree_rcu_mightsleep(p)	   ww_linux_kfree_rcu(p)
#define init_rcu_head(head)		   ((void)(head))
#define destroy_rcu_head(head)		   ((void)(head))
#define init_rcu_head_on_stack(head)	   ((void)(head))
#define destroy_rcu_head_on_stack(h)	   ((void)(h))
#define rcu_is_watching()		   true
#define cond_synchronize_rcu(cookie)	   ((void)(cookie), ww_linux_synchronize_rcu())
#define get_state_synchronize_rcu()	   0UL

#define rcu_dereference(p)                                                                         \
	({                                                                                         \
		__typeof__(p) ww_rp_;                                                              \
		__atomic_load(&(p), &ww_rp_, __ATOMIC_ACQUIRE);                                    \
		ww_rp_;                                                                            \
	})
#define rcu_dereference_bh(p)		     rcu_dereference(p)
#define rcu_dereference_sched(p)	     rcu_dereference(p)
#define rcu_dereference_raw(p)		     rcu_dereference(p)
#define rcu_dereference_check(p, cond)	     rcu_dereference(p)
#define rcu_dereference_bh_check(p, cond)    rcu_dereference(p)
#define rcu_dereference_sched_check(p, cond) rcu_dereference(p)
#define rcu_dereference_raw_check(p)	     rcu_dereference(p)
#define rcu_dereference_protected(p, cond)   (p)
#define rcu_access_pointer(p)		     READ_ONCE(p)
#define rcu_pointer_handoff(p)		     (p)
#define rcu_assign_pointer(p, v)                                                                   \
	do {                                                                                       \
		__typeof__(p) ww_rp_ = (__typeof__(p))(v);                                         \
		__atomic_store(&(p), &ww_rp_, __ATOMIC_RELEASE);                                   \
	} while (0)
#define rcu_replace_pointer(p, v, cond)                                                            \
	({                                                                                         \
		__typeof__(p) ww_rold_ = (p);                                                      \
		rcu_assign_pointer(p, v);                                                          \
		ww_rold_;                                                                          \
	})
#define RCU_INIT_POINTER(p, v)	      WRITE_ONCE(p, (__typeof__(p))(v))
#define RCU_POINTER_INITIALIZER(p, v) .p = (__typeof__(*(v)) *)(v)
#define RCU_INITIALIZER(v)	      (v)
#define unrcu_pointer(p)	      (p)
#define RCU_LOCKDEP_WARN(cond, msg)   ((void)WARN_ONCE(cond, msg))

#endif

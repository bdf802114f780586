/* SPDX-License-Identifier: MIT */
/*
 * Work that runs after a grace period: when every read-side section that was open at the queueing
 * call has been left. The sections are this library's own. Entering and leaving one is a store
 * each, where the kernel offers membarrier().
 */
#ifndef WHEELWORK_RCU_H
#define WHEELWORK_RCU_H

#include <wheelwork/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A section in which what was reachable stays: it may block, though it holds up every grace period;
 * nests 65535 deep. Any thread. Kernel: rcu_read_lock(), rcu_read_unlock().
 */
void ww_rcu_read_lock(void);
void ww_rcu_read_unlock(void);
/* Returns after a grace period. May sleep; inside of a section it is reported and does nothing. */
void ww_synchronize_rcu(void);

/* 64 bytes on every 64-bit machine. Kernel: struct rcu_work. */
struct ww_rcu_work {
	struct ww_work work;
	uint64_t ww_private[3];
};

/* Kernel: to_rcu_work(). */
static inline struct ww_rcu_work *ww_to_rcu_work(struct ww_work *work)
{
	return (struct ww_rcu_work *)(void *)work;
}

/* One on the stack ends with ww_destroy_work_on_stack(). Kernel: INIT_RCU_WORK(), ..._ONSTACK(). */
void ww_init_rcu_work(struct ww_rcu_work *rwork, ww_work_fn func);
void ww_init_rcu_work_onstack(struct ww_rcu_work *rwork, ww_work_fn func);
/*
 * True: it will be queued on wq after a grace period from now. False: it was pending; it runs, but
 * perhaps before a whole grace period from now has passed. It can't be cancelled or disabled (both
 * are reported). Kernel: queue_rcu_work().
 */
bool ww_queue_rcu_work(struct ww_workqueue *wq, struct ww_rcu_work *rwork);
/* Waits for the grace period and the run; true if it was pending or ran. Kernel: flush_rcu_work() */
bool ww_flush_rcu_work(struct ww_rcu_work *rwork);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Work items run by pools of worker threads, now or after a delay. The caller embeds struct ww_work
 * or struct ww_delayed_work; nothing is allocated per operation.
 */
#ifndef WHEELWORK_WORK_H
#define WHEELWORK_WORK_H

#include <wheelwork/timer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_work;
struct ww_workqueue; /* opaque */
typedef void (*ww_work_fn)(struct ww_work *work);

/* 40 bytes on every 64-bit machine. */
struct ww_work {
	ww_work_fn func;
	uint64_t ww_private[4];
};

/* 128 bytes on every 64-bit machine. */
struct ww_delayed_work {
	struct ww_work work;
	struct ww_timer timer;
	uint64_t ww_private[3];
};

/* The delayed work whose work item this is. Kernel: to_delayed_work(). */
static inline struct ww_delayed_work *ww_to_delayed_work(struct ww_work *work)
{
	return (struct ww_delayed_work *)(void *)work;
}

#define WW_WQ_UNBOUND	    0x0002u
#define WW_WQ_FREEZABLE	    0x0004u
#define WW_WQ_MEM_RECLAIM   0x0008u
#define WW_WQ_HIGHPRI	    0x0010u
#define WW_WQ_CPU_INTENSIVE 0x0020u
#define WW_WQ_PERCPU	    0x0100u

struct ww_workqueue *ww_alloc_workqueue(const char *name, unsigned flags, int max_active);
struct ww_workqueue *ww_alloc_ordered_workqueue(const char *name, unsigned flags);
void ww_destroy_workqueue(struct ww_workqueue *wq);
/* The system queue. Kernel: system_percpu_wq. */
struct ww_workqueue *ww_system_wq(void);

void ww_init_work(struct ww_work *work, ww_work_fn func);
void ww_init_delayed_work(struct ww_delayed_work *dwork, ww_work_fn func);

bool ww_queue_work(struct ww_workqueue *wq, struct ww_work *work);
bool ww_queue_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork, uint64_t delay);
bool ww_mod_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork, uint64_t delay);
void ww_queue_update_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				  uint64_t delay);
bool ww_cancel_work_sync(struct ww_work *work);
bool ww_cancel_delayed_work_sync(struct ww_delayed_work *dwork);
bool ww_flush_work(struct ww_work *work);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* Work queues where the kernel's call has another shape than the library's; tasklets. */
#include "support.h"

#include <linux/interrupt.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

static struct ww_workqueue *alloc(const char *name, unsigned flags, int max_active, bool ordered)
{
	static int once;

	if ((flags & WQ_SYSFS) && !ww_xchg_relaxed(&once, 1))
		ww_linux_warn_at("workqueue", 0, "alloc_workqueue", "%s: WQ_SYSFS, but no sysfs",
				 name);
	flags &= ~WQ_SYSFS;
	if (flags & WQ_BH) {
		flags = (flags & ~WQ_BH) | WQ_HIGHPRI;
		max_active = 0;
	}
	return ordered ? ww_alloc_ordered_workqueue(name, flags & ~WQ_UNBOUND)
		       : ww_alloc_workqueue(name, flags, max_active);
}

WW_LINUX_EXPORT struct ww_workqueue *ww_linux_alloc_workqueue(const char *fmt, unsigned flags,
							      int max_active, ...)
{
	char name[WQ_NAME_LEN * 2];
	va_list ap;

	va_start(ap, max_active);
	ww_linux_format(name, sizeof(name), fmt, ap);
	va_end(ap);
	return alloc(name, flags, max_active, false);
}

WW_LINUX_EXPORT struct ww_workqueue *ww_linux_alloc_ordered(const char *fmt, unsigned flags, ...)
{
	char name[WQ_NAME_LEN * 2];
	va_list ap;

	va_start(ap, flags);
	ww_linux_format(name, sizeof(name), fmt, ap);
	va_end(ap);
	return alloc(name, flags, 1, true);
}

WW_LINUX_EXPORT void ww_linux_set_worker_desc(const char *fmt, ...)
{
	char desc[WW_WORKER_DESC_LEN];
	va_list ap;

	va_start(ap, fmt);
	ww_linux_format(desc, sizeof(desc), fmt, ap);
	va_end(ap);
	ww_set_worker_desc("%s", desc);
}

WW_LINUX_EXPORT void ww_linux_show_workqueues(void)
{
	FILE *log = ww_linux_settings.log ? ww_linux_settings.log : stdout;

	fflush(log);
	ww_show_workqueues(fileno(log));
}

WW_LINUX_EXPORT void ww_linux_init_rcu_work(struct rcu_work *rwork, work_func_t fn)
{
	ww_init_work(&rwork->work, fn);
	rwork->ww_pending = 0;
}

static void after_grace(struct callback_head *head)
{
	struct rcu_work *rwork = ww_linux_container_of(head, struct rcu_work, rcu);
	struct ww_workqueue *wq = rwork->wq;

	clear_bit_unlock(0, &rwork->ww_pending);
	ww_queue_work(wq, &rwork->work);
}

WW_LINUX_EXPORT bool ww_linux_queue_rcu_work(struct ww_workqueue *wq, struct rcu_work *rwork)
{
	if (ww_work_pending(&rwork->work) || test_and_set_bit(0, &rwork->ww_pending))
		return false;
	rwork->wq = wq;
	ww_linux_call_rcu(&rwork->rcu, after_grace);
	return true;
}

WW_LINUX_EXPORT bool ww_linux_flush_rcu_work(struct rcu_work *rwork)
{
	if (test_bit(0, &rwork->ww_pending)) {
		ww_linux_rcu_barrier();
		ww_flush_work(&rwork->work);
		return true;
	}
	return ww_flush_work(&rwork->work);
}

WW_LINUX_EXPORT struct workqueue_attrs *ww_linux_alloc_attrs(void)
{
	struct workqueue_attrs *a = ww_linux_kmalloc(sizeof(*a), GFP_KERNEL | __GFP_ZERO);

	if (a)
		cpumask_copy(a->cpumask, cpu_possible_mask);
	return a;
}

WW_LINUX_EXPORT void ww_linux_free_attrs(struct workqueue_attrs *a)
{
	ww_linux_kfree(a);
}

WW_LINUX_EXPORT int ww_linux_apply_attrs(struct ww_workqueue *wq, const struct workqueue_attrs *a)
{
	struct ww_workqueue_attrs *to = ww_alloc_workqueue_attrs();
	int err;

	if (!to)
		return -ENOMEM;
	to->nice = a->nice;
	/* caches and siblings are not told apart: the next wider unit */
	to->scope = a->affn_scope == WQ_AFFN_CPU || a->affn_scope == WQ_AFFN_SMT ? WW_WQ_SCOPE_CPU
		    : a->affn_scope == WQ_AFFN_SYSTEM ? WW_WQ_SCOPE_SYSTEM
						      : WW_WQ_SCOPE_NUMA;
	memcpy(to->cpumask, a->cpumask[0].bits, sizeof(to->cpumask));
	err = ww_apply_workqueue_attrs(wq, to);
	ww_free_workqueue_attrs(to);
	return err;
}

/*
 * A tasklet that is scheduled while disabled is remembered, and queued by the last enable. Count
 * and mark are two words: both sides write theirs, then look at the other's, with full barriers.
 */
static void queue_tasklet(struct tasklet_struct *t)
{
	ww_queue_work(ww_system_queue(WW_SYSTEM_HIGHPRI), &t->ww_work);
}

WW_LINUX_EXPORT void ww_linux_tasklet_schedule(struct tasklet_struct *t)
{
	queue_tasklet(t);
}

WW_LINUX_EXPORT void ww_linux_tasklet_run(struct ww_work *work)
{
	struct tasklet_struct *t = ww_linux_container_of(work, struct tasklet_struct, ww_work);

	if (atomic_read(&t->count)) {
		set_bit(0, &t->ww_waiting);
		ww_linux_mb();
		if (atomic_read(&t->count) || !test_and_clear_bit(0, &t->ww_waiting))
			return;
	}
	if (t->use_callback)
		t->callback(t);
	else
		t->func(t->data);
}

WW_LINUX_EXPORT void ww_linux_tasklet_enable(struct tasklet_struct *t)
{
	if (atomic_dec_return(&t->count) == 0 && test_and_clear_bit(0, &t->ww_waiting))
		queue_tasklet(t);
}

WW_LINUX_EXPORT void ww_linux_tasklet_disable(struct tasklet_struct *t)
{
	atomic_inc_return(&t->count);
	ww_flush_work(&t->ww_work);
}

WW_LINUX_EXPORT void ww_linux_tasklet_kill(struct tasklet_struct *t)
{
	while (ww_flush_work(&t->ww_work))
		;
	clear_bit(0, &t->ww_waiting);
}

WW_LINUX_EXPORT void ww_linux_tasklet_init(struct tasklet_struct *t, void (*func)(unsigned long),
					   unsigned long data)
{
	*t = (struct tasklet_struct){.func = func, .data = data};
	ww_init_work(&t->ww_work, ww_linux_tasklet_run);
}

WW_LINUX_EXPORT void ww_linux_tasklet_setup(struct tasklet_struct *t,
					    void (*callback)(struct tasklet_struct *))
{
	*t = (struct tasklet_struct){.callback = callback, .use_callback = true};
	ww_init_work(&t->ww_work, ww_linux_tasklet_run);
}

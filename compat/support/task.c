/* SPDX-License-Identifier: MIT */
/*
 * Tasks: a record for each thread that asks for "current", and for each kthread. A kthread's
 * record is referenced by its thread until that ends, and by who asked with get_task_struct().
 *
 * Letters: (L) list_lock; (I) immutable once the thread runs; (A) atomic.
 */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "base/report.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct live {
	struct live *next;
	struct task_struct *task;
} * kthreads; /* (L) those whose thread has not ended */

static struct mm_struct {
	char unused;
} this_process;

static __thread struct task_struct *mine;
static pthread_key_t mine_key; /* frees a record with its thread */
static pthread_once_t mine_once = PTHREAD_ONCE_INIT;

static void put_task(struct task_struct *t)
{
	uint32_t was = __atomic_fetch_sub(&t->ww_refs, 1u, __ATOMIC_ACQ_REL);

	if (was == 1) {
		if (t->ww_thread && t->ww_fn)
			ww_thread_put(t->ww_thread);
		free(t);
	}
}

static void forget_mine(void *task)
{
	mine = NULL;
	put_task(task);
}

static void make_key(void)
{
	pthread_key_create(&mine_key, forget_mine);
}

static struct task_struct *new_task(void)
{
	struct task_struct *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->ww_refs = 1;
	t->tgid = getpid();
	t->prio = t->static_prio = t->normal_prio = 120;
	t->group_leader = t->real_parent = t->parent = t;
	t->cpus_mask = *cpu_online_mask;
	t->cpus_ptr = &t->cpus_mask;
	t->nr_cpus_allowed = (int)cpumask_weight(&t->cpus_mask);
	t->ww_cpu = -1;
	return t;
}

WW_LINUX_EXPORT struct task_struct *ww_linux_current(void)
{
	struct task_struct *t = mine;

	if (ww_likely(t))
		return t;
	t = new_task();
	if (!t)
		ww_linux_bug_at("task", 0, "current", "out of memory");
	t->ww_thread = ww_current();
	if (ww_current_work())
		t->flags = PF_KTHREAD | PF_WQ_WORKER;
	else
		t->mm = t->active_mm = &this_process;
	t->pid = gettid();
	pthread_getname_np(pthread_self(), t->comm, sizeof(t->comm));
	pthread_once(&mine_once, make_key);
	pthread_setspecific(mine_key, t);
	return mine = t;
}

static void track(struct task_struct *t, bool add)
{
	struct live *l, **p;

	pthread_mutex_lock(&list_lock);
	if (add) {
		l = calloc(1, sizeof(*l));
		if (l) {
			l->task = t;
			l->next = kthreads;
			kthreads = l;
		}
	} else {
		for (p = &kthreads; (l = *p); p = &l->next)
			if (l->task == t) {
				*p = l->next;
				free(l);
				break;
			}
	}
	pthread_mutex_unlock(&list_lock);
}

/* The thread's own reference goes with the thread, by the key. */
static int trampoline(void *arg)
{
	struct task_struct *t = arg;
	int result;

	mine = t;
	t->pid = gettid();
	pthread_once(&mine_once, make_key);
	pthread_setspecific(mine_key, t);
	result = t->ww_fn(t->ww_data);
	track(t, false);
	return result;
}

static struct task_struct *new_kthread(int (*fn)(void *), void *data, const char *fmt, va_list ap)
{
	struct task_struct *t = new_task();

	if (!t)
		return NULL;
	t->ww_fn = fn;
	t->ww_data = data;
	t->flags = PF_KTHREAD;
	ww_linux_format(t->comm, sizeof(t->comm), fmt, ap);
	return t;
}

static struct task_struct *made(struct task_struct *t)
{
	int err = errno ? errno : ENOMEM;

	if (!t)
		return ERR_PTR(-ENOMEM);
	if (!t->ww_thread) {
		free(t);
		return ERR_PTR(-err);
	}
	ww_thread_get(t->ww_thread);
	track(t, true);
	return t;
}

WW_LINUX_EXPORT struct task_struct *ww_linux_kthread_create(int (*fn)(void *data), void *data,
							    int node, const char *fmt, ...)
{
	struct task_struct *t;
	char name[64];
	va_list ap;

	va_start(ap, fmt);
	t = new_kthread(fn, data, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	ww_linux_format(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (t)
		t->ww_thread = node < 0 ? ww_thread_create(trampoline, t, "%s", name)
					: ww_thread_create_on_node(trampoline, t, node, "%s", name);
	return made(t);
}

WW_LINUX_EXPORT struct task_struct *
ww_linux_kthread_create_on_cpu(int (*fn)(void *data), void *data, unsigned cpu, const char *fmt)
{
	struct task_struct *t = new_task();

	if (t) {
		t->ww_fn = fn;
		t->ww_data = data;
		t->flags = PF_KTHREAD;
		t->ww_cpu = (int)cpu;
		t->ww_thread = ww_thread_create_on_cpu(trampoline, t, cpu, fmt);
		if (t->ww_thread)
			snprintf(t->comm, sizeof(t->comm), "%s", ww_thread_name(t->ww_thread));
		cpumask_clear(&t->cpus_mask);
		cpumask_set_cpu(cpu, &t->cpus_mask);
		t->nr_cpus_allowed = 1;
	}
	return made(t);
}

WW_LINUX_EXPORT struct task_struct *ww_linux_kthread_wake_new(struct task_struct *t)
{
	if (!IS_ERR(t))
		ww_wake_up_process(t->ww_thread);
	return t;
}

WW_LINUX_EXPORT int ww_linux_wake_up_process(struct task_struct *t)
{
	return ww_wake_up_process(t->ww_thread);
}

WW_LINUX_EXPORT int ww_linux_wake_up_state(struct task_struct *t, unsigned mask)
{
	return ww_wake_up_state(t->ww_thread, mask);
}

WW_LINUX_EXPORT struct task_struct *ww_linux_get_task(struct task_struct *t)
{
	__atomic_fetch_add(&t->ww_refs, 1u, __ATOMIC_RELAXED);
	return t;
}

WW_LINUX_EXPORT void ww_linux_put_task(struct task_struct *t)
{
	put_task(t);
}

WW_LINUX_EXPORT void ww_linux_kthread_bind(struct task_struct *t, unsigned cpu)
{
	ww_thread_bind(t->ww_thread, (int)cpu);
	t->ww_cpu = (int)cpu;
	cpumask_clear(&t->cpus_mask);
	cpumask_set_cpu(cpu, &t->cpus_mask);
	t->nr_cpus_allowed = 1;
}

WW_LINUX_EXPORT void ww_linux_kthread_bind_mask(struct task_struct *t, const struct cpumask *mask)
{
	ww_thread_bind_mask(t->ww_thread, mask->bits, nr_cpu_ids);
	t->cpus_mask = *mask;
	t->nr_cpus_allowed = (int)cpumask_weight(mask);
}

WW_LINUX_EXPORT int ww_linux_kthread_affine_preferred(struct task_struct *t,
						      const struct cpumask *mask)
{
	return ww_thread_affine_preferred(t->ww_thread, mask->bits, nr_cpu_ids);
}

WW_LINUX_EXPORT int ww_linux_kthread_stop(struct task_struct *t)
{
	bool never_ran;
	int result;

	ww_linux_get_task(t);
	result = ww_thread_stop(t->ww_thread);
	/* one that never ran has not come to give its own reference back */
	never_ran = !ww_load_acquire(&t->pid);
	if (never_ran && result == -EINTR) {
		track(t, false);
		__atomic_fetch_sub(&t->ww_refs, 1u, __ATOMIC_RELAXED); /* not the last: see above */
	}
	put_task(t);
	return result;
}

WW_LINUX_EXPORT int ww_linux_kthread_stop_put(struct task_struct *t)
{
	int result = ww_linux_kthread_stop(t);

	/* the caller's reference is not the one that the stop took and gave back */
	put_task(t); /* NOLINT(clang-analyzer-unix.Malloc) */
	return result;
}

WW_LINUX_EXPORT int ww_linux_kthread_park(struct task_struct *t)
{
	return ww_thread_park(t->ww_thread);
}

WW_LINUX_EXPORT void ww_linux_kthread_unpark(struct task_struct *t)
{
	ww_thread_unpark(t->ww_thread);
}

WW_LINUX_EXPORT void *ww_linux_kthread_data(struct task_struct *t)
{
	return t->ww_data;
}

WW_LINUX_EXPORT _Noreturn void ww_linux_kthread_exit(long result)
{
	if (mine)
		track(mine, false);
	ww_thread_exit((int)result);
}

WW_LINUX_EXPORT _Noreturn void ww_linux_kthread_complete_and_exit(struct ww_completion *done,
								  long result)
{
	if (done)
		ww_complete(done);
	ww_linux_kthread_exit(result);
}

WW_LINUX_EXPORT int ww_linux_set_cpus_allowed(struct task_struct *t, const struct cpumask *mask)
{
	cpu_set_t set;
	unsigned cpu;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (cpumask_test_cpu(cpu, mask))
			CPU_SET(cpu, &set);
	if (!t->pid) { /* not woken yet: the library binds it */
		ww_linux_kthread_bind_mask(t, mask);
		return 0;
	}
	if (sched_setaffinity(t->pid, sizeof(set), &set))
		return -errno;
	t->cpus_mask = *mask;
	t->nr_cpus_allowed = (int)cpumask_weight(mask);
	return 0;
}

WW_LINUX_EXPORT int ww_linux_set_nice(struct task_struct *t, int nice)
{
	int err = t->flags & PF_KTHREAD ? ww_set_user_nice(t->ww_thread, nice)
		  : setpriority(PRIO_PROCESS, (id_t)t->pid, nice) ? -errno
								  : 0;

	if (!err)
		t->prio = t->static_prio = t->normal_prio = 120 + nice;
	return err;
}

WW_LINUX_EXPORT int ww_linux_task_nice(const struct task_struct *t)
{
	return t->static_prio - 120;
}

WW_LINUX_EXPORT char *ww_linux_get_comm(char *buf, size_t size, const struct task_struct *t)
{
	snprintf(buf, size, "%s", t->comm);
	return buf;
}

WW_LINUX_EXPORT void ww_linux_set_comm(struct task_struct *t, const char *name)
{
	snprintf(t->comm, sizeof(t->comm), "%s", name);
	if (t == mine)
		pthread_setname_np(pthread_self(), t->comm);
}

unsigned ww_linux_report_tasks(FILE *out)
{
	unsigned n = 0;

	pthread_mutex_lock(&list_lock);
	for (struct live *l = kthreads; l; l = l->next, n++)
		fprintf(out, "kthread \"%s\" (%s) has not been stopped\n", l->task->comm,
			ww_symbol_fn(l->task->ww_fn));
	pthread_mutex_unlock(&list_lock);
	return n;
}

/* SPDX-License-Identifier: MIT */
/* What a thread may be given besides its function: CPUs, scheduling class, hooks. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/report.h"
#include "thread/thread.h"

#define FIFO_PRIORITY	  50
#define FIFO_LOW_PRIORITY 1

/* Only a thread that has not run yet; says what is wrong otherwise. */
static bool still_new(struct ww_thread *t, const char *call)
{
	if (!ww_task_valid(t, call))
		return false;
	if (ww_load_relaxed(&t->life) == WW_LIFE_NEW)
		return true;
	ww_misuse(call, "thread '%s' has been woken already; only before its first wake-up",
		  t->name);
	return false;
}

static bool cpu_exists(const char *call, const char *name, long cpu)
{
	if (cpu >= 0 && cpu < ww_cpu_possible())
		return true;
	ww_misuse(call, "thread '%s': no CPU %ld (0 to %d)", name, cpu, ww_cpu_possible() - 1);
	return false;
}

/* A cpuset may refuse: then the thread runs unbound. */
static void bind_one(struct ww_thread *t, int cpu)
{
	ww_store_relaxed(&t->cpu, cpu);
	if (ww_cpu_bind(t->tid, cpu) == 0)
		ww_fetch_or(&t->flags, WW_TF_BOUND);
}

WW_EXPORT void ww_thread_bind(struct ww_thread *thread, int cpu)
{
	if (still_new(thread, __func__) && cpu_exists(__func__, thread->name, cpu))
		bind_one(thread, cpu);
}

static int bind_mask(struct ww_thread *t, const unsigned long *bits, unsigned nbits)
{
	int rc = ww_cpu_bind_mask(t->tid, bits, (int)nbits);

	if (rc == 0)
		ww_fetch_or(&t->flags, WW_TF_BOUND);
	return rc;
}

WW_EXPORT void ww_thread_bind_mask(struct ww_thread *thread, const unsigned long *bits,
				   unsigned nbits)
{
	if (still_new(thread, __func__))
		bind_mask(thread, bits, nbits);
}

static bool mask_empty(const unsigned long *bits, unsigned nbits)
{
	const unsigned per_word = 8 * sizeof(*bits);

	for (unsigned b = 0; b < nbits; b++)
		if (bits[b / per_word] >> (b % per_word) & 1)
			return false;
	return true;
}

WW_EXPORT int ww_thread_affine_preferred(struct ww_thread *thread, const unsigned long *bits,
					 unsigned nbits)
{
	if (!still_new(thread, __func__) || mask_empty(bits, nbits))
		return -EINVAL;
	bind_mask(thread, bits, nbits); /* preferred only: a refusal is no failure */
	return 0;
}

/* Exactly one conversion, and that is %u. */
static bool one_unsigned(const char *fmt)
{
	unsigned n = 0;

	for (const char *p = fmt; (p = strchr(p, '%')); p += 2) {
		if (p[1] == 'u')
			n++;
		else if (p[1] != '%')
			return false;
	}
	return n == 1;
}

WW_EXPORT struct ww_thread *ww_thread_create_on_cpu(ww_thread_fn fn, void *data, unsigned cpu,
						    const char *fmt)
{
	char name[64];

	if (!one_unsigned(fmt)) {
		ww_misuse(__func__, "name \"%s\" must hold one %%u, for the CPU", fmt);
		errno = EINVAL;
		return NULL;
	}
	if (!cpu_exists(__func__, fmt, cpu)) {
		errno = EINVAL;
		return NULL;
	}
	snprintf(name, sizeof(name), fmt, cpu);
	struct ww_thread *t = ww_thread_create(fn, data, "%s", name);
	if (t) {
		bind_one(t, (int)cpu);
		ww_fetch_or(&t->flags, WW_TF_PER_CPU);
	}
	return t;
}

WW_EXPORT struct ww_thread *ww_thread_run_on_cpu(ww_thread_fn fn, void *data, unsigned cpu,
						 const char *fmt)
{
	struct ww_thread *t = ww_thread_create_on_cpu(fn, data, cpu, fmt);

	if (t)
		ww_wake_up_process(t);
	return t;
}

void ww_thread_bind_node(struct ww_thread *t, int node)
{
	unsigned long bits[WW_SLOTS_MAX / (8 * sizeof(long))] = {0};
	const int per_word = 8 * (int)sizeof(*bits);
	int n = 0;

	for (int c = 0; c < ww_cpu_possible() && c < WW_SLOTS_MAX; c++)
		if (ww_cpu_node(c) == node) {
			bits[c / per_word] |= 1ul << (c % per_word);
			n++;
		}
	if (n && n < ww_cpu_possible())
		bind_mask(t, bits, WW_SLOTS_MAX);
}

WW_EXPORT struct ww_thread *ww_thread_create_on_node(ww_thread_fn fn, void *data, int node,
						     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct ww_thread *t = ww_thread_create_va(fn, data, node, fmt, ap);
	va_end(ap);
	return t;
}

static int reschedule(struct ww_thread *t, const char *call, int policy, int priority)
{
	if (!ww_task_valid(t, call) || ww_load_relaxed(&t->life) == WW_LIFE_ENDED)
		return -ESRCH;
	int rc = ww_os_thread_set_policy(t->tid, policy, priority);
	if (rc == 0)
		ww_fetch_or(&t->flags, WW_TF_RESCHED);
	return rc;
}

WW_EXPORT int ww_sched_set_fifo(struct ww_thread *thread)
{
	return reschedule(thread, __func__, SCHED_FIFO, FIFO_PRIORITY);
}

WW_EXPORT int ww_sched_set_fifo_low(struct ww_thread *thread)
{
	return reschedule(thread, __func__, SCHED_FIFO, FIFO_LOW_PRIORITY);
}

WW_EXPORT int ww_sched_set_normal(struct ww_thread *thread, int nice)
{
	if (nice < -20 || nice > 19)
		return -EINVAL;
	int rc = reschedule(thread, __func__, SCHED_OTHER, 0);
	return rc ? rc : ww_set_user_nice(thread, nice);
}

WW_EXPORT int ww_set_user_nice(struct ww_thread *thread, int nice)
{
	if (nice < -20 || nice > 19)
		return -EINVAL;
	if (!ww_task_valid(thread, __func__) || ww_load_relaxed(&thread->life) == WW_LIFE_ENDED)
		return -ESRCH;
	int rc = ww_os_thread_set_nice(thread->tid, nice);
	if (rc == 0)
		ww_fetch_or(&thread->flags, WW_TF_RESCHED);
	return rc == -EACCES ? -EPERM : rc;
}

WW_EXPORT int ww_thread_add_hooks(void (*start)(void *arg), void (*exit)(void *arg), void *arg)
{
	return ww_os_thread_add_hooks(start, exit, arg);
}

WW_EXPORT int ww_thread_remove_hooks(int id)
{
	return ww_os_thread_remove_hooks(id);
}

/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"

static void (*start_hook)(void *);
static void (*exit_hook)(void *);
static void *hook_arg;

struct start {
	void (*fn)(void *);
	void *arg;
	int cpu;
	char name[16];
};

static void *trampoline(void *p)
{
	struct start s = *(struct start *)p;

	ww_free(p);
	pthread_setname_np(pthread_self(), s.name);
	if (s.cpu >= 0)
		ww_cpu_bind_self(s.cpu);
	if (start_hook)
		start_hook(hook_arg);
	s.fn(s.arg);
	if (exit_hook)
		exit_hook(hook_arg);
	return NULL;
}

int ww_os_thread_start(struct ww_os_thread *t, const char *name, int cpu, void (*fn)(void *),
		       void *arg)
{
	sigset_t all, old;
	struct start *s = ww_alloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct start){.fn = fn, .arg = arg, .cpu = cpu};
	snprintf(s->name, sizeof(s->name), "%s", name);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = pthread_create(&t->handle, NULL, trampoline, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		ww_free(s);
	return -err;
}

void ww_os_thread_join(struct ww_os_thread *t)
{
	pthread_join(t->handle, NULL);
}

void ww_os_thread_detach(struct ww_os_thread *t)
{
	pthread_detach(t->handle);
}

pid_t ww_os_thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

void ww_os_yield(void)
{
	sched_yield();
}

void ww_os_thread_set_hooks(void (*start)(void *), void (*exit)(void *), void *arg)
{
	start_hook = start;
	exit_hook = exit;
	hook_arg = arg;
}

/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
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

static __thread bool hooks_due;

void ww_os_thread_run_exit_hooks(void)
{
	if (hooks_due && exit_hook)
		exit_hook(hook_arg);
	hooks_due = false;
}

static void *trampoline(void *p)
{
	struct start s = *(struct start *)p;

	ww_free(p);
	pthread_setname_np(pthread_self(), s.name);
	if (s.cpu >= 0)
		ww_cpu_bind_self(s.cpu);
	if (start_hook)
		start_hook(hook_arg);
	hooks_due = true;
	s.fn(s.arg);
	ww_os_thread_run_exit_hooks();
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

void ww_os_thread_get_name(char *name, size_t size)
{
	if (pthread_getname_np(pthread_self(), name, size))
		snprintf(name, size, "?");
}

static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;

struct at_exit {
	void (*fn)(void *);
	void *arg;
	struct at_exit *next;
};

static void run_at_exit(void *p)
{
	struct at_exit *e = p;

	while (e) {
		struct at_exit *next = e->next;

		e->fn(e->arg);
		ww_free(e);
		e = next;
	}
}

static void make_exit_key(void)
{
	pthread_key_create(&exit_key, run_at_exit);
}

void ww_os_thread_at_exit(void (*fn)(void *), void *arg)
{
	struct at_exit *e = ww_alloc(sizeof(*e));

	pthread_once(&exit_once, make_exit_key);
	if (!e) /* a small leak at the end of a thread, and only when memory is out */
		return;
	*e = (struct at_exit){fn, arg, pthread_getspecific(exit_key)};
	pthread_setspecific(exit_key, e);
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

/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/fork.h"
#include "base/lock.h"

struct hook {
	void (*start)(void *), (*exit)(void *); /* constant once published */
	void *arg;
	struct hook *older;
	struct hook *newer; /* only for the way up; (H) */
	uint32_t removed;   /* set once */
	int id;
};

static struct ww_lock hook_lock = WW_LOCK_INIT; /* (H) */
static struct hook *oldest_hook; /* (H), never freed: threads walk without the lock */
static struct hook *newest_hook; /* (H), read with acquire: pairs: BASE-1 */

static void fork_child(void)
{
	ww_lock_init(&hook_lock); /* whoever held it is gone; the list is whole at every moment */
}

int ww_os_thread_add_hooks(void (*start)(void *), void (*exit)(void *), void *arg)
{
	struct hook *h = ww_alloc(sizeof(*h));

	if (!h)
		return -ENOMEM;
	*h = (struct hook){.start = start, .exit = exit, .arg = arg};
	ww_lock(&hook_lock);
	if (!newest_hook)
		ww_fork_register(NULL, NULL, fork_child);
	h->older = newest_hook;
	h->id = h->older ? h->older->id + 1 : 1;
	if (h->older)
		ww_store_relaxed(&h->older->newer, h);
	else
		oldest_hook = h;
	ww_store_release(&newest_hook, h); /* pairs: BASE-1 */
	ww_unlock(&hook_lock);
	return h->id;
}

int ww_os_thread_remove_hooks(int id)
{
	int rc = -ENOENT;

	ww_lock(&hook_lock);
	for (struct hook *h = newest_hook; h; h = h->older)
		if (h->id == id && !h->removed) {
			ww_store_relaxed(&h->removed, 1u);
			rc = 0;
		}
	ww_unlock(&hook_lock);
	return rc;
}

static __thread struct hook *hooks_due; /* the newest one that this thread has started */

static void run_start_hooks(void)
{
	struct hook *last = ww_load_acquire(&newest_hook); /* pairs: BASE-1 */

	hooks_due = last;
	if (!last)
		return;
	for (struct hook *h = oldest_hook; h; h = h == last ? NULL : ww_load_relaxed(&h->newer))
		if (h->start && !ww_load_relaxed(&h->removed))
			h->start(h->arg);
}

void ww_os_thread_run_exit_hooks(void)
{
	for (struct hook *h = hooks_due; h; h = h->older)
		if (h->exit && !ww_load_relaxed(&h->removed))
			h->exit(h->arg);
	hooks_due = NULL;
}

struct start {
	void (*fn)(void *);
	void *arg;
	int cpu;
	bool unbind;
	char name[16];
};

static __thread bool self_bound;

static void *trampoline(void *p)
{
	struct start s = *(struct start *)p;

	ww_free(p);
	pthread_setname_np(pthread_self(), s.name);
	/* A thread made from a bound one would inherit its CPU. */
	if (s.unbind)
		ww_cpu_unbind(0);
	if (s.cpu >= 0)
		self_bound = ww_cpu_bind_self(s.cpu) == 0;
	run_start_hooks();
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
	*s = (struct start){.fn = fn, .arg = arg, .cpu = cpu, .unbind = self_bound};
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

void ww_os_thread_exact_sleep(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
}

void ww_os_yield(void)
{
	sched_yield();
}

int ww_os_thread_set_policy(pid_t tid, int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};

	/* Not sched_setscheduler(): musl's only says that it is not there. */
	return syscall(SYS_sched_setscheduler, tid, policy, &param) ? -errno : 0;
}

int ww_os_thread_set_nice(pid_t tid, int nice)
{
	/* Of one thread, not of the process: so Linux reads PRIO_PROCESS with a thread's id. */
	return setpriority(PRIO_PROCESS, (id_t)tid, nice) ? -errno : 0;
}

int ww_os_thread_get_nice(pid_t tid)
{
	return getpriority(PRIO_PROCESS, (id_t)tid);
}

/* Where the kernel lacks the syscall file, or forbids it: the state letter behind the name. */
static bool asleep_by_stat(pid_t tid)
{
	char path[64], buf[512], *p;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = 0;
	p = strrchr(buf, ')');
	return p && (p[2] == 'S' || p[2] == 'D');
}

/* The file says "running" for a thread that runs or is ready to, else where it sleeps. */
bool ww_os_thread_asleep(pid_t tid)
{
	char path[64], buf[8];

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return asleep_by_stat(tid);
	ssize_t n = read(fd, buf, sizeof(buf));
	close(fd);
	return n > 0 && buf[0] != 'r';
}

/* SPDX-License-Identifier: MIT */
/*
 * What fails around the library: the n-th allocation, for every n; threads that can't be made; a
 * kernel without membarrier. Each attempt is a process of its own, in which the library is used for
 * the first time: it must give a clear error or work all the same, and go on afterwards.
 */
#include "tap.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/atomic.h"
#include "base/report.h"
#include "wheelwork/clock.h"
#include "wheelwork/thread.h"
#include "wheelwork/timer.h"
#include "wheelwork/work.h"
#include "wheelwork/worker.h"

static uint32_t ran;

static void quiet(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	(void)line;
}

static void has_run(void)
{
	ww_fetch_add(&ran, 1u);
	ww_futex_wake(&ran, 1);
}

/* A generous limit: the machine may be busy. */
static void await_run(uint32_t n)
{
	uint64_t end = ww_clock_ns() + 20000000000u;
	uint32_t seen;

	while ((seen = ww_load_acquire(&ran)) < n && ww_clock_ns() < end)
		ww_futex_wait(&ran, seen, end);
	CHECK(ww_load_acquire(&ran) >= n);
}

static void work_ran(struct ww_work *w)
{
	(void)w;
	has_run();
}

static void timer_ran(struct ww_timer *t)
{
	(void)t;
	has_run();
}

static bool sane(const void *made)
{
	CHECK(made || errno == ENOMEM || errno == EAGAIN);
	return made;
}

static void use_queue(void)
{
	struct ww_workqueue *wq =
		ww_alloc_workqueue("faulty", WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM, 0);
	static struct ww_work work;
	static struct ww_delayed_work dwork;

	if (!sane(wq))
		return;
	ww_init_work(&work, work_ran);
	ww_init_delayed_work(&dwork, work_ran);
	CHECK(ww_queue_work(wq, &work));
	await_run(1);
	ww_flush_workqueue(wq);
	ww_queue_delayed_work(wq, &dwork, 1);
	ww_cancel_delayed_work_sync(&dwork);
	ww_destroy_workqueue(wq);
}

static void use_timer(void)
{
	static struct ww_timer timer;

	ww_timer_setup(&timer, timer_ran, 0);
	ww_mod_timer(&timer, ww_jiffies() + 1);
	/* If there was no memory for the base it was not armed, which was reported; then again. */
	if (!ww_timer_pending(&timer) && !ww_load_acquire(&ran))
		ww_clock_sleep_until(ww_clock_ns() + 50000000);
	ww_alloc_fail_nth(0);
	if (!ww_load_acquire(&ran))
		ww_mod_timer(&timer, ww_jiffies() + 1);
	await_run(1);
	ww_timer_shutdown_sync(&timer);
}

static int body(void *data)
{
	(void)data;
	while (!ww_thread_should_stop())
		ww_schedule_timeout_interruptible(1000);
	return 5;
}

static void use_thread(void)
{
	struct ww_thread *t = ww_thread_run(body, NULL, "faulty");

	if (sane(t)) {
		int rc = ww_thread_stop(t);

		CHECK(rc == 5 || rc == -EINTR);
	}
}

static void use_worker(void)
{
	struct ww_worker *w = ww_worker_run(0, "faulty");

	if (sane(w))
		ww_worker_destroy(w);
}

static void use_base(void)
{
	struct ww_base *b = ww_base_create("faulty");

	if (sane(b))
		CHECK_EQ(ww_base_destroy(b), 0);
}

static void (*const uses[])(void) = {use_queue, use_timer, use_thread, use_worker, use_base};

/* In a fresh process: prepare, use, and use again when nothing fails any more. */
static void in_child(void (*prepare)(long), long n, void (*use)(void), bool again)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		ww_set_misuse_handler(quiet);
		alarm(40);
		prepare(n);
		use();
		ww_alloc_fail_nth(0);
		ran = 0;
		if (again)
			use();
		CHECK_EQ(ww_debug_check(), 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_MSG(status == 0, "%s, n = %ld: status %#x", ww_symbol_fn(use), n, status);
}

TEST_LIMIT(the_nth_allocation_fails_and_nothing_is_lost, 120)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		for (long n = 1; n <= 24; n++)
			in_child(ww_alloc_fail_nth, n, uses[i], true);
}

/* From now on system call nr fails with err. */
static void deny(long nr, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(0); /* not permitted here: nothing to test */
}

static void deny_call(long nr)
{
	deny(nr, nr == SYS_membarrier ? ENOSYS : EAGAIN);
}

TEST_LIMIT(without_membarrier_everything_works, 60)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		in_child(deny_call, SYS_membarrier, uses[i], true);
}

static void deny_threads(long unused)
{
	(void)unused;
	deny(SYS_clone3, ENOSYS);
	deny(SYS_clone, EAGAIN);
}

/* A timer or a queue can't work then; what makes something must say so. */
TEST_LIMIT(where_no_thread_can_be_made_constructors_say_so, 60)
{
	in_child(deny_threads, 0, use_thread, true);
	in_child(deny_threads, 0, use_worker, true);
	in_child(deny_threads, 0, use_base, true);
}

static void deny_affinity(long unused)
{
	(void)unused;
	deny(SYS_sched_setaffinity, EPERM);
}

TEST_LIMIT(where_binding_is_refused_everything_runs_unbound, 60)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		in_child(deny_affinity, 0, uses[i], true);
}

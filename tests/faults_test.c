/* SPDX-License-Identifier: MIT */
/*
 * What fails around the library: the n-th allocation, wait, wake-up, barrier or binding, for every n;
 * threads that can't be made; a kernel without membarrier. Each attempt is a process of its own, in
 * which the library is used for the first time: it must give a clear error or work all the same, and
 * go on afterwards. WW_FAULTS says up to which n (0: until the n-th is never asked for).
 */
#include "reports.h"
#include "uses.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"

/* --- More uses: what is not in uses.h, each as its header says that it fails. --- */

static struct ww_delayed_work dwork;

static void use_delayed(void)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("faulty", 0, 0);

	if (!sane(wq))
		return;
	ww_init_delayed_work(&dwork, work_ran);
	/* Without a timer base nothing is queued, which was reported. */
	if (ww_queue_delayed_work(wq, &dwork, 1000000) || ww_delayed_work_pending(&dwork))
		CHECK(ww_mod_delayed_work(wq, &dwork, 2000000));
	ww_mod_delayed_work(wq, &dwork, 0);
	await_run(1);
	ww_cancel_delayed_work_sync(&dwork);
	ww_mod_delayed_work(wq, &dwork, 1);
	ww_flush_delayed_work(&dwork);
	ww_destroy_workqueue(wq);
}

static struct ww_rcu_work rwork;

static void use_rcu(void)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("faulty", WW_WQ_UNBOUND, 0);

	if (!sane(wq))
		return;
	ww_rcu_read_lock();
	ww_rcu_read_unlock();
	ww_synchronize_rcu();
	ww_init_rcu_work(&rwork, work_ran);
	if (ww_queue_rcu_work(wq, &rwork)) {
		ww_flush_rcu_work(&rwork);
		await_run(1);
	}
	ww_destroy_workqueue(wq);
}

static void counted_run(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&ran, 1u);
}

static void use_system_queues(void)
{
	int rc = ww_schedule_on_each_cpu(counted_run);

	CHECK(rc == -ENOMEM || (rc == 0 && ww_load_acquire(&ran) == (uint32_t)ww_cpu_slots()));
}

static void use_attrs(void)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("faulty", WW_WQ_UNBOUND, 2);
	struct ww_workqueue_attrs *attrs = wq ? ww_alloc_workqueue_attrs() : NULL;
	static struct ww_work work;

	if (!sane(wq))
		return;
	if (sane(attrs)) {
		attrs->scope = WW_WQ_SCOPE_CPU;
		int rc = ww_apply_workqueue_attrs(wq, attrs);

		CHECK(rc == 0 || rc == -ENOMEM || rc == -EAGAIN);
		ww_free_workqueue_attrs(attrs);
	}
	/* With the old ones or the new ones, it works. */
	ww_init_work(&work, work_ran);
	CHECK(ww_queue_work(wq, &work));
	await_run(1);
	ww_destroy_workqueue(wq);
}

static void use_show(void)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("faulty", WW_WQ_FREEZABLE);
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), rc;

	if (!sane(wq))
		return;
	rc = ww_show_workqueues(fd);
	CHECK(rc == 0 || rc == -ENOMEM);
	close(fd);
	CHECK_EQ(ww_freeze_threads(20000), 0);
	ww_thaw_threads();
	ww_destroy_workqueue(wq);
}

static void use_driven(void)
{
	struct ww_base *b = ww_base_create_driven("faulty");
	static struct ww_timer t;

	if (!sane(b))
		return;
	ww_timer_setup(&t, timer_ran, 0);
	CHECK_EQ(ww_timer_set_base(&t, b), 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	while (!ww_load_acquire(&ran)) {
		struct pollfd p = {.fd = ww_base_fd(b), .events = POLLIN};

		poll(&p, 1, 1000);
		CHECK(ww_base_run(b) >= 0);
	}
	ww_timer_shutdown_sync(&t);
	CHECK_EQ(ww_base_destroy(b), 0);
}

/* By stores, so that the sweep needs its barrier. */
static void use_pushes(void)
{
	static struct ww_timer t;
	uint64_t end = ww_clock_os_ns() + 20000000;

	ww_timer_setup(&t, timer_ran, 0);
	while (ww_clock_os_ns() < end)
		for (int i = 0; i < 100; i++)
			ww_mod_timer(&t, ww_jiffies() + 3);
	if (!ww_load_acquire(&ran) && !ww_timer_pending(&t))
		ww_mod_timer(&t, ww_jiffies() + 1);
	if (ww_timer_pending(&t) || ww_load_acquire(&ran))
		await_run(1);
	ww_timer_shutdown_sync(&t);
}

/* Until a sweep has made a barrier. */
static void use_barriers(void)
{
	static struct ww_timer t;
	struct ww_timer_stats s = {.barriers = 0};
	uint64_t end = ww_clock_os_ns() + 20000000000u;

	ww_timer_setup(&t, timer_ran, 0);
	while (!s.barriers && ww_clock_os_ns() < end) {
		for (int i = 0; i < 100; i++)
			ww_mod_timer(&t, ww_jiffies() + 2);
		ww_clock_sleep_until(ww_clock_os_ns() + 500000);
		ww_timer_get_stats(-1, &s);
	}
	ww_timer_shutdown_sync(&t);
}

static int parks(void *data)
{
	(void)data;
	while (!ww_thread_should_stop()) {
		ww_thread_parkme();
		ww_schedule_timeout_interruptible(1);
	}
	return 0;
}

static void use_park(void)
{
	struct ww_thread *t =
		ww_thread_create_on_cpu(parks, NULL, (unsigned)ww_cpu_of_slot(0), "p%u");

	if (!sane(t))
		return;
	ww_wake_up_process(t);
	CHECK_EQ(ww_thread_park(t), 0);
	ww_thread_unpark(t);
	CHECK_EQ(ww_thread_stop(t), 0);
}

static void worker_ran(struct ww_worker_work *w)
{
	(void)w;
	has_run();
}

static void use_worker_items(void)
{
	struct ww_worker *w = ww_worker_run(0, "faulty");
	static struct ww_worker_work item;
	static struct ww_worker_delayed_work late;

	if (!sane(w))
		return;
	ww_worker_init_work(&item, worker_ran);
	ww_worker_init_delayed_work(&late, worker_ran);
	CHECK(ww_worker_queue_work(w, &item));
	ww_worker_flush_work(&item);
	CHECK_EQ(ww_load_acquire(&ran), 1);
	ww_worker_queue_delayed_work(w, &late, 1);
	ww_worker_cancel_delayed_work_sync(&late);
	ww_worker_flush(w);
	ww_worker_destroy(w);
}

static void hook(void *arg)
{
	(void)arg;
}

static void use_hooks(void)
{
	int id = ww_thread_add_hooks(hook, hook, NULL);

	CHECK(id >= 0 || id == -ENOMEM);
	use_thread();
	if (id >= 0)
		CHECK_EQ(ww_thread_remove_hooks(id), 0);
}

static void use_completion(void)
{
	struct ww_completion done;

	ww_init_completion(&done);
	CHECK_EQ(ww_wait_for_completion_timeout(&done, 2), 0);
	ww_complete(&done);
	ww_wait_for_completion(&done);
	ww_set_current_state(WW_TASK_UNINTERRUPTIBLE);
	CHECK_EQ(ww_schedule_timeout(2), 0);
}

static void (*const all_uses[])(void) = {
	use_queue,	  use_timer,	     use_thread, use_worker,	 use_base,   use_delayed,
	use_rcu,	  use_system_queues, use_attrs,	 use_show,	 use_driven, use_pushes,
	use_worker_items, use_park,	     use_hooks,	 use_completion,
};
#define USES (sizeof(all_uses) / sizeof(*all_uses))

/* --- What fails: a system call of src/base, by number. --- */

static struct {
	long nr, in, many;
	int err;
	bool every_other, wake_ups, hit;
} fault = {.many = 1};

static bool fails_now(void)
{
	long n = ww_fetch_sub(&fault.in, 1); /* 1 is the first that fails */

	if ((n > 1 || n <= 1 - fault.many) && !(fault.every_other && n & 1))
		return false;
	ww_store_relaxed(&fault.hit, true);
	return true;
}

/* The C library's, for everything in this program. */
long syscall(long nr, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!ww_load_relaxed(&real))
		ww_store_relaxed(&real,
				 (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall"));
	if (ww_unlikely(nr == ww_load_relaxed(&fault.nr)) && ww_load_relaxed(&fault.err) &&
	    (nr != SYS_futex || fault.wake_ups == ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)) &&
	    fails_now()) {
		errno = ww_load_relaxed(&fault.err);
		return -1;
	}
	return ww_load_relaxed(&real)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void fail_futex(long n)
{
	/* Each reason in its turn: a signal, a word that changed, no memory. */
	static const int err[] = {EINTR, EAGAIN, ENOMEM};

	fault.nr = SYS_futex;
	fault.err = err[n % 3];
	ww_store_relaxed(&fault.in, n / 3 + 1);
}

static void fail_every_other_futex(long unused)
{
	(void)unused;
	fault.every_other = true;
	fail_futex(0);
}

/* Signals that come faster than anything else. */
static void fail_many_waits(long n)
{
	fault.many = 20000;
	fail_futex(n);
}

static void fail_wake_up(long n)
{
	fault.wake_ups = true;
	fail_futex(n);
}

static void refuse_wake_up(long n)
{
	fail_wake_up(n);
	fault.err = EPERM;
}

static void fail_membarrier(long n)
{
	fault.nr = SYS_membarrier;
	fault.err = ENOMEM;
	ww_store_relaxed(&fault.in, n);
}

static void refuse_membarrier(long n)
{
	fail_membarrier(n);
	fault.err = EPERM;
}

/* --- A fresh process for each attempt. --- */

enum { WENT_WELL, NOT_REACHED = 70, DIED_SAYING_SO };

/* Where no error can be returned, the last line before the end says what failed. */
static void aborted(int sig)
{
	(void)sig;
	_exit(strstr(report, "can't be made (") || strstr(report, "is refused now (")
		      ? DIED_SAYING_SO
		      : 99);
}

/* In a fresh process: prepare, use, and use again when nothing fails any more. False: not reached. */
static int in_child(void (*prepare)(long), long n, void (*use)(void), bool again)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		ww_set_misuse_handler(keep_report);
		signal(SIGABRT, aborted);
		alarm(40);
		prepare(n);
		use();
		ww_alloc_fail_nth(0);
		ww_store_relaxed(&fault.err, 0);
		ran = 0;
		if (again)
			use();
		CHECK_EQ(ww_debug_check(), 0);
		_exit(ww_load_relaxed(&fault.hit) || ww_alloc_has_failed() ? WENT_WELL
									   : NOT_REACHED);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_MSG(WIFEXITED(status) && (WEXITSTATUS(status) == WENT_WELL ||
					(WEXITSTATUS(status) >= NOT_REACHED &&
					 WEXITSTATUS(status) <= DIED_SAYING_SO)),
		  "%s, n = %ld: status %#x", ww_symbol_fn(use), n, status);
	return WEXITSTATUS(status);
}

static long most(long otherwise)
{
	const char *s = getenv("WW_FAULTS");

	return !s ? otherwise : atol(s) ? atol(s) : 10000;
}

/* For each use every n; how many attempts came to the fault. */
static unsigned for_every_n(void (*prepare)(long), long first, long limit)
{
	unsigned reached = 0;

	for (size_t i = 0; i < USES; i++)
		for (long n = first; n < first + limit; n++) {
			if (in_child(prepare, n, all_uses[i], true) == NOT_REACHED)
				break;
			reached++;
		}
	tap_note("%u faults", reached);
	return reached;
}

TEST_LIMIT(the_nth_allocation_fails_and_nothing_is_lost, 300)
{
	CHECK(for_every_n(ww_alloc_fail_nth, 1, most(100)) > USES);
}

TEST_LIMIT(the_nth_wait_on_a_futex_fails_and_nothing_is_lost, 300)
{
	CHECK(for_every_n(fail_futex, 0, most(9)) > USES);
}

TEST_LIMIT(every_other_wait_on_a_futex_fails_and_nothing_is_lost, 120)
{
	for_every_n(fail_every_other_futex, 0, 1);
}

TEST_LIMIT(thousands_of_waits_are_interrupted_and_nothing_is_lost, 120)
{
	CHECK(for_every_n(fail_many_waits, 0, 2) >= USES / 2);
}

TEST_LIMIT(the_nth_wake_up_fails_and_is_made_again, 300)
{
	CHECK(for_every_n(fail_wake_up, 0, most(6)) > USES);
}

/* Who sleeps would never know. */
TEST_LIMIT(a_wake_up_that_is_refused_ends_the_process_with_a_word, 60)
{
	CHECK_EQ(in_child(refuse_wake_up, 0, use_queue, false), DIED_SAYING_SO);
	CHECK_EQ(in_child(refuse_wake_up, 0, use_park, false), DIED_SAYING_SO);
	CHECK_EQ(in_child(refuse_wake_up, 3, use_worker_items, false), DIED_SAYING_SO);
}

/* The first one registers the process: without it, everything works otherwise. */
TEST_LIMIT(the_nth_membarrier_finds_no_memory_and_nothing_is_lost, 300)
{
	CHECK(for_every_n(fail_membarrier, 1, most(6)) > 2);
}

TEST_LIMIT(a_membarrier_that_is_refused_after_it_was_granted_ends_the_process_with_a_word, 60)
{
	/* Not by ww_membarrier_available(): that registers the process. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) <= 0)
		tap_skip("no membarrier here");
	CHECK_EQ(in_child(refuse_membarrier, 1, use_rcu, true), WENT_WELL);
	CHECK_EQ(in_child(refuse_membarrier, 2, use_barriers, false), DIED_SAYING_SO);
	CHECK_EQ(in_child(refuse_membarrier, 2, use_rcu, true), DIED_SAYING_SO);
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
	for (size_t i = 0; i < USES; i++)
		in_child(deny_call, SYS_membarrier, all_uses[i], true);
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

static void stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* The base of the first CPU is there; that of the second can't be made. */
TEST_LIMIT(a_timer_whose_cpu_can_have_no_base_goes_to_another, 60)
{
	static struct ww_timer first, second;

	if (ww_cpu_slots() < 2)
		tap_skip("one CPU");
	ww_set_misuse_handler(quiet);
	stay_on(ww_cpu_of_slot(0));
	ww_timer_setup(&first, timer_ran, 0);
	ww_mod_timer(&first, ww_jiffies() + 1);
	await_run(1);
	stay_on(ww_cpu_of_slot(1));
	deny_threads(0);
	ww_timer_setup(&second, timer_ran, 0);
	for (uint32_t i = 0; i < 3; i++) {
		ww_mod_timer(&second, ww_jiffies() + 1);
		await_run(2 + i);
	}
	ww_timer_delete_sync(&second);
	second.expires = ww_jiffies() + 1;
	ww_add_timer_on(&second, ww_cpu_of_slot(1));
	await_run(5);
	CHECK_EQ(ww_timer_delete_sync(&second), 0);
	_exit(0); /* a leak checker would need another thread */
}

static void deny_affinity(long unused)
{
	(void)unused;
	deny(SYS_sched_setaffinity, EPERM);
}

TEST_LIMIT(where_binding_is_refused_everything_runs_unbound, 60)
{
	for (size_t i = 0; i < USES; i++)
		in_child(deny_affinity, 0, all_uses[i], true);
}

/* ---- reports of what could not be made ---- */

static int told_fd;

static void tell(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	if (write(told_fd, line, strlen(line)) < 0)
		_exit(1);
}

/* Runs say() in a fresh process; what it is told there, and how it ended. */
static int told_in_child(void (*say)(void), char *text, size_t size)
{
	int fd[2], status;
	ssize_t n, all = 0;
	pid_t pid;

	CHECK_EQ(pipe(fd), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(fd[0]);
		told_fd = fd[1];
		ww_set_misuse_handler(tell);
		alarm(40);
		prctl(PR_SET_DUMPABLE, 0);
		say();
		_exit(0);
	}
	close(fd[1]);
	while ((n = read(fd[0], text + all, size - 1 - (size_t)all)) > 0)
		all += n;
	text[all] = 0;
	close(fd[0]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static uint32_t ran_here;

static void run_here(struct ww_work *work)
{
	(void)work;
	ww_fetch_add(&ran_here, 1u);
}

static void ask_for_a_system_queue(void)
{
	ww_alloc_fail_nth(1);
	ww_system_wq();
}

TEST(a_system_queue_that_cannot_be_made_ends_the_process_and_says_which)
{
	char text[1024];
	int status = told_in_child(ask_for_a_system_queue, text, sizeof(text));

	CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x", status);
	CHECK_MSG(strstr(text, "system queue") && strstr(text, "Cannot allocate memory"), "%s",
		  text);
}

static void queue_rcu_without_memory(void)
{
	static struct ww_rcu_work after;
	struct ww_workqueue *wq = ww_alloc_workqueue("rcu", 0, 0);

	ww_init_rcu_work(&after, run_here);
	ww_alloc_fail_nth(1);
	CHECK(!ww_queue_rcu_work(wq, &after));
	CHECK(!ww_work_pending(&after.work));
	ww_alloc_fail_nth(0);
	CHECK(ww_queue_rcu_work(wq, &after));
	CHECK(ww_flush_rcu_work(&after));
	CHECK_EQ(ran_here, 1);
}

TEST(an_rcu_work_whose_grace_period_cannot_be_waited_for_is_not_queued)
{
	char text[1024];
	int status = told_in_child(queue_rcu_without_memory, text, sizeof(text));

	CHECK_MSG(status == 0, "status %#x", status);
	CHECK_MSG(strstr(text, "no grace period can be waited for") && strstr(text, "run_here"),
		  "%s", text);
}

static void ask_for_priority_as_nobody(void)
{
	static struct ww_work work;
	struct rlimit none = {0, 0};
	struct ww_workqueue *wq;

	if (setrlimit(RLIMIT_NICE, &none) || (geteuid() == 0 && setresuid(65534, 65534, 65534)))
		_exit(77);
	wq = ww_alloc_workqueue("high", WW_WQ_HIGHPRI, 0);
	CHECK(wq);
	ww_init_work(&work, run_here);
	CHECK(ww_queue_work(wq, &work));
	ww_flush_work(&work);
	CHECK_EQ(ran_here, 1);
	ww_destroy_workqueue(wq);
}

TEST(a_nice_value_that_is_refused_is_said_once_and_the_items_run)
{
	char text[1024];
	int status = told_in_child(ask_for_priority_as_nobody, text, sizeof(text));

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip("no way to be somebody without that right");
	CHECK_MSG(status == 0, "status %#x", status);
	CHECK_MSG(strstr(text, "not permitted here (RLIMIT_NICE)"), "%s", text);
}

/* SPDX-License-Identifier: MIT */
/*
 * What happens to a process: its threads are moved between CPUs, signals arrive, the clock is held
 * back and let go, it forks.
 */
#include "torture.h"
#include "../held_clock.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* --- CPUs --- */

static cpu_set_t all_cpus;

static void cpus_begin(void)
{
	sched_getaffinity(0, sizeof(all_cpus), &all_cpus);
}

/* Any thread of this process, the library's own too, to one CPU or to all. */
static void cpus_act(uint64_t *rng)
{
	DIR *d = opendir("/proc/self/task");
	cpu_set_t one;
	int tid = 0;
	unsigned skip = tap_random(rng) % 24;

	CHECK(d);
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		tid = atoi(e->d_name);
		if (!skip--)
			break;
	}
	closedir(d);
	if (tap_random(rng) % 2)
		tid = 0;
	CPU_ZERO(&one);
	for (int c = (int)(tap_random(rng) % 64), n = 0; n < CPU_SETSIZE;
	     n++, c = (c + 1) % CPU_SETSIZE)
		if (CPU_ISSET(c, &all_cpus)) {
			CPU_SET(c, &one);
			break;
		}
	sched_setaffinity(tid, sizeof(one), tap_random(rng) % 2 ? &one : &all_cpus);
}

/* --- Signals: to any thread that does not block them; the handler wakes a thread. --- */

static struct ww_thread *sleeper;
static uint32_t woken_by_signals;

static void on_signal(int sig)
{
	int before = errno;

	(void)sig;
	ww_wake_up_process(sleeper);
	CHECK_EQ(errno, before);
}

static int sleeps_on(void *unused)
{
	(void)unused;
	while (!ww_thread_should_stop()) {
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		if (!ww_thread_should_stop())
			ww_schedule();
		ww_set_current_state_plain(WW_TASK_RUNNING);
		COUNT(woken_by_signals);
	}
	return 0;
}

static void signals_begin(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sleeper = ww_thread_run(sleeps_on, NULL, "sleeper");
	CHECK(sleeper);
	/* Half of them interrupt system calls. */
	CHECK_EQ(sigaction(SIGUSR1, &sa, NULL), 0);
	sa.sa_flags = SA_RESTART;
	CHECK_EQ(sigaction(SIGUSR2, &sa, NULL), 0);
}

static void signals_act(uint64_t *rng)
{
	int sig = tap_random(rng) % 2 ? SIGUSR1 : SIGUSR2;

	/* To the process: to whichever thread takes it; or to this one. */
	if (tap_random(rng) % 4)
		kill(getpid(), sig);
	else
		raise(sig);
}

static void signals_end(void)
{
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	CHECK_EQ(ww_thread_stop(sleeper), 0);
}

/* --- The clock: it stands still, then it is where it would have been. --- */

static uint64_t real_ns(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t torture_now_ms(void)
{
	return real_ns() / 1000000;
}

static void clock_act(uint64_t *rng)
{
	ww_store_release(&held_at, real_ns());
	torture_sleep_us(tap_random(rng) % 10000);
	ww_store_release(&held_at, (uint64_t)0);
	torture_sleep_us(20000);
}

/* --- Forks --- */

static uint32_t child_runs;

static void child_timer_ran(struct ww_timer *t)
{
	(void)t;
	ww_fetch_add(&child_runs, 1u);
}

static void child_work_ran(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&child_runs, 1u);
}

static int child_thread(void *unused)
{
	(void)unused;
	while (!ww_thread_should_stop())
		ww_schedule_timeout_interruptible(1000);
	return 7;
}

static void child_waits_for(uint32_t n, int code)
{
	for (int i = 0; ww_load_acquire(&child_runs) < n; i++) {
		if (i > 100000)
			_exit(code);
		usleep(200);
	}
}

/* The child has none of the parent's timers, works and threads, and uses the library afresh. */
static _Noreturn void child(void)
{
	struct ww_timer t;
	struct ww_delayed_work dw;
	struct ww_workqueue *wq;
	struct ww_thread *th;
	struct ww_timer_stats s;

	/* What the parent was about when it forked does not count here. */
	held_at = 0;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	alarm(60);
	ww_timer_get_stats(-1, &s);
	if (s.pending)
		_exit(20);
	ww_timer_setup(&t, child_timer_ran, 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	child_waits_for(1, 21);
	ww_timer_delete_sync(&t);
	wq = ww_alloc_workqueue("child", WW_WQ_UNBOUND, 1);
	if (!wq)
		_exit(22);
	ww_init_delayed_work(&dw, child_work_ran);
	if (!ww_queue_delayed_work(wq, &dw, 1))
		_exit(23);
	child_waits_for(2, 24);
	ww_destroy_workqueue(wq);
	th = ww_thread_run(child_thread, NULL, "child");
	if (!th)
		_exit(25);
	int rc = ww_thread_stop(th);
	if (rc != 7 && rc != -EINTR)
		_exit(26);
	_exit(ww_debug_check() ? 27 : 0);
}

static void fork_once(void)
{
	pid_t pid;
	int status = 0, got = 0;

	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child();
	for (int i = 0; i < 90000; i++) {
		got = waitpid(pid, &status, WNOHANG);
		if (got)
			break;
		torture_sleep_us(1000);
	}
	CHECK_MSG(got == pid && status == 0,
		  "the child of a fork: %s, status %#x; see child() in tests/torture/process.c",
		  got == pid ? "ended" : "hangs", (unsigned)status);
}

static void forks_act(uint64_t *rng)
{
	/* AddressSanitizer's allocator does not survive it while others allocate: see settle. */
	const bool from_any_state = !(TAP_ASAN || TAP_TSAN);

	if (from_any_state)
		fork_once();
	torture_sleep_us(tap_random(rng) % 50000);
}

static void forks_settle(void)
{
	/* ThreadSanitizer knows no new threads after a fork. */
	if (!TAP_TSAN && tap_random(torture_rng()) % 4 == 0)
		fork_once();
}

struct torture_area torture_process[TORTURE_PROCESS_AREAS] = {
	{.name = "cpus", .weight = 5, .begin = cpus_begin, .act = cpus_act},
	{.name = "signals",
	 .weight = 10,
	 .begin = signals_begin,
	 .act = signals_act,
	 .end = signals_end},
	{.name = "clock", .weight = 2, .act = clock_act, .alone = true},
};
struct torture_area torture_forks = {
	.name = "forks", .weight = 2, .act = forks_act, .settle = forks_settle, .alone = true};

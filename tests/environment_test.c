/* SPDX-License-Identifier: MIT */
/*
 * Surroundings that are poorer than usual, or that change while the library runs: everything works, or
 * says why not. Most cases run this program's case everything_is_used once more, inside of them.
 */
#include "reports.h"
#include "uses.h"
#include "held_clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/membarrier.h"

static void nap_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void use_everything(void)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		ww_store_relaxed(&ran, 0u);
		uses[i]();
	}
	CHECK_EQ(ww_debug_check(), 0);
}

TEST_LIMIT(everything_is_used, 60)
{
	const char *slots = getenv("WW_ENVIRONMENT_SLOTS");

	if (getenv("WW_ENVIRONMENT_NO_RSEQ"))
		CHECK_EQ(__rseq_size, 0);
	if (getenv("WW_ENVIRONMENT_NO_BARRIER"))
		CHECK(!ww_membarrier_available());
	if (slots)
		CHECK_EQ(ww_cpu_slots(), atoi(slots));
	use_everything();
}

/* Runs it in a process that prepare has had first; that ends with 77 where it can't prepare. */
static int status_in(void (*prepare)(void))
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		prepare();
		dup2(STDERR_FILENO, STDOUT_FILENO); /* one report is enough */
		execl("/proc/self/exe", "environment_test", "everything_is_used", (char *)NULL);
		_exit(78);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void went_well(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip("not permitted here");
	CHECK_MSG(status == 0, "status %#x", (unsigned)status);
}

static void use_in(void (*prepare)(void))
{
	went_well(status_in(prepare));
}

static void no_rseq(void)
{
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	setenv("WW_ENVIRONMENT_NO_RSEQ", "1", 1);
}

TEST_LIMIT(without_restartable_sequences_everything_works, 60)
{
	use_in(no_rseq);
}

static void deny(const long *calls, unsigned n, int err)
{
	struct sock_filter code[32] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog prog = {(unsigned short)(2 * n + 2), code};

	for (unsigned i = 0; i < n; i++) {
		code[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							       (uint32_t)calls[i], 0, 1);
		code[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							       SECCOMP_RET_ERRNO | (uint32_t)err);
	}
	code[2 * n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(77);
}

static void strict_filter(void)
{
	static const long calls[] = {SYS_membarrier, SYS_rseq, SYS_sched_setaffinity,
				     SYS_setpriority, SYS_sched_setscheduler};

	setenv("WW_ENVIRONMENT_NO_RSEQ", "1", 1);
	setenv("WW_ENVIRONMENT_NO_BARRIER", "1", 1);
	deny(calls, 5, EPERM);
}

TEST_LIMIT(where_a_filter_denies_barriers_sequences_binding_and_priorities_everything_works, 60)
{
	use_in(strict_filter);
}

static int first_cpu(void)
{
	cpu_set_t all;

	CHECK_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &all))
			return c;
	return 0;
}

static void one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(first_cpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		_exit(77);
	setenv("WW_ENVIRONMENT_SLOTS", "1", 1);
}

TEST_LIMIT(on_one_cpu_everything_works, 60)
{
	use_in(one_cpu);
}

/* --- Control groups of our own, removed again. --- */

static char group[256];

static void write_file(const char *dir, const char *name, const char *text, bool needed)
{
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text)) {
		close(fd);
		return;
	}
	if (fd >= 0)
		close(fd);
	if (needed)
		_exit(77);
}

/* Version 1, or version 2 where that has the controller. */
static void make_group(const char *controller)
{
	snprintf(group, sizeof(group), "/sys/fs/cgroup/%s/wheelwork-test-%d", controller, getpid());
	if (mkdir(group, 0755) == 0)
		return;
	snprintf(group, sizeof(group), "/sys/fs/cgroup/wheelwork-test-%d", getpid());
	if (mkdir(group, 0755))
		tap_skip("no control group can be made here: %s", strerror(errno));
}

static void into_group(void)
{
	write_file(group, "cgroup.procs", "0", true);
}

/* A fifth of one CPU. */
static void quota(void)
{
	into_group();
	setenv("WW_ENVIRONMENT_SLOTS", "1", 1);
}

TEST_LIMIT(under_a_cpu_quota_everything_works_with_as_many_bases_as_it_allows, 120)
{
	make_group("cpu");
	write_file(group, "cpu.cfs_period_us", "100000", false);
	write_file(group, "cpu.cfs_quota_us", "20000", false);
	write_file(group, "cpu.max", "20000 100000", false);
	int status = status_in(quota);

	CHECK_EQ(rmdir(group), 0);
	went_well(status);
}

TEST_LIMIT(in_a_small_memory_group_everything_works, 120)
{
	make_group("memory");
	write_file(group, "memory.limit_in_bytes", "33554432", false);
	write_file(group, "memory.max", "33554432", false);
	int status = status_in(into_group);

	CHECK_EQ(rmdir(group), 0);
	went_well(status);
}

/* --- Limits in a process. --- */

TEST_LIMIT(where_the_user_may_have_no_more_threads_that_is_said_and_passes, 60)
{
	struct rlimit old;
	struct ww_timer t;

	if (geteuid() == 0 && setresuid(65534, 65534, 65534))
		tap_skip("another user can't be taken on here");
	ww_set_misuse_handler(keep_report);
	CHECK_EQ(getrlimit(RLIMIT_NPROC, &old), 0);
	CHECK_EQ(setrlimit(RLIMIT_NPROC, &(struct rlimit){1, old.rlim_max}), 0);
	CHECK(!ww_thread_run(body, NULL, "none"));
	CHECK_EQ(errno, EAGAIN);
	CHECK(!ww_base_create("none"));
	CHECK_EQ(errno, EAGAIN);
	ww_timer_setup(&t, timer_ran, 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	CHECK(!ww_timer_pending(&t));
	CHECK_MSG(reports && strstr(report, "Resource temporarily unavailable"), "reported: %s",
		  report);
	/* And when it may, everything works. */
	CHECK_EQ(setrlimit(RLIMIT_NPROC, &old), 0);
	use_everything();
}

static void shrink_all_threads(int cpu)
{
	DIR *d = opendir("/proc/self/task");
	cpu_set_t one;

	CHECK(d);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			sched_setaffinity(atoi(e->d_name), sizeof(one), &one);
	closedir(d);
}

#define MANY 400

static struct ww_timer many[MANY];
static uint64_t due[MANY];
static uint32_t runs[MANY];

static void one_of_many(struct ww_timer *t)
{
	CHECK(ww_time_after(ww_jiffies(), due[t - many]));
	CHECK_EQ(ww_fetch_add(&runs[t - many], 1u), 0);
	has_run();
}

static void arm_many(uint64_t from, uint64_t span)
{
	for (int i = 0; i < MANY; i++) {
		ww_timer_setup(&many[i], one_of_many, 0);
		due[i] = ww_jiffies() + from + (uint64_t)i * span / MANY;
		many[i].expires = due[i];
		/* On every base there is, and half of them pushed out by a store later. */
		ww_add_timer_on(&many[i], i);
	}
}

TEST_LIMIT(the_affinity_shrinks_while_timers_and_works_are_pending_and_all_run, 60)
{
	use_everything();
	ww_store_relaxed(&ran, 0u);
	arm_many(100, 400);
	shrink_all_threads(first_cpu());
	await_run(MANY);
	/* What is made afterwards cannot bind elsewhere, and works. */
	use_everything();
}

/* --- Stopped, and held back. --- */

static struct ww_timer periodic;
static uint32_t periods;

static void every_ten_ticks(struct ww_timer *t)
{
	ww_fetch_add(&periods, 1u);
	ww_mod_timer(t, ww_jiffies() + 10);
}

static struct ww_delayed_work late_work;
static uint32_t late_runs;

static void late_work_ran(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&late_runs, 1u);
}

static void arm_for_a_pause(void)
{
	arm_many(50, 500);
	ww_timer_setup(&periodic, every_ten_ticks, 0);
	ww_mod_timer(&periodic, ww_jiffies() + 10);
	ww_init_delayed_work(&late_work, late_work_ran);
	CHECK(ww_schedule_delayed_work(&late_work, 300));
}

/* Each ran once, and nothing made up for what it missed. */
static void check_after_a_pause(uint64_t awake_ms)
{
	struct ww_timer_stats s;
	uint32_t n;

	await_run(MANY);
	ww_flush_delayed_work(&late_work);
	CHECK_EQ(ww_load_acquire(&late_runs), 1);
	ww_timer_shutdown_sync(&periodic);
	n = ww_load_acquire(&periods);
	CHECK_MSG(n >= 1 && n <= awake_ms / 10 + 2, "%u periods of 10 ms in %" PRIu64 " ms", n,
		  awake_ms);
	for (int i = 0; i < MANY; i++)
		CHECK_EQ(runs[i], 1);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.fired, MANY + n + 1);
}

static uint64_t os_ms(void)
{
	return ww_clock_os_ns() / 1000000;
}

TEST_LIMIT(stopped_for_ten_seconds_and_continued_each_timer_fires_once, 60)
{
	uint64_t begin, stopped = 10000;
	pid_t other, self = getpid();
	int status;

	/* Another process stops this one, and lets it go on: it must not be stopped itself. */
	fflush(NULL);
	begin = os_ms();
	arm_for_a_pause();
	other = (pid_t)syscall(SYS_fork);
	if (other == 0) {
		struct timespec little = {0, 100000000}, long_time = {(time_t)(stopped / 1000), 0};

		syscall(SYS_nanosleep, &little, NULL);
		syscall(SYS_kill, self, SIGSTOP);
		syscall(SYS_nanosleep, &long_time, NULL);
		syscall(SYS_kill, self, SIGCONT);
		syscall(SYS_exit_group, 0);
	}
	CHECK(other > 0);
	CHECK_EQ(waitpid(other, &status, 0), other);
	nap_ms(100);
	check_after_a_pause(os_ms() - begin - stopped + 100);
}

TEST_LIMIT(the_clock_is_held_back_and_let_go_and_each_timer_fires_once, 60)
{
	uint64_t begin = os_ms();
	uint32_t before;

	arm_for_a_pause();
	nap_ms(100);
	ww_store_release(&held_at, ww_clock_os_ns());
	nap_ms(50); /* what was due when it was held has run */
	before = ww_load_acquire(&ran);
	nap_ms(1000);
	/* Time stands still, and so do the timers. */
	CHECK_EQ(ww_load_acquire(&ran), before);
	CHECK(before < MANY);
	ww_store_release(&held_at, (uint64_t)0);
	nap_ms(100);
	check_after_a_pause(os_ms() - begin - 1000);
}

/* Late enough for the levels above the first, as after a night asleep. */
TEST_LIMIT(the_clock_leaps_an_hour_and_each_timer_fires_once, 60)
{
	uint64_t now = ww_clock_os_ns();

	ww_store_release(&held_at, now > 3600000000000u ? now - 3600000000000u : 1);
	arm_for_a_pause();
	CHECK_EQ(ww_load_acquire(&ran), 0);
	ww_store_release(&held_at, (uint64_t)0);
	ww_mod_timer(&periodic, ww_jiffies() + 10);
	nap_ms(200);
	check_after_a_pause(60000);
}

/* SPDX-License-Identifier: MIT */
#include "tap.h"
#include "topology.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/membarrier.h"
#include "base/report.h"
#include "base/thread.h"

TEST(a_futex_wait_ends_at_its_absolute_deadline_and_not_before)
{
	uint32_t word = 7;
	uint64_t end = ww_clock_ns() + 20000000;

	CHECK_EQ(ww_futex_wait(&word, 7, end), -ETIMEDOUT);
	CHECK(ww_clock_ns() >= end);
	CHECK_EQ(ww_futex_wait(&word, 8, WW_FOREVER), -EAGAIN);
}

static struct ww_lock lock;
static long counter;

static void count(void *arg)
{
	for (long i = 0; i < *(long *)arg; i++) {
		ww_lock(&lock);
		counter++;
		ww_unlock(&lock);
	}
}

TEST(a_lock_lets_one_thread_in_at_a_time)
{
	struct ww_os_thread t[4];
	long n = 50000;

	for (int i = 0; i < 4; i++)
		CHECK_EQ(ww_os_thread_start(&t[i], "count", -1, count, &n), 0);
	for (int i = 0; i < 4; i++)
		ww_os_thread_join(&t[i]);
	CHECK_EQ(counter, 4 * n);
	CHECK(!ww_lock_held(&lock));
}

static void note_signals_and_cpu(void *arg)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	*(int *)arg = sigismember(&set, SIGINT) && sigismember(&set, SIGTERM) ? sched_getcpu() : -1;
}

TEST(a_thread_blocks_all_signals_and_starts_on_its_cpu)
{
	int cpu = ww_cpu_of_slot(ww_cpu_slots() - 1), got = -2;
	struct ww_os_thread t;

	CHECK_EQ(ww_os_thread_start(&t, "signals", cpu, note_signals_and_cpu, &got), 0);
	ww_os_thread_join(&t);
	CHECK_EQ(got, cpu);
}

TEST(every_cpu_maps_onto_a_slot_and_each_slot_onto_its_cpu)
{
	for (int s = 0; s < ww_cpu_slots(); s++)
		CHECK_EQ(ww_cpu_slot_of(ww_cpu_of_slot(s)), s);
	for (int c = 0; c < 2000; c++)
		CHECK(ww_cpu_slot_of(c) >= 0 && ww_cpu_slot_of(c) < ww_cpu_slots());
	CHECK(ww_cpu_current() < ww_cpu_possible());
}

TEST(the_nth_allocation_fails_once)
{
	ww_alloc_fail_nth(2);
	void *a = ww_alloc(10), *b = ww_alloc(10), *c = ww_alloc_lines(10);

	CHECK(a && !b && c);
	CHECK(((uintptr_t)c & 63) == 0);
	ww_free(a);
	ww_free(c);
}

TEST(a_function_is_reported_by_its_name)
{
	/* dladdr() sees dynamic symbols only: a libc function is one everywhere (of those that no
	 * sanitizer replaces). */
	CHECK_STR(ww_symbol_fn(&getppid), "getppid");
}

TEST(the_asymmetric_barrier_works_where_the_kernel_gives_it)
{
	if (!ww_membarrier_available())
		tap_skip("this kernel gives no private expedited membarrier");
	ww_membarrier();
}

/* Whoever saw the word change may free it before the waker comes to that. */
TEST(a_wake_up_where_the_memory_is_gone_wakes_nobody)
{
	uint32_t *word =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(word != MAP_FAILED);
	CHECK_EQ(ww_futex_wake(word, 1), 0);
	CHECK_EQ(munmap(word, 4096), 0);
	CHECK_EQ(ww_futex_wake(word, 1), 0);
}

/* --- A machine that is not as it should be. --- */

TEST(a_topology_that_makes_no_sense_is_made_the_best_of)
{
	static const struct {
		const char *text;
		int slots, possible; /* 0: as many as the system says */
	} cases[] = {
		{"0,2-3\n", 3, 4},
		{"", 0, 0},
		{"x\n", 1, 0},
		{"3-1\n", 1, 0},
		{"2-", 1, 0},
		{"-3-2\n", 1, 0},
		{"0-5000\n", CPU_SETSIZE < WW_SLOTS_MAX ? CPU_SETSIZE : WW_SLOTS_MAX, CPU_SETSIZE},
	};
	char root[] = "/tmp/ww-base-XXXXXX", cmd[160];

	CHECK(mkdtemp(root));
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/devices/system/cpu %s/devices/system/node/node0",
		 root, root);
	CHECK_EQ(system(cmd), 0);
	/* Node 1 is said to be there and is not. */
	put(root, "node/online", "0-1\n");
	put(root, "node/node0/cpulist", "0-2\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		long system_has = sysconf(_SC_NPROCESSORS_CONF);

		put(root, "cpu/possible", cases[i].text);
		ww_cpu_set_topology_root(root);
		CHECK_EQ(ww_cpu_slots(), cases[i].slots ? cases[i].slots : system_has);
		if (cases[i].slots > 1)
			CHECK_EQ(ww_cpu_possible(), cases[i].possible);
		for (int c = -1; c < 5; c++)
			CHECK_EQ(ww_cpu_node(c), 0);
		CHECK_EQ(ww_cpu_bind(0, -1), -EINVAL);
		CHECK_EQ(ww_cpu_bind(0, 1 << 20), -EINVAL);
	}
	snprintf(cmd, sizeof(cmd), "rm -r %s", root);
	CHECK_EQ(system(cmd), 0);
	ww_cpu_set_topology_root("/nonexistent");
	CHECK_EQ(ww_cpu_slots(), sysconf(_SC_NPROCESSORS_CONF));
	ww_cpu_set_topology_root(NULL);
	CHECK(ww_cpu_slots() >= 1);
}

/* No file can be opened: neither the topology nor a name, nor a descriptor to wait on. */
TEST(without_descriptors_what_needs_none_goes_on)
{
	struct rlimit r;
	int fd = ww_clock_fd_create();

	CHECK(fd >= 0);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &r), 0);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, r.rlim_max}), 0);
	CHECK(ww_cpu_slots() >= 1);
	CHECK_EQ(ww_clock_fd_create(), -EMFILE);
	CHECK_EQ(ww_clock_fd_renew(fd), -EMFILE);
	CHECK(!ww_os_thread_asleep(ww_os_thread_id()));
	CHECK(strlen(ww_symbol_fn(put)) > 0);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &r), 0);
	CHECK_EQ(ww_clock_fd_renew(fd), 0);
	ww_clock_fd_close(fd);
}

TEST(real_time_is_the_systems_and_the_counters_rate_does_not_change_its_mind)
{
	int64_t off = (int64_t)(ww_clock_real_ns() / 1000000000u) - (int64_t)time(NULL);

	CHECK(off >= -1 && off <= 1);
	CHECK_EQ(ww_clock_cycles_steady(), ww_clock_cycles_steady());
}

static unsigned begun;

static void counts_begin(void *arg)
{
	(void)arg;
	ww_fetch_add(&begun, 1u);
}

static void nothing(void *arg)
{
	(void)arg;
}

TEST(hooks_run_in_the_child_of_a_fork_too_and_half_a_hook_will_do)
{
	SKIP_UNDER_TSAN("makes a thread in the child of a fork");
	struct ww_os_thread t;
	int status, half = ww_os_thread_add_hooks(NULL, nothing, NULL),
		    id = ww_os_thread_add_hooks(counts_begin, NULL, NULL);

	CHECK(half >= 0 && id >= 0);
	CHECK_EQ(ww_os_thread_start(&t, "one", -1, nothing, NULL), 0);
	ww_os_thread_join(&t);
	CHECK_EQ(begun, 1);
	pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(ww_os_thread_start(&t, "two", -1, nothing, NULL), 0);
		ww_os_thread_join(&t);
		_exit(begun == 2 ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(ww_os_thread_remove_hooks(id), 0);
	CHECK_EQ(ww_os_thread_start(&t, "three", -1, nothing, NULL), 0);
	ww_os_thread_join(&t);
	CHECK_EQ(begun, 1);
}

/* SPDX-License-Identifier: MIT */
/*
 * What fails around the library: the n-th allocation, for every n; threads that can't be made; a
 * kernel without membarrier. Each attempt is a process of its own, in which the library is used for
 * the first time: it must give a clear error or work all the same, and go on afterwards.
 */
#include "uses.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"

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

/* SPDX-License-Identifier: MIT */
/* The life of a thread: create, bind, wake, park, stop, exit, hooks, misuse, fork. */
#include "thread_util.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"

TEST(a_thread_never_woken_is_stopped_without_running_its_function)
{
	int ran = 0;
	struct ww_thread *t = ww_thread_create(until_stopped, &ran, "never%d", 1);

	CHECK(t);
	CHECK_STR(ww_thread_name(t), "never1");
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_EQ(ran, 0);
}

TEST(a_new_thread_does_not_run_before_it_is_woken)
{
	int ran = 0;
	struct ww_thread *t = ww_thread_create(until_stopped, &ran, "asleep");

	nap_ms(20);
	CHECK_EQ(ww_load_acquire(&ran), 0);
	CHECK_EQ(ww_wake_up_process(t), 1);
	UNTIL(ww_load_acquire(&ran));
	CHECK_EQ(ww_thread_stop(t), 42);
}

static int returns_data(void *data)
{
	return (int)(intptr_t)data;
}

TEST(stop_with_a_reference_gives_the_value_of_a_thread_that_ended_by_itself)
{
	struct ww_thread *t = ww_thread_create(returns_data, (void *)(intptr_t)17, "ends");

	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&t->ended));
	CHECK_EQ(ww_thread_stop(t), 17);
	CHECK_EQ(ww_thread_stop_put(t), 17);
}

static int exits(void *data)
{
	ww_thread_exit((int)(intptr_t)data);
}

TEST(thread_exit_ends_the_thread_with_its_value)
{
	CHECK_EQ(run_to_end(exits, (void *)(intptr_t)-5, "exits"), -5);
}

TEST(a_call_on_a_thread_that_is_gone_is_reported_and_does_nothing)
{
	struct ww_thread *t;

	ww_set_misuse_handler(count_reports);
	t = ww_thread_run(returns_data, NULL, "gone");
	UNTIL(ww_load_relaxed(&t->life) == WW_LIFE_FREE);
	CHECK_EQ(ww_thread_stop(t), -ESRCH);
	CHECK_EQ(misuses, 1);
	CHECK_EQ(ww_thread_park(t), -ENOSYS);
	CHECK_EQ(ww_wake_up_process(t), 0);
	ww_thread_unpark(t);
	ww_thread_put(t);
	CHECK_EQ(misuses, 5);
	CHECK(strstr(last_report, "'gone'"));
	CHECK_EQ(ww_thread_stop(NULL), -ESRCH);
	CHECK_EQ(misuses, 6);
}

static int stops_itself(void *data)
{
	(void)data;
	int rc = ww_thread_stop(ww_current());

	return rc == -EDEADLK && ww_thread_should_stop() ? 1 : 0;
}

TEST(a_stop_of_oneself_is_reported_and_does_not_wait)
{
	ww_set_misuse_handler(count_reports);
	CHECK_EQ(run_to_end(stops_itself, NULL, "selfstop"), 1);
	CHECK(strstr(last_report, "selfstop"));
	CHECK_EQ(misuses, 1);
	CHECK_EQ(ww_thread_stop(ww_current()), -EINVAL);
	CHECK_EQ(misuses, 2);
}

static int leaves_state(void *data)
{
	(void)data;
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	return 9;
}

TEST(a_state_left_over_is_reported_at_a_wait_and_at_the_end)
{
	struct ww_wait_queue_head q;

	ww_set_misuse_handler(count_reports);
	ww_init_waitqueue_head(&q);
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	ww_wait_event(&q, true);
	CHECK_EQ(misuses, 1);
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
	ww_set_current_state(WW_TASK_UNINTERRUPTIBLE);
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "created");
	CHECK_EQ(misuses, 2);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_EQ(run_to_end(leaves_state, NULL, "leaves"), 9);
	CHECK_EQ(misuses, 3);
	CHECK_EQ(ww_schedule_timeout_interruptible(-1), 0);
	CHECK_EQ(misuses, 4);
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
}

static int parks(void *data)
{
	int *turns = data;

	while (!ww_thread_should_stop()) {
		if (ww_thread_should_park())
			ww_thread_parkme();
		ww_fetch_add(turns, 1);
		ww_schedule_timeout_interruptible(1);
	}
	return 7;
}

TEST(a_parked_thread_does_nothing_until_unparked_and_can_be_stopped_parked)
{
	int turns = 0;
	struct ww_thread *t = ww_thread_run(parks, &turns, "parks");

	for (int i = 0; i < 20; i++) {
		CHECK_EQ(ww_thread_park(t), 0);
		int n = ww_load_acquire(&turns);
		CHECK_EQ(ww_wake_up_process(t), 0);
		nap_ms(3);
		CHECK_EQ(ww_load_acquire(&turns), n);
		ww_thread_unpark(t);
	}
	CHECK_EQ(ww_thread_park(t), 0);
	CHECK_EQ(ww_thread_stop(t), 7);
}

TEST(park_unpark_park_loops_never_return_before_the_thread_has_parked)
{
	int turns = 0;
	struct ww_thread *t = ww_thread_run(parks, &turns, "loops");

	for (int i = 0; i < 2000; i++) {
		CHECK_EQ(ww_thread_park(t), 0);
		int n = ww_load_acquire(&turns);
		ww_os_yield();
		CHECK_EQ(ww_load_acquire(&turns), n);
		ww_thread_unpark(t);
	}
	CHECK_EQ(ww_thread_stop(t), 7);
}

TEST(a_thread_parked_before_its_first_wake_up_runs_nothing_until_unparked)
{
	int ran = 0;
	struct ww_thread *t = ww_thread_create(until_stopped, &ran, "parkfirst");

	CHECK_EQ(ww_thread_park(t), 0);
	nap_ms(5);
	CHECK_EQ(ww_load_acquire(&ran), 0);
	ww_thread_unpark(t);
	UNTIL(ww_load_acquire(&ran));
	CHECK_EQ(ww_thread_stop(t), 42);
}

TEST(unpark_and_stop_of_a_per_cpu_thread_that_never_parked_are_harmless)
{
	int ran = 0;
	struct ww_thread *t = ww_thread_create_on_cpu(until_stopped, &ran, 0, "percpu/%u");

	CHECK_STR(ww_thread_name(t), "percpu/0");
	ww_thread_unpark(t);
	nap_ms(5);
	CHECK_EQ(ww_load_acquire(&ran), 0); /* unpark is no wake-up */
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&ran));
	ww_thread_unpark(t);
	CHECK_EQ(ww_thread_park(ww_thread_create(until_stopped, NULL, "other")), 0);
	CHECK_EQ(ww_thread_stop(t), 42);
	t = ww_thread_create_on_cpu(until_stopped, NULL, 0, "percpu/%u");
	CHECK_EQ(ww_thread_stop(t), -EINTR);
}

static int ignores_parking(void *data)
{
	UNTIL(ww_load_acquire((int *)data));
	return 0;
}

static int asks_to_park(void *data)
{
	return ww_thread_park(data);
}

TEST(a_park_ends_when_the_thread_ends_instead_and_a_second_request_is_reported)
{
	int go = 0;
	struct ww_thread *t = ww_thread_create(ignores_parking, &go, "ignores"), *asker;

	ww_set_misuse_handler(count_reports);
	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&t->end));
	asker = ww_thread_create(asks_to_park, t, "asker");
	ww_thread_get(asker);
	ww_wake_up_process(asker);
	UNTIL(ww_load_relaxed(&t->flags) & WW_TF_SHOULD_PARK);
	CHECK_EQ(ww_thread_park(t), -EBUSY);
	CHECK_EQ(misuses, 1);
	ww_store_release(&go, 1);
	CHECK_EQ(ww_thread_stop_put(asker), -ENOSYS);
	CHECK_EQ(ww_thread_park(t), -ENOSYS);
	ww_thread_put(t);
	CHECK_EQ(misuses, 1);
}

static int parks_itself(void *data)
{
	if (ww_thread_park(ww_current()))
		return 1;
	ww_fetch_add((int *)data, 1);
	ww_thread_parkme();
	ww_fetch_add((int *)data, 1);
	return until_stopped(NULL);
}

TEST(a_thread_that_parks_itself_sleeps_until_unparked)
{
	int steps = 0;
	struct ww_thread *t = ww_thread_run(parks_itself, &steps, "selfpark");

	UNTIL(ww_load_acquire(&steps) == 1);
	nap_ms(5);
	CHECK_EQ(ww_load_acquire(&steps), 1);
	ww_thread_unpark(t);
	UNTIL(ww_load_acquire(&steps) == 2);
	CHECK_EQ(ww_thread_stop(t), 42);
}

static int sleeps_as(void *data)
{
	ww_set_current_state((unsigned)(uintptr_t)data);
	ww_schedule_timeout(WW_MAX_TIMEOUT);
	return ww_thread_should_stop();
}

TEST(stop_ends_interruptible_killable_and_uninterruptible_sleeps)
{
	static const unsigned states[] = {WW_TASK_INTERRUPTIBLE, WW_TASK_KILLABLE,
					  WW_TASK_UNINTERRUPTIBLE};

	for (unsigned i = 0; i < 3; i++) {
		struct ww_thread *t =
			ww_thread_run(sleeps_as, (void *)(uintptr_t)states[i], "sleep%u", i);

		UNTIL(ww_load_acquire(&t->end));
		nap_ms(i ? 5 : 0);
		CHECK_EQ(ww_thread_stop(t), 1);
	}
}

static int shows_where(void *data)
{
	cpu_set_t *set = data;

	sched_getaffinity(0, sizeof(*set), set);
	return until_stopped(NULL);
}

static int some_cpu(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int c = CPU_SETSIZE - 1; c >= 0; c--)
		if (CPU_ISSET(c, &set))
			return c;
	return 0;
}

TEST(a_bound_thread_runs_there_and_its_own_threads_are_not_bound)
{
	int cpu = some_cpu(), ran = 0;
	cpu_set_t all, seen;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&seen);
	struct ww_thread *t = ww_thread_create(shows_where, &seen, "bound");
	ww_thread_bind(t, cpu);
	ww_wake_up_process(t);
	UNTIL(CPU_COUNT(&seen));
	nap_ms(2);
	CHECK_EQ(ww_thread_stop(t), 42);
	CHECK_EQ(CPU_COUNT(&seen), 1);
	CHECK(CPU_ISSET(cpu, &seen));
	ww_set_misuse_handler(count_reports);
	t = ww_thread_run(until_stopped, &ran, "late");
	UNTIL(ww_load_acquire(&ran));
	ww_thread_bind(t, cpu);
	CHECK_EQ(misuses, 1);
	CHECK_EQ(ww_thread_affine_preferred(t, (unsigned long[]){1}, 1), -EINVAL);
	CHECK_EQ(ww_thread_stop(t), 42);
}

static cpu_set_t child_mask;

static int makes_another(void *data)
{
	(void)data;
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "grandchild");
	int rc = sched_getaffinity(ww_thread_pid(t), sizeof(child_mask), &child_mask);

	ww_thread_stop(t);
	return rc;
}

TEST(a_thread_made_by_a_bound_one_may_run_everywhere)
{
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	struct ww_thread *t =
		ww_thread_create_on_cpu(makes_another, NULL, (unsigned)some_cpu(), "bound/%u");
	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&t->ended));
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK(CPU_EQUAL(&child_mask, &all));
}

TEST(a_cpu_that_the_system_refuses_leaves_the_thread_unbound)
{
	cpu_set_t one, seen;
	int cpu = some_cpu();

	if (cpu == 0)
		tap_skip("one CPU only");
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CPU_ZERO(&seen);
	ww_set_misuse_handler(count_reports);
	struct ww_thread *t = ww_thread_create(shows_where, &seen, "refused");
	unsigned long none = 0;
	CHECK_EQ(ww_thread_affine_preferred(t, &none, 64), -EINVAL);
	ww_thread_bind_mask(t, &none, 64); /* the system refuses an empty mask */
	ww_wake_up_process(t);
	UNTIL(CPU_COUNT(&seen));
	CHECK_EQ(ww_thread_stop(t), 42);
	CHECK(CPU_COUNT(&seen) >= 2);
	CHECK_EQ(misuses, 0);
	t = ww_thread_create(until_stopped, NULL, "nocpu");
	ww_thread_bind(t, -1);
	ww_thread_bind(t, 1 << 20);
	CHECK_EQ(misuses, 2);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK(!ww_thread_create_on_cpu(until_stopped, NULL, 0, "no number"));
	CHECK_EQ(errno, EINVAL);
	CHECK(!ww_thread_create_on_cpu(until_stopped, NULL, 0, "%s%u"));
	CHECK_EQ(misuses, 4);
}

TEST(a_per_cpu_thread_is_bound_again_when_unparked)
{
	int turns = 0, cpu = some_cpu();
	cpu_set_t all, now;

	sched_getaffinity(0, sizeof(all), &all);
	struct ww_thread *t = ww_thread_run_on_cpu(parks, &turns, (unsigned)cpu, "rebind/%u");
	CHECK_EQ(ww_thread_park(t), 0);
	sched_setaffinity(ww_thread_pid(t), sizeof(all), &all);
	ww_thread_unpark(t);
	sched_getaffinity(ww_thread_pid(t), sizeof(now), &now);
	CHECK_EQ(CPU_COUNT(&now), 1);
	CHECK(CPU_ISSET(cpu, &now));
	CHECK_EQ(ww_thread_stop(t), 7);
}

TEST(a_thread_on_a_node_runs_on_the_cpus_of_the_node)
{
	struct ww_thread *t = ww_thread_create_on_node(until_stopped, NULL, 0, "node%d", 0);
	cpu_set_t set;

	CHECK(t);
	CHECK_EQ(sched_getaffinity(ww_thread_pid(t), sizeof(set), &set), 0);
	CHECK(CPU_COUNT(&set) >= 1);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	t = ww_thread_create_on_node(until_stopped, NULL, -1, "anynode");
	CHECK_EQ(ww_thread_stop(t), -EINTR);
}

TEST(scheduling_class_and_nice_are_what_the_system_shows_and_are_not_inherited)
{
	int ran = 0, mine = getpriority(PRIO_PROCESS, 0);
	struct ww_thread *t = ww_thread_run(until_stopped, &ran, "nice");
	pid_t tid = ww_thread_pid(t);

	UNTIL(ww_load_acquire(&ran));
	CHECK_EQ(ww_set_user_nice(t, 20), -EINVAL);
	CHECK_EQ(ww_set_user_nice(t, 5), 0);
	CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)tid), 5);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), mine);
	int rc = ww_sched_set_fifo(t);
	if (rc == 0) {
		CHECK_EQ(syscall(SYS_sched_getscheduler, tid), SCHED_FIFO);
		CHECK_EQ(ww_sched_set_fifo_low(t), 0);
		struct sched_param p;
		syscall(SYS_sched_getparam, tid, &p);
		CHECK_EQ(p.sched_priority, 1);
		CHECK_EQ(ww_sched_set_normal(t, 3), 0);
		CHECK_EQ(syscall(SYS_sched_getscheduler, tid), SCHED_OTHER);
		CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)tid), 3);
	} else {
		CHECK_EQ(rc, -EPERM);
		CHECK_EQ(syscall(SYS_sched_getscheduler, tid), SCHED_OTHER);
	}
	CHECK_EQ(ww_thread_stop(t), 42);
}

TEST(the_system_shows_the_name_and_no_signal_reaches_the_thread)
{
	struct ww_thread *t = ww_thread_run(until_stopped, NULL, "a_name_longer_than_%d", 15);
	char path[64], line[256], comm[32] = "";
	int stopped;
	unsigned long long blocked = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", ww_thread_pid(t));
	FILE *f = fopen(path, "r");
	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Name: %31s", comm);
		sscanf(line, "SigBlk: %llx", &blocked);
	}
	fclose(f);
	CHECK_STR(comm, "a_name_longer_t");
	CHECK_STR(ww_thread_name(t), "a_name_longer_than_15");
	CHECK(blocked & (1ull << (SIGTERM - 1)));
	CHECK(blocked & (1ull << (SIGINT - 1)));
	stopped = ww_thread_stop(t);
	CHECK(stopped == 42 || stopped == -EINTR);
}

static char hook_log[16];
static int hook_n;

static void hook_in(void *arg)
{
	hook_log[ww_fetch_add(&hook_n, 1)] = *(char *)arg;
}

static void hook_out(void *arg)
{
	hook_log[ww_fetch_add(&hook_n, 1)] = (char)(*(char *)arg - 'a' + 'A');
}

TEST(start_hooks_run_in_order_and_exit_hooks_in_reverse_before_stop_returns)
{
	char a = 'a', b = 'b', c = 'c';
	int ia = ww_thread_add_hooks(hook_in, hook_out, &a);
	int ib = ww_thread_add_hooks(hook_in, hook_out, &b);
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "hooked");
	int ic = ww_thread_add_hooks(hook_in, hook_out, &c);

	CHECK(ia > 0 && ib > 0 && ic > 0);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_STR(hook_log, "abBA");
	hook_n = 0;
	memset(hook_log, 0, sizeof(hook_log));
	t = ww_thread_create(until_stopped, NULL, "hooked");
	CHECK_EQ(ww_thread_remove_hooks(ib), 0);
	CHECK_EQ(ww_thread_remove_hooks(ib), -ENOENT);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_STR(hook_log, "abcCA");
}

static char hooked_names[16][16];

static void hook_name(void *arg)
{
	ww_os_thread_get_name(hooked_names[ww_fetch_add((int *)arg, 1) & 15], 16);
}

static int things_ran;

static void timer_ran(struct ww_timer *timer)
{
	(void)timer;
	ww_fetch_add(&things_ran, 1);
}

static void work_ran(struct ww_work *work)
{
	(void)work;
	ww_fetch_add(&things_ran, 1);
}

TEST(start_hooks_run_in_the_threads_of_timers_and_pools_too)
{
	static struct ww_timer timer;
	static struct ww_work work;
	int n = 0, timers = 0, workers = 0;

	CHECK(ww_thread_add_hooks(hook_name, NULL, &n) > 0);
	ww_timer_setup(&timer, timer_ran, 0);
	ww_mod_timer(&timer, ww_jiffies());
	ww_init_work(&work, work_ran);
	ww_schedule_work(&work);
	UNTIL(ww_load_acquire(&things_ran) == 2);
	for (int i = 0; i < ww_load_acquire(&n) && i < 16; i++) {
		timers += strstr(hooked_names[i], "timer") != NULL;
		workers += strstr(hooked_names[i], "timer") == NULL;
	}
	CHECK(timers > 0);
	CHECK(workers > 0);
}

TEST(memory_that_runs_out_at_any_allocation_makes_create_fail_and_nothing_else)
{
	ww_current();
	for (long n = 1; n < 8; n++) {
		ww_alloc_fail_nth(n);
		struct ww_thread *t = ww_thread_run(until_stopped, NULL, "nomem%ld", n);
		ww_alloc_fail_nth(0);
		if (!t) {
			CHECK_EQ(errno, ENOMEM);
			continue;
		}
		ww_thread_stop(t);
	}
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "after");
	CHECK_EQ(ww_thread_stop(t), -EINTR);
}

TEST(the_child_of_a_fork_has_no_threads_and_can_make_its_own)
{
	int ran = 0, status;
	struct ww_thread *t = ww_thread_run(until_stopped, &ran, "parent's");

	NEEDS_FORK();
	ww_set_misuse_handler(count_reports);
	UNTIL(ww_load_acquire(&ran));
	pid_t pid = fork();
	if (pid == 0) {
		int again = 0;
		bool good = ww_thread_stop(t) == -ESRCH && misuses == 1;
		struct ww_thread *mine = ww_thread_run(until_stopped, &again, "child's");

		while (!ww_load_acquire(&again))
			nap_ms(1);
		_exit(good && mine && ww_thread_stop(mine) == 42 ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(ww_thread_stop(t), 42);
}

static int forks(void *data)
{
	pid_t pid = fork();
	int status;

	(void)data;
	if (pid == 0) {
		struct ww_thread *mine = ww_thread_run(until_stopped, NULL, "child's");
		_exit(ww_schedule_timeout_interruptible(2) == 0 && ww_thread_stop(mine) < 43 ? 0
											     : 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

TEST(a_library_thread_may_fork_and_its_child_use_the_library)
{
	NEEDS_FORK();
	CHECK_EQ(run_to_end(forks, NULL, "forks"), 0);
}

struct pair {
	struct ww_thread *t;
	int rc;
};

static int stops_it(void *data)
{
	struct pair *p = data;

	return ww_thread_stop_put(p->t);
}

TEST(two_threads_that_stop_the_same_one_both_get_its_value)
{
	for (int i = 0; i < 50; i++) {
		struct pair p = {.t = ww_thread_run(until_stopped, NULL, "shared")};

		ww_thread_get(p.t);
		ww_thread_get(p.t);
		struct ww_thread *a = ww_thread_create(stops_it, &p, "stopper");
		ww_thread_get(a);
		ww_wake_up_process(a);
		int mine = ww_thread_stop_put(p.t);
		UNTIL(ww_load_acquire(&a->ended));
		int theirs = ww_thread_stop_put(a);
		CHECK(mine == 42 || mine == -EINTR);
		CHECK_EQ(mine, theirs);
	}
}

TEST(debug_check_finds_a_broken_record_and_nothing_in_whole_ones)
{
	struct ww_thread *t = ww_thread_create(until_stopped, NULL, "checked");

	ww_set_misuse_handler(count_reports);
	CHECK_EQ(ww_debug_check(), 0);
	ww_fetch_or(&t->flags, WW_TF_IS_PARKED);
	CHECK_EQ(ww_debug_check(), 1);
	CHECK(strstr(last_report, "checked"));
	ww_fetch_and(&t->flags, ~(uint32_t)WW_TF_IS_PARKED);
	CHECK_EQ(ww_thread_stop(t), -EINTR);
	CHECK_EQ(ww_debug_check(), 0);
	CHECK_EQ(warnings, 1);
}

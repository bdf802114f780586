/* SPDX-License-Identifier: MIT */
/*
 * Calls that no other program makes: the forms that name a CPU or a node, that are killable, that ask;
 * what each says to arguments that make no sense; and bases in the child of a fork.
 */
#include "reports.h"
#include "uses.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "work/internal.h"

static void reported(const char *words)
{
	CHECK_MSG(ww_xchg(&reports, 0u) > 0, "not reported: %s", words);
	CHECK_MSG(strstr(report, words), "not \"%s\" but: %s", words, report);
}

/* --- Delayed works. --- */

static struct ww_delayed_work dwork;
static int ran_on = -1;

static void note_cpu(struct ww_work *w)
{
	(void)w;
	ran_on = ww_cpu_current();
	has_run();
}

TEST_LIMIT(a_delayed_work_for_a_cpu_runs_there, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("calls", WW_WQ_PERCPU, 0);
	int cpu = ww_cpu_of_slot(ww_cpu_slots() - 1);

	CHECK(wq);
	ww_init_delayed_work(&dwork, note_cpu);
	CHECK(ww_queue_delayed_work_on(cpu, wq, &dwork, 1));
	await_run(1);
	CHECK_EQ(ran_on, cpu);
	CHECK(ww_queue_delayed_work_on(cpu, wq, &dwork, 0));
	await_run(2);
	CHECK_EQ(ran_on, cpu);
	CHECK(!ww_mod_delayed_work_on(cpu, wq, &dwork, 1000000));
	CHECK(ww_mod_delayed_work_on(cpu, wq, &dwork, 1));
	await_run(3);
	CHECK_EQ(ran_on, cpu);
	CHECK(ww_schedule_delayed_work_on(cpu, &dwork, 1));
	await_run(4);
	CHECK_EQ(ran_on, cpu);
	ww_flush_delayed_work(&dwork);
	ww_destroy_workqueue(wq);
}

TEST_LIMIT(a_delayed_work_for_a_cpu_that_is_not_there_is_reported_and_runs_elsewhere, 30)
{
	int none = ww_cpu_possible();

	ww_set_misuse_handler(keep_report);
	ww_init_delayed_work(&dwork, note_cpu);
	CHECK(ww_queue_delayed_work_on(none, ww_system_wq(), &dwork, 1));
	reported("there is no CPU");
	await_run(1);
	ww_flush_delayed_work(&dwork);
	CHECK(!ww_mod_delayed_work_on(-7, ww_system_wq(), &dwork, 0));
	reported("there is no CPU -7");
	await_run(2);
	ww_flush_delayed_work(&dwork);
}

TEST_LIMIT(a_delayed_work_by_deadline_runs_when_that_has_passed, 30)
{
	uint64_t at = ww_jiffies() + 20;

	ww_init_delayed_work(&dwork, work_ran);
	CHECK(!ww_mod_delayed_work_at(ww_system_wq(), &dwork, ww_jiffies() + 1000000));
	CHECK(ww_mod_delayed_work_at(ww_system_wq(), &dwork, at));
	await_run(1);
	CHECK(ww_time_after(ww_jiffies(), at));
	ww_flush_delayed_work(&dwork);
	at = ww_jiffies() + 20;
	ww_queue_update_delayed_work_at(ww_system_wq(), &dwork, at);
	await_run(2);
	CHECK(ww_time_after(ww_jiffies(), at));
	ww_flush_delayed_work(&dwork);
}

/* It waits for an occasion that others make. */
TEST_LIMIT(a_deferrable_work_runs_when_its_base_is_awake_anyway, 30)
{
	static struct ww_timer t;

	CHECK_EQ(ww_clock_use_virtual(), 0);
	ww_init_deferrable_work(&dwork, work_ran);
	ww_timer_setup(&t, timer_ran, 0);
	CHECK(ww_queue_delayed_work(ww_system_wq(), &dwork, 10));
	ww_mod_timer(&t, ww_jiffies() + 100);
	ww_clock_advance(ww_jiffies() + 200);
	ww_flush_delayed_work(&dwork);
	CHECK_EQ(ww_load_acquire(&ran), 2);
}

/* --- Works. --- */

static struct ww_execute_work at_leave;
static int executed = -1;

static void executes(struct ww_timer *t)
{
	(void)t;
	executed = ww_execute_in_process_context(work_ran, &at_leave);
	has_run();
}

TEST_LIMIT(a_function_runs_at_once_or_behind_the_timer_callback_that_asks, 30)
{
	static struct ww_timer t;

	CHECK_EQ(ww_execute_in_process_context(work_ran, &at_leave), 0);
	CHECK_EQ(ww_load_acquire(&ran), 1);
	ww_timer_setup(&t, executes, 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	await_run(3);
	CHECK_EQ(executed, 1);
	ww_timer_shutdown_sync(&t);
	ww_flush_work(&at_leave.work);
}

static void asks_for_itself(struct ww_work *w)
{
	CHECK(ww_current_work() == w);
	CHECK(!ww_current_is_workqueue_rescuer());
	has_run();
}

TEST_LIMIT(a_work_for_a_node_runs_and_one_of_a_bound_queue_is_reported, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("nodes", WW_WQ_UNBOUND, 0);
	static struct ww_work w;

	ww_set_misuse_handler(keep_report);
	ww_init_work(&w, asks_for_itself);
	CHECK(!ww_current_work() && !ww_current_is_workqueue_rescuer());
	for (int node = -1; node < 2; node++) {
		CHECK(ww_queue_work_node(node, wq, &w));
		await_run((uint32_t)node + 2);
		ww_flush_work(&w);
	}
	CHECK_EQ(reports, 0);
	CHECK(ww_queue_work_node(0, ww_system_queue(WW_SYSTEM_PERCPU), &w));
	reported("is not unbound");
	ww_flush_work(&w);
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(NULL);
}

TEST(a_tunable_is_read_back_and_a_wrong_name_or_value_refused)
{
	uint64_t value = 0;

	CHECK_EQ(ww_workqueue_set_param("idle_timeout_ms", 12345), 0);
	CHECK_EQ(ww_workqueue_get_param("idle_timeout_ms", &value), 0);
	CHECK_EQ(value, 12345);
	CHECK_EQ(ww_workqueue_set_param("no_such_thing", 1), -ENOENT);
	CHECK_EQ(ww_workqueue_get_param("no_such_thing", &value), -ENOENT);
	CHECK_EQ(ww_workqueue_set_param("blocked_period_us", 99), -EINVAL);
	CHECK_EQ(ww_workqueue_set_param("blocked_period_us", 1000001), -EINVAL);
	CHECK_EQ(ww_workqueue_get_param("idle_timeout_ms", &value), 0);
	CHECK_EQ(value, 12345);
}

static struct ww_workqueue_attrs *attrs;

static int apply(struct ww_workqueue *wq)
{
	return ww_apply_workqueue_attrs(wq, attrs);
}

TEST_LIMIT(attributes_that_make_no_sense_are_refused_and_change_nothing, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("attrs", WW_WQ_UNBOUND, 0);
	struct ww_workqueue *bound = ww_alloc_workqueue("bound", WW_WQ_PERCPU, 0);
	static struct ww_work w;

	attrs = ww_alloc_workqueue_attrs();
	CHECK(wq && bound && attrs);
	CHECK_EQ(apply(bound), -EINVAL);
	attrs->nice = 20;
	CHECK_EQ(apply(wq), -EINVAL);
	attrs->nice = -21;
	CHECK_EQ(apply(wq), -EINVAL);
	attrs->nice = 0;
	attrs->scope = (enum ww_wq_scope)(WW_WQ_SCOPE_CPU + 1);
	CHECK_EQ(apply(wq), -EINVAL);
	attrs->scope = WW_WQ_SCOPE_NUMA;
	attrs->spare[0] = 1;
	CHECK_EQ(apply(wq), -EINVAL);
	attrs->spare[0] = 0;
	for (enum ww_wq_scope s = 0; s <= WW_WQ_SCOPE_CPU; s++) {
		attrs->scope = s;
		CHECK_EQ(apply(wq), 0);
		ww_init_work(&w, work_ran);
		CHECK(ww_queue_work(wq, &w));
		ww_flush_work(&w);
	}
	/* Where that is not permitted, the queue stays as it was. */
	attrs->nice = -5;
	int rc = apply(wq);
	CHECK(rc == 0 || rc == -EACCES);
	/* As the kernel: an empty mask means any CPU. */
	attrs->nice = 0;
	memset(attrs->cpumask, 0, sizeof(attrs->cpumask));
	CHECK_EQ(apply(wq), 0);
	CHECK(ww_queue_work(wq, &w));
	ww_flush_work(&w);
	ww_free_workqueue_attrs(attrs);
	ww_destroy_workqueue(bound);
	ww_destroy_workqueue(wq);
}

static uint32_t begun, gate;

static void held(struct ww_work *w)
{
	(void)w;
	ww_fetch_add(&begun, 1u);
	ww_futex_wake(&begun, 1);
	while (!ww_load_acquire(&gate))
		ww_futex_wait(&gate, 0, WW_FOREVER);
}

TEST_LIMIT(what_waits_is_shown_and_where_it_cannot_be_written_that_is_the_answer, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("shown", WW_WQ_UNBOUND, 1);
	static struct ww_work first, waiting[20];
	static char text[1 << 16];
	int fds[2];

	ww_init_work(&first, held);
	CHECK(wq && ww_queue_work(wq, &first));
	while (!ww_load_acquire(&begun))
		ww_futex_wait(&begun, 0, WW_FOREVER);
	for (int i = 0; i < 20; i++) {
		ww_init_work(&waiting[i], work_ran);
		CHECK(ww_queue_work(wq, &waiting[i]));
	}
	CHECK_EQ(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	CHECK_EQ(ww_show_workqueues(fds[1]), 0);
	CHECK(read(fds[0], text, sizeof(text) - 1) > 0);
	CHECK_MSG(strstr(text, "shown") && strstr(text, "work_ran") && strstr(text, " more"), "%s",
		  text);
	CHECK_EQ(ww_show_workqueues(-1), -EBADF);
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, 1);
	ww_destroy_workqueue(wq);
	CHECK_EQ(ww_load_acquire(&ran), 20);
}

static const char *shown(int rc, int from)
{
	static char text[1 << 16];
	ssize_t n = read(from, text, sizeof(text) - 1);

	CHECK_EQ(rc, 0);
	CHECK(n > 0);
	text[n] = 0;
	return text;
}

static void held_too(struct ww_work *w)
{
	held(w);
}

TEST_LIMIT(one_queue_is_shown_without_what_others_have_in_its_pools, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("mine", WW_WQ_UNBOUND, 1);
	struct ww_workqueue *other = ww_alloc_workqueue("others'", WW_WQ_UNBOUND, 1);
	struct ww_workqueue *freezable = ww_alloc_workqueue("cold", WW_WQ_FREEZABLE, 1);
	static struct ww_work w[4];
	const char *text;
	int fds[2];

	for (int i = 0; i < 4; i++) {
		ww_init_work(&w[i], i < 2 ? held : held_too);
		CHECK(ww_queue_work(i < 2 ? wq : other, &w[i]));
	}
	while (ww_load_acquire(&begun) < 2)
		ww_futex_wait(&begun, 1, ww_clock_os_ns() + 1000000);
	CHECK_EQ(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	text = shown(ww_show_one_workqueue(wq, fds[1]), fds[0]);
	CHECK_MSG(strstr(text, "queue \"mine\"") && strstr(text, "runs held of \"mine\"") &&
			  strstr(text, "waiting for its turn: held"),
		  "%s", text);
	CHECK_MSG(!strstr(text, "others'") && !strstr(text, "held_too"), "%s", text);
	text = shown(ww_show_freezable_workqueues(fds[1]), fds[0]);
	CHECK_MSG(strstr(text, "queue \"cold\"") && !strstr(text, "\"mine\""), "%s", text);
	CHECK_EQ(ww_show_one_workqueue(wq, -1), -EBADF);
	/* One of each runs, and one waits for its turn. */
	CHECK(ww_workqueue_congested(WW_WORK_CPU_UNBOUND, wq));
	CHECK(!ww_workqueue_congested(0, freezable));
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, 4);
	ww_flush_workqueue(wq);
	CHECK(!ww_workqueue_congested(0, wq));
	ww_destroy_workqueue(wq);
	ww_destroy_workqueue(other);
	ww_destroy_workqueue(freezable);
}

TEST_LIMIT(deferrable_and_rcu_works_on_the_stack_run_and_end, 30)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("stack", WW_WQ_UNBOUND, 0);
	struct ww_delayed_work deferrable;
	struct ww_rcu_work rwork;

	memset(&deferrable, 0x55, sizeof(deferrable));
	memset(&rwork, 0x55, sizeof(rwork));
	ww_init_deferrable_work_onstack(&deferrable, note_cpu);
	ww_init_rcu_work_onstack(&rwork, note_cpu);
	ww_set_misuse_handler(keep_report);
	CHECK(ww_queue_delayed_work(wq, &deferrable, 1000000));
	ww_destroy_delayed_work_on_stack(&deferrable);
	reported("on its timer");
	CHECK(ww_flush_delayed_work(&deferrable));
	CHECK(ww_queue_rcu_work(wq, &rwork));
	ww_flush_rcu_work(&rwork);
	CHECK_EQ(ran, 2);
	ww_destroy_work_on_stack(&rwork.work);
	ww_destroy_delayed_work_on_stack(&deferrable);
	CHECK_EQ(reports, 0);
	ww_destroy_workqueue(wq);
}

/* --- Threads. --- */

static int asked_to_end(void *data)
{
	CHECK(ww_thread_data(ww_current()) == data);
	CHECK(ww_thread_func(ww_current()) == asked_to_end);
	while (!ww_thread_should_stop_or_park())
		ww_schedule_timeout_interruptible(1);
	if (ww_thread_should_park())
		ww_thread_parkme();
	while (!ww_thread_should_stop_or_park())
		ww_schedule_timeout_interruptible(1);
	return 3;
}

TEST_LIMIT(a_thread_sees_either_request_by_one_question, 30)
{
	int data;
	struct ww_thread *t = ww_thread_run(asked_to_end, &data, "asked");

	CHECK(t);
	while (ww_thread_park(t))
		;
	ww_thread_unpark(t);
	CHECK_EQ(ww_thread_stop(t), 3);
}

static uint32_t froze;

static int sees_the_freezer(void *data)
{
	(void)data;
	ww_set_freezable();
	while (!ww_thread_should_stop()) {
		if (ww_freezing())
			ww_store_release(&froze, 1u);
		ww_try_to_freeze();
		ww_schedule_timeout_interruptible(1);
	}
	return 0;
}

TEST_LIMIT(a_freezable_thread_is_told_that_it_shall_freeze, 60)
{
	struct ww_thread *t = ww_thread_run(sees_the_freezer, NULL, "cold");

	CHECK(t);
	CHECK(!ww_freezing());
	/* It may be asleep when the freezer comes, and is then frozen as it is. */
	for (int i = 0; i < 500 && !ww_load_acquire(&froze); i++) {
		CHECK_EQ(ww_freeze_threads(20000), 0);
		ww_thaw_threads();
	}
	ww_thread_stop(t);
	CHECK(!ww_freezing());
}

TEST(killable_sleeps_end_by_time_and_by_what_they_wait_for)
{
	struct ww_completion done;

	ww_init_completion(&done);
	CHECK_EQ(ww_schedule_timeout_killable(2), 0);
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
	CHECK_EQ(ww_wait_for_completion_killable_timeout(&done, 2), 0);
	ww_complete(&done);
	CHECK(ww_wait_for_completion_killable_timeout(&done, 1000) > 0);
	CHECK_EQ(ww_schedule_hrtimeout(0), -EINTR); /* its state is RUNNING: it does not sleep */
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_schedule_hrtimeout(1), 0); /* long past */
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
}

TEST_LIMIT(what_a_thread_cannot_be_is_refused, 30)
{
	unsigned long none = 0, all = ~0ul;
	struct ww_thread *t = ww_thread_create(asked_to_end, NULL, "refuses");

	ww_set_misuse_handler(keep_report);
	CHECK(t);
	ww_thread_get(t);
	CHECK_EQ(ww_thread_affine_preferred(t, &none, 64), -EINVAL);
	CHECK_EQ(ww_thread_affine_preferred(t, &all, 64), 0);
	CHECK_EQ(ww_set_user_nice(t, 20), -EINVAL);
	CHECK_EQ(ww_set_user_nice(t, -21), -EINVAL);
	CHECK_EQ(ww_sched_set_normal(t, 20), -EINVAL);
	CHECK_EQ(ww_sched_set_normal(t, -21), -EINVAL);
	CHECK_EQ(ww_sched_set_normal(t, 1), 0);
	CHECK_EQ(reports, 0);
	ww_wake_up_process(t);
	CHECK_EQ(ww_thread_affine_preferred(t, &all, 64), -EINVAL);
	reported("only before its first wake-up");
	ww_thread_bind_mask(t, &all, 64);
	reported("only before its first wake-up");
	ww_thread_bind(t, 0);
	reported("only before its first wake-up");
	int rc = ww_thread_stop(t);
	CHECK(rc == 3 || rc == -EINTR); /* it may not have begun */
	CHECK_EQ(ww_set_user_nice(t, 0), -ESRCH);
	CHECK_EQ(ww_sched_set_normal(t, 0), -ESRCH);
	ww_thread_put(t);
	errno = 0;
	CHECK(!ww_thread_create_on_cpu(body, NULL, (unsigned)ww_cpu_possible(), "none%u"));
	CHECK_EQ(errno, EINVAL);
	reported("no CPU");
	errno = 0;
	CHECK(!ww_thread_run_on_cpu(body, NULL, 0, "%s"));
	CHECK_EQ(errno, EINVAL);
	reported("must hold one %u");
}

TEST(what_only_threads_of_ours_can_do_is_reported_for_others)
{
	ww_set_misuse_handler(keep_report);
	CHECK_EQ(ww_thread_park(ww_current()), -EINVAL);
	reported("was not made by ww_thread_create()");
	ww_thread_parkme();
	reported("was not made by ww_thread_create()");
	CHECK(!ww_thread_should_stop_or_park());
}

TEST_DIES(a_foreign_thread_that_calls_exit_is_aborted, SIGABRT)
{
	ww_set_misuse_handler(quiet);
	ww_thread_exit(1);
}

TEST_LIMIT(a_worker_for_a_node_runs_its_items, 30)
{
	struct ww_worker *w = ww_worker_create_on_node(0, 0, "node%d", 0);

	ww_set_misuse_handler(keep_report);
	CHECK(w);
	ww_wake_up_process(ww_worker_thread(w));
	ww_worker_flush(w);
	ww_worker_destroy(w);
	CHECK_EQ(reports, 0);
}

/* --- Clock and timers. --- */

TEST(ticks_become_microseconds)
{
	CHECK_EQ(ww_jiffies_to_usecs(0), 0);
	CHECK_EQ(ww_jiffies_to_usecs((uint64_t)ww_hz()), 1000000);
	CHECK_EQ(ww_usecs_to_jiffies(ww_jiffies_to_usecs(7)), 7);
	CHECK(ww_jiffies_to_usecs(UINT64_MAX) == UINT64_MAX);
}

TEST(real_time_cannot_be_advanced)
{
	ww_set_misuse_handler(keep_report);
	CHECK_EQ(ww_clock_advance(ww_jiffies() + 5), 0);
	reported("time is real");
}

static struct ww_base *own;
static int destroyed, reran;

static void destroys_its_base(struct ww_timer *t)
{
	(void)t;
	destroyed = ww_base_destroy(own);
	reran = ww_base_run(own);
	has_run();
}

TEST_LIMIT(a_base_is_neither_destroyed_nor_run_by_its_own_callback, 30)
{
	struct ww_timer_stats all, one;
	static struct ww_timer t;

	ww_set_misuse_handler(keep_report);
	own = ww_base_create_driven("own");
	CHECK(own);
	ww_timer_setup(&t, destroys_its_base, 0);
	CHECK_EQ(ww_timer_set_base(&t, own), 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	while (!ww_load_acquire(&ran)) {
		struct pollfd p = {.fd = ww_base_fd(own), .events = POLLIN};

		poll(&p, 1, 1000);
		CHECK(ww_base_run(own) >= 0);
	}
	CHECK_EQ(destroyed, -EDEADLK);
	CHECK_EQ(reran, -EDEADLK);
	CHECK_EQ(reports, 2);
	ww_timer_shutdown_sync(&t);
	CHECK_EQ(ww_base_destroy(own), 0);
	/* Of one CPU, and of all of them. */
	ww_timer_get_stats(ww_cpu_of_slot(0), &one);
	ww_timer_get_stats(-1, &all);
	CHECK(one.fired <= all.fired);
}

static void runs_long(struct ww_timer *t)
{
	(void)t;
	ww_store_release(&begun, 1u);
	ww_futex_wake(&begun, 1);
	while (!ww_load_acquire(&gate))
		ww_futex_wait(&gate, 0, WW_FOREVER);
}

static int drives(void *data)
{
	(void)data;
	while (!ww_load_acquire(&begun))
		ww_base_run(own);
	return 0;
}

TEST_LIMIT(two_threads_do_not_drive_one_base_at_once, 30)
{
	struct ww_thread *d;
	static struct ww_timer t;

	own = ww_base_create_driven("own");
	ww_timer_setup(&t, runs_long, 0);
	CHECK_EQ(ww_timer_set_base(&t, own), 0);
	ww_mod_timer(&t, ww_jiffies());
	d = ww_thread_create(drives, NULL, "drives");
	CHECK(d);
	ww_thread_get(d);
	ww_wake_up_process(d);
	while (!ww_load_acquire(&begun))
		ww_futex_wait(&begun, 0, WW_FOREVER);
	CHECK_EQ(ww_base_run(own), -EBUSY);
	CHECK_EQ(ww_base_destroy(own), -EBUSY);
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, 1);
	ww_timer_shutdown_sync(&t);
	CHECK_EQ(ww_thread_stop_put(d), 0);
	CHECK_EQ(ww_base_destroy(own), 0);
}

static void takes_long(struct ww_timer *t)
{
	(void)t;
	ww_clock_sleep_until(ww_clock_ns() + 10000000);
	has_run();
}

static void takes_long_too(struct ww_timer *t)
{
	takes_long(t);
}

/* Which of them is not known: from then on it would be. */
TEST_LIMIT(callbacks_that_take_long_together_are_reported_and_timed_one_by_one, 60)
{
	static struct ww_timer t[16];

	ww_set_misuse_handler(keep_report);
	ww_timer_set_long_callback(50000000);
	own = ww_base_create("slow");
	CHECK(own);
	for (int i = 0; i < 16; i++) {
		ww_timer_setup(&t[i], i % 2 ? takes_long : takes_long_too, 0);
		CHECK_EQ(ww_timer_set_base(&t[i], own), 0);
		t[i].expires = ww_jiffies() + 100;
		ww_add_timer(&t[i]);
	}
	await_run(16);
	for (int i = 0; i < 16; i++)
		ww_timer_shutdown_sync(&t[i]);
	reported("each is timed from now on");
	CHECK_EQ(ww_base_destroy(own), 0);
}

/* --- The virtual clock waits until all rest, also who waits for a work. --- */

static void sleeps_fifty_ticks(struct ww_work *w)
{
	(void)w;
	ww_schedule_timeout_uninterruptible(50);
	has_run();
}

static struct ww_work sleeper;

static int flushes(void *data)
{
	uint64_t begin = ww_jiffies();

	(void)data;
	CHECK(ww_flush_work(&sleeper));
	return (int)(ww_jiffies() - begin);
}

TEST_LIMIT(who_waits_for_a_work_rests_on_the_virtual_clock, 30)
{
	struct ww_thread *t;

	CHECK_EQ(ww_clock_use_virtual(), 0);
	ww_init_work(&sleeper, sleeps_fifty_ticks);
	CHECK(ww_schedule_work(&sleeper));
	t = ww_thread_create(flushes, NULL, "flushes");
	CHECK(t);
	ww_thread_get(t);
	ww_wake_up_process(t);
	ww_clock_advance(10);
	CHECK_EQ(ww_load_acquire(&ran), 0);
	ww_clock_advance(100);
	CHECK_EQ(ww_load_acquire(&ran), 1);
	int waited = ww_thread_stop_put(t);

	CHECK_MSG(waited >= 50 && waited <= 52, "%d ticks", waited);
}

/* --- Bases over a fork. --- */

static void ends_well(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

TEST_LIMIT(a_base_object_works_afresh_in_the_child_of_a_fork, 60)
{
	SKIP_UNDER_TSAN("forks a process with threads");
	struct ww_base *threaded = ww_base_create("threaded");
	static struct ww_timer parents, childs;

	own = ww_base_create_driven("driven");
	CHECK(threaded && own);
	ww_timer_setup(&parents, timer_ran, 0);
	CHECK_EQ(ww_timer_set_base(&parents, threaded), 0);
	ww_mod_timer(&parents, ww_jiffies() + 1000000);
	pid_t pid = fork();
	if (pid == 0) {
		struct ww_base *both[] = {threaded, own};

		CHECK(!ww_timer_pending(&parents));
		for (uint32_t i = 0; i < 2; i++) {
			ww_timer_setup(&childs, timer_ran, 0);
			CHECK_EQ(ww_timer_set_base(&childs, both[i]), 0);
			ww_mod_timer(&childs, ww_jiffies() + 1);
			while (both[i] == own && ww_load_acquire(&ran) <= i) {
				struct pollfd p = {.fd = ww_base_fd(own), .events = POLLIN};

				CHECK_EQ(poll(&p, 1, 20000), 1);
				CHECK(ww_base_run(own) >= 0);
			}
			await_run(i + 1);
			ww_timer_shutdown_sync(&childs);
			CHECK_EQ(ww_base_destroy(both[i]), 0);
		}
		CHECK_EQ(ww_debug_check(), 0);
		_exit(0);
	}
	ends_well(pid);
	CHECK(ww_timer_pending(&parents));
	ww_timer_shutdown_sync(&parents);
	CHECK_EQ(ww_base_destroy(threaded), 0);
	CHECK_EQ(ww_base_destroy(own), 0);
}

static pid_t child = -1;

static void forks_and_returns(struct ww_timer *t)
{
	(void)t;
	child = fork();
	if (child)
		has_run();
}

/* The one thread of the child is the base's: with its callback it ends, and so does the child. */
TEST_LIMIT(the_child_of_a_callback_that_forks_and_returns_ends, 60)
{
	SKIP_UNDER_TSAN("forks a process with threads");
	static struct ww_timer t;

	ww_timer_setup(&t, forks_and_returns, 0);
	ww_mod_timer(&t, ww_jiffies() + 1);
	await_run(1);
	ends_well(child);
	ww_mod_timer(&t, ww_jiffies() + 1);
	await_run(2);
	ends_well(child);
}

TEST_LIMIT(the_child_of_a_driven_callback_that_forks_goes_on_behind_its_run, 60)
{
	SKIP_UNDER_TSAN("forks a process with threads");
	static struct ww_timer t;

	own = ww_base_create_driven("own");
	ww_timer_setup(&t, forks_and_returns, 0);
	CHECK_EQ(ww_timer_set_base(&t, own), 0);
	ww_mod_timer(&t, ww_jiffies());
	while (child < 0)
		CHECK(ww_base_run(own) >= 0);
	if (child == 0) {
		CHECK(!ww_timer_pending(&t));
		CHECK_EQ(ww_base_run(own), 0);
		_exit(0);
	}
	ends_well(child);
	ww_timer_shutdown_sync(&t);
	CHECK_EQ(ww_base_destroy(own), 0);
}

static int generation(int left)
{
	static struct ww_timer t;
	int status;

	ww_store_release(&ran, 0u);
	ww_timer_setup(&t, timer_ran, 0);
	t.expires = ww_jiffies() + 1;
	ww_add_timer_on(&t, left % 64);
	await_run(1);
	ww_timer_delete_sync(&t);
	if (!left)
		return 0;
	pid_t pid = fork();
	if (pid == 0)
		_exit(generation(left - 1));
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

/* Each has new numbers for its 64 bases, of which there are not so many. */
TEST_LIMIT(in_a_long_line_of_forks_the_youngest_still_has_timers, 120)
{
	SKIP_UNDER_TSAN("forks a process with threads");
	char root[] = "/tmp/ww-calls-XXXXXX", cmd[128];

	CHECK(mkdtemp(root));
	snprintf(cmd, sizeof(cmd),
		 "mkdir -p %s/devices/system/cpu && echo 0-63 >%s/devices/system/cpu/possible",
		 root, root);
	CHECK_EQ(system(cmd), 0);
	ww_cpu_set_topology_root(root);
	CHECK_EQ(ww_cpu_slots(), 64);
	snprintf(cmd, sizeof(cmd), "rm -r %s", root);
	CHECK_EQ(system(cmd), 0);
	CHECK_EQ(generation(40), 0);
}

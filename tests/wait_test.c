/* SPDX-License-Identifier: MIT */
/* Sleeping: timeouts, wait queues, completions, the control word, the freezer, virtual time. */
#include "thread_util.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

static int64_t ms_since(uint64_t t0)
{
	return (int64_t)((ww_clock_ns() - t0) / 1000000);
}

TEST(schedule_timeout_sleeps_at_least_its_ticks_and_returns_what_is_left)
{
	uint64_t t0 = ww_clock_ns();

	CHECK_EQ(ww_schedule_timeout_uninterruptible(20), 0);
	CHECK(ww_clock_ns() - t0 >= 20000000);
	CHECK_EQ(ww_schedule_timeout(0), 0);
	CHECK(ww_schedule_timeout(1000000) > 990000); /* RUNNING: no sleep */
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
}

TEST(schedule_hrtimeout_is_0_at_its_time_and_EINTR_when_woken_before)
{
	uint64_t t0 = ww_ktime_get_ns();

	CHECK_EQ(ww_schedule_hrtimeout(t0 + 1000), -EINTR); /* RUNNING */
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_schedule_hrtimeout(t0 + 300000), 0);
	CHECK(ww_ktime_get_ns() >= t0 + 300000);
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_schedule_hrtimeout(0), 0);
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
}

struct waker {
	struct ww_thread *whom;
	int woke;
};

static int wakes_after_5ms(void *data)
{
	struct waker *w = data;

	nap_ms(5);
	ww_store_release(&w->woke, ww_wake_up_process(w->whom));
	return 0;
}

TEST(a_wake_up_between_the_state_and_the_sleep_is_not_lost)
{
	ww_set_current_state(WW_TASK_UNINTERRUPTIBLE);
	CHECK_EQ(ww_wake_up_process(ww_current()), 1);
	CHECK_EQ(ww_wake_up_process(ww_current()), 0);
	ww_schedule();
	struct waker w = {.whom = ww_current()};
	ww_thread_run(wakes_after_5ms, &w, "waker");
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK(ww_schedule_timeout(1000000) > 0);
	UNTIL(ww_load_acquire(&w.woke));
}

static struct ww_wait_queue_head queue;
static int done, woken;
static struct ww_thread *to_wake;

static void on_alarm(int sig)
{
	(void)sig;
	ww_fetch_add(&done, 1);
	/* NOLINTNEXTLINE(bugprone-signal-handler): that it may be called here is what is tested */
	ww_wake_up_process(to_wake);
}

TEST(a_signal_handler_may_wake_a_thread_and_no_wake_up_is_lost)
{
	struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};

	to_wake = ww_current();
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 1; i < 500; i++)
		ww_wait_event(&queue, ww_load_acquire(&done) >= i);
	setitimer(ITIMER_REAL, &never, NULL);
}

static int waits(void *data)
{
	ww_wait_event(&queue, ww_load_acquire(&done));
	ww_fetch_add(&woken, 1);
	return data ? until_stopped(NULL) : 0;
}

static void wait_for_waiters(unsigned n)
{
	struct ww_waitq *q = (struct ww_waitq *)(void *)&queue;

	for (unsigned found = 0; found != n;) {
		found = 0;
		ww_lock(&q->lock);
		for (struct ww_waiter *w = q->first; w; w = w->next)
			found += (ww_load_relaxed(&w->thread->state) & WW_TASK_ASLEEP) != 0;
		ww_unlock(&q->lock);
		nap_ms(1);
	}
}

TEST(wait_event_returns_once_the_condition_is_true)
{
	for (int i = 0; i < 40; i++)
		ww_thread_run(waits, NULL, "waits%d", i);
	wait_for_waiters(40);
	ww_wake_up_all(&queue); /* for nothing */
	wait_for_waiters(40);
	CHECK_EQ(ww_load_acquire(&woken), 0);
	ww_store_release(&done, 1);
	ww_wake_up(&queue);
	UNTIL(ww_load_acquire(&woken) == 40);
	CHECK(!ww_waitqueue_active(&queue));
	CHECK(!ww_wq_has_sleeper(&queue));
}

static int tokens;

static bool take_token(void)
{
	int n = ww_load_acquire(&tokens);

	while (n > 0 && !ww_cmpxchg(&tokens, &n, n - 1))
		;
	return n > 0;
}

static int waits_exclusively(void *data)
{
	int rc = ww_wait_event_interruptible_exclusive(&queue, take_token());

	(void)data;
	if (rc == 0)
		ww_fetch_add(&woken, 1);
	return rc;
}

TEST(a_wake_up_wakes_one_exclusive_waiter_and_wake_up_nr_as_many_as_it_says)
{
	struct ww_thread *t[6];

	for (int i = 0; i < 6; i++) {
		t[i] = ww_thread_create(waits_exclusively, NULL, "excl%d", i);
		ww_thread_get(t[i]);
		ww_wake_up_process(t[i]);
	}
	wait_for_waiters(6);
	CHECK(ww_wq_has_sleeper(&queue));
	ww_store_release(&tokens, 6);
	CHECK_EQ(ww_wake_up(&queue), 1);
	UNTIL(ww_load_acquire(&woken) == 1);
	nap_ms(10);
	CHECK_EQ(ww_load_acquire(&woken), 1);
	CHECK_EQ(ww_wake_up_nr(&queue, 2), 2);
	UNTIL(ww_load_acquire(&woken) == 3);
	nap_ms(10);
	CHECK_EQ(ww_load_acquire(&woken), 3);
	CHECK_EQ(ww_wake_up_nr(&queue, 8), 3); /* three were there */
	UNTIL(ww_load_acquire(&woken) == 6);
	for (int i = 0; i < 6; i++)
		CHECK_EQ(ww_thread_stop_put(t[i]), 0);
}

static int waits_interruptibly(void *data)
{
	struct ww_wait_queue_head *q = data;

	return ww_wait_event_interruptible(q, false);
}

static int waits_killably(void *data)
{
	struct ww_wait_queue_head *q = data;

	return (int)ww_wait_event_killable_timeout(q, false, 1000000);
}

static int waits_freezably(void *data)
{
	struct ww_wait_queue_head *q = data;

	return ww_wait_event_freezable(q, false);
}

static int completes_interruptibly(void *data)
{
	struct ww_completion c;

	(void)data;
	ww_init_completion(&c);
	return ww_wait_for_completion_interruptible(&c);
}

TEST(a_stop_ends_interruptible_killable_and_freezable_waits)
{
	static const ww_thread_fn fns[] = {waits_interruptibly, waits_killably, waits_freezably,
					   completes_interruptibly};

	for (unsigned i = 0; i < 4; i++) {
		struct ww_thread *t = ww_thread_run(fns[i], &queue, "stopme%u", i);

		UNTIL(ww_load_acquire(&t->end));
		if (i & 1)
			nap_ms(3);
		CHECK_EQ(ww_thread_stop(t), -WW_ERESTARTSYS);
	}
	CHECK(!ww_waitqueue_active(&queue));
}

static int one_token_then_stop(void *data)
{
	int rc = ww_wait_event_interruptible_exclusive(&queue, take_token());

	ww_store_release((int *)data, rc == 0 ? 1 : 2);
	return rc;
}

TEST(an_exclusive_wake_up_that_meets_a_stop_is_not_lost)
{
	for (int i = 0; i < 300; i++) {
		int got = 0;
		struct ww_thread *t = ww_thread_create(one_token_then_stop, &got, "race");

		ww_thread_get(t);
		ww_wake_up_process(t);
		if (i & 1)
			wait_for_waiters(1);
		ww_fetch_add(&tokens, 1);
		ww_wake_up(&queue);
		int rc = ww_thread_stop_put(t);
		/* The token is either taken, or still there for another. */
		CHECK_EQ(ww_load_acquire(&tokens), rc == 0 ? 0 : 1);
		ww_store_release(&tokens, 0);
	}
}

TEST(timeouts_of_wait_event_follow_the_kernels_rules)
{
	uint64_t t0 = ww_clock_ns();
	int calls = 0;

	CHECK_EQ(ww_wait_event_timeout(&queue, false, 20), 0);
	CHECK(ms_since(t0) >= 20);
	CHECK_EQ(ww_wait_event_timeout(&queue, true, 0), 1);
	CHECK_EQ(ww_wait_event_timeout(&queue, false, 0), 0);
	CHECK_EQ(ww_wait_event_timeout(&queue, true, 77), 77);
	/* True only when looked at after the time is up: at least 1. */
	CHECK_EQ(ww_wait_event_timeout(&queue, ++calls >= 3, 5), 1);
	CHECK_EQ(ww_wait_event_interruptible_timeout(&queue, false, 2), 0);
	CHECK_EQ(ww_wait_event_freezable_timeout(&queue, false, 2), 0);
	CHECK_EQ(ww_wait_event_interruptible(&queue, true), 0);
	CHECK(!ww_waitqueue_active(&queue));
}

TEST(the_parts_of_a_wait_make_a_loop_of_ones_own)
{
	struct ww_wait_queue_entry e;
	struct waker w = {.whom = ww_current()};

	ww_thread_run(wakes_after_5ms, &w, "waker");
	ww_init_wait(&e);
	while (!ww_load_acquire(&w.woke)) {
		ww_prepare_to_wait_exclusive(&queue, &e, WW_TASK_UNINTERRUPTIBLE);
		CHECK(ww_waitqueue_active(&queue));
		ww_schedule_timeout(1);
	}
	CHECK(ww_waitqueue_active(&queue)); /* nobody has woken it through the queue */
	ww_prepare_to_wait(&queue, &e, WW_TASK_UNINTERRUPTIBLE);
	CHECK_EQ(ww_wake_up_interruptible(&queue), 0); /* not in that state */
	CHECK(ww_waitqueue_active(&queue));
	CHECK_EQ(ww_wake_up(&queue), 0); /* it is not exclusive */
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
	CHECK(!ww_waitqueue_active(&queue));
	ww_finish_wait(&queue, &e);
}

static struct ww_lock outer;
static int stock;

static int takes_under_lock(void *data)
{
	(void)data;
	ww_lock(&outer);
	ww_wait_event_cmd(&queue, stock > 0, ww_unlock(&outer), ww_lock(&outer));
	stock--;
	ww_unlock(&outer);
	ww_fetch_add(&woken, 1);
	return 0;
}

TEST(a_condition_under_a_lock_of_ones_own_is_tested_and_left_with_the_lock_held)
{
	for (int i = 0; i < 6; i++)
		ww_thread_run(takes_under_lock, NULL, "stock%d", i);
	for (int i = 0; i < 6; i++) {
		nap_ms(1);
		ww_lock(&outer);
		stock++;
		ww_unlock(&outer);
		ww_wake_up(&queue);
	}
	UNTIL(ww_load_acquire(&woken) == 6);
	CHECK_EQ(stock, 0);
	CHECK_EQ(ww_wait_event_interruptible_cmd(&queue, true, abort(), abort()), 0);
	ww_wait_event_idle(&queue, true);
	CHECK_EQ(ww_wait_event_idle_timeout(&queue, false, 2), 0);
}

static struct ww_wait_queue_entry leaver, stayer;
static int left_after;
static bool leaves(struct ww_wait_queue_entry *entry, unsigned mode)
{
	(void)mode;
	if (--left_after == 0)
		ww_remove_wait_queue_locked(&queue, entry);
	return true;
}

static int calls;
static bool counts_calls(struct ww_wait_queue_entry *entry, unsigned mode)
{
	(void)entry;
	calls += (mode & WW_TASK_NORMAL) != 0;
	return true;
}

TEST(a_function_may_take_its_own_entry_off_the_queue)
{
	calls = 0;
	left_after = 2;
	ww_init_waitqueue_func_entry(&leaver, leaves);
	ww_init_waitqueue_func_entry(&stayer, counts_calls);
	ww_add_wait_queue(&queue, &stayer);
	ww_add_wait_queue(&queue, &leaver); /* in front */
	for (int i = 1; i <= 4; i++) {
		ww_wake_up_all(&queue);
		CHECK_EQ(calls, i);
	}
	CHECK_EQ(left_after, 0); /* not called once it is off */
	ww_finish_wait(&queue, &leaver);
	ww_remove_wait_queue(&queue, &leaver); /* again: nothing */
	ww_remove_wait_queue(&queue, &stayer);
	CHECK(!ww_waitqueue_active(&queue));
	left_after = 1;
	ww_add_wait_queue_exclusive(&queue, &leaver);
	CHECK_EQ(ww_wake_up(&queue), 1);
	CHECK_EQ(ww_wake_up(&queue), 0);
	calls = 0;
}

TEST(a_function_queued_instead_of_a_thread_is_called_at_each_wake_up_until_removed)
{
	struct ww_wait_queue_entry f, x, me;

	ww_init_waitqueue_func_entry(&f, counts_calls);
	ww_init_waitqueue_func_entry(&x, counts_calls);
	ww_init_waitqueue_entry(&me, ww_current());
	ww_add_wait_queue(&queue, &f);
	ww_add_wait_queue_exclusive(&queue, &x);
	CHECK_EQ(ww_wake_up(&queue), 1);
	CHECK_EQ(calls, 2);
	ww_add_wait_queue_exclusive(&queue, &me); /* behind x */
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_wake_up(&queue), 1);
	CHECK_EQ(ww_get_current_state(), WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_wake_up_all(&queue), 2);
	CHECK_EQ(ww_get_current_state(), WW_TASK_RUNNING);
	CHECK_EQ(calls, 6);
	ww_remove_wait_queue(&queue, &f);
	ww_remove_wait_queue(&queue, &x);
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	CHECK_EQ(ww_wake_up(&queue), 1); /* it stays queued */
	ww_remove_wait_queue(&queue, &me);
	CHECK(!ww_waitqueue_active(&queue));
	CHECK_EQ(calls, 6);
}

static struct ww_completion comp;

static int completes(void *data)
{
	nap_ms((unsigned)(uintptr_t)data);
	ww_complete(&comp);
	return 0;
}

TEST(a_completion_counts_and_complete_all_is_sticky)
{
	ww_thread_run(completes, NULL, "completes");
	ww_wait_for_completion(&comp);
	CHECK(!ww_completion_done(&comp));
	CHECK_EQ(ww_wait_for_completion_timeout(&comp, 5), 0);
	ww_complete(&comp);
	ww_complete(&comp);
	CHECK(ww_try_wait_for_completion(&comp));
	CHECK_EQ(ww_wait_for_completion_timeout(&comp, 5), 5);
	CHECK(!ww_try_wait_for_completion(&comp));
	ww_complete_all(&comp);
	ww_complete_all(&comp);
	ww_complete(&comp);
	for (int i = 0; i < 5; i++)
		ww_wait_for_completion(&comp);
	CHECK(ww_completion_done(&comp));
	CHECK_EQ(ww_wait_for_completion_killable(&comp), 0);
	ww_reinit_completion(&comp);
	CHECK(!ww_try_wait_for_completion(&comp));
	ww_thread_run(completes, (void *)(uintptr_t)5, "later");
	CHECK(ww_wait_for_completion_interruptible_timeout(&comp, 1000000) >= 1);
}

static int completes_and_exits(void *data)
{
	ww_thread_complete_and_exit(data, 12);
}

TEST(complete_and_exit_does_both)
{
	CHECK_EQ(run_to_end(completes_and_exits, &comp, "last"), 12);
	CHECK(ww_completion_done(&comp));
	CHECK_EQ(run_to_end(completes_and_exits, NULL, "none"), 12);
}

static int waits_for_comp(void *data)
{
	(void)data;
	ww_wait_for_completion(&comp);
	ww_fetch_add(&woken, 1);
	return 0;
}

TEST(each_complete_lets_one_waiter_go_and_complete_all_the_rest)
{
	for (int i = 0; i < 5; i++)
		ww_thread_run(waits_for_comp, NULL, "w%d", i);
	nap_ms(10);
	ww_complete(&comp);
	ww_complete(&comp);
	UNTIL(ww_load_acquire(&woken) == 2);
	nap_ms(10);
	CHECK_EQ(ww_load_acquire(&woken), 2);
	ww_complete_all(&comp);
	UNTIL(ww_load_acquire(&woken) == 5);
}

struct on_stack {
	struct ww_completion done;
	int value;
};

static int completes_and_forgets(void *data)
{
	struct on_stack *s = data;

	s->value = 1;
	ww_complete(&s->done);
	return 0;
}

TEST(a_completion_on_the_stack_may_go_when_its_wait_has_returned)
{
	for (int i = 0; i < 200; i++) {
		struct on_stack *s = calloc(1, sizeof(*s));

		ww_thread_run(completes_and_forgets, s, "forgets");
		if (i & 1)
			ww_wait_for_completion(&s->done);
		else
			UNTIL(ww_completion_done(&s->done));
		CHECK_EQ(s->value, 1);
		memset(s, 0xa5, sizeof(*s));
		free(s);
	}
}

TEST(a_queue_with_waiters_of_the_parent_works_afresh_in_the_child_of_a_fork)
{
	int status;

	NEEDS_FORK();
	for (int i = 0; i < 8; i++)
		ww_thread_run(waits, NULL, "parents%d", i);
	wait_for_waiters(8);
	pid_t pid = fork();
	if (pid == 0) {
		bool stale = ww_waitqueue_active(&queue) || ww_wake_up_all(&queue);

		for (int i = 0; i < 8; i++)
			ww_thread_run(waits, NULL, "childs%d", i);
		wait_for_waiters(8);
		ww_store_release(&done, 1);
		ww_wake_up(&queue);
		UNTIL(ww_load_acquire(&woken) == 8);
		_exit(stale);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	wait_for_waiters(8);
	ww_store_release(&done, 1);
	ww_wake_up(&queue);
	UNTIL(ww_load_acquire(&woken) == 8);
}

#define RUN  1u
#define HALT 2u

static struct ww_control control;
static uint32_t obeyed;

static int obeys(void *data)
{
	(void)data;
	while (!ww_thread_should_stop()) {
		if (!ww_control_wait(&control, RUN | HALT, WW_MAX_TIMEOUT))
			continue;
		ww_fetch_or(&obeyed, ww_control_take(&control, RUN | HALT));
	}
	return 3;
}

TEST(a_posted_control_bit_wakes_a_sleeping_loop_and_so_does_stop)
{
	struct ww_thread *t = ww_thread_run(obeys, NULL, "obeys");

	CHECK_EQ(ww_control_post(&control, RUN), 0);
	CHECK(ww_control_wait_taken(&control, RUN, WW_MAX_TIMEOUT));
	CHECK_EQ(ww_control_peek(&control), 0);
	ww_control_post(&control, HALT);
	CHECK(ww_control_wait_taken(&control, ~0u, WW_MAX_TIMEOUT));
	CHECK_EQ(ww_thread_stop(t), 3);
	CHECK_EQ(obeyed, RUN | HALT);
	ww_control_post(&control, RUN);
	CHECK_EQ(ww_control_post(&control, RUN | HALT), RUN);
	CHECK(!ww_control_wait_taken(&control, RUN, 2));
	CHECK_EQ(ww_control_take(&control, HALT), HALT);
	CHECK_EQ(ww_control_wait(&control, HALT, 2), 0);
	CHECK_EQ(ww_control_wait_until(&control, HALT, ww_ktime_get_ns() + 1000000), 0);
	CHECK_EQ(ww_control_wait_until(&control, RUN, 0), RUN);
}

static uint32_t bursts;

/* Never sleeps while RUN is set: the shape of a transmit loop. */
static int transmits(void *data)
{
	uint32_t on = 0;

	(void)data;
	while (!ww_thread_should_stop()) {
		if (on & RUN)
			ww_fetch_add_relaxed(&bursts, 1u);
		else
			ww_control_wait(&control, ~0u, WW_MAX_TIMEOUT);
		if (ww_control_peek(&control)) {
			uint32_t bits = ww_control_take(&control, RUN | HALT);

			on = bits & HALT ? 0 : on | (bits & RUN);
		}
	}
	return 5;
}

TEST(a_halt_reaches_a_busy_loop_within_one_burst_and_is_never_lost_beside_a_start)
{
	struct ww_thread *t = ww_thread_run(transmits, NULL, "transmits");

	for (int i = 0; i < 200; i++) {
		ww_control_post(&control, RUN);
		uint32_t n = ww_load_relaxed(&bursts);
		if (i & 1)
			UNTIL(ww_load_relaxed(&bursts) != n);
		ww_control_post(&control, HALT);
		CHECK(ww_control_wait_taken(&control, HALT, WW_MAX_TIMEOUT));
		/* One burst may be on its way; after it the loop sleeps. */
		UNTIL(ww_load_relaxed(&t->state) & WW_TASK_ASLEEP);
		n = ww_load_relaxed(&bursts);
		ww_os_yield();
		CHECK_EQ(ww_load_relaxed(&bursts), n);
	}
	ww_control_post(&control, RUN);
	CHECK_EQ(ww_thread_stop(t), 5);
}

static int is_frozen(struct ww_thread *t)
{
	return (ww_load_relaxed(&t->state) & WW_TASK_FROZEN) != 0;
}

static int beats(void *data)
{
	bool was_frozen;

	ww_set_freezable();
	while (!ww_thread_freezable_should_stop(&was_frozen)) {
		ww_fetch_add((int *)data, 1);
		ww_schedule_timeout_interruptible(1);
	}
	return was_frozen ? 1 : 2;
}

static int waits_freezable(void *data)
{
	ww_set_freezable();
	int rc = ww_wait_event_freezable(&queue, ww_load_acquire((int *)data));
	ww_fetch_add(&woken, 1);
	return rc;
}

TEST(frozen_threads_stand_still_keep_their_wake_ups_and_go_on_when_thawed)
{
	int beat = 0, cond = 0;
	struct ww_thread *a = ww_thread_run(beats, &beat, "beats");
	struct ww_thread *b = ww_thread_create(waits_freezable, &cond, "freezes");

	ww_thread_get(b);
	ww_wake_up_process(b);
	UNTIL(ww_load_acquire(&beat) > 2);
	wait_for_waiters(1);
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(ww_freeze_threads(20000), 0);
		CHECK_EQ(ww_freeze_threads(1), -EBUSY);
		int n = ww_load_acquire(&beat);
		CHECK(is_frozen(a) && is_frozen(b));
		nap_ms(4);
		CHECK_EQ(ww_load_acquire(&beat), n);
		ww_wake_up_process(a);
		ww_wake_up_all(&queue);
		if (i == 19) {
			ww_store_release(&cond, 1);
			ww_wake_up_all(&queue);
		}
		nap_ms(2);
		CHECK_EQ(ww_load_acquire(&beat), n);
		CHECK_EQ(ww_load_acquire(&woken), 0);
		ww_thaw_threads();
		UNTIL(ww_load_acquire(&beat) > n);
	}
	CHECK_EQ(ww_thread_stop_put(b), 0);
	CHECK_EQ(woken, 1);
	CHECK_EQ(ww_thread_stop(a), 2);
	ww_thaw_threads();
}

TEST(a_stop_reaches_a_thread_frozen_in_freezable_should_stop)
{
	int beat = 0, never = 0;
	struct ww_thread *a = ww_thread_run(beats, &beat, "beats");
	struct ww_thread *b = ww_thread_run(waits_freezable, &never, "freezes");

	UNTIL(ww_load_acquire(&beat) > 1);
	wait_for_waiters(1);
	CHECK_EQ(ww_freeze_threads(20000), 0);
	CHECK_EQ(ww_thread_stop(a), 1);
	CHECK_EQ(ww_thread_stop(b), -WW_ERESTARTSYS);
	ww_thaw_threads();
}

static int refuses_to_freeze(void *data)
{
	ww_set_freezable();
	UNTIL(ww_load_acquire((int *)data));
	return 0;
}

TEST(a_thread_that_does_not_freeze_is_named_and_all_are_thawed)
{
	int go = 0, beat = 0;
	struct ww_thread *t = ww_thread_create(refuses_to_freeze, &go, "refuses");
	struct ww_thread *a = ww_thread_run(beats, &beat, "beats");

	ww_set_misuse_handler(count_reports);
	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_relaxed(&t->flags) & WW_TF_FREEZABLE);
	CHECK_EQ(ww_freeze_threads(20), -EBUSY);
	CHECK_EQ(warnings, 1);
	CHECK(strstr(last_report, "refuses"));
	int n = ww_load_acquire(&beat);
	UNTIL(ww_load_acquire(&beat) > n);
	ww_store_release(&go, 1);
	CHECK_EQ(ww_freeze_threads(20000), 0); /* it may end instead of freezing */
	n = ww_load_acquire(&beat);
	ww_thaw_threads();
	UNTIL(ww_load_acquire(&beat) > n);
	CHECK_EQ(ww_thread_stop_put(t), 0);
	CHECK_EQ(ww_thread_stop(a), 2);
}

static int tries_to_freeze(void *data)
{
	ww_set_freezable();
	ww_set_current_state(WW_TASK_INTERRUPTIBLE);
	ww_try_to_freeze();
	ww_store_release((int *)data, (int)ww_get_current_state() + 1);
	return 0;
}

TEST(the_freezer_entered_with_a_sleeping_state_is_reported_and_makes_it_running)
{
	int state = 0;

	ww_set_misuse_handler(count_reports);
	CHECK_EQ(run_to_end(tries_to_freeze, &state, "tries"), 0);
	CHECK_EQ(state, 1 + WW_TASK_RUNNING);
	CHECK_EQ(misuses, 1);
}

TEST(a_timeout_that_passes_while_frozen_counts_after_the_thaw)
{
	ww_set_freezable();
	/* The caller of freeze is not frozen: another thread freezes us. */
	CHECK(!ww_try_to_freeze());
	CHECK_EQ(ww_wait_event_freezable_timeout(&queue, false, 3), 0);
}

static int sleeps_freezably(void *data)
{
	ww_set_freezable();
	ww_store_release((int *)data, 1);
	int64_t left = ww_wait_event_freezable_timeout(&queue, false, 10);
	ww_store_release((int *)data, 2);
	return (int)left;
}

TEST(a_frozen_sleeper_does_not_run_when_its_time_is_up_until_thawed)
{
	int step = 0;
	struct ww_thread *t = ww_thread_create(sleeps_freezably, &step, "dozes");

	ww_thread_get(t);
	ww_wake_up_process(t);
	UNTIL(ww_load_acquire(&step) == 1);
	CHECK_EQ(ww_freeze_threads(20000), 0);
	bool early =
		ww_load_acquire(&step) == 2; /* its 10 ticks may pass before on a busy machine */
	nap_ms(30);
	CHECK(early || ww_load_acquire(&step) == 1);
	ww_thaw_threads();
	UNTIL(ww_load_acquire(&step) == 2);
	CHECK_EQ(ww_thread_stop_put(t), 0);
}

static uint64_t slept[3];

static int sleeps_long(void *data)
{
	uint64_t *at = data;

	for (int i = 0; i < 3; i++) {
		CHECK_EQ(ww_schedule_timeout_uninterruptible(3600 * 1000), 0);
		ww_store_release(&at[i], ww_jiffies());
	}
	return 0;
}

TEST(virtual_time_passes_an_hour_at_once_and_waits_for_whom_it_woke)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	uint64_t t0 = ww_jiffies();
	struct ww_thread *t = ww_thread_create(sleeps_long, slept, "hours");

	ww_thread_get(t);
	ww_wake_up_process(t);
	ww_clock_advance(3 * 3601 * 1000ull);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(ww_load_acquire(&slept[i]) - t0, (uint64_t)(i + 1) * (3600 * 1000 + 1));
	CHECK_EQ(ww_thread_stop_put(t), 0);
}

static uint32_t seen_at[2];

static int paced(void *data)
{
	(void)data;
	while (!ww_thread_should_stop())
		if (!ww_control_wait_until(&control, RUN, ww_ktime_get_ns() + 5000000000ull))
			ww_fetch_add(&seen_at[0], 1u);
		else
			ww_fetch_add(&seen_at[1], 1u), ww_control_take(&control, RUN);
	return 0;
}

TEST(virtual_time_rules_waits_with_a_deadline_in_nanoseconds)
{
	CHECK_EQ(ww_clock_use_virtual(), 0);
	struct ww_thread *t = ww_thread_run(paced, NULL, "paced");

	ww_clock_advance(0); /* lets it fall asleep */
	ww_clock_advance(50001);
	CHECK_EQ(ww_load_acquire(&seen_at[0]), 10);
	ww_control_post(&control, RUN);
	CHECK(ww_control_wait_taken(&control, RUN, WW_MAX_TIMEOUT));
	CHECK_EQ(ww_load_acquire(&seen_at[1]), 1);
	ww_thread_stop(t);
}

// SPDX-License-Identifier: MIT
/*
 * Wait queues by hand: entries with a function of one's own, wait_woken(), keys of wake-ups, and
 * the loops of which the waits are made.
 * run: --duration 50ms
 * virtual: --duration 1h
 * expect: every waiter came back
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#define POLL_IN	 0x001
#define POLL_OUT 0x004
#define ROUNDS	 200

static DECLARE_WAIT_QUEUE_HEAD(queue);
static atomic_t served = ATOMIC_INIT(0), offered = ATOMIC_INIT(0);
static DECLARE_COMPLETION(over);

/* Takes what is offered, sleeping as a socket's reader does. */
static int reader(void *unused)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(&queue, &wait);
	while (!kthread_should_stop()) {
		if (atomic_dec_if_positive(&offered) >= 0) {
			if (atomic_inc_return(&served) == ROUNDS)
				complete(&over);
			continue;
		}
		wait_woken(&wait, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	}
	remove_wait_queue(&queue, &wait);
	return 0;
}

static void no_wake_up_is_lost(void)
{
	struct task_struct *t = kthread_run(reader, NULL, "reader");
	int i;

	for (i = 0; i < ROUNDS; i++) {
		atomic_inc(&offered);
		wake_up_interruptible(&queue);
		if (i % 16 == 0)
			usleep_range(10, 20);
	}
	wait_for_completion(&over);
	WARN_ON(kthread_stop(t));
	WARN_ON(waitqueue_active(&queue));
}

static void a_wake_up_before_the_wait_ends_it(void)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long left;

	add_wait_queue(&queue, &wait);
	wake_up(&queue);
	left = wait_woken(&wait, TASK_UNINTERRUPTIBLE, 3600 * HZ);
	WARN_ON(left != 3600 * HZ);
	WARN_ON(wait.flags & WQ_FLAG_WOKEN);
	WARN_ON(wait_woken(&wait, TASK_UNINTERRUPTIBLE, 2) != 0); /* the mark counts once */
	remove_wait_queue(&queue, &wait);
}

/* What an event file descriptor has: a function that turns a wake-up into work. */
struct watch {
	wait_queue_entry_t wait;
	struct work_struct work;
	unsigned seen;
	int calls;
	struct completion done;
};

static void watch_work(struct work_struct *work)
{
	struct watch *w = from_work(w, work, work);

	complete(&w->done);
}

static int watch_wakeup(wait_queue_entry_t *wait, unsigned mode, int sync, void *key)
{
	struct watch *w = container_of(wait, struct watch, wait);

	w->calls++;
	if (key && !(key_to_poll(key) & POLL_IN))
		return 0;
	w->seen |= key_to_poll(key);
	schedule_work(&w->work);
	return 0;
}

static void a_function_is_called_with_the_key(void)
{
	static struct watch w;

	INIT_WORK(&w.work, watch_work);
	init_completion(&w.done);
	init_waitqueue_func_entry(&w.wait, watch_wakeup);
	add_wait_queue(&queue, &w.wait);
	wake_up_poll(&queue, POLL_OUT);
	WARN_ON(w.calls != 1 || w.seen);
	wake_up_interruptible_poll(&queue, POLL_IN | POLL_OUT);
	wait_for_completion(&w.done);
	WARN_ON(w.seen != (POLL_IN | POLL_OUT));
	wake_up(&queue); /* no key: 0 */
	wait_for_completion(&w.done);
	remove_wait_queue(&queue, &w.wait);
	wake_up(&queue);
	WARN_ON(w.calls != 3);
}

/* A waiter that is woken, and taken off, only for its own key. */
struct picky {
	wait_queue_entry_t wait;
	const void *mine;
	bool woken;
};
static DECLARE_COMPLETION(asleep);
static const int one, other;

static int picky_wakeup(wait_queue_entry_t *wait, unsigned mode, int sync, void *key)
{
	struct picky *p = container_of(wait, struct picky, wait);

	if (key != p->mine)
		return 0;
	WRITE_ONCE(p->woken, true);
	return autoremove_wake_function(wait, mode, sync, key);
}

static int picky_waiter(void *arg)
{
	struct picky p = {.mine = arg};

	init_wait(&p.wait);
	p.wait.func = picky_wakeup;
	prepare_to_wait_exclusive(&queue, &p.wait, TASK_UNINTERRUPTIBLE);
	complete(&asleep);
	while (!READ_ONCE(p.woken)) {
		schedule();
		prepare_to_wait_exclusive(&queue, &p.wait, TASK_UNINTERRUPTIBLE);
	}
	finish_wait(&queue, &p.wait);
	complete(&over);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void a_key_finds_its_waiter(void)
{
	struct task_struct *a = kthread_run(picky_waiter, (void *)&one, "picky/1");
	struct task_struct *b = kthread_run(picky_waiter, (void *)&other, "picky/2");

	wait_for_completion(&asleep);
	wait_for_completion(&asleep);
	__wake_up(&queue, TASK_NORMAL, 1, (void *)&other);
	wait_for_completion(&over);
	WARN_ON(try_wait_for_completion(&over)); /* the other one sleeps on */
	__wake_up(&queue, TASK_NORMAL, 1, (void *)&one);
	wait_for_completion(&over);
	WARN_ON(kthread_stop(a) || kthread_stop(b));
	WARN_ON(waitqueue_active(&queue));
}

static bool flag;

static int setter(void *unused)
{
	msleep(2);
	WRITE_ONCE(flag, true);
	wake_up_all(&queue);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void loops_of_ones_own(void)
{
	struct task_struct *t = kthread_run(setter, NULL, "setter");
	DECLARE_WAITQUEUE(stays, current);
	DEFINE_WAIT(wait);
	long left;

	add_wait_queue(&queue, &stays);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (READ_ONCE(flag))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&queue, &stays);
	while (prepare_to_wait_event(&queue, &wait, TASK_INTERRUPTIBLE), !READ_ONCE(flag))
		schedule();
	finish_wait(&queue, &wait);
	left = ___wait_event(queue, ___wait_cond_timeout(false), TASK_UNINTERRUPTIBLE, 0, 3,
			     __ret = schedule_timeout(__ret));
	WARN_ON(left != 0);
	WARN_ON(interruptible_sleep_on_timeout(&queue, 2) != 0);
	WARN_ON(kthread_stop(t));
}

static int __init waiters_init(void)
{
	no_wake_up_is_lost();
	a_wake_up_before_the_wait_ends_it();
	a_function_is_called_with_the_key();
	a_key_finds_its_waiter();
	loops_of_ones_own();
	pr_info("every waiter came back\n");
	return 0;
}

static void __exit waiters_exit(void)
{
}

module_init(waiters_init);
module_exit(waiters_exit);
MODULE_LICENSE("Dual MIT/GPL");

// SPDX-License-Identifier: MIT
/*
 * A ring between two threads over wait queues; stopping the consumer ends its sleep.
 * run: --duration 20ms
 * expect: 2000 through the ring, sum 1999000
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#define SIZE  16
#define TOTAL 2000

static DECLARE_WAIT_QUEUE_HEAD(not_empty);
static DECLARE_WAIT_QUEUE_HEAD(not_full);
static DECLARE_WAIT_QUEUE_HEAD(finished);
static DEFINE_SPINLOCK(lock);
static unsigned int head, tail, slot[SIZE];
static unsigned long sum;
static int got;
static struct task_struct *producer, *consumer;

static bool put(unsigned int v)
{
	bool ok;

	spin_lock(&lock);
	ok = head - tail < SIZE;
	if (ok)
		slot[head++ % SIZE] = v;
	spin_unlock(&lock);
	return ok;
}

static bool take(unsigned int *v)
{
	bool ok;

	spin_lock(&lock);
	ok = head != tail;
	if (ok)
		*v = slot[tail++ % SIZE];
	spin_unlock(&lock);
	return ok;
}

static int produce(void *unused)
{
	unsigned int i;

	for (i = 0; i < TOTAL; i++) {
		wait_event(not_full, put(i));
		wake_up(&not_empty);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int consume(void *unused)
{
	DECLARE_WAITQUEUE(wait, current);
	unsigned int v;

	/* by hand, as it was done before wait_event() */
	add_wait_queue(&not_empty, &wait);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!take(&v)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		sum += v;
		wake_up(&not_full);
		WRITE_ONCE(got, got + 1);
		if (got == TOTAL)
			wake_up_all(&finished);
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&not_empty, &wait);
	return wait_event_interruptible(not_empty, false);
}

static int __init ring_init(void)
{
	consumer = kthread_run(consume, NULL, "consumer");
	producer = kthread_run(produce, NULL, "producer");
	if (!IS_ERR(producer) && !IS_ERR(consumer))
		return 0;
	return -ENOMEM;
}

static void __exit ring_exit(void)
{
	WARN_ON(!wait_event_timeout(finished, READ_ONCE(got) == TOTAL, 60 * HZ));
	WARN_ON(kthread_stop(producer));
	WARN_ON(kthread_stop(consumer) != -ERESTARTSYS);
	WARN_ON(waitqueue_active(&not_empty) || waitqueue_active(&not_full));
	pr_info("%d through the ring, sum %lu\n", got, sum);
}

module_init(ring_init);
module_exit(ring_exit);
MODULE_LICENSE("Dual MIT/GPL");

// SPDX-License-Identifier: MIT
/*
 * A counter that a work and a thread change without a lock: ThreadSanitizer must see it.
 * run: --duration 100ms
 * modes: thread
 * status: 66
 * expect: WARNING: ThreadSanitizer: data race
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static int shared;

static void add(struct work_struct *work)
{
	int i;

	for (i = 0; i < 1000; i++)
		shared++;
}
static DECLARE_WORK(work, add);

static int add_too(void *unused)
{
	add(NULL);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct task_struct *t;

static int __init races_init(void)
{
	schedule_work(&work);
	t = kthread_run(add_too, NULL, "adder");
	add(NULL);
	return 0;
}

static void __exit races_exit(void)
{
	cancel_work_sync(&work);
	kthread_stop(t);
}

module_init(races_init);
module_exit(races_exit);

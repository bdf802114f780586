// SPDX-License-Identifier: MIT
/*
 * A delayed work on its timer, one that runs and one that waits for it, all left behind.
 * run: --duration 50ms
 * modes: plain
 * status: 200
 * expect: delayed work of forgotten_later\(\) is still armed
 * expect: work of forgotten_runner\(\) is still running on "forgotten"
 * expect: work of forgotten_waiter\(\) is still queued on "forgotten"
 * expect: work queue "forgotten" has not been destroyed
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static void forgotten_later(struct work_struct *work)
{
}

static void forgotten_runner(struct work_struct *work)
{
	ssleep(1000);
}

static void forgotten_waiter(struct work_struct *work)
{
}

static DECLARE_DELAYED_WORK(later, forgotten_later);
static DECLARE_WORK(runner, forgotten_runner);
static DECLARE_WORK(waiter, forgotten_waiter);

static int __init leaves_init(void)
{
	struct workqueue_struct *wq = alloc_ordered_workqueue("forgotten", 0);

	if (!wq)
		return -ENOMEM;
	schedule_delayed_work(&later, 1000 * HZ);
	queue_work(wq, &runner);
	queue_work(wq, &waiter);
	return 0;
}

static void __exit leaves_exit(void)
{
}

module_init(leaves_init);
module_exit(leaves_exit);

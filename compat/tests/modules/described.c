// SPDX-License-Identifier: MIT
/*
 * A work says what it is about; the state of all queues shows that, and only while it runs.
 * run: --duration 1ms
 * expect: runs describe of "scribes" \(disk sda3, -EIO\)
 * expect: runs silent of "scribes"(, blocked)?$
 * refuse: something else|nobody works here
 * expect: said what it was
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static DECLARE_COMPLETION(running);
static DECLARE_COMPLETION(go_on);

static void describe(struct work_struct *work)
{
	set_worker_desc("something else");
	set_worker_desc("disk %s%d, %pe", "sda", 3, ERR_PTR(-EIO));
	complete(&running);
	wait_for_completion(&go_on);
}

static void silent(struct work_struct *work)
{
	complete(&running);
	wait_for_completion(&go_on);
}

static DECLARE_WORK(first, describe);
static DECLARE_WORK(second, silent);

static int __init described_init(void)
{
	struct workqueue_struct *wq = alloc_ordered_workqueue("scribes", 0);

	if (!wq)
		return -ENOMEM;
	queue_work(wq, &first);
	queue_work(wq, &second); /* in the same worker */
	wait_for_completion(&running);
	show_all_workqueues();
	complete(&go_on);
	wait_for_completion(&running);
	show_workqueue_state();
	complete(&go_on);
	destroy_workqueue(wq);
	set_worker_desc("nobody works here");
	pr_info("said what it was\n");
	return 0;
}

static void __exit described_exit(void)
{
}

module_init(described_init);
module_exit(described_exit);
MODULE_LICENSE("Dual MIT/GPL");

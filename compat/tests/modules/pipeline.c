// SPDX-License-Identifier: MIT
/*
 * An ordered queue: one item at a time, in the order in which they were queued, whoever queues.
 * run: --duration 10ms items=300
 * expect: 300 items in order, never two at once
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

static int items = 100;
module_param(items, int, 0444);

struct item {
	struct work_struct work;
	int number;
};

static struct workqueue_struct *queue;
static DEFINE_SPINLOCK(lock); /* numbering and queueing are one step */
static int next_number;
static int done; /* by the queue alone */
static atomic_t inside = ATOMIC_INIT(0);
static atomic_t wrong = ATOMIC_INIT(0);

static void process(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	if (atomic_inc_return(&inside) != 1 || item->number != done)
		atomic_inc(&wrong);
	done++;
	atomic_dec(&inside);
	kfree(item); /* an item may free itself */
}

static int producer(void *unused)
{
	unsigned long flags;
	bool more = true;

	while (more) {
		struct item *item = kmalloc(sizeof(*item), GFP_KERNEL);

		if (!item)
			return -ENOMEM;
		INIT_WORK(&item->work, process);
		spin_lock_irqsave(&lock, flags);
		more = next_number < items;
		if (more) {
			item->number = next_number++;
			queue_work(queue, &item->work);
		}
		spin_unlock_irqrestore(&lock, flags);
		if (!more)
			kfree(item);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct task_struct *producers[3];

static int __init pipeline_init(void)
{
	int i;

	queue = alloc_ordered_workqueue("pipeline/%d", WQ_MEM_RECLAIM, 1);
	if (!queue)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(producers); i++)
		producers[i] = kthread_run(producer, NULL, "producer/%d", i);
	return 0;
}

static void __exit pipeline_exit(void)
{
	int i;

	for (i = 0; i < 2000; i++) {
		spin_lock(&lock);
		if (next_number == items)
			i = 2000;
		spin_unlock(&lock);
		schedule_timeout_uninterruptible(HZ / 100);
	}
	for (i = 0; i < ARRAY_SIZE(producers); i++)
		WARN_ON(kthread_stop(producers[i]));
	destroy_workqueue(queue); /* runs what is queued first */
	if (!atomic_read(&wrong))
		pr_info("%d items in order, never two at once\n", done);
}

module_init(pipeline_init);
module_exit(pipeline_exit);
MODULE_LICENSE("Dual MIT/GPL");

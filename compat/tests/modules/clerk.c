// SPDX-License-Identifier: MIT
/*
 * A kthread_worker: strict order on one thread, delayed items, put off and cancelled.
 * run: --duration 30ms
 * expect: the clerk did 50 in order, and 1 later
 */
#include <linux/kthread.h>
#include <linux/module.h>

#define LETTERS 50

struct letter {
	struct kthread_work work;
	int number;
};

static struct kthread_worker *clerk;
static struct letter letter[LETTERS];
static struct kthread_delayed_work reminder;
static int done, reminders;

static void answer(struct kthread_work *work)
{
	struct letter *l = container_of(work, struct letter, work);

	WARN_ON(l->number != done);
	done++;
}

static void remind(struct kthread_work *work)
{
	reminders++;
}

static int __init clerk_init(void)
{
	int i;

	clerk = kthread_run_worker(0, "clerk/%d", 7);
	if (IS_ERR(clerk))
		return PTR_ERR(clerk);
	for (i = 0; i < LETTERS; i++) {
		letter[i].number = i;
		kthread_init_work(&letter[i].work, answer);
		WARN_ON(!kthread_queue_work(clerk, &letter[i].work));
	}
	kthread_flush_worker(clerk);
	WARN_ON(done != LETTERS);

	kthread_init_delayed_work(&reminder, remind);
	WARN_ON(!kthread_queue_delayed_work(clerk, &reminder, 100 * HZ));
	WARN_ON(kthread_queue_delayed_work(clerk, &reminder, 0));
	WARN_ON(!kthread_mod_delayed_work(clerk, &reminder, 1));
	kthread_flush_work(&reminder.work);
	WARN_ON(reminders != 1);
	WARN_ON(kthread_mod_delayed_work(clerk, &reminder, 100 * HZ));
	WARN_ON(!kthread_cancel_delayed_work_sync(&reminder));
	WARN_ON(kthread_cancel_delayed_work_sync(&reminder));
	return 0;
}

static void __exit clerk_exit(void)
{
	kthread_destroy_worker(clerk);
	pr_info("the clerk did %d in order, and %d later\n", done, reminders);
}

module_init(clerk_init);
module_exit(clerk_exit);
MODULE_LICENSE("Dual MIT/GPL");

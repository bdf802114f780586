// SPDX-License-Identifier: MIT
/*
 * A delayed work that polls, is poked to run at once, and is put off: with the return values that
 * each call promises.
 * run: --duration 1s
 * expect: polled [1-9]
 * expect: poked: it ran within the call's flush
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static void poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(poller, poll);
static struct delayed_work once;
static unsigned long polls;
static int ran;

static void poll(struct work_struct *work)
{
	struct delayed_work *dwork = to_delayed_work(work);

	WRITE_ONCE(polls, polls + 1);
	WARN_ON(current_work() != work);
	schedule_delayed_work(dwork, msecs_to_jiffies(10));
}

static void note(struct work_struct *work)
{
	WRITE_ONCE(ran, ran + 1);
}

static void polarity(void)
{
	WARN_ON(!queue_delayed_work(system_percpu_wq, &once, 100 * HZ)); /* newly queued */
	WARN_ON(queue_delayed_work(system_percpu_wq, &once, 0));	 /* already */
	WARN_ON(!mod_delayed_work(system_percpu_wq, &once, 200 * HZ));	 /* was pending */
	WARN_ON(work_busy(&once.work) != WORK_BUSY_PENDING);
	WARN_ON(READ_ONCE(ran));
	WARN_ON(!mod_delayed_work(system_percpu_wq, &once, 0)); /* now, whatever the timer said */
	flush_delayed_work(&once);
	WARN_ON(READ_ONCE(ran) != 1);
	pr_info("poked: it ran within the call's flush\n");
	WARN_ON(mod_delayed_work(system_unbound_wq, &once, 100 * HZ)); /* was idle */
	WARN_ON(!cancel_delayed_work_sync(&once));
	WARN_ON(cancel_delayed_work_sync(&once));
	WARN_ON(flush_delayed_work(&once));
	WARN_ON(READ_ONCE(ran) != 1);
	queue_delayed_work(system_percpu_wq, &once, 100 * HZ);
	WARN_ON(!flush_delayed_work(&once)); /* now, and waited for */
	WARN_ON(READ_ONCE(ran) != 2);
	WARN_ON(disable_delayed_work_sync(&once));
	WARN_ON(schedule_delayed_work(&once, 0));
	WARN_ON(!enable_delayed_work(&once));
}

static int __init poller_init(void)
{
	INIT_DELAYED_WORK(&once, note);
	polarity();
	schedule_delayed_work(&poller, 0);
	return 0;
}

static void __exit poller_exit(void)
{
	int i;

	for (i = 0; i < 500 && !READ_ONCE(polls); i++)
		msleep(10);
	cancel_delayed_work_sync(&poller);
	pr_info("polled %lu times\n", polls);
}

module_init(poller_init);
module_exit(poller_exit);
MODULE_LICENSE("Dual MIT/GPL");

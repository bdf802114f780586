// SPDX-License-Identifier: MIT
/*
 * Code as it was written between 2.6 and 6.15: the names that the kernel has given up since.
 * run: --duration 50ms
 * expect: all the old names work
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/semaphore.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static struct timer_list timer;
static DECLARE_COMPLETION(done);
static DECLARE_MUTEX(sem);
static struct workqueue_struct *single, *freezing_wq;
static int runs;

static void fired(struct timer_list *t)
{
	complete(&done);
}

static void count(struct work_struct *work)
{
	runs++;
}

static DECLARE_WORK(plain, count);
static DECLARE_DELAYED_WORK(later, count);

static void timers(void)
{
	timer_setup(&timer, fired, TIMER_DEFERRABLE);
	timer_setup(&timer, fired, 0);
	set_timer_slack(&timer, HZ / 100);
	mod_timer(&timer, jiffies + 1);
	wait_for_completion(&done);
	INIT_COMPLETION(done);
	del_timer_sync(&timer); /* the callback may not be quite over */
	mod_timer(&timer, jiffies + 100 * HZ);
	WARN_ON(try_to_del_timer_sync(&timer) != 1);
	mod_timer(&timer, round_jiffies(jiffies + 100 * HZ));
	WARN_ON(del_timer(&timer) != 1);
	WARN_ON(del_timer_sync(&timer) != 0);
	WARN_ON(del_singleshot_timer_sync(&timer) != 0);
	WARN_ON(del_single_shot_timer_sync(&timer) != 0);
}

static void works(void)
{
	single = create_singlethread_workqueue("single");
	freezing_wq = create_freezeable_workqueue("freezing");
	queue_work(single, &plain);
	flush_workqueue(single);
	queue_work(single, &plain);
	WARN_ON(!flush_work_sync(&plain) && runs < 2);
	WARN_ON(runs != 2);

	/* one call instead of cancel and queue, as of 2008: it says nothing of what was */
	queue_update_delayed_work(single, &later, 100 * HZ);
	queue_update_delayed_work(single, &later, 1);
	while (delayed_work_pending(&later))
		msleep(1);
	flush_workqueue(single);
	WARN_ON(runs != 3);

	schedule_update_delayed_work(&later, 100 * HZ);
	WARN_ON(!__cancel_delayed_work(&later));
	schedule_delayed_work(&later, 100 * HZ);
	cancel_rearming_delayed_work(&later);
	queue_delayed_work(single, &later, 100 * HZ);
	cancel_rearming_delayed_workqueue(single, &later);
	WARN_ON(runs != 3);
	schedule_work(&plain);
	flush_scheduled_work();
	WARN_ON(runs != 4);
	WARN_ON(!system_nrt_wq || system_wq != system_percpu_wq);
	destroy_workqueue(single);
	destroy_workqueue(freezing_wq);
}

static int __init old_init(void)
{
	timers();
	works();
	down(&sem);
	WARN_ON(!down_trylock(&sem));
	up(&sem);
	printk(KERN_INFO "all the old names work, %lu s after the epoch\n", get_seconds());
	return 0;
}

static void __exit old_exit(void)
{
}

module_init(old_init);
module_exit(old_exit);
MODULE_LICENSE("Dual MIT/GPL");

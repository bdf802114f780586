// SPDX-License-Identifier: MIT
/*
 * Sleeps of every kind take at least what was asked; a long one is instant where time is virtual.
 * run: --duration 10ms ms=20
 * virtual: --duration 1h ms=3600000
 * expect: slept as long as asked
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static unsigned int ms = 10;
module_param(ms, uint, 0444);

#define AT_LEAST(ns, sleep)                                                                        \
	do {                                                                                       \
		ktime_t from = ktime_get();                                                        \
		sleep;                                                                             \
		WARN_ON(ktime_to_ns(ktime_sub(ktime_get(), from)) < (s64)(ns));                    \
	} while (0)

static int dozer(void *unused)
{
	unsigned long left = msleep_interruptible(1000000000);

	WARN_ON(left == 0 || left > 1000000001);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int __init sleeper_init(void)
{
	struct task_struct *t = kthread_run(dozer, NULL, "dozer");
	unsigned long from;

	AT_LEAST(ms * 1000000LL, msleep(ms));
	AT_LEAST(300 * 1000, usleep_range(300, 400));
	AT_LEAST(200 * 1000, udelay(200));
	AT_LEAST(2000000, mdelay(2));
	from = jiffies;
	WARN_ON(schedule_timeout_uninterruptible(5) != 0);
	WARN_ON(jiffies - from < 5);
	__set_current_state(TASK_RUNNING);
	WARN_ON(schedule_timeout(HZ) < HZ - 5); /* RUNNING: returns at once */
	WARN_ON(kthread_stop(t));
	WARN_ON(ktime_ms_delta(ktime_get(), ktime_sub_ms(ktime_get(), 5)) > 5 + 1000);
	pr_info("slept as long as asked\n");
	return 0;
}

static void __exit sleeper_exit(void)
{
}

module_init(sleeper_init);
module_exit(sleeper_exit);
MODULE_LICENSE("Dual MIT/GPL");

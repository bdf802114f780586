// SPDX-License-Identifier: MIT
/*
 * An init function that fails and leaves a timer armed: named as at the end of any other run, and
 * the exit status is still init's.
 * run: --duration 1h
 * status: 19
 * expect: half_way_init\(\) returned -19 \(No such device\)
 * expect: ^timer of nobody_home\(\) is still armed$
 * refuse: must not run
 */
#include <linux/module.h>
#include <linux/timer.h>

static struct timer_list timer;

static void nobody_home(struct timer_list *t)
{
	pr_info("must not run\n");
}

static int __init half_way_init(void)
{
	timer_setup(&timer, nobody_home, 0);
	mod_timer(&timer, jiffies + 3600 * HZ);
	return -ENODEV;
}

static void __exit half_way_exit(void)
{
	pr_info("must not run\n");
}

module_init(half_way_init);
module_exit(half_way_exit);
MODULE_LICENSE("Dual MIT/GPL");

// SPDX-License-Identifier: MIT
/*
 * Leaves a timer of before 4.15 armed, and a high-resolution one: named by the function that would
 * run, not by what calls it.
 * cflags: --kernel 2.6.32
 * run: --duration 1ms
 * status: 200
 * expect: ^timer of too_late\(\) is still armed$
 * expect: ^hrtimer of far_too_late\(\) is still armed$
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/timer.h>

static struct timer_list timer;
static struct hrtimer fine;

static void too_late(unsigned long data)
{
}

static enum hrtimer_restart far_too_late(struct hrtimer *t)
{
	return HRTIMER_NORESTART;
}

static int __init leave_init(void)
{
	init_timer(&timer);
	timer.function = too_late;
	timer.expires = jiffies + 3600 * HZ;
	add_timer(&timer);
	hrtimer_init(&fine, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	fine.function = far_too_late;
	hrtimer_start(&fine, ktime_set(3600, 0), HRTIMER_MODE_REL);
	return 0;
}

static void __exit leave_exit(void)
{
}

module_init(leave_init);
module_exit(leave_exit);
MODULE_LICENSE("Dual MIT/GPL");

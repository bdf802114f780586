// SPDX-License-Identifier: MIT
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#include "greeter.h"

static int times = 1;
module_param(times, int, 0444);
MODULE_PARM_DESC(times, "how often to greet");

struct delayed_work greeter;

static void greet(struct work_struct *work)
{
	pr_info("hello from %s\n", KBUILD_MODNAME);
	WRITE_ONCE(times, times - 1);
	if (times > 0)
		schedule_delayed_work(&greeter, 1);
}

int __init init_module(void)
{
	INIT_DELAYED_WORK(&greeter, greet);
	schedule_delayed_work(&greeter, 0);
	while (READ_ONCE(times) > 0)
		msleep(1);
	return 0;
}

MODULE_DESCRIPTION("greets");

// SPDX-License-Identifier: MIT
#include <linux/module.h>
#include <linux/workqueue.h>

#include "greeter.h"

void __exit cleanup_module(void)
{
	cancel_delayed_work_sync(&greeter);
	pr_info("goodbye\n");
}

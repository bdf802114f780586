// SPDX-License-Identifier: MIT
/*
 * A timer that module_exit() forgets: a kernel would jump into memory that is no longer there.
 * run: --duration 1ms
 * modes: plain virtual
 * status: 200
 * expect: timer of forgotten_callback\(\) is still armed
 */
#include <linux/module.h>
#include <linux/timer.h>

static void forgotten_callback(struct timer_list *t)
{
}
static DEFINE_TIMER(timer, forgotten_callback);

static int __init leaves_init(void)
{
	mod_timer(&timer, jiffies + 1000 * HZ);
	return 0;
}

static void __exit leaves_exit(void)
{
}

module_init(leaves_init);
module_exit(leaves_exit);

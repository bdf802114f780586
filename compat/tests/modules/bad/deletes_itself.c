// SPDX-License-Identifier: MIT
/*
 * A synchronous delete from the timer's own callback is reported by name; it does not hang.
 * run: --duration 50ms
 * modes: plain virtual
 * status: 0
 * expect: deletes_itself_callback
 * expect: it went on
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/timer.h>

static void deletes_itself_callback(struct timer_list *t)
{
	timer_delete_sync(t);
	pr_info("it went on\n");
}
static DEFINE_TIMER(timer, deletes_itself_callback);

static int __init deletes_init(void)
{
	mod_timer(&timer, jiffies + 1);
	return 0;
}

static void __exit deletes_exit(void)
{
	msleep(50);
	timer_delete_sync(&timer);
}

module_init(deletes_init);
module_exit(deletes_exit);

// SPDX-License-Identifier: MIT
/*
 * A spinlock taken twice by one thread is a BUG with its name, instead of a hang.
 * run: --duration 1ms
 * modes: plain
 * status: -6
 * expect: kernel BUG at .*spinlock &the_lock.*taken twice
 */
#include <linux/module.h>
#include <linux/spinlock.h>

static DEFINE_SPINLOCK(the_lock);

static int __init locks_init(void)
{
	spin_lock(&the_lock);
	spin_lock(&the_lock);
	return 0;
}

static void __exit locks_exit(void)
{
}

module_init(locks_init);
module_exit(locks_exit);

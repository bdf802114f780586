// SPDX-License-Identifier: MIT
/*
 * A thread that nobody stops, a cache that nobody destroys.
 * run: --duration 1ms
 * modes: plain virtual
 * status: 200
 * expect: kthread "wanderer" \(wander\) has not been stopped
 * expect: kmem_cache "things" has not been destroyed \(1 object
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

static int wander(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int __init leaves_init(void)
{
	struct kmem_cache *c = kmem_cache_create("things", 40, 0, 0, NULL);

	kthread_run(wander, NULL, "wanderer");
	return kmem_cache_alloc(c, GFP_KERNEL) ? 0 : -ENOMEM;
}

static void __exit leaves_exit(void)
{
}

module_init(leaves_init);
module_exit(leaves_exit);

// SPDX-License-Identifier: MIT
/*
 * An object freed after a delete that does not wait, while its callback runs: AddressSanitizer
 * must see it.
 * run: --duration 100ms
 * modes: address
 * status: 99
 * expect: heap-use-after-free
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>

struct object {
	struct timer_list timer;
	int value;
};

static DECLARE_COMPLETION(running);
static DECLARE_COMPLETION(freed);

static void uses_object(struct timer_list *t)
{
	struct object *o = from_timer(o, t, timer);

	complete(&running);
	while (!completion_done(&freed))
		cpu_relax();
	o->value++;
}

static int __init frees_init(void)
{
	struct object *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return -ENOMEM;
	timer_setup(&o->timer, uses_object, 0);
	mod_timer(&o->timer, jiffies + 1);
	wait_for_completion(&running);
	timer_delete(&o->timer);
	kfree(o);
	complete_all(&freed);
	msleep(20);
	return 0;
}

static void __exit frees_exit(void)
{
}

module_init(frees_init);
module_exit(frees_exit);

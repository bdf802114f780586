// SPDX-License-Identifier: MIT
/*
 * A timer that re-arms itself, and that nothing can re-arm once it has been shut down.
 * run: --duration 2s period_ms=20 beats=5
 * expect: beat 5 of 5
 * expect: shut down after 5 beats
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/timer.h>

static unsigned int period_ms = 100;
module_param(period_ms, uint, 0444);
MODULE_PARM_DESC(period_ms, "milliseconds between two beats");
static int beats = 3;
module_param(beats, int, 0444);
MODULE_PARM_DESC(beats, "how many beats before it falls silent");

struct heart {
	struct timer_list timer;
	int count;
	unsigned long next;
};

static struct heart heart;

static void beat(struct timer_list *t)
{
	struct heart *h = timer_container_of(h, t, timer);

	WARN_ON(time_before_eq(jiffies, h->next)); /* never early: one whole tick more */
	WARN_ON(timer_pending(t));
	h->count++;
	pr_info("beat %d of %d\n", h->count, beats);
	if (h->count < beats) {
		h->next = jiffies + msecs_to_jiffies(period_ms);
		WARN_ON(mod_timer(t, h->next));
	}
}

static int __init heartbeat_init(void)
{
	timer_setup(&heart.timer, beat, 0);
	heart.next = jiffies + msecs_to_jiffies(period_ms);
	heart.timer.expires = heart.next;
	add_timer(&heart.timer);
	WARN_ON(!timer_pending(&heart.timer));
	return 0;
}

static void __exit heartbeat_exit(void)
{
	timer_shutdown_sync(&heart.timer);
	WARN_ON(mod_timer(&heart.timer, jiffies + 1) != 0);
	WARN_ON(timer_pending(&heart.timer));
	pr_info("shut down after %d beats\n", heart.count);
}

module_init(heartbeat_init);
module_exit(heartbeat_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("a timer that re-arms itself");

// SPDX-License-Identifier: MIT
/*
 * An interrupt played by a timer: its top half schedules a tasklet, the tasklet a work.
 * run: --duration 100ms
 * expect: irqs [1-9][0-9]*, all handled
 */
#include <linux/interrupt.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>

struct packet {
	struct llist_node node;
	int number;
};

static struct timer_list line;
static LLIST_HEAD(received);
static atomic_t irqs = ATOMIC_INIT(0), handled = ATOMIC_INIT(0), inside = ATOMIC_INIT(0);

static void deliver(struct work_struct *work);
static DECLARE_WORK(deliverer, deliver);

static void bottom(struct tasklet_struct *t)
{
	WARN_ON(atomic_inc_return(&inside) != 1);
	if (!llist_empty(&received))
		schedule_work(&deliverer);
	atomic_dec(&inside);
}
static DECLARE_TASKLET(bottom_half, bottom);

static int old_style_runs;
static void old_style(unsigned long data)
{
	WARN_ON(data != 17);
	old_style_runs++;
}

static void deliver(struct work_struct *work)
{
	struct llist_node *batch = llist_reverse_order(llist_del_all(&received));
	struct packet *p, *n;
	int last = 0;

	llist_for_each_entry_safe (p, n, batch, node) {
		WARN_ON(p->number <= last);
		last = p->number;
		kfree(p);
		atomic_inc(&handled);
	}
}

static irqreturn_t top(void)
{
	struct packet *p = kmalloc(sizeof(*p), GFP_ATOMIC);

	if (!p)
		return IRQ_NONE;
	p->number = atomic_inc_return(&irqs);
	llist_add(&p->node, &received);
	tasklet_hi_schedule(&bottom_half);
	return IRQ_HANDLED;
}

static void interrupt(struct timer_list *t)
{
	WARN_ON(top() != IRQ_HANDLED);
	mod_timer(t, jiffies + 1);
}

static int __init irq_init(void)
{
	struct tasklet_struct old;

	tasklet_init(&old, old_style, 17);
	tasklet_disable(&old);
	tasklet_schedule(&old);
	WARN_ON(READ_ONCE(old_style_runs));
	tasklet_enable(&old);
	tasklet_kill(&old);
	WARN_ON(old_style_runs != 1);
	timer_setup(&line, interrupt, TIMER_PINNED);
	mod_timer(&line, jiffies + 1);
	return 0;
}

static void __exit irq_exit(void)
{
	timer_delete_sync(&line);
	tasklet_kill(&bottom_half);
	flush_work(&deliverer);
	if (atomic_read(&irqs) == atomic_read(&handled))
		pr_info("irqs %d, all handled\n", atomic_read(&irqs));
}

module_init(irq_init);
module_exit(irq_exit);
MODULE_LICENSE("Dual MIT/GPL");

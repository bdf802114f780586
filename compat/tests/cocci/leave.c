// SPDX-License-Identifier: MIT
// Shapes that look alike and mean something else: none of them may be touched.
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

struct port {
	struct delayed_work poll, stats, moving, wandering;
	struct timer_list watchdog, other;
	struct workqueue_struct *wq, *slow_wq;
	spinlock_t lock;
	int generation;
};

struct port *next_port(struct port *p);

void something_between(struct port *p)
{
	cancel_delayed_work(&p->poll);
	p->generation++;
	queue_delayed_work(p->wq, &p->poll, HZ);
}

void a_lock_dropped(struct port *p)
{
	spin_lock(&p->lock);
	cancel_delayed_work(&p->poll);
	spin_unlock(&p->lock);
	queue_delayed_work(p->wq, &p->poll, HZ);
}

void another_item(struct port *p)
{
	cancel_delayed_work(&p->poll);
	queue_delayed_work(p->wq, &p->stats, HZ);
}

void first_queue(struct port *p)
{
	queue_delayed_work(p->wq, &p->moving, HZ);
}

void to_another_queue(struct port *p)
{
	cancel_delayed_work(&p->moving);
	queue_delayed_work(p->slow_wq, &p->moving, HZ);
}

void first_the_system_queue(struct port *p)
{
	schedule_delayed_work(&p->wandering, HZ);
}

void then_a_queue_of_its_own(struct port *p)
{
	cancel_delayed_work(&p->wandering);
	queue_delayed_work(p->wq, &p->wandering, HZ);
}

void waits_for_the_handler(struct port *p)
{
	cancel_delayed_work_sync(&p->poll);
	queue_delayed_work(p->wq, &p->poll, HZ);
}

void only_if_it_was_pending(struct port *p)
{
	if (cancel_delayed_work(&p->poll))
		queue_delayed_work(p->wq, &p->poll, HZ);
}

bool the_result_counts(struct port *p)
{
	cancel_delayed_work(&p->poll);
	return queue_delayed_work(p->wq, &p->poll, HZ);
}

void the_first_result_counts(struct port *p)
{
	p->generation += cancel_delayed_work(&p->poll);
	queue_delayed_work(p->wq, &p->poll, HZ);
}

void evaluated_twice(struct port *p)
{
	cancel_delayed_work(&next_port(p)->poll);
	queue_delayed_work(p->wq, &next_port(p)->poll, HZ);
}

void a_branch_between(struct port *p)
{
	cancel_delayed_work(&p->poll);
	if (p->generation)
		queue_delayed_work(p->wq, &p->poll, HZ);
}

void only_if_idle(struct port *p)
{
	if (!delayed_work_pending(&p->poll))
		queue_delayed_work(p->wq, &p->poll, HZ);
}

void another_timer(struct port *p)
{
	del_timer(&p->watchdog);
	mod_timer(&p->other, jiffies + HZ);
}

void timer_sync(struct port *p)
{
	timer_delete_sync(&p->watchdog);
	mod_timer(&p->watchdog, jiffies + HZ);
}

void timer_only_if_pending(struct port *p)
{
	if (timer_pending(&p->watchdog))
		mod_timer(&p->watchdog, jiffies + HZ);
}

void timer_test_before_sync(struct port *p)
{
	if (timer_pending(&p->watchdog))
		timer_delete_sync(&p->watchdog);
}

void timer_changed_between(struct port *p, void (*fn)(struct timer_list *))
{
	del_timer(&p->watchdog);
	p->watchdog.function = fn;
	p->watchdog.expires = jiffies + HZ;
	add_timer(&p->watchdog);
}

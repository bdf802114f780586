// SPDX-License-Identifier: MIT
// Every shape that is moved over. Between the markers stands one shape; "becomes" says to what.
#include <linux/timer.h>
#include <linux/workqueue.h>

struct port {
	struct delayed_work poll, stats;
	struct timer_list watchdog;
	struct timer_list *shared;
	struct workqueue_struct *wq;
	struct port *peer;
	int id;
};

void cancel_then_queue(struct port *p, unsigned long delay)
{
	cancel_delayed_work(&p->poll);
	queue_delayed_work(p->wq, &p->poll, delay);
	// becomes: mod_delayed_work(p->wq, &p->poll, delay);
}

void old_cancel_then_queue(struct port *p)
{
	__cancel_delayed_work(&p->poll);
	queue_delayed_work(p->wq, &p->poll, HZ / 2);
	// becomes: mod_delayed_work(p->wq, &p->poll, HZ / 2);
}

void test_cancel_queue(struct port *p)
{
	if (delayed_work_pending(&p->poll))
		cancel_delayed_work(&p->poll);
	queue_delayed_work(p->wq, &p->poll, p->id * HZ);
	// becomes: mod_delayed_work(p->wq, &p->poll, p->id * HZ);
}

void cancel_then_schedule(struct port *p)
{
	cancel_delayed_work(&p->stats);
	schedule_delayed_work(&p->stats, msecs_to_jiffies(100));
	// becomes: mod_delayed_work(system_wq, &p->stats, msecs_to_jiffies(100));
}

void on_a_cpu(struct port *p)
{
	cancel_delayed_work(&p->poll);
	queue_delayed_work_on(p->id, p->wq, &p->poll, 1);
	// becomes: mod_delayed_work_on(p->id, p->wq, &p->poll, 1);
}

void inside_of_a_branch(struct port *p)
{
	if (p->id) {
		cancel_delayed_work(&p->peer->poll);
		queue_delayed_work(p->wq, &p->peer->poll, 0);
		// becomes: mod_delayed_work(p->wq, &p->peer->poll, 0);
	}
}

void queue_or_again(struct port *p)
{
	if (!queue_delayed_work(p->wq, &p->poll, HZ)) {
		cancel_delayed_work(&p->poll);
		queue_delayed_work(p->wq, &p->poll, HZ);
	}
	// becomes: mod_delayed_work(p->wq, &p->poll, HZ);
}

void cancel_then_now(struct port *p)
{
	cancel_delayed_work(&p->poll);
	queue_work(p->wq, &p->poll.work);
	// becomes: mod_delayed_work(p->wq, &p->poll, 0);
}

void delete_set_add(struct port *p)
{
	del_timer(&p->watchdog);
	p->watchdog.expires = jiffies + 5 * HZ;
	add_timer(&p->watchdog);
	// becomes: mod_timer(&p->watchdog, jiffies + 5 * HZ);
}

void delete_set_add_by_pointer(struct port *p)
{
	timer_delete(p->shared);
	p->shared->expires = jiffies + HZ;
	add_timer(p->shared);
	// becomes: mod_timer(p->shared, jiffies + HZ);
}

void test_delete_mod(struct port *p)
{
	if (timer_pending(&p->watchdog))
		timer_delete(&p->watchdog);
	mod_timer(&p->watchdog, jiffies + HZ);
	// becomes: mod_timer(&p->watchdog, jiffies + HZ);
}

void move_or_add(struct port *p)
{
	if (timer_pending(&p->watchdog)) {
		mod_timer(&p->watchdog, jiffies + 2 * HZ);
	} else {
		p->watchdog.expires = jiffies + 2 * HZ;
		add_timer(&p->watchdog);
	}
	// becomes: mod_timer(&p->watchdog, jiffies + 2 * HZ);
}

void test_then_delete(struct port *p)
{
	if (timer_pending(&p->watchdog))
		del_timer(&p->watchdog);
	// becomes: del_timer(&p->watchdog);
}

void test_then_cancel(struct port *p)
{
	if (delayed_work_pending(&p->poll))
		cancel_delayed_work(&p->poll);
	// becomes: cancel_delayed_work(&p->poll);
}

// SPDX-License-Identifier: MIT
/*
 * Connections whose idle deadline is pushed out by each packet: it never fires while packets come,
 * and fires once they stop.
 * run: --duration 2s
 * expect: 8 connections closed, none of them early
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>

#define CONNECTIONS 8
#define IDLE	    (HZ / 10)

struct connection {
	struct timer_list idle;
	unsigned long promised; /* mod_timer() said that it will not fire before */
	atomic_t closed;
};

static struct connection *conn[CONNECTIONS];
static struct task_struct *sender;
static atomic_t closed = ATOMIC_INIT(0), early = ATOMIC_INIT(0);

static void idle_timeout(struct timer_list *t)
{
	struct connection *c = from_timer(c, t, idle);

	if (time_before_eq(jiffies, READ_ONCE(c->promised)))
		atomic_inc(&early);
	WARN_ON(atomic_inc_return(&c->closed) != 1);
	atomic_inc(&closed);
}

static int send_packets(void *unused)
{
	int i;

	for (i = 0; i < 2000 && !kthread_should_stop(); i++) {
		struct connection *c = conn[i % CONNECTIONS];
		unsigned long deadline = jiffies + IDLE;

		if (atomic_read(&c->closed))
			continue; /* this machine was away for longer than the deadline */
		if (mod_timer(&c->idle, deadline))
			WRITE_ONCE(c->promised, deadline);
		else
			timer_delete_sync(&c->idle); /* it fires just now, or has */
		if (i % 100 == 99)
			msleep(1);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int __init idle_init(void)
{
	int i;

	for (i = 0; i < CONNECTIONS; i++) {
		conn[i] = kzalloc(sizeof(*conn[i]), GFP_KERNEL);
		if (!conn[i])
			goto no_memory;
		timer_setup(&conn[i]->idle, idle_timeout, 0);
		conn[i]->promised = jiffies;
		mod_timer(&conn[i]->idle, jiffies + IDLE);
	}
	sender = kthread_run(send_packets, NULL, "sender");
	if (!IS_ERR(sender))
		return 0;
no_memory:
	while (i-- > 0) {
		timer_delete_sync(&conn[i]->idle);
		kfree(conn[i]);
	}
	return -ENOMEM;
}

static void __exit idle_exit(void)
{
	int i;

	kthread_stop(sender);
	for (i = 0; i < 200 && atomic_read(&closed) < CONNECTIONS; i++)
		msleep(10);
	for (i = 0; i < CONNECTIONS; i++) {
		timer_delete_sync(&conn[i]->idle);
		kfree(conn[i]);
	}
	pr_info("%d connections closed, %s of them early\n", atomic_read(&closed),
		atomic_read(&early) ? "some" : "none");
}

module_init(idle_init);
module_exit(idle_exit);
MODULE_LICENSE("Dual MIT/GPL");

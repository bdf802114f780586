// SPDX-License-Identifier: MIT
/*
 * Timers as code of before 4.15 has them: a callback with an unsigned long, in every spelling.
 * cflags: --kernel 4.14
 * run: --duration 200ms
 * virtual: --duration 1h
 * expect: all armed, one left to the exit
 */
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE != KERNEL_VERSION(4, 14, 0)
#error "--kernel is not what it says"
#endif

struct session {
	struct timer_list idle;
	unsigned long started;
	int fired;
};

static DECLARE_COMPLETION(done);
static atomic_t sum = ATOMIC_INIT(0);
static unsigned long seen_data;

static void add(unsigned long data)
{
	atomic_add((int)data, &sum);
	complete(&done);
}

static void remember(unsigned long data)
{
	seen_data = data;
	complete(&done);
}

static struct timer_list bare; /* filled in by hand */
static DEFINE_TIMER(defined, add, 0, 100);
static DEFINE_TIMER(defined_later, NULL, 0, 0);
static struct timer_list table[] = {
	TIMER_INITIALIZER(add, 0, 1),
	TIMER_DEFERRED_INITIALIZER(add, 0, 2),
	TIMER_PINNED_INITIALIZER(add, 0, 3),
	TIMER_PINNED_DEFERRED_INITIALIZER(add, 0, 4),
};
static struct timer_list periodic, at_exit;

static void session_over(unsigned long data)
{
	struct session *s = (struct session *)data;

	WARN_ON(time_before(jiffies, s->started + 2));
	kfree(s); /* its own timer is in it */
	complete(&done);
}

/* The deadline stands in the timer, as whoever re-arms from it expects. */
static void tick(unsigned long data)
{
	unsigned long *left = (unsigned long *)data;

	if (--*left)
		mod_timer(&periodic, periodic.expires + 1);
	else
		complete(&done);
}

/* 4.14 had the form of today as well. */
static void of_today(struct timer_list *t)
{
	struct session *s = from_timer(s, t, idle);

	s->fired++;
	complete(&done);
}

static void by_hand(void)
{
	bare.function = remember;
	bare.data = 42;
	bare.expires = jiffies + 1;
	init_timer(&bare);
	add_timer(&bare);
	wait_for_completion(&done);
	WARN_ON(seen_data != 42);
	WARN_ON(del_timer_sync(&bare));
	init_timer_deferrable(&bare);
	WARN_ON(bare.function != remember || bare.data != 42);
	bare.data = 43;
	mod_timer(&bare, jiffies + 1000 * HZ);
	WARN_ON(!timer_pending(&bare));
	WARN_ON(mod_timer_pending(&bare, jiffies + 1000 * HZ) != 1);
	WARN_ON(try_to_del_timer_sync(&bare) != 1);
	WARN_ON(del_timer(&bare) != 0);
}

static void initialised(void)
{
	size_t i;

	mod_timer(&defined, jiffies);
	wait_for_completion(&done);
	defined_later.function = add;
	defined_later.data = 1000;
	mod_timer(&defined_later, jiffies);
	wait_for_completion(&done);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		/* a deferrable one fires when something else does */
		mod_timer(&table[i], jiffies);
		mod_timer(&defined, jiffies + 1);
		wait_for_completion(&done);
		wait_for_completion(&done);
		del_timer_sync(&table[i]);
		del_timer_sync(&defined);
	}
	WARN_ON(atomic_read(&sum) != 100 + 1000 + 1 + 2 + 3 + 4 + 4 * 100);
}

static void set_up(void)
{
	struct timer_list on_stack;
	struct session *s = kzalloc(sizeof(*s), GFP_KERNEL);
	static struct session today;
	static unsigned long left = 5;

	if (WARN_ON(!s))
		return;
	s->started = jiffies;
	setup_timer(&s->idle, session_over, (unsigned long)s);
	s->idle.expires = jiffies + 2;
	add_timer(&s->idle);
	wait_for_completion(&done);

	setup_timer_on_stack(&on_stack, remember, 7);
	mod_timer(&on_stack, jiffies + 1);
	wait_for_completion(&done);
	del_singleshot_timer_sync(&on_stack);
	destroy_timer_on_stack(&on_stack);
	WARN_ON(seen_data != 7);

	setup_pinned_timer(&periodic, tick, (unsigned long)&left);
	mod_timer(&periodic, jiffies + 1);
	wait_for_completion(&done);
	del_timer_sync(&periodic);

	timer_setup(&today.idle, of_today, 0);
	mod_timer(&today.idle, jiffies + 1);
	wait_for_completion(&done);
	del_timer_sync(&today.idle);
	WARN_ON(today.fired != 1);
}

static void ran(struct work_struct *work)
{
	complete(&done);
}

static DECLARE_DELAYED_WORK(later, ran);

/* The timer in a delayed work is of the other type. */
static void inside_of_works(void)
{
	schedule_delayed_work(&later, 1000 * HZ);
	WARN_ON(!timer_pending(&later.timer));
	WARN_ON(!cancel_delayed_work_sync(&later));
	WARN_ON(timer_pending(&later.timer));
}

static void old_tasklet(unsigned long data)
{
	seen_data = data;
	complete(&done);
}
static DECLARE_TASKLET(lowest, old_tasklet, 77);

static int __init old_timers_init(void)
{
	by_hand();
	initialised();
	set_up();
	inside_of_works();
	tasklet_schedule(&lowest);
	wait_for_completion(&done);
	tasklet_kill(&lowest);
	WARN_ON(seen_data != 77);
	setup_deferrable_timer(&at_exit, remember, 1);
	mod_timer(&at_exit, jiffies + 100000 * HZ);
	pr_info("all armed, one left to the exit\n");
	return 0;
}

static void __exit old_timers_exit(void)
{
	WARN_ON(del_timer_sync(&at_exit) != 1);
}

module_init(old_timers_init);
module_exit(old_timers_exit);
MODULE_LICENSE("Dual MIT/GPL");

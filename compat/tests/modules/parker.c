// SPDX-License-Identifier: MIT
/*
 * Threads that are bound, parked, unparked and stopped; one that is stopped before it ever ran.
 * run: --duration 50ms
 * expect: parked and went on [1-9]
 * expect: the last one returned 42
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

struct station {
	struct task_struct *task;
	atomic_t turns;
	int parks;
};

static struct station station[4];
static unsigned int stations;

static int run(void *data)
{
	struct station *s = data;

	while (!kthread_should_stop()) {
		if (kthread_should_park()) {
			s->parks++;
			kthread_parkme();
			continue;
		}
		atomic_inc(&s->turns);
		schedule_timeout_interruptible(1);
	}
	WARN_ON(kthread_data(current) != s);
	return 42;
}

static void park_all(void)
{
	unsigned int i;

	for (i = 0; i < stations; i++) {
		int turns;

		WARN_ON(kthread_park(station[i].task));
		turns = atomic_read(&station[i].turns);
		msleep(3);
		WARN_ON(atomic_read(&station[i].turns) != turns);
	}
	for (i = 0; i < stations; i++)
		kthread_unpark(station[i].task);
}

static int never(void *data)
{
	WARN_ON(1);
	return 0;
}

static int __init parker_init(void)
{
	struct task_struct *idle = kthread_create(never, NULL, "never");
	unsigned int cpu;

	if (IS_ERR(idle))
		return PTR_ERR(idle);
	WARN_ON(kthread_stop(idle) != -EINTR);
	for_each_online_cpu (cpu) {
		struct station *s = &station[stations];
		struct task_struct *t = kthread_create_on_cpu(run, s, cpu, "station/%u");

		if (IS_ERR(t))
			break;
		s->task = t;
		wake_up_process(t);
		if (++stations == ARRAY_SIZE(station))
			break;
	}
	park_all();
	park_all();
	return 0;
}

static void __exit parker_exit(void)
{
	int parks = 0, result = 0;
	unsigned int i;

	for (i = 0; i < stations; i++) {
		if (i == 0)
			WARN_ON(kthread_park(station[0].task)); /* a parked one can be stopped */
		result = kthread_stop(station[i].task);
		parks += station[i].parks;
	}
	pr_info("parked and went on %d times\n", parks);
	pr_info("the last one returned %d\n", result);
}

module_init(parker_init);
module_exit(parker_exit);
MODULE_LICENSE("Dual MIT/GPL");

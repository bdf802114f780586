// SPDX-License-Identifier: MIT
/*
 * A freezable thread and a freezable queue stand still between freeze and thaw, and lose nothing.
 * run: --duration 10ms
 * expect: frozen: nothing moved; thawed: 20 of 20 works done
 */
#include <linux/delay.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static struct work_struct work[20];
static struct workqueue_struct *wq;
static struct task_struct *walker;
static atomic_t steps = ATOMIC_INIT(0), done = ATOMIC_INIT(0);

static void count(struct work_struct *w)
{
	atomic_inc(&done);
}

static int walk(void *unused)
{
	bool was_frozen;

	set_freezable();
	while (!kthread_freezable_should_stop(&was_frozen)) {
		atomic_inc(&steps);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

static int __init hibernate_init(void)
{
	int i, s;

	wq = alloc_workqueue("hibernate", WQ_FREEZABLE | WQ_UNBOUND, 0);
	walker = kthread_run(walk, NULL, "walker");
	if (!wq || IS_ERR(walker))
		return -ENOMEM;
	while (!atomic_read(&steps))
		msleep(1);
	WARN_ON(freeze_kernel_threads());
	s = atomic_read(&steps);
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		INIT_WORK(&work[i], count);
		WARN_ON(!queue_work(wq, &work[i]));
	}
	msleep(20);
	WARN_ON(atomic_read(&steps) != s || atomic_read(&done));
	thaw_kernel_threads();
	flush_workqueue(wq);
	pr_info("frozen: nothing moved; thawed: %d of %zu works done\n", atomic_read(&done),
		ARRAY_SIZE(work));
	for (i = 0; i < 5000 && atomic_read(&steps) == s; i++)
		msleep(1);
	WARN_ON(atomic_read(&steps) == s);
	return 0;
}

static void __exit hibernate_exit(void)
{
	WARN_ON(kthread_stop(walker));
	destroy_workqueue(wq);
}

module_init(hibernate_init);
module_exit(hibernate_exit);
MODULE_LICENSE("Dual MIT/GPL");

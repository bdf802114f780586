// SPDX-License-Identifier: MIT
/*
 * An unbound queue with a limit: never more than max_active items at once, and all of them done
 * when the flush returns.
 * run: --duration 10ms
 * expect: 64 items, peak [1-4] of 4
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#define ITEMS 64
#define LIMIT 4

static struct work_struct work[ITEMS];
static struct workqueue_struct *wq;
static atomic_t now = ATOMIC_INIT(0), peak = ATOMIC_INIT(0), done = ATOMIC_INIT(0);

static void crunch(struct work_struct *w)
{
	int n = atomic_inc_return(&now), p = atomic_read(&peak);

	while (n > p && !atomic_try_cmpxchg(&peak, &p, n))
		;
	usleep_range(300, 500);
	atomic_dec(&now);
	atomic_inc(&done);
}

static int __init fanout_init(void)
{
	int i;

	wq = alloc_workqueue("fanout", WQ_UNBOUND | WQ_HIGHPRI, LIMIT);
	if (!wq)
		return -ENOMEM;
	for (i = 0; i < ITEMS; i++) {
		INIT_WORK(&work[i], crunch);
		queue_work(wq, &work[i]);
	}
	flush_workqueue(wq);
	WARN_ON(atomic_read(&done) != ITEMS);
	WARN_ON(atomic_read(&peak) > LIMIT);
	pr_info("%d items, peak %d of %d\n", atomic_read(&done), atomic_read(&peak), LIMIT);
	return 0;
}

static void __exit fanout_exit(void)
{
	destroy_workqueue(wq);
}

module_init(fanout_init);
module_exit(fanout_exit);
MODULE_LICENSE("Dual MIT/GPL");

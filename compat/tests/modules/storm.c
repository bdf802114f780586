// SPDX-License-Identifier: MIT
/*
 * Threads that queue, put off, cancel and flush the same delayed works: what was accepted either
 * ran or was taken back, and no work ran on two threads at once.
 * run: --duration 10ms --seed 7
 * expect: the books balance over [1-9]
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/workqueue.h>

#define THREADS 3
#define WORKS	4
#define ROUNDS	400

struct account {
	struct delayed_work dwork;
	atomic_t inside, accepted, ran, cancelled;
};

static struct account account[WORKS];
static struct workqueue_struct *wq;
static struct task_struct *thread[THREADS];
static atomic_t finished = ATOMIC_INIT(0);

static void serve(struct work_struct *work)
{
	struct account *a = container_of(to_delayed_work(work), struct account, dwork);

	WARN_ON(atomic_inc_return(&a->inside) != 1);
	atomic_inc(&a->ran);
	atomic_dec(&a->inside);
}

static void one_step(struct account *a)
{
	switch (get_random_u32_below(6)) {
	case 0:
		if (queue_delayed_work(wq, &a->dwork, 0))
			atomic_inc(&a->accepted);
		break;
	case 1:
		if (queue_delayed_work(wq, &a->dwork, 1 + get_random_u32_below(3)))
			atomic_inc(&a->accepted);
		break;
	case 2:
		if (!mod_delayed_work(wq, &a->dwork, get_random_u32_below(3)))
			atomic_inc(&a->accepted);
		break;
	case 3:
		if (cancel_delayed_work(&a->dwork))
			atomic_inc(&a->cancelled);
		break;
	case 4:
		flush_delayed_work(&a->dwork);
		break;
	default:
		cond_resched();
	}
}

static int mess(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		one_step(&account[get_random_u32_below(WORKS)]);
	atomic_inc(&finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int __init storm_init(void)
{
	int i;

	wq = alloc_workqueue("storm", WQ_UNBOUND, 0);
	if (!wq)
		return -ENOMEM;
	for (i = 0; i < WORKS; i++)
		INIT_DELAYED_WORK(&account[i].dwork, serve);
	for (i = 0; i < THREADS; i++)
		thread[i] = kthread_run(mess, NULL, "mess/%d", i);
	return 0;
}

static void __exit storm_exit(void)
{
	int i, accepted = 0, over = 0;

	for (i = 0; i < 6000 && atomic_read(&finished) < THREADS; i++)
		schedule_timeout_uninterruptible(HZ / 100);
	for (i = 0; i < THREADS; i++)
		kthread_stop(thread[i]);
	for (i = 0; i < WORKS; i++) {
		struct account *a = &account[i];

		if (cancel_delayed_work_sync(&a->dwork))
			atomic_inc(&a->cancelled);
		accepted += atomic_read(&a->accepted);
		over += atomic_read(&a->accepted) - atomic_read(&a->ran) -
			atomic_read(&a->cancelled);
	}
	destroy_workqueue(wq);
	WARN_ON(over);
	pr_info("the books balance over %d queueings\n", accepted);
}

module_init(storm_init);
module_exit(storm_exit);
MODULE_LICENSE("Dual MIT/GPL");

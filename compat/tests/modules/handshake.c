// SPDX-License-Identifier: MIT
/*
 * Completions: one waiter, many waiters, a timeout, one on the stack.
 * run: --duration 10ms
 * expect: 4 waited for the gate, and the timeout was at least 20 ticks
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static DECLARE_COMPLETION(gate);
static atomic_t through = ATOMIC_INIT(0);
static struct task_struct *waiter[4];

static int wait_at_gate(void *unused)
{
	wait_for_completion(&gate);
	atomic_inc(&through);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

struct request {
	struct work_struct work;
	struct completion done;
	int answer;
};

static void answer(struct work_struct *work)
{
	struct request *r = container_of(work, struct request, work);

	r->answer = 42;
	complete(&r->done); /* the last touch: it lies on the asker's stack */
}

static void ask(void)
{
	struct request r = {.answer = 0};

	init_completion(&r.done);
	INIT_WORK_ONSTACK(&r.work, answer);
	schedule_work(&r.work);
	WARN_ON(wait_for_completion_interruptible(&r.done));
	WARN_ON(r.answer != 42);
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
}

static int __init handshake_init(void)
{
	unsigned long from = jiffies, took;
	int i;

	for (i = 0; i < ARRAY_SIZE(waiter); i++)
		waiter[i] = kthread_run(wait_at_gate, NULL, "waiter/%d", i);
	WARN_ON(wait_for_completion_timeout(&gate, 20) != 0);
	took = jiffies - from;
	WARN_ON(took < 20);
	WARN_ON(try_wait_for_completion(&gate));
	complete_all(&gate);
	WARN_ON(!completion_done(&gate));
	WARN_ON(wait_for_completion_timeout(&gate, 20) < 1);
	for (i = 0; i < 20; i++)
		ask();
	for (i = 0; i < ARRAY_SIZE(waiter); i++)
		kthread_stop(waiter[i]);
	reinit_completion(&gate);
	WARN_ON(completion_done(&gate));
	pr_info("%d waited for the gate, and the timeout was at least %lu ticks\n",
		atomic_read(&through), min(took, 20UL));
	return 0;
}

static void __exit handshake_exit(void)
{
}

module_init(handshake_init);
module_exit(handshake_exit);
MODULE_LICENSE("Dual MIT/GPL");

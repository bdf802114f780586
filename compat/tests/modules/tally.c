// SPDX-License-Identifier: MIT
/*
 * Per-CPU counters of every kind, added to from threads on all CPUs and from works: nothing is
 * lost.
 * run: --duration 10ms
 * expect: 5 x 4000 counted
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/percpu_counter.h>

#define THREADS 4
#define ROUNDS	1000

struct stats {
	unsigned long packets;
	u64 bytes;
};

static DEFINE_PER_CPU(unsigned long, hits);
static DEFINE_PER_CPU(struct stats, by_hand) = {.packets = 0};
static struct stats __percpu *stats;
static struct percpu_counter total;
static struct task_struct *thread[THREADS];
static atomic_t finished = ATOMIC_INIT(0);

static int count(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct stats *s;

		this_cpu_inc(hits);
		this_cpu_add(stats->packets, 1);
		this_cpu_add(stats->bytes, 64);
		percpu_counter_inc(&total);
		s = get_cpu_ptr(&by_hand); /* not atomic: nobody else may be on this CPU */
		s->packets++;
		s->bytes += 64;
		put_cpu_ptr(&by_hand);
		if (i % 100 == 0)
			cond_resched();
	}
	atomic_inc(&finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int __init tally_init(void)
{
	int i;

	stats = alloc_percpu(struct stats);
	if (!stats || percpu_counter_init(&total, 0, GFP_KERNEL))
		return -ENOMEM;
	for (i = 0; i < THREADS; i++)
		thread[i] = kthread_run(count, NULL, "count/%d", i);
	return 0;
}

static void __exit tally_exit(void)
{
	unsigned long h = 0, p = 0, q = 0;
	u64 b = 0, c = 0;
	int i, cpu;

	for (i = 0; i < 6000 && atomic_read(&finished) < THREADS; i++)
		schedule_timeout_uninterruptible(HZ / 100);
	for (i = 0; i < THREADS; i++)
		kthread_stop(thread[i]);
	for_each_possible_cpu (cpu) {
		h += per_cpu(hits, cpu);
		p += per_cpu_ptr(stats, cpu)->packets;
		b += per_cpu_ptr(stats, cpu)->bytes;
		q += per_cpu(by_hand, cpu).packets;
		c += per_cpu_ptr(&by_hand, cpu)->bytes;
	}
	WARN_ON(b != 64 * p || c != 64 * q);
	if (h == THREADS * ROUNDS && p == h && q == h && percpu_counter_sum(&total) == h)
		pr_info("5 x %lu counted\n", h);
	else
		pr_err("%lu %lu %lu %lld\n", h, p, q, percpu_counter_sum(&total));
	percpu_counter_destroy(&total);
	free_percpu(stats);
}

module_init(tally_init);
module_exit(tally_exit);
MODULE_LICENSE("Dual MIT/GPL");

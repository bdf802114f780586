// SPDX-License-Identifier: MIT
/*
 * Every kind of lock around the same two counters, from several threads.
 * run: --duration 10ms
 * expect: 7 locks kept 4 threads apart
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#define THREADS 4
#define ROUNDS	200

static DEFINE_SPINLOCK(spin);
static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_RWLOCK(rw);
static DEFINE_MUTEX(mutex);
static DECLARE_RWSEM(rwsem);
static DEFINE_SEMAPHORE(sem, 1);
static DEFINE_SEQLOCK(seq);
static long a[7], b[7];
static unsigned long bits;
static atomic_t bad = ATOMIC_INIT(0), finished = ATOMIC_INIT(0);

static void bump(int i)
{
	if (a[i] != b[i])
		atomic_inc(&bad);
	WRITE_ONCE(a[i], a[i] + 1);
	WRITE_ONCE(b[i], b[i] + 1);
}

static void look(int i)
{
	if (a[i] != b[i])
		atomic_inc(&bad);
}

static void round_of_all(void)
{
	unsigned long flags;
	unsigned int start;
	long x, y;

	spin_lock_irqsave(&spin, flags);
	bump(0);
	spin_unlock_irqrestore(&spin, flags);
	raw_spin_lock(&raw);
	bump(1);
	raw_spin_unlock(&raw);
	write_lock_bh(&rw);
	bump(2);
	write_unlock_bh(&rw);
	read_lock(&rw);
	look(2);
	read_unlock(&rw);
	if (!mutex_trylock(&mutex))
		mutex_lock(&mutex);
	bump(3);
	mutex_unlock(&mutex);
	down_write(&rwsem);
	bump(4);
	downgrade_write(&rwsem);
	look(4);
	up_read(&rwsem);
	if (down_interruptible(&sem) == 0) {
		bump(5);
		up(&sem);
	}
	write_seqlock(&seq);
	bump(6);
	write_sequnlock(&seq);
	do {
		start = read_seqbegin(&seq);
		x = READ_ONCE(a[6]);
		y = READ_ONCE(b[6]);
	} while (read_seqretry(&seq, start));
	if (x != y)
		atomic_inc(&bad);
	wait_on_bit_lock(&bits, 3, TASK_UNINTERRUPTIBLE);
	clear_and_wake_up_bit(3, &bits);
}

static int turn(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		round_of_all();
	atomic_inc(&finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct task_struct *thread[THREADS];

static int __init locksmith_init(void)
{
	unsigned long from = jiffies;
	int i;

	down(&sem);
	WARN_ON(down_timeout(&sem, 5) != -ETIME);
	WARN_ON(time_before(jiffies, from + 5));
	up(&sem);
	for (i = 0; i < THREADS; i++)
		thread[i] = kthread_run(turn, NULL, "turn/%d", i);
	return 0;
}

static void __exit locksmith_exit(void)
{
	int i;

	for (i = 0; i < 6000 && atomic_read(&finished) < THREADS; i++)
		msleep(10);
	for (i = 0; i < THREADS; i++)
		WARN_ON(kthread_stop(thread[i]));
	for (i = 0; i < 7; i++)
		WARN_ON(a[i] != THREADS * ROUNDS || b[i] != a[i]);
	WARN_ON(atomic_read(&bad) || bits);
	scoped_guard (mutex, &mutex)
		WARN_ON(!mutex_is_locked(&mutex));
	WARN_ON(mutex_is_locked(&mutex));
	pr_info("%d locks kept %d threads apart\n", 7, THREADS);
}

module_init(locksmith_init);
module_exit(locksmith_exit);
MODULE_LICENSE("Dual MIT/GPL");

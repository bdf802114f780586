// SPDX-License-Identifier: MIT
/*
 * The calls that modules need now and then, each with the value that it has in the kernel.
 * run: --duration 1ms
 * expect: all as in the kernel
 * refuse: wheelwork:
 */
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swait.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <uapi/linux/sched/types.h>
#include <uapi/linux/stat.h>

static unsigned int between = 5;

static int set_between(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, 9);
}
static const struct kernel_param_ops between_ops = {.set = set_between, .get = param_get_uint};
module_param_cb(between, &between_ops, &between, S_IRUSR);

static void numbers(void)
{
	u8 big[] = {3, 200, 7};
	int signed_ones[] = {4, -9, 12}, shifted;
	unsigned long word = 0xf0;
	u8 narrow;

	WARN_ON(get_count_order_long(0) != -1 || get_count_order_long(1) != 0);
	WARN_ON(get_count_order_long(0x100000001UL) != 33);
	WARN_ON(rol8(0x81, 1) != 0x03 || ror8(0x81, 1) != 0xc0 || rol16(0x8001, 4) != 0x0018);
	WARN_ON(ror16(0x8001, 0) != 0x8001);
	WARN_ON(set_mask_bits(&word, 0xffUL, 0x0fUL) != 0xf0 || word != 0x0f);
	WARN_ON(bit_clear_unless(&word, 0x01UL, 0x02UL) || word != 0x0f);
	WARN_ON(!bit_clear_unless(&word, 0x01UL, 0x10UL) || word != 0x0e);
	WARN_ON(min_array(big, 3) != 3 || max_array(big, 3) != 200);
	WARN_ON(min_array(signed_ones, 3) != -9 || max_array(signed_ones, 3) != 12);
	WARN_ON(!in_range32(7, 5, 3) || in_range64(8, 5, 3));
	WARN_ON(int_pow(3, 5) != 243 || int_pow(7, 0) != 1);
	WARN_ON(mul_s64_u64_shr(-6, 1ULL << 33, 32) != -12);
	WARN_ON(type_max(s16) != 32767 || type_min(s16) != -32768 || type_max(u32) != U32_MAX);
	WARN_ON(type_min(u64) != 0 || type_max(int) != INT_MAX || type_min(long) != LONG_MIN);
	WARN_ON(check_shl_overflow(1, 30, &shifted) || shifted != 1 << 30);
	WARN_ON(!check_shl_overflow(1, 31, &shifted) || !check_shl_overflow(1, 32, &shifted));
	WARN_ON(!check_shl_overflow(-1, 1, &shifted) || !check_shl_overflow(16, 4, &narrow));
	WARN_ON(check_shl_overflow(15, 4, &narrow) || narrow != 240);
}

static void texts(void)
{
	static const char abc[8] = "abc", bytes[] = "0123456789abcdef";
	const void *a[] = {&between, NULL}, *b[] = {bytes + 1, bytes + 2, NULL}, **all;
	char line[100], fixed[6], **argv;
	u16 wide[3] = {0};
	int argc;

	WARN_ON(hex_dump_to_buffer(bytes, 4, 16, 1, line, sizeof(line), false) != 11);
	WARN_ON(strcmp(line, "30 31 32 33"));
	WARN_ON(hex_dump_to_buffer(bytes, 8, 16, 4, line, sizeof(line), true) != 37 + 8);
	WARN_ON(strcmp(line, "33323130 37363534                    01234567"));
	WARN_ON(hex_dump_to_buffer(bytes, 7, 16, 4, line, 6, false) != 20);
	WARN_ON(strcmp(line, "30 31") || hex_dump_to_buffer(bytes, 0, 16, 1, line, 9, true) ||
		*line);
	argv = argv_split(GFP_KERNEL, "  one two\tthree ", &argc);
	WARN_ON(!argv || argc != 3 || strcmp(argv[0], "one") || strcmp(argv[2], "three") ||
		argv[3]);
	argv_free(argv);
	all = memcat_p(a, b);
	WARN_ON(!all || all[0] != a[0] || all[1] != b[0] || all[2] != b[1] || all[3]);
	kfree(all);
	memset16(wide, 0x1234, 2);
	WARN_ON(wide[1] != 0x1234 || wide[2] || !mem_is_zero(&wide[2], 2) || mem_is_zero(wide, 6));
	WARN_ON(strnchr(abc, 9, 0) != abc + 3 || strnchr(abc, 3, 0) || strnchr(abc, 2, 'c'));
	WARN_ON(strnchrnul("abc", 2, 'c')[0] != 'c' || strnchrnul("abc", 9, 'x')[0]);
	strtomem_pad(fixed, abc, '-');
	WARN_ON(memcmp(fixed, "abc---", 6));
}

static DEFINE_PER_CPU(int, counted);

static void cpus(void)
{
	static struct cpumask some, rest;
	unsigned cpu, n = 0, first = cpumask_first(cpu_online_mask);
	int old = 0;

	cpumask_set_cpu(first, &some);
	WARN_ON(cpumask_first_and(&some, cpu_online_mask) != first);
	WARN_ON(cpumask_any_and(&some, &rest) < nr_cpu_ids);
	WARN_ON(cpumask_weight_and(cpu_online_mask, &some) != 1);
	cpumask_complement(&rest, &some);
	WARN_ON(cpumask_test_cpu(first, &rest) || cpumask_weight(&rest) != nr_cpu_ids - 1);
	for_each_cpu_wrap(cpu, cpu_online_mask, first + 1) n++;
	WARN_ON(n != num_online_cpus());
	for_each_cpu_andnot(cpu, cpu_online_mask, &some) n--;
	WARN_ON(n != 1 || cpumask_nth(0, cpu_online_mask) != first);
	WARN_ON(cpumask_any_but(&some, first) < nr_cpu_ids || !cpu_active(first));
	WARN_ON(cpumask_local_spread(0, NUMA_NO_NODE) != first);

	preempt_disable();
	__this_cpu_add(counted, 5);
	WARN_ON(__this_cpu_sub_return(counted, 2) != 3 || raw_cpu_xchg(counted, 9) != 3);
	WARN_ON(this_cpu_try_cmpxchg(counted, &old, 1) || old != 9);
	WARN_ON(!this_cpu_try_cmpxchg(counted, &old, 1) || __this_cpu_read(counted) != 1);
	preempt_enable();
}

static void memory(void)
{
	struct kmem_cache *cache = kmem_cache_create("things", 40, 0, 0, NULL);
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 1);
	void *things[4], *grown;

	WARN_ON(!page || virt_to_page(page_address(page)) != page);
	WARN_ON(page && memchr_inv(page_address(page), 0, 2 * PAGE_SIZE));
	if (page)
		__free_pages(page, 1);
	WARN_ON(!cache || kmem_cache_alloc_bulk(cache, GFP_KERNEL, 4, things) != 4);
	kmem_cache_free_bulk(cache, 4, things);
	kmem_cache_destroy(cache);
	grown = kvrealloc(kvmalloc_node(10, GFP_KERNEL, NUMA_NO_NODE), 10, 5000, GFP_KERNEL);
	grown = kvrealloc(grown, 6000, GFP_KERNEL);
	kfree_bulk(1, &grown);
}

struct thing {
	int n;
	struct hlist_node node;
	struct list_head list;
};

static void lists(void)
{
	struct thing t[4] = {{1}, {2}, {3}, {4}}, *pos;
	struct hlist_node *walk, *next;
	HLIST_HEAD(hash);
	LIST_HEAD(list);
	LIST_HEAD(other);
	int n = 0;

	hlist_add_tail_rcu(&t[1].node, &hash);
	hlist_add_before_rcu(&t[0].node, &t[1].node);
	hlist_add_tail_rcu(&t[3].node, &hash);
	hlist_add_behind_rcu(&t[2].node, &t[1].node);
	hlist_for_each_entry(pos, &hash, node) WARN_ON(pos->n != ++n);
	hlist_for_each_entry(pos, walk, &hash, node) /* as before 3.9 */
		n -= pos->n == (walk == &pos->node ? 5 - n : 0);
	WARN_ON(n != 0);
	hlist_for_each_entry_safe(pos, walk, next, &hash, node) hlist_del_init(&pos->node);
	WARN_ON(!hlist_empty(&hash));
	for (n = 0; n < 2; n++)
		list_add_tail_rcu(&t[n].list, &list);
	for (; n < 4; n++)
		list_add_tail_rcu(&t[n].list, &other);
	list_splice_tail_init_rcu(&other, &list, synchronize_rcu);
	WARN_ON(!list_empty(&other));
	n = 0;
	rcu_read_lock();
	list_for_each_entry_rcu (pos, &list, list)
		WARN_ON(pos->n != ++n);
	WARN_ON(list_next_or_null_rcu(&list, &t[3].list, struct thing, list));
	WARN_ON(list_next_or_null_rcu(&list, &t[0].list, struct thing, list) != &t[1]);
	rcu_read_unlock();
	WARN_ON(n != 4 || list_prev_entry_circular(&t[0], &list, list) != &t[3]);
	pos = &t[2];
	list_for_each_entry_from_reverse(pos, &list, list) WARN_ON(pos->n != --n);
	WARN_ON(n != 1);
}

static void times(void)
{
	struct timespec64 ts = {1, 999999999};

	timespec64_add_ns(&ts, 2);
	WARN_ON(ts.tv_sec != 2 || ts.tv_nsec != 1 || !timespec64_valid(&ts));
	set_normalized_timespec64(&ts, 5, -1);
	WARN_ON(ts.tv_sec != 4 || ts.tv_nsec != 999999999);
	WARN_ON(timespec64_to_jiffies(&ts) != 5 * HZ);
	jiffies_to_timespec64(3 * HZ / 2, &ts);
	WARN_ON(ts.tv_sec != 1 || ts.tv_nsec != 500000000);
	WARN_ON(ktime_add_safe(KTIME_MAX, 1) != KTIME_MAX || ktime_add_safe(2, 3) != 5);
	WARN_ON(jiffies_64_to_clock_t(5ULL * HZ) != 5 * USER_HZ);
	WARN_ON(!time_is_after_eq_jiffies64(get_jiffies_64() + HZ));
}

static DEFINE_MUTEX(mutex);
static DEFINE_SEQLOCK(seq);
static DEFINE_SPINLOCK(lock);
static DECLARE_WAIT_QUEUE_HEAD(queue);

static void locks(void)
{
	atomic_t left = ATOMIC_INIT(2);
	unsigned long flags;
	int retry = 0, rounds = 0;

	WARN_ON(atomic_dec_and_mutex_lock(&left, &mutex) || mutex_is_locked(&mutex));
	WARN_ON(!atomic_dec_and_mutex_lock(&left, &mutex));
	mutex_unlock(&mutex);
	atomic_set(&left, 1);
	WARN_ON(!atomic_dec_and_lock_irqsave(&left, &lock, flags));
	spin_unlock_irqrestore(&lock, flags);
	do {
		read_seqbegin_or_lock(&seq, &retry);
		if (rounds++ == 0) {
			write_seqlock(&seq); /* somebody writes meanwhile */
			write_sequnlock(&seq);
		}
		if (!need_seqretry(&seq, retry))
			break;
		retry = 1; /* now with the lock */
	} while (1);
	done_seqretry(&seq, retry);
	WARN_ON(rounds != 2 || spin_is_locked(&seq.lock));
}

static unsigned long bits = 1;
static atomic_t users = ATOMIC_INIT(1);

static int releaser(void *unused)
{
	WARN_ON(!(current->flags & PF_KTHREAD) || current->mm);
	test_and_clear_wake_up_bit(0, &bits);
	atomic_dec_and_wake_up(&users);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void in_a_worker(struct work_struct *work)
{
	WARN_ON(!(current->flags & PF_WQ_WORKER) || current->mm);
}
static DECLARE_WORK(work, in_a_worker);

static void waits(void)
{
	struct task_struct *t;

	WARN_ON(!current->mm); /* as insmod has one */
	schedule_work(&work);
	flush_work(&work);
	WARN_ON(wait_on_bit_timeout(&bits, 0, TASK_UNINTERRUPTIBLE, 1) != -EAGAIN);
	WARN_ON(wait_var_event_timeout(&users, !atomic_read(&users), 1) != 0);
	t = kthread_run(releaser, NULL, "releaser");
	WARN_ON(kthread_func(t) != releaser || kthread_is_per_cpu(t) || !pid_alive(current));
	wait_var_event(&users, !atomic_read(&users));
	WARN_ON(wait_on_bit_timeout(&bits, 0, TASK_UNINTERRUPTIBLE, 100 * HZ));
	WARN_ON(kthread_stop(t));
	WARN_ON(wait_event_state(queue, true, TASK_KILLABLE));
	WARN_ON(wait_event_idle_exclusive_timeout(queue, false, 1));
	spin_lock_irq(&lock);
	WARN_ON(wait_event_interruptible_lock_irq_timeout(queue, false, lock, 1));
	spin_unlock_irq(&lock);
}

static bool early, late;

static int __init first(void)
{
	early = true;
	return 0;
}
subsys_initcall_sync(first);

static int __init last(void)
{
	late = true;
	return 0;
}
device_initcall_sync(last);

static int __init spellings_init(void)
{
	WARN_ON(!early || late);
	numbers();
	texts();
	cpus();
	memory();
	lists();
	times();
	locks();
	waits();
	pr_info("all as in the kernel\n");
	return 0;
}

static void __exit spellings_exit(void)
{
	WARN_ON(!late);
}

module_init(spellings_init);
module_exit(spellings_exit);
MODULE_LICENSE("Dual MIT/GPL");

// SPDX-License-Identifier: MIT
/*
 * A table that readers walk under RCU while a work replaces its entries: none is read after it was
 * freed, and all are freed in the end.
 * run: --duration 1s
 * expect: replaced [1-9][0-9]*, looked up [1-9]
 * expect: freed all
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

struct route {
	struct list_head node;
	struct rcu_head rcu;
	int dest, hops;
};

struct settings {
	int version;
	int twice; /* always 2 * version */
	struct rcu_head rcu;
};

static LIST_HEAD(table);
static DEFINE_MUTEX(table_lock);
static struct settings __rcu *settings;
static struct kmem_cache *cache;
static struct task_struct *reader[2];
static atomic_t alive = ATOMIC_INIT(0);
static atomic_long_t lookups = ATOMIC_LONG_INIT(0);
static int replaced;

static void free_route(struct rcu_head *head)
{
	struct route *r = container_of(head, struct route, rcu);

	r->hops = -1;
	kmem_cache_free(cache, r);
	atomic_dec(&alive);
}

static struct route *new_route(int dest, int hops)
{
	struct route *r = kmem_cache_zalloc(cache, GFP_KERNEL);

	if (r) {
		r->dest = dest;
		r->hops = hops;
		atomic_inc(&alive);
	}
	return r;
}

static void replace(struct work_struct *work);
static DECLARE_DELAYED_WORK(replacer, replace);

static void replace(struct work_struct *work)
{
	struct settings *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL), *old;
	struct route *r, *n;

	mutex_lock(&table_lock);
	list_for_each_entry (r, &table, node) {
		n = new_route(r->dest, r->hops + 1);
		if (!n)
			break;
		list_replace_rcu(&r->node, &n->node);
		call_rcu(&r->rcu, free_route);
		r = n;
		replaced++;
	}
	old = rcu_dereference_protected(settings, lockdep_is_held(&table_lock));
	if (fresh) {
		fresh->version = old->version + 1;
		fresh->twice = 2 * fresh->version;
		rcu_assign_pointer(settings, fresh);
		kfree_rcu(old, rcu);
	}
	mutex_unlock(&table_lock);
	schedule_delayed_work(&replacer, 2);
}

static int look_up(void *unused)
{
	while (!kthread_should_stop()) {
		struct settings *s;
		struct route *r;

		rcu_read_lock();
		list_for_each_entry_rcu (r, &table, node)
			WARN_ON(r->hops < 0);
		s = rcu_dereference(settings);
		WARN_ON(s->twice != 2 * s->version);
		rcu_read_unlock();
		atomic_long_inc(&lookups);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

static int __init routing_init(void)
{
	struct settings *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	cache = KMEM_CACHE(route, SLAB_HWCACHE_ALIGN);
	if (!cache || !s)
		return -ENOMEM;
	RCU_INIT_POINTER(settings, s);
	for (i = 0; i < 10; i++) {
		struct route *r = new_route(i, 1);

		if (r)
			list_add_tail_rcu(&r->node, &table);
	}
	schedule_delayed_work(&replacer, 0);
	for (i = 0; i < ARRAY_SIZE(reader); i++)
		reader[i] = kthread_run(look_up, NULL, "reader/%d", i);
	return 0;
}

static void __exit routing_exit(void)
{
	struct route *r, *n;
	int i;

	for (i = 0; i < ARRAY_SIZE(reader); i++)
		kthread_stop(reader[i]);
	cancel_delayed_work_sync(&replacer);
	list_for_each_entry_safe (r, n, &table, node) {
		list_del_rcu(&r->node);
		call_rcu(&r->rcu, free_route);
	}
	kfree(rcu_dereference_protected(settings, 1));
	synchronize_rcu();
	rcu_barrier();
	WARN_ON(atomic_read(&alive));
	kmem_cache_destroy(cache);
	pr_info("replaced %d, looked up %ld\n", replaced, atomic_long_read(&lookups));
	pr_info("freed all\n");
}

module_init(routing_init);
module_exit(routing_exit);
MODULE_LICENSE("Dual MIT/GPL");

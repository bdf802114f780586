// SPDX-License-Identifier: MIT
/*
 * Sessions in a hash table with reference counts, each with an expiry timer that holds a reference
 * of its own; a work throws the old ones out. None is freed twice, none is left.
 * run: --duration 250ms
 * expect: 200 sessions came, 200 went
 */
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#define SESSIONS 200

struct session {
	struct hlist_node node;
	struct list_head dead;
	struct kref ref;
	struct timer_list expiry;
	u32 id;
};

static DEFINE_HASHTABLE(table, 6);
static DEFINE_SPINLOCK(table_lock);
static LIST_HEAD(dead_list);
static atomic_t freed = ATOMIC_INIT(0);
static int made;
static struct kmem_cache *cache;

static void reap(struct work_struct *work);
static DECLARE_WORK(reaper, reap);

static void session_release(struct kref *ref)
{
	struct session *s = container_of(ref, struct session, ref);

	kmem_cache_free(cache, s);
	atomic_inc(&freed);
}

/* With the table's lock: true if it was still there. */
static bool unhash(struct session *s)
{
	if (!hash_hashed(&s->node))
		return false;
	hash_del(&s->node);
	list_add_tail(&s->dead, &dead_list);
	return true;
}

static void expired(struct timer_list *t)
{
	struct session *s = from_timer(s, t, expiry);

	spin_lock(&table_lock);
	if (unhash(s))
		schedule_work(&reaper);
	spin_unlock(&table_lock);
	kref_put(&s->ref, session_release); /* the timer's */
}

static void reap(struct work_struct *work)
{
	struct session *s, *n;
	LIST_HEAD(mine);

	spin_lock_bh(&table_lock);
	list_splice_init(&dead_list, &mine);
	spin_unlock_bh(&table_lock);
	list_for_each_entry_safe (s, n, &mine, dead) {
		list_del(&s->dead);
		if (timer_delete_sync(&s->expiry))
			kref_put(&s->ref, session_release); /* it will not fire */
		kref_put(&s->ref, session_release);	    /* the table's */
	}
}

static struct session *find(u32 id)
{
	struct session *s;

	hash_for_each_possible (table, s, node, id)
		if (s->id == id && kref_get_unless_zero(&s->ref))
			return s;
	return NULL;
}

static int __init sessions_init(void)
{
	u32 i;

	cache = kmem_cache_create("session", sizeof(struct session), 0, 0, NULL);
	if (!cache)
		return -ENOMEM;
	for (i = 0; i < SESSIONS; i++) {
		struct session *s = kmem_cache_zalloc(cache, GFP_KERNEL);

		if (!s)
			break;
		s->id = i;
		kref_init(&s->ref);
		timer_setup(&s->expiry, expired, 0);
		kref_get(&s->ref);
		mod_timer(&s->expiry, jiffies + 1 + get_random_u32_below(HZ / 5));
		spin_lock(&table_lock);
		hash_add(table, &s->node, s->id);
		spin_unlock(&table_lock);
		made++;
	}
	for (i = 0; i < SESSIONS; i += 3) { /* some are closed before their time */
		struct session *s;

		spin_lock(&table_lock);
		s = find(i);
		if (s && unhash(s))
			schedule_work(&reaper);
		spin_unlock(&table_lock);
		if (s)
			kref_put(&s->ref, session_release);
	}
	return 0;
}

static void __exit sessions_exit(void)
{
	struct hlist_node *tmp;
	struct session *s;
	int bkt;

	spin_lock(&table_lock);
	hash_for_each_safe (table, bkt, tmp, s, node)
		unhash(s);
	spin_unlock(&table_lock);
	schedule_work(&reaper);
	flush_work(&reaper);
	flush_work(&reaper);
	WARN_ON(!hash_empty(table));
	kmem_cache_destroy(cache);
	pr_info("%d sessions came, %d went\n", made, atomic_read(&freed));
}

module_init(sessions_init);
module_exit(sessions_exit);
MODULE_LICENSE("Dual MIT/GPL");

/* SPDX-License-Identifier: MIT */
/* Lists that readers walk under rcu_read_lock() while one writer at a time changes them. */
#ifndef _LINUX_RCULIST_H
#define _LINUX_RCULIST_H

#include <linux/list.h>
#include <linux/rcupdate.h>

#define list_next_rcu(list) (*((struct list_head **)(&(list)->next)))
WW_LINUX_INLINE void INIT_LIST_HEAD_RCU(struct list_head *list)
{
	INIT_LIST_HEAD(list);
}
WW_LINUX_INLINE void __list_add_rcu(struct list_head *n, struct list_head *prev,
				    struct list_head *next)
{
	n->next = next;
	n->prev = prev;
	smp_store_release(&prev->next, n);
	next->prev = n;
}
WW_LINUX_INLINE void list_add_rcu(struct list_head *n, struct list_head *head)
{
	__list_add_rcu(n, head, head->next);
}
WW_LINUX_INLINE void list_add_tail_rcu(struct list_head *n, struct list_head *head)
{
	__list_add_rcu(n, head->prev, head);
}
/* The entry's own next stays, for the readers that stand on it. */
WW_LINUX_INLINE void list_del_rcu(struct list_head *entry)
{
	__list_del_entry(entry);
	entry->prev = LIST_POISON2;
}
WW_LINUX_INLINE void list_replace_rcu(struct list_head *old, struct list_head *n)
{
	n->next = old->next;
	n->prev = old->prev;
	smp_store_release(&n->prev->next, n);
	n->next->prev = n;
	old->prev = LIST_POISON2;
}
#define list_entry_rcu(ptr, type, member) container_of(READ_ONCE(ptr), type, member)
#define ww_list_next_rcu_(list)		  rcu_dereference((list)->next)
#define list_first_or_null_rcu(ptr, type, member)                                                  \
	({                                                                                         \
		struct list_head *ww_p_ = (ptr), *ww_n_ = rcu_dereference(ww_p_->next);            \
		ww_p_ != ww_n_ ? container_of(ww_n_, type, member) : NULL;                         \
	})
#define list_for_each_entry_rcu(pos, head, member, cond...)                                        \
	for (pos = container_of(ww_list_next_rcu_(head), __typeof__(*pos), member);                \
	     &pos->member != (head);                                                               \
	     pos = container_of(ww_list_next_rcu_(&pos->member), __typeof__(*pos), member))
#define list_for_each_entry_lockless(pos, head, member) list_for_each_entry_rcu (pos, head, member)
#define list_for_each_entry_continue_rcu(pos, head, member)                                        \
	for (pos = container_of(ww_list_next_rcu_(&pos->member), __typeof__(*pos), member);        \
	     &pos->member != (head);                                                               \
	     pos = container_of(ww_list_next_rcu_(&pos->member), __typeof__(*pos), member))

WW_LINUX_INLINE void hlist_del_rcu(struct hlist_node *n)
{
	__hlist_del(n);
	WRITE_ONCE(n->pprev, LIST_POISON2);
}
WW_LINUX_INLINE void hlist_del_init_rcu(struct hlist_node *n)
{
	if (!hlist_unhashed(n)) {
		__hlist_del(n);
		WRITE_ONCE(n->pprev, NULL);
	}
}
WW_LINUX_INLINE void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	struct hlist_node *first = h->first;

	n->next = first;
	WRITE_ONCE(n->pprev, &h->first);
	smp_store_release(&h->first, n);
	if (first)
		WRITE_ONCE(first->pprev, &n->next);
}
WW_LINUX_INLINE void hlist_replace_rcu(struct hlist_node *old, struct hlist_node *n)
{
	struct hlist_node *next = old->next;

	n->next = next;
	WRITE_ONCE(n->pprev, old->pprev);
	smp_store_release(n->pprev, n);
	if (next)
		WRITE_ONCE(next->pprev, &n->next);
	WRITE_ONCE(old->pprev, LIST_POISON2);
}
#define hlist_for_each_entry_rcu(pos, head, member, cond...)                                       \
	for (pos = hlist_entry_safe(rcu_dereference((head)->first), __typeof__(*(pos)), member);   \
	     pos; pos = hlist_entry_safe(rcu_dereference((pos)->member.next), __typeof__(*(pos)),  \
					 member))
#define list_for_each_rcu(pos, head)                                                               \
	for (pos = rcu_dereference((head)->next); pos != (head); pos = rcu_dereference(pos->next))
#define list_next_or_null_rcu(head, ptr, type, member)                                             \
	({                                                                                         \
		struct list_head *ww_n_ = rcu_dereference((ptr)->next);                            \
		ww_n_ != (head) ? container_of(ww_n_, type, member) : NULL;                        \
	})
#define list_for_each_entry_from_rcu(pos, head, member)                                            \
	for (; &pos->member != (head);                                                             \
	     pos = container_of(ww_list_next_rcu_(&pos->member), __typeof__(*pos), member))
/* All of list, whose readers sync waits for, to the front or the end of head. */
WW_LINUX_INLINE void ww_list_splice_rcu_(struct list_head *list, struct list_head *prev,
					 struct list_head *next, void (*sync)(void))
{
	struct list_head *first = list->next, *last = list->prev;

	if (list_empty(list))
		return;
	INIT_LIST_HEAD(list);
	sync();
	last->next = next;
	smp_store_release(&prev->next, first);
	first->prev = prev;
	next->prev = last;
}
#define list_splice_init_rcu(list, head, sync) ww_list_splice_rcu_(list, head, (head)->next, sync)
#define list_splice_tail_init_rcu(list, head, sync)                                                \
	ww_list_splice_rcu_(list, (head)->prev, head, sync)
WW_LINUX_INLINE void hlist_add_before_rcu(struct hlist_node *n, struct hlist_node *next)
{
	WRITE_ONCE(n->pprev, next->pprev);
	n->next = next;
	smp_store_release(n->pprev, n);
	WRITE_ONCE(next->pprev, &n->next);
}
WW_LINUX_INLINE void hlist_add_behind_rcu(struct hlist_node *n, struct hlist_node *prev)
{
	n->next = prev->next;
	WRITE_ONCE(n->pprev, &prev->next);
	smp_store_release(&prev->next, n);
	if (n->next)
		WRITE_ONCE(n->next->pprev, &n->next);
}
WW_LINUX_INLINE void hlist_add_tail_rcu(struct hlist_node *n, struct hlist_head *h)
{
	struct hlist_node *last = h->first;

	while (last && last->next)
		last = last->next;
	if (last)
		hlist_add_behind_rcu(n, last);
	else
		hlist_add_head_rcu(n, h);
}
#define hlist_for_each_entry_rcu_bh(pos, head, member) hlist_for_each_entry_rcu(pos, head, member)
#define hlist_for_each_entry_continue_rcu(pos, member)                                             \
	for (pos = hlist_entry_safe(rcu_dereference((pos)->member.next), __typeof__(*(pos)),       \
				    member);                                                       \
	     pos; pos = hlist_entry_safe(rcu_dereference((pos)->member.next), __typeof__(*(pos)),  \
					 member))
#define hlist_for_each_entry_from_rcu(pos, member)                                                 \
	for (; pos; pos = hlist_entry_safe(rcu_dereference((pos)->member.next),                    \
					   __typeof__(*(pos)), member))

#endif

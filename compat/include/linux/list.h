/* SPDX-License-Identifier: MIT */
/* Circular doubly linked lists, and hash lists whose head is one pointer. Not thread safe. */
#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H

#include <ww-linux/base.h>
#include <linux/types.h>
#include <linux/poison.h>
#include <linux/container_of.h>
#include <linux/compiler.h>

#define LIST_HEAD_INIT(name)                                                                       \
	{                                                                                          \
		&(name), &(name)                                                                   \
	}
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

WW_LINUX_INLINE void INIT_LIST_HEAD(struct list_head *list)
{
	WRITE_ONCE(list->next, list);
	WRITE_ONCE(list->prev, list);
}
WW_LINUX_INLINE void __list_add(struct list_head *n, struct list_head *prev, struct list_head *next)
{
	next->prev = n;
	n->next = next;
	n->prev = prev;
	WRITE_ONCE(prev->next, n);
}
WW_LINUX_INLINE void list_add(struct list_head *n, struct list_head *head)
{
	__list_add(n, head, head->next);
}
WW_LINUX_INLINE void list_add_tail(struct list_head *n, struct list_head *head)
{
	__list_add(n, head->prev, head);
}
WW_LINUX_INLINE void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	WRITE_ONCE(prev->next, next);
}
WW_LINUX_INLINE void __list_del_entry(struct list_head *entry)
{
	__list_del(entry->prev, entry->next);
}
WW_LINUX_INLINE void list_del(struct list_head *entry)
{
	__list_del_entry(entry);
	entry->next = LIST_POISON1;
	entry->prev = LIST_POISON2;
}
WW_LINUX_INLINE void list_del_init(struct list_head *entry)
{
	__list_del_entry(entry);
	INIT_LIST_HEAD(entry);
}
WW_LINUX_INLINE void list_del_init_careful(struct list_head *entry)
{
	__list_del_entry(entry);
	WRITE_ONCE(entry->prev, entry);
	smp_store_release(&entry->next, entry);
}
WW_LINUX_INLINE void list_replace(struct list_head *old, struct list_head *n)
{
	n->next = old->next;
	n->next->prev = n;
	n->prev = old->prev;
	n->prev->next = n;
}
WW_LINUX_INLINE void list_replace_init(struct list_head *old, struct list_head *n)
{
	list_replace(old, n);
	INIT_LIST_HEAD(old);
}
WW_LINUX_INLINE void list_move(struct list_head *entry, struct list_head *head)
{
	__list_del_entry(entry);
	list_add(entry, head);
}
WW_LINUX_INLINE void list_move_tail(struct list_head *entry, struct list_head *head)
{
	__list_del_entry(entry);
	list_add_tail(entry, head);
}
WW_LINUX_INLINE void list_swap(struct list_head *a, struct list_head *b)
{
	struct list_head *pos = b->prev;

	__list_del_entry(b);
	list_replace(a, b);
	if (pos == a)
		pos = b;
	list_add(a, pos);
}
WW_LINUX_INLINE int list_is_first(const struct list_head *entry, const struct list_head *head)
{
	return entry->prev == head;
}
WW_LINUX_INLINE int list_is_last(const struct list_head *entry, const struct list_head *head)
{
	return entry->next == head;
}
WW_LINUX_INLINE int list_is_head(const struct list_head *entry, const struct list_head *head)
{
	return entry == head;
}
WW_LINUX_INLINE int list_empty(const struct list_head *head)
{
	return READ_ONCE(head->next) == head;
}
WW_LINUX_INLINE int list_empty_careful(const struct list_head *head)
{
	struct list_head *next = smp_load_acquire(&head->next);

	return next == head && next == READ_ONCE(head->prev);
}
WW_LINUX_INLINE int list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}
WW_LINUX_INLINE void list_rotate_left(struct list_head *head)
{
	if (!list_empty(head))
		list_move_tail(head->next, head);
}
WW_LINUX_INLINE void list_rotate_to_front(struct list_head *entry, struct list_head *head)
{
	list_move_tail(head, entry);
}
WW_LINUX_INLINE void list_bulk_move_tail(struct list_head *head, struct list_head *first,
					 struct list_head *last)
{
	first->prev->next = last->next;
	last->next->prev = first->prev;
	head->prev->next = first;
	first->prev = head->prev;
	last->next = head;
	head->prev = last;
}
/* What stands up to and with entry moves onto list, which was empty. */
WW_LINUX_INLINE void list_cut_position(struct list_head *list, struct list_head *head,
				       struct list_head *entry)
{
	if (list_empty(head) || entry == head) {
		INIT_LIST_HEAD(list);
		return;
	}
	list->next = head->next;
	list->next->prev = list;
	head->next = entry->next;
	head->next->prev = head;
	list->prev = entry;
	entry->next = list;
}
WW_LINUX_INLINE void list_cut_before(struct list_head *list, struct list_head *head,
				     struct list_head *entry)
{
	list_cut_position(list, head, entry->prev);
}
WW_LINUX_INLINE void __list_splice(const struct list_head *list, struct list_head *prev,
				   struct list_head *next)
{
	list->next->prev = prev;
	prev->next = list->next;
	list->prev->next = next;
	next->prev = list->prev;
}
WW_LINUX_INLINE void list_splice(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head, head->next);
}
WW_LINUX_INLINE void list_splice_tail(struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head->prev, head);
}
WW_LINUX_INLINE void list_splice_init(struct list_head *list, struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}
WW_LINUX_INLINE void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	list_splice_tail(list, head);
	INIT_LIST_HEAD(list);
}
WW_LINUX_INLINE size_t list_count_nodes(struct list_head *head)
{
	size_t n = 0;

	for (struct list_head *p = head->next; p != head; p = p->next)
		n++;
	return n;
}

#define list_entry(ptr, type, member)	      container_of(ptr, type, member)
#define list_first_entry(ptr, type, member)   list_entry((ptr)->next, type, member)
#define list_last_entry(ptr, type, member)    list_entry((ptr)->prev, type, member)
#define list_next_entry(pos, member)	      list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member)	      list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_entry_is_head(pos, head, member) (&(pos)->member == (head))
#define list_first_entry_or_null(ptr, type, member)                                                \
	({                                                                                         \
		struct list_head *ww_head_ = (ptr), *ww_first_ = READ_ONCE(ww_head_->next);        \
		ww_first_ != ww_head_ ? list_entry(ww_first_, type, member) : NULL;                \
	})
#define list_last_entry_or_null(ptr, type, member)                                                 \
	({                                                                                         \
		struct list_head *ww_head_ = (ptr), *ww_last_ = READ_ONCE(ww_head_->prev);         \
		ww_last_ != ww_head_ ? list_entry(ww_last_, type, member) : NULL;                  \
	})
#define list_next_entry_circular(pos, head, member)                                                \
	(list_is_last(&(pos)->member, head) ? list_first_entry(head, __typeof__(*(pos)), member)   \
					    : list_next_entry(pos, member))

#define list_for_each(pos, head)	  for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_continue(pos, head) for (pos = pos->next; pos != (head); pos = pos->next)
#define list_for_each_prev(pos, head)	  for (pos = (head)->prev; pos != (head); pos = pos->prev)
#define list_for_each_safe(pos, n, head)                                                           \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)
#define list_for_each_prev_safe(pos, n, head)                                                      \
	for (pos = (head)->prev, n = pos->prev; pos != (head); pos = n, n = pos->prev)
#define list_for_each_entry(pos, head, member)                                                     \
	for (pos = list_first_entry(head, __typeof__(*pos), member);                               \
	     !list_entry_is_head(pos, head, member); pos = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member)                                             \
	for (pos = list_last_entry(head, __typeof__(*pos), member);                                \
	     !list_entry_is_head(pos, head, member); pos = list_prev_entry(pos, member))
#define list_prepare_entry(pos, head, member) ((pos) ?: list_entry(head, __typeof__(*pos), member))
#define list_for_each_entry_continue(pos, head, member)                                            \
	for (pos = list_next_entry(pos, member); !list_entry_is_head(pos, head, member);           \
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_continue_reverse(pos, head, member)                                    \
	for (pos = list_prev_entry(pos, member); !list_entry_is_head(pos, head, member);           \
	     pos = list_prev_entry(pos, member))
#define list_for_each_entry_from(pos, head, member)                                                \
	for (; !list_entry_is_head(pos, head, member); pos = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)                                             \
	for (pos = list_first_entry(head, __typeof__(*pos), member),                               \
	    n = list_next_entry(pos, member);                                                      \
	     !list_entry_is_head(pos, head, member); pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_continue(pos, n, head, member)                                    \
	for (pos = list_next_entry(pos, member), n = list_next_entry(pos, member);                 \
	     !list_entry_is_head(pos, head, member); pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_from(pos, n, head, member)                                        \
	for (n = list_next_entry(pos, member); !list_entry_is_head(pos, head, member);             \
	     pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_reverse(pos, n, head, member)                                     \
	for (pos = list_last_entry(head, __typeof__(*pos), member),                                \
	    n = list_prev_entry(pos, member);                                                      \
	     !list_entry_is_head(pos, head, member); pos = n, n = list_prev_entry(n, member))
#define list_safe_reset_next(pos, n, member) n = list_next_entry(pos, member)

#define HLIST_HEAD_INIT                                                                            \
	{                                                                                          \
		.first = NULL                                                                      \
	}
#define HLIST_HEAD(name)     struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(ptr) ((ptr)->first = NULL)

WW_LINUX_INLINE void INIT_HLIST_NODE(struct hlist_node *h)
{
	h->next = NULL;
	h->pprev = NULL;
}
WW_LINUX_INLINE int hlist_unhashed(const struct hlist_node *h)
{
	return !h->pprev;
}
#define hlist_unhashed_lockless(h) (!READ_ONCE((h)->pprev))
WW_LINUX_INLINE int hlist_empty(const struct hlist_head *h)
{
	return !READ_ONCE(h->first);
}
WW_LINUX_INLINE void __hlist_del(struct hlist_node *n)
{
	struct hlist_node *next = n->next, **pprev = n->pprev;

	WRITE_ONCE(*pprev, next);
	if (next)
		WRITE_ONCE(next->pprev, pprev);
}
WW_LINUX_INLINE void hlist_del(struct hlist_node *n)
{
	__hlist_del(n);
	n->next = LIST_POISON1;
	n->pprev = LIST_POISON2;
}
WW_LINUX_INLINE void hlist_del_init(struct hlist_node *n)
{
	if (!hlist_unhashed(n)) {
		__hlist_del(n);
		INIT_HLIST_NODE(n);
	}
}
WW_LINUX_INLINE void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	struct hlist_node *first = h->first;

	WRITE_ONCE(n->next, first);
	if (first)
		WRITE_ONCE(first->pprev, &n->next);
	WRITE_ONCE(h->first, n);
	WRITE_ONCE(n->pprev, &h->first);
}
WW_LINUX_INLINE void hlist_add_before(struct hlist_node *n, struct hlist_node *next)
{
	WRITE_ONCE(n->pprev, next->pprev);
	WRITE_ONCE(n->next, next);
	WRITE_ONCE(next->pprev, &n->next);
	WRITE_ONCE(*(n->pprev), n);
}
WW_LINUX_INLINE void hlist_add_behind(struct hlist_node *n, struct hlist_node *prev)
{
	WRITE_ONCE(n->next, prev->next);
	WRITE_ONCE(prev->next, n);
	WRITE_ONCE(n->pprev, &prev->next);
	if (n->next)
		WRITE_ONCE(n->next->pprev, &n->next);
}
WW_LINUX_INLINE void hlist_add_fake(struct hlist_node *n)
{
	n->pprev = &n->next;
}
WW_LINUX_INLINE bool hlist_fake(struct hlist_node *h)
{
	return h->pprev == &h->next;
}
WW_LINUX_INLINE bool hlist_is_singular_node(struct hlist_node *n, struct hlist_head *h)
{
	return !n->next && n->pprev == &h->first;
}
WW_LINUX_INLINE void hlist_move_list(struct hlist_head *old, struct hlist_head *n)
{
	n->first = old->first;
	if (n->first)
		n->first->pprev = &n->first;
	old->first = NULL;
}
#define hlist_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_entry_safe(ptr, type, member)                                                        \
	({                                                                                         \
		__typeof__(ptr) ww_ptr_ = (ptr);                                                   \
		ww_ptr_ ? hlist_entry(ww_ptr_, type, member) : NULL;                               \
	})
#define hlist_for_each(pos, head) for (pos = (head)->first; pos; pos = pos->next)
#define hlist_for_each_safe(pos, n, head)                                                          \
	for (pos = (head)->first; pos && ({                                                        \
					  n = pos->next;                                           \
					  1;                                                       \
				  });                                                              \
	     pos = n)
#define hlist_for_each_entry_continue(pos, member)                                                 \
	for (pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member); pos;          \
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define hlist_for_each_entry_from(pos, member)                                                     \
	for (; pos; pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
/*
 * Before 3.9 the walks had a node for their own use before the head: (tpos, pos, head, member) and
 * (tpos, pos, n, head, member).
 */
#define ww_hlist_each3_(pos, head, member)                                                         \
	for (pos = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); pos;               \
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define ww_hlist_each4_(tpos, pos, head, member)                                                   \
	for (pos = (head)->first;                                                                  \
	     pos && (tpos = hlist_entry(pos, __typeof__(*tpos), member), true); pos = pos->next)
#define ww_hlist_safe4_(pos, n, head, member)                                                      \
	for (pos = hlist_entry_safe((head)->first, __typeof__(*pos), member);                      \
	     pos && (n = pos->member.next, true);                                                  \
	     pos = hlist_entry_safe(n, __typeof__(*pos), member))
#define ww_hlist_safe5_(tpos, pos, n, head, member)                                                \
	for (pos = (head)->first;                                                                  \
	     pos && (n = pos->next, tpos = hlist_entry(pos, __typeof__(*tpos), member), true);     \
	     pos = n)
#define ww_hlist_pick_(a, b, c, d, pick, ...)	      pick
#define ww_hlist_pick_safe_(a, b, c, d, e, pick, ...) pick
#define hlist_for_each_entry(args...)		      ww_hlist_pick_(args, ww_hlist_each4_, ww_hlist_each3_)(args)
#define hlist_for_each_entry_safe(args...)                                                         \
	ww_hlist_pick_safe_(args, ww_hlist_safe5_, ww_hlist_safe4_)(args)
#define list_prev_entry_circular(pos, head, member)                                                \
	(list_is_first(&(pos)->member, head) ? list_last_entry(head, __typeof__(*(pos)), member)   \
					     : list_prev_entry(pos, member))
#define list_for_each_entry_from_reverse(pos, head, member)                                        \
	for (; &pos->member != (head); pos = list_prev_entry(pos, member))

#endif

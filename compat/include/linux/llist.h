/* SPDX-License-Identifier: MIT */
/* A list that any number of threads push onto, and that is taken as a whole, newest first. */
#ifndef LLIST_H
#define LLIST_H

#include <linux/types.h>
#include <linux/container_of.h>
#include <linux/compiler.h>

struct llist_head {
	struct llist_node *first;
};

struct llist_node {
	struct llist_node *next;
};

#define LLIST_HEAD_INIT(name)                                                                      \
	{                                                                                          \
		NULL                                                                               \
	}
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)

WW_LINUX_INLINE void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}
WW_LINUX_INLINE void init_llist_node(struct llist_node *node)
{
	WRITE_ONCE(node->next, node);
}
WW_LINUX_INLINE bool llist_on_list(const struct llist_node *node)
{
	return READ_ONCE(node->next) != node;
}
#define llist_entry(ptr, type, member) container_of(ptr, type, member)
#define member_address_is_nonnull(ptr, member)                                                     \
	((uintptr_t)(ptr) + offsetof(__typeof__(*(ptr)), member) != 0)
#define llist_for_each(pos, node) for ((pos) = (node); pos; (pos) = (pos)->next)
#define llist_for_each_safe(pos, n, node)                                                          \
	for ((pos) = (node); (pos) && ((n) = (pos)->next, true); (pos) = (n))
#define llist_for_each_entry(pos, node, member)                                                    \
	for ((pos) = llist_entry((node), __typeof__(*(pos)), member);                              \
	     member_address_is_nonnull(pos, member);                                               \
	     (pos) = llist_entry((pos)->member.next, __typeof__(*(pos)), member))
#define llist_for_each_entry_safe(pos, n, node, member)                                            \
	for (pos = llist_entry((node), __typeof__(*pos), member);                                  \
	     member_address_is_nonnull(pos, member) &&                                             \
	     (n = llist_entry(pos->member.next, __typeof__(*n), member), true);                    \
	     pos = n)

WW_LINUX_INLINE bool llist_empty(const struct llist_head *head)
{
	return READ_ONCE(head->first) == NULL;
}
WW_LINUX_INLINE struct llist_node *llist_next(struct llist_node *node)
{
	return node->next;
}
/* True when the list was empty before. */
WW_LINUX_INLINE bool llist_add_batch(struct llist_node *n, struct llist_node *last,
				     struct llist_head *head)
{
	struct llist_node *first = READ_ONCE(head->first);

	do {
		last->next = first;
	} while (!__atomic_compare_exchange_n(&head->first, &first, n, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	return !first;
}
WW_LINUX_INLINE bool llist_add(struct llist_node *n, struct llist_head *head)
{
	return llist_add_batch(n, n, head);
}
WW_LINUX_INLINE bool __llist_add(struct llist_node *n, struct llist_head *head)
{
	n->next = head->first;
	head->first = n;
	return !n->next;
}
WW_LINUX_INLINE struct llist_node *llist_del_all(struct llist_head *head)
{
	return __atomic_exchange_n(&head->first, (struct llist_node *)NULL, __ATOMIC_SEQ_CST);
}
WW_LINUX_INLINE struct llist_node *__llist_del_all(struct llist_head *head)
{
	struct llist_node *first = head->first;

	head->first = NULL;
	return first;
}
/* One taker at a time. */
WW_LINUX_INLINE struct llist_node *llist_del_first(struct llist_head *head)
{
	struct llist_node *first = smp_load_acquire(&head->first);

	while (first && !__atomic_compare_exchange_n(&head->first, &first, first->next, false,
						     __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
		;
	return first;
}
WW_LINUX_INLINE struct llist_node *llist_reverse_order(struct llist_node *head)
{
	struct llist_node *out = NULL;

	while (head) {
		struct llist_node *n = head;

		head = head->next;
		n->next = out;
		out = n;
	}
	return out;
}

#endif

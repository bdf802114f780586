/* SPDX-License-Identifier: MIT */
/*
 * Intrusive lists with the kernel's shapes: ww_list is circular and doubly linked, ww_hlist has a
 * one-pointer head and a node that knows the pointer which points at it (O(1) unlink without the
 * head). Not thread safe; the owner's lock guards them.
 */
#ifndef WW_BASE_LIST_H
#define WW_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"

struct ww_list {
	struct ww_list *next, *prev;
};

#define WW_LIST_INIT(name)                                                                         \
	{                                                                                          \
		&(name), &(name)                                                                   \
	}

static inline void ww_list_init(struct ww_list *l)
{
	l->next = l->prev = l;
}

static inline bool ww_list_empty(const struct ww_list *l)
{
	return l->next == l;
}

static inline void ww_list_link(struct ww_list *n, struct ww_list *prev, struct ww_list *next)
{
	next->prev = n;
	n->next = next;
	n->prev = prev;
	prev->next = n;
}

static inline void ww_list_add(struct ww_list *n, struct ww_list *head)
{
	ww_list_link(n, head, head->next);
}

static inline void ww_list_add_tail(struct ww_list *n, struct ww_list *head)
{
	ww_list_link(n, head->prev, head);
}

/* Unlinks n and leaves it an empty list, so that a second unlink is harmless. */
static inline void ww_list_del(struct ww_list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	ww_list_init(n);
}

/* Moves all of from to the end of to; from is empty afterwards. */
static inline void ww_list_splice_tail(struct ww_list *from, struct ww_list *to)
{
	if (ww_list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	ww_list_init(from);
}

#define ww_list_entry(ptr, type, member)  ww_container_of(ptr, type, member)
#define ww_list_first(head, type, member) ww_list_entry((head)->next, type, member)
#define ww_list_for_each(pos, head)	  for (pos = (head)->next; pos != (head); pos = pos->next)
#define ww_list_for_each_safe(pos, n, head)                                                        \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)

struct ww_hnode {
	struct ww_hnode *next, **pprev; /* pprev NULL: not on a list */
};

struct ww_hlist {
	struct ww_hnode *first;
};

static inline void ww_hlist_add(struct ww_hnode *n, struct ww_hlist *h)
{
	n->next = h->first;
	if (h->first)
		h->first->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void ww_hlist_del(struct ww_hnode *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->pprev = NULL;
}

static inline void ww_hlist_move(struct ww_hlist *from, struct ww_hlist *to)
{
	to->first = from->first;
	if (to->first)
		to->first->pprev = &to->first;
	from->first = NULL;
}

#endif

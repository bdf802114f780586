/* SPDX-License-Identifier: MIT */
#ifndef WW_LINUX_LISTTYPES_H
#define WW_LINUX_LISTTYPES_H

/*
 * As in the kernel, <linux/types.h> has these and <linux/list.h> only works on them. A client whose
 * own list.h defines them too says -DWW_LINUX_CLIENT_LIST_HEAD.
 */
#ifndef WW_LINUX_CLIENT_LIST_HEAD
struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};
#endif

#endif

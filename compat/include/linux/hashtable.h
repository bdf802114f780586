/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_HASHTABLE_H
#define _LINUX_HASHTABLE_H

#include <linux/list.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/array_size.h>
#include <linux/rculist.h>

#define DEFINE_HASHTABLE(name, bits)                                                               \
	struct hlist_head name[1 << (bits)] = {[0 ...((1 << (bits)) - 1)] = HLIST_HEAD_INIT}
#define DECLARE_HASHTABLE(name, bits) struct hlist_head name[1 << (bits)]
#define HASH_SIZE(name)		      (ARRAY_SIZE(name))
#define HASH_BITS(name)		      ((unsigned)ilog2(HASH_SIZE(name)))
#define hash_min(val, bits)	      (sizeof(val) <= 4 ? hash_32((u32)(val), bits) : hash_long(val, bits))
#define hash_init(table)                                                                           \
	do {                                                                                       \
		for (size_t ww_i_ = 0; ww_i_ < HASH_SIZE(table); ww_i_++)                          \
			INIT_HLIST_HEAD(&(table)[ww_i_]);                                          \
	} while (0)
#define hash_add(table, node, key) hlist_add_head(node, &table[hash_min(key, HASH_BITS(table))])
#define hash_add_rcu(table, node, key)                                                             \
	hlist_add_head_rcu(node, &table[hash_min(key, HASH_BITS(table))])
#define hash_hashed(node)  (!hlist_unhashed(node))
#define hash_del(node)	   hlist_del_init(node)
#define hash_del_rcu(node) hlist_del_init_rcu(node)
#define hash_empty(table)                                                                          \
	({                                                                                         \
		bool ww_e_ = true;                                                                 \
		for (size_t ww_i_ = 0; ww_i_ < HASH_SIZE(table); ww_i_++)                          \
			ww_e_ = ww_e_ && hlist_empty(&(table)[ww_i_]);                             \
		ww_e_;                                                                             \
	})
#define hash_for_each(name, bkt, obj, member)                                                      \
	for ((bkt) = 0, obj = NULL; obj == NULL && (size_t)(bkt) < HASH_SIZE(name); (bkt)++)       \
	hlist_for_each_entry(obj, &name[bkt], member)
#define hash_for_each_rcu(name, bkt, obj, member)                                                  \
	for ((bkt) = 0, obj = NULL; obj == NULL && (size_t)(bkt) < HASH_SIZE(name); (bkt)++)       \
	hlist_for_each_entry_rcu(obj, &name[bkt], member)
#define hash_for_each_safe(name, bkt, tmp, obj, member)                                            \
	for ((bkt) = 0, obj = NULL; obj == NULL && (size_t)(bkt) < HASH_SIZE(name); (bkt)++)       \
	hlist_for_each_entry_safe(obj, tmp, &name[bkt], member)
#define hash_for_each_possible(name, obj, member, key)                                             \
	hlist_for_each_entry(obj, &name[hash_min(key, HASH_BITS(name))], member)
#define hash_for_each_possible_rcu(name, obj, member, key)                                         \
	hlist_for_each_entry_rcu(obj, &name[hash_min(key, HASH_BITS(name))], member)
#define hash_for_each_possible_safe(name, obj, tmp, member, key)                                   \
	hlist_for_each_entry_safe(obj, tmp, &name[hash_min(key, HASH_BITS(name))], member)

#endif

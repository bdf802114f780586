/* SPDX-License-Identifier: MIT */
/* Lock order is ThreadSanitizer's to check; "is it held" is checked here. */
#ifndef __LINUX_LOCKDEP_H
#define __LINUX_LOCKDEP_H

#include <linux/bug.h>

struct lock_class_key {
	char dummy;
};
struct lockdep_map {
	const char *name;
};

/* By its first word, which every one of our locks has: taken by anybody. */
#define ww_linux_is_held(l)                                                                        \
	(__atomic_load_n((const uint32_t *)(const void *)(l), __ATOMIC_RELAXED) != 0)
#define lockdep_assert_held(l)			 ((void)WARN_ON(!ww_linux_is_held(l)))
#define lockdep_assert_held_write(l)		 lockdep_assert_held(l)
#define lockdep_assert_held_read(l)		 lockdep_assert_held(l)
#define lockdep_assert_held_once(l)		 ((void)WARN_ON_ONCE(!ww_linux_is_held(l)))
#define lockdep_assert_not_held(l)		 ((void)(l))
#define lockdep_is_held(l)			 ww_linux_is_held(l)
#define lockdep_assert_irqs_enabled()		 ((void)0)
#define lockdep_assert_irqs_disabled()		 ((void)0)
#define lockdep_assert_preemption_disabled()	 ((void)0)
#define lockdep_assert_in_softirq()		 ((void)0)
#define lockdep_assert(cond)			 ((void)WARN_ON(!(cond)))
#define lockdep_set_class(l, key)		 ((void)(l), (void)(key))
#define lockdep_set_class_and_name(l, key, name) ((void)(l), (void)(key), (void)(name))
#define lockdep_set_subclass(l, sub)		 ((void)(l), (void)(sub))
#define lockdep_set_novalidate_class(l)		 ((void)(l))
#define lockdep_init_map(map, name, key, sub)	 ((void)(map), (void)(key))
#define lockdep_register_key(key)		 ((void)(key))
#define lockdep_unregister_key(key)		 ((void)(key))
#define lock_map_acquire(map)			 ((void)(map))
#define lock_map_release(map)			 ((void)(map))
#define might_lock(l)				 ((void)(l))
#define debug_locks				 0
#define lockdep_off()				 ((void)0)
#define lockdep_on()				 ((void)0)
#define SINGLE_DEPTH_NESTING			 1

#endif

/* SPDX-License-Identifier: MIT */
/* guard(mutex)(&m); scoped_guard(spinlock, &l) { ... }; __free(kfree). */
#ifndef _LINUX_CLEANUP_H
#define _LINUX_CLEANUP_H

#include <ww-linux/base.h>
#include <linux/compiler_types.h>

#define DEFINE_FREE(name, type, free)                                                              \
	static inline __attribute__((unused)) void __free_##name(void *p)                          \
	{                                                                                          \
		type _T = *(type *)p;                                                              \
		free;                                                                              \
	}
#define __free(name) __cleanup(__free_##name)
#define no_free_ptr(p)                                                                             \
	({                                                                                         \
		__auto_type ww_ptr_ = (p);                                                         \
		(p) = NULL;                                                                        \
		ww_ptr_;                                                                           \
	})
#define return_ptr(p) return no_free_ptr(p)

#define DEFINE_CLASS(name, type, exit, init, init_args...)                                         \
	typedef type class_##name##_t;                                                             \
	static inline __attribute__((unused)) void class_##name##_destructor(type *p)              \
	{                                                                                          \
		type _T = *p;                                                                      \
		exit;                                                                              \
	}                                                                                          \
	static inline __attribute__((unused)) type class_##name##_constructor(init_args)           \
	{                                                                                          \
		type t = init;                                                                     \
		return t;                                                                          \
	}
#define CLASS(name, var)                                                                           \
	class_##name##_t var __cleanup(class_##name##_destructor) = class_##name##_constructor
#define DEFINE_GUARD(name, type, lock, unlock)                                                     \
	DEFINE_CLASS(                                                                              \
		name, type, if (_T) { unlock; }, ({                                                \
			lock;                                                                      \
			_T;                                                                        \
		}),                                                                                \
		type _T)
#define guard(name) CLASS(name, WW_LINUX_UNIQUE(ww_guard_))
#define scoped_guard(name, args...)                                                                \
	for (CLASS(name, ww_scope_)(args), *ww_done_ = NULL; !ww_done_; ww_done_ = (void *)1)

#include <ww-linux/guards.h>

#endif

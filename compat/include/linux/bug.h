/* SPDX-License-Identifier: MIT */
/* WARN prints one line with the place and goes on; BUG does the same and aborts the process. */
#ifndef _LINUX_BUG_H
#define _LINUX_BUG_H

#include <ww-linux/base.h>
#include <linux/compiler.h>
#include <linux/build_bug.h>

#ifndef BUG
#define BUG() ww_linux_bug_at(__FILE__, __LINE__, __func__, "BUG")
#endif
#ifndef BUG_ON
#define BUG_ON(cond)                                                                               \
	do {                                                                                       \
		if (ww_linux_unlikely(cond))                                                       \
			ww_linux_bug_at(__FILE__, __LINE__, __func__, "BUG_ON(" #cond ")");        \
	} while (0)
#endif
#ifndef WARN
#define WARN(cond, fmt...)                                                                         \
	({                                                                                         \
		bool ww_c_ = !!(cond);                                                             \
		if (ww_linux_unlikely(ww_c_))                                                      \
			ww_linux_warn_at(__FILE__, __LINE__, __func__, fmt);                       \
		ww_linux_unlikely(ww_c_);                                                          \
	})
#endif
#ifndef WARN_ON
#define WARN_ON(cond)                                                                              \
	({                                                                                         \
		bool ww_c_ = !!(cond);                                                             \
		if (ww_linux_unlikely(ww_c_))                                                      \
			ww_linux_warn_at(__FILE__, __LINE__, __func__, "%s", #cond);               \
		ww_linux_unlikely(ww_c_);                                                          \
	})
#endif
#ifndef WARN_ONCE
#define WARN_ONCE(cond, fmt...)                                                                    \
	({                                                                                         \
		static int ww_once_;                                                               \
		bool ww_oc_ = !!(cond);                                                            \
		if (ww_linux_unlikely(ww_oc_) &&                                                   \
		    !__atomic_exchange_n(&ww_once_, 1, __ATOMIC_RELAXED))                          \
			ww_linux_warn_at(__FILE__, __LINE__, __func__, fmt);                       \
		ww_linux_unlikely(ww_oc_);                                                         \
	})
#endif
#ifndef WARN_ON_ONCE
#define WARN_ON_ONCE(cond) WARN_ONCE(cond, "%s", #cond)
#endif
#ifndef WARN_TAINT
#define WARN_TAINT(cond, taint, fmt...)	     WARN(cond, fmt)
#define WARN_TAINT_ONCE(cond, taint, fmt...) WARN_ONCE(cond, fmt)
#define WARN_ON_SMP(cond)		     WARN_ON(cond)
#define VM_BUG_ON(cond)			     BUG_ON(cond)
#define VM_WARN_ON(cond)		     ((void)WARN_ON(cond))
#define VM_WARN_ON_ONCE(cond)		     ((void)WARN_ON_ONCE(cond))
#define CHECK_DATA_CORRUPTION(cond, fmt...)  WARN(cond, fmt)
#endif

#endif

/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_ONCE_H
#define _LINUX_ONCE_H

#include <linux/mutex.h>

/* Once for the process; who comes meanwhile waits until it is done. */
#define DO_ONCE_SLEEPABLE(fn, ...)                                                                 \
	({                                                                                         \
		static struct mutex ww_once_lock_;                                                 \
		static bool ww_once_done_;                                                         \
		bool ww_first_ = false;                                                            \
		if (!__atomic_load_n(&ww_once_done_, __ATOMIC_ACQUIRE)) {                          \
			mutex_lock(&ww_once_lock_);                                                \
			if (!ww_once_done_) {                                                      \
				fn(__VA_ARGS__);                                                   \
				ww_first_ = true;                                                  \
				__atomic_store_n(&ww_once_done_, true, __ATOMIC_RELEASE);          \
			}                                                                          \
			mutex_unlock(&ww_once_lock_);                                              \
		}                                                                                  \
		ww_first_;                                                                         \
	})
#define DO_ONCE(fn, ...) DO_ONCE_SLEEPABLE(fn, ##__VA_ARGS__)
#define DO_ONCE_LITE(fn, ...)                                                                      \
	({                                                                                         \
		static int ww_lite_;                                                               \
		bool ww_first_ = !__atomic_exchange_n(&ww_lite_, 1, __ATOMIC_RELAXED);             \
		if (ww_first_)                                                                     \
			fn(__VA_ARGS__);                                                           \
		ww_first_;                                                                         \
	})
#define get_random_once(buf, n) DO_ONCE(get_random_bytes, (buf), (n))

#endif

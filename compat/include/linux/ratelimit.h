/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_RATELIMIT_H
#define _LINUX_RATELIMIT_H

#include <linux/spinlock.h>
#include <linux/jiffies.h>
#include <linux/printk.h>

struct ratelimit_state {
	spinlock_t lock;
	int interval, burst, printed, missed;
	unsigned long begin;
	unsigned flags;
};
#define DEFAULT_RATELIMIT_INTERVAL (5 * HZ)
#define DEFAULT_RATELIMIT_BURST	   10
#define RATELIMIT_MSG_ON_RELEASE   1u
#define RATELIMIT_STATE_INIT(name, i, b)                                                           \
	{                                                                                          \
		.interval = (i), .burst = (b)                                                      \
	}
#define DEFINE_RATELIMIT_STATE(name, i, b)                                                         \
	struct ratelimit_state name = {.interval = (i), .burst = (b)}
WW_LINUX_INLINE void ratelimit_state_init(struct ratelimit_state *rs, int interval, int burst)
{
	*rs = (struct ratelimit_state)RATELIMIT_STATE_INIT(*rs, interval, burst);
}
WW_LINUX_INLINE void ratelimit_default_init(struct ratelimit_state *rs)
{
	ratelimit_state_init(rs, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
}
int ww_linux_ratelimit_state(struct ratelimit_state *rs, const char *who);
#define __ratelimit(rs)	      ww_linux_ratelimit_state(rs, __func__)
#define ___ratelimit(rs, who) ww_linux_ratelimit_state(rs, who)
#define WARN_RATELIMIT(cond, fmt...)                                                               \
	({                                                                                         \
		static DEFINE_RATELIMIT_STATE(ww_rs_, DEFAULT_RATELIMIT_INTERVAL,                  \
					      DEFAULT_RATELIMIT_BURST);                            \
		bool ww_rc_ = !!(cond);                                                            \
		if (ww_rc_ && __ratelimit(&ww_rs_))                                                \
			WARN(1, fmt);                                                              \
		ww_rc_;                                                                            \
	})

#endif

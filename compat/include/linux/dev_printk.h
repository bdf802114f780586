/* SPDX-License-Identifier: MIT */
#ifndef _DEVICE_PRINTK_H_
#define _DEVICE_PRINTK_H_

#include <linux/printk.h>
#include <linux/device.h>

#ifndef dev_fmt
#define dev_fmt(fmt) fmt
#endif
void ww_linux_dev_printk(const char *level, const struct device *dev, const char *fmt, ...)
	WW_LINUX_PRINTF(3, 4);
#define dev_printk(level, dev, fmt, ...)                                                           \
	ww_linux_dev_printk(level, dev, dev_fmt(fmt), ##__VA_ARGS__)
#define dev_emerg(dev, fmt, ...)  dev_printk(KERN_EMERG, dev, fmt, ##__VA_ARGS__)
#define dev_alert(dev, fmt, ...)  dev_printk(KERN_ALERT, dev, fmt, ##__VA_ARGS__)
#define dev_crit(dev, fmt, ...)	  dev_printk(KERN_CRIT, dev, fmt, ##__VA_ARGS__)
#define dev_err(dev, fmt, ...)	  dev_printk(KERN_ERR, dev, fmt, ##__VA_ARGS__)
#define dev_warn(dev, fmt, ...)	  dev_printk(KERN_WARNING, dev, fmt, ##__VA_ARGS__)
#define dev_notice(dev, fmt, ...) dev_printk(KERN_NOTICE, dev, fmt, ##__VA_ARGS__)
#define dev_info(dev, fmt, ...)	  dev_printk(KERN_INFO, dev, fmt, ##__VA_ARGS__)
#ifdef DEBUG
#define dev_dbg(dev, fmt, ...) dev_printk(KERN_DEBUG, dev, fmt, ##__VA_ARGS__)
#else
#define dev_dbg(dev, fmt, ...)                                                                     \
	do {                                                                                       \
		if (0)                                                                             \
			dev_printk(KERN_DEBUG, dev, fmt, ##__VA_ARGS__);                           \
	} while (0)
#endif
#define dev_vdbg(dev, fmt, ...) dev_dbg(dev, fmt, ##__VA_ARGS__)
#define WW_LINUX_DEV_ONCE(f, dev, fmt, ...)                                                        \
	do {                                                                                       \
		static int ww_once_;                                                               \
		if (!__atomic_exchange_n(&ww_once_, 1, __ATOMIC_RELAXED))                          \
			f(dev, fmt, ##__VA_ARGS__);                                                \
	} while (0)
#define dev_err_once(dev, fmt, ...)    WW_LINUX_DEV_ONCE(dev_err, dev, fmt, ##__VA_ARGS__)
#define dev_warn_once(dev, fmt, ...)   WW_LINUX_DEV_ONCE(dev_warn, dev, fmt, ##__VA_ARGS__)
#define dev_info_once(dev, fmt, ...)   WW_LINUX_DEV_ONCE(dev_info, dev, fmt, ##__VA_ARGS__)
#define dev_emerg_once(dev, fmt, ...)  WW_LINUX_DEV_ONCE(dev_emerg, dev, fmt, ##__VA_ARGS__)
#define dev_alert_once(dev, fmt, ...)  WW_LINUX_DEV_ONCE(dev_alert, dev, fmt, ##__VA_ARGS__)
#define dev_crit_once(dev, fmt, ...)   WW_LINUX_DEV_ONCE(dev_crit, dev, fmt, ##__VA_ARGS__)
#define dev_notice_once(dev, fmt, ...) WW_LINUX_DEV_ONCE(dev_notice, dev, fmt, ##__VA_ARGS__)
#define dev_dbg_once(dev, fmt, ...)    WW_LINUX_DEV_ONCE(dev_dbg, dev, fmt, ##__VA_ARGS__)
#define WW_LINUX_DEV_LIMITED(f, dev, fmt, ...)                                                     \
	do {                                                                                       \
		static uint64_t ww_rl_[2];                                                         \
		if (ww_linux_ratelimit(ww_rl_))                                                    \
			f(dev, fmt, ##__VA_ARGS__);                                                \
	} while (0)
#define dev_err_ratelimited(dev, fmt, ...)  WW_LINUX_DEV_LIMITED(dev_err, dev, fmt, ##__VA_ARGS__)
#define dev_warn_ratelimited(dev, fmt, ...) WW_LINUX_DEV_LIMITED(dev_warn, dev, fmt, ##__VA_ARGS__)
#define dev_notice_ratelimited(dev, fmt, ...)                                                      \
	WW_LINUX_DEV_LIMITED(dev_notice, dev, fmt, ##__VA_ARGS__)
#define dev_info_ratelimited(dev, fmt, ...) WW_LINUX_DEV_LIMITED(dev_info, dev, fmt, ##__VA_ARGS__)
#define dev_emerg_ratelimited(dev, fmt, ...)                                                       \
	WW_LINUX_DEV_LIMITED(dev_emerg, dev, fmt, ##__VA_ARGS__)
#define dev_alert_ratelimited(dev, fmt, ...)                                                       \
	WW_LINUX_DEV_LIMITED(dev_alert, dev, fmt, ##__VA_ARGS__)
#define dev_crit_ratelimited(dev, fmt, ...) WW_LINUX_DEV_LIMITED(dev_crit, dev, fmt, ##__VA_ARGS__)
#define dev_dbg_ratelimited(dev, fmt, ...)  dev_dbg(dev, fmt, ##__VA_ARGS__)
/* Prints unless err is -EPROBE_DEFER; the value is err. */
int ww_linux_dev_err_probe(const struct device *dev, int err, const char *fmt, ...)
	WW_LINUX_PRINTF(3, 4);
#define dev_err_probe			   ww_linux_dev_err_probe
#define dev_WARN(dev, fmt, ...)		   WARN(1, "%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_WARN_ONCE(dev, cond, fmt, ...) WARN_ONCE(cond, "%s: " fmt, dev_name(dev), ##__VA_ARGS__)

#endif

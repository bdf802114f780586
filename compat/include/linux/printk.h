/* SPDX-License-Identifier: MIT */
/*
 * printk() writes a line "<level>[seconds] text" to standard output (WW_LINUX_LOG=FILE, or the
 * runner's options, say otherwise). The format knows the kernel's %p extensions that make sense in
 * a process: %pS %ps %pB (function names), %px %pK, %pM, %pI4 %pI6, %ph, %pU, %pe, %pV.
 */
#ifndef __KERNEL_PRINTK__
#define __KERNEL_PRINTK__

#include <stdarg.h>
#include <ww-linux/base.h>
#include <linux/kern_levels.h>

struct va_format {
	const char *fmt;
	va_list *va;
};

int ww_linux_printk(const char *fmt, ...) WW_LINUX_PRINTF(1, 2);
int ww_linux_vprintk(const char *fmt, va_list args) WW_LINUX_PRINTF(1, 0);
void ww_linux_hex_dump(const char *level, const char *prefix, int prefix_type, int rowsize,
		       int groupsize, const void *buf, size_t len, bool ascii);
int ww_linux_hex_line(const void *buf, size_t len, int rowsize, int groupsize, char *line,
		      size_t size, bool ascii);
void ww_linux_dump_stack(void);
/* The console's level: what is not below it is not printed (default 8: all). Returns the old. */
int ww_linux_set_loglevel(int level);

#ifndef printk
#define printk ww_linux_printk
#endif
#define _printk		ww_linux_printk
#define vprintk		ww_linux_vprintk
#define early_printk	ww_linux_printk
#define printk_deferred ww_linux_printk
#ifndef dump_stack
#define dump_stack ww_linux_dump_stack
#endif

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif
#ifndef pr_info
#define pr_emerg(fmt, ...)  printk(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_alert(fmt, ...)  printk(KERN_ALERT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit(fmt, ...)   printk(KERN_CRIT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)    printk(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)   printk(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warning	    pr_warn
#define pr_notice(fmt, ...) printk(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)   printk(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
#define pr_cont(fmt, ...)   printk(KERN_CONT fmt, ##__VA_ARGS__)
#endif

/* Checked by the compiler, printed by nobody. */
WW_LINUX_INLINE WW_LINUX_PRINTF(1, 2) int no_printk(const char *fmt, ...)
{
	(void)fmt;
	return 0;
}
#ifndef pr_debug
#ifdef DEBUG
#define pr_debug(fmt, ...) printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_devel(fmt, ...) printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__)
#else
#define pr_debug(fmt, ...) ((void)no_printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__))
#define pr_devel(fmt, ...) ((void)no_printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__))
#endif
#endif

#define printk_once(fmt, ...)                                                                      \
	({                                                                                         \
		static int ww_once_;                                                               \
		if (!__atomic_exchange_n(&ww_once_, 1, __ATOMIC_RELAXED))                          \
			printk(fmt, ##__VA_ARGS__);                                                \
	})
#define printk_deferred_once	printk_once
#define pr_debug_once(fmt, ...) ww_pr_once_(pr_debug, fmt, ##__VA_ARGS__)
#define pr_devel_once(fmt, ...) ww_pr_once_(pr_devel, fmt, ##__VA_ARGS__)
#define ww_pr_once_(pr, fmt, ...)                                                                  \
	({                                                                                         \
		static int ww_once_;                                                               \
		if (!__atomic_exchange_n(&ww_once_, 1, __ATOMIC_RELAXED))                          \
			pr(fmt, ##__VA_ARGS__);                                                    \
	})
#define pr_emerg_once(fmt, ...)	 printk_once(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_alert_once(fmt, ...)	 printk_once(KERN_ALERT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit_once(fmt, ...)	 printk_once(KERN_CRIT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err_once(fmt, ...)	 printk_once(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn_once(fmt, ...)	 printk_once(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice_once(fmt, ...) printk_once(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info_once(fmt, ...)	 printk_once(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)

/* At most ten lines in five seconds from each place, as the kernel's default has it. */
bool ww_linux_ratelimit(uint64_t *state);
#define printk_ratelimited(fmt, ...)                                                               \
	({                                                                                         \
		static uint64_t ww_rl_[2];                                                         \
		if (ww_linux_ratelimit(ww_rl_))                                                    \
			printk(fmt, ##__VA_ARGS__);                                                \
	})
#define printk_ratelimit()                                                                         \
	({                                                                                         \
		static uint64_t ww_rl_[2];                                                         \
		ww_linux_ratelimit(ww_rl_);                                                        \
	})
#define pr_emerg_ratelimited(fmt, ...)	printk_ratelimited(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_alert_ratelimited(fmt, ...)	printk_ratelimited(KERN_ALERT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit_ratelimited(fmt, ...)	printk_ratelimited(KERN_CRIT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err_ratelimited(fmt, ...)	printk_ratelimited(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn_ratelimited(fmt, ...)	printk_ratelimited(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice_ratelimited(fmt, ...) printk_ratelimited(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info_ratelimited(fmt, ...)	printk_ratelimited(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug_ratelimited(fmt, ...)	pr_debug(fmt, ##__VA_ARGS__)
#define pr_devel_ratelimited(fmt, ...)	pr_devel(fmt, ##__VA_ARGS__)

#define DUMP_PREFIX_NONE    0
#define DUMP_PREFIX_ADDRESS 1
#define DUMP_PREFIX_OFFSET  2
#ifndef print_hex_dump
#define print_hex_dump ww_linux_hex_dump
#endif
/* One row as text; returns its length, which may be more than the line has room for. */
#ifndef hex_dump_to_buffer
#define hex_dump_to_buffer ww_linux_hex_line
#endif
#define print_hex_dump_devel print_hex_dump_debug
#define print_hex_dump_bytes(prefix, type, buf, len)                                               \
	ww_linux_hex_dump(KERN_DEBUG, prefix, type, 16, 1, buf, len, true)
#define print_hex_dump_debug(prefix, type, row, group, buf, len, ascii)                            \
	ww_linux_hex_dump(KERN_DEBUG, prefix, type, row, group, buf, len, ascii)
#define trace_printk(fmt, ...) printk(KERN_DEBUG fmt, ##__VA_ARGS__)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The inside of the support library: what the headers of ../include call. It stands on the
 * library's public calls, and on the two header-only files of src/base.
 */
#ifndef WW_LINUX_SUPPORT_H
#define WW_LINUX_SUPPORT_H

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"

#include <ww-linux/base.h>

/* How the program is run; set by its main() before anything else, or from the environment. */
struct ww_linux_settings {
	int loglevel; /* printed if below */
	bool timestamps;
	bool virtual_time;
	bool seeded;
	uint64_t seed;
	long fail_alloc; /* the n-th allocation from now fails; 0 for none */
	FILE *log;
};
extern struct ww_linux_settings ww_linux_settings;
void ww_linux_settings_init(void);

/* vsnprintf() with the kernel's conversions. */
int ww_linux_format(char *buf, size_t size, const char *fmt, va_list ap);
/* Writes whole lines; level -1 for KERN_CONT. */
void ww_linux_log(int level, const char *text);

static inline int sys_futex_wait(uint32_t *word, uint32_t expected, const struct timespec *rel)
{
	return syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, rel, NULL, 0)
		       ? -errno
		       : 0;
}
static inline void sys_futex_wake(uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, n, NULL, NULL, 0);
}

/* What runs in the end where timer->function is one of this library's; NULL where it is not. */
struct ww_timer;
const void *ww_linux_old_timer_function(const struct ww_timer *timer);
const void *ww_linux_hrtimer_function(const struct ww_timer *timer);

/* What is left at the end, one line each to out; returns how many. */
unsigned ww_linux_report_tasks(FILE *out);
unsigned ww_linux_report_caches(FILE *out);
unsigned ww_linux_report_modules(FILE *out);
/* Runs what liburcu still holds. */
void ww_linux_rcu_drain(void);

#define WW_LINUX_EXPORT __attribute__((visibility("default")))

#endif

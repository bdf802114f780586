/* SPDX-License-Identifier: MIT */
/*
 * A module is a program here: link it with wheelwork-linux-module (pkg-config) or let
 * wheelwork-module build it, and its main() runs module_init(), waits, and runs module_exit().
 */
#if __has_include_next(<linux/module.h>)
#include_next <linux/module.h>
#endif
#ifndef WW_LINUX_MODULE_H
#define WW_LINUX_MODULE_H

#include <linux/list.h>
#include <linux/stat.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/export.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
/* what the kernel's <linux/module.h> brings along by way of others, and modules count on */
#include <linux/gfp.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

enum module_state {
	MODULE_STATE_LIVE,
	MODULE_STATE_COMING,
	MODULE_STATE_GOING,
	MODULE_STATE_UNFORMED,
};

struct module {
	const char *name;
	enum module_state state;
	const char *version, *srcversion;
	int ww_refs; /* by try_module_get(); what is left at exit is reported */
	struct module *ww_next;
};

bool ww_linux_try_module_get(struct module *m);
void ww_linux_module_put(struct module *m);
#define try_module_get	   ww_linux_try_module_get
#define __module_get(m)	   ((void)ww_linux_try_module_get(m))
#define module_put	   ww_linux_module_put
#define module_refcount(m) ((m)->ww_refs)
#define module_name(m)	   ((m) ? (m)->name : "kernel")
#define module_is_live(m)  ((m)->state != MODULE_STATE_GOING)

#define module_init(fn) WW_LINUX_INITCALL(fn, 60)
#define module_exit(fn) __exitcall(fn)
/* Instead of the two macros, functions of these names, which the C library has too. */
#define init_module    ww_linux_user_init_module
#define cleanup_module ww_linux_user_cleanup_module
int init_module(void);
void cleanup_module(void);

#define MODULE_LICENSE(x)	   MODULE_INFO(license, x)
#define MODULE_AUTHOR(x)	   MODULE_INFO(author, x)
#define MODULE_DESCRIPTION(x)	   MODULE_INFO(description, x)
#define MODULE_VERSION(x)	   MODULE_INFO(version, x)
#define MODULE_ALIAS(x)		   MODULE_INFO(alias, x)
#define MODULE_SOFTDEP(x)	   MODULE_INFO(softdep, x)
#define MODULE_FIRMWARE(x)	   MODULE_INFO(firmware, x)
#define MODULE_IMPORT_NS(x)	   MODULE_INFO(import_ns, WW_LINUX_STRING(x))
#define MODULE_SUPPORTED_DEVICE(x) MODULE_INFO(supported_device, x)
#define MODULE_DEVICE_TABLE(type, name)
#define symbol_get(x) (&(x))
#define symbol_put(x) ((void)&(x))
#define module_put_and_kthread_exit(result)                                                        \
	do {                                                                                       \
		module_put(THIS_MODULE);                                                           \
		ww_linux_kthread_exit(result);                                                     \
	} while (0)

#endif

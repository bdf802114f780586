/* SPDX-License-Identifier: MIT */
/*
 * What module_init() and the other initcalls name runs when the program is run as a module (see
 * <linux/module.h>): by level, then in link order; module_exit() in reverse.
 */
#ifndef _LINUX_INIT_H
#define _LINUX_INIT_H

#include <ww-linux/base.h>
#include <linux/compiler_types.h>
#include <linux/stringify.h>
#include <linux/types.h>

typedef int (*initcall_t)(void);
typedef void (*exitcall_t)(void);

struct ww_linux_initcall {
	int level;
	const char *module, *name;
	initcall_t init; /* one of the two */
	exitcall_t exit;
	struct ww_linux_initcall *next;
};
void ww_linux_add_initcall(struct ww_linux_initcall *call);

#define WW_LINUX_INITCALL(fn, lvl)                                                                 \
	__attribute__((constructor(1000))) static void WW_LINUX_PASTE(ww_add_init_##fn, lvl)(void) \
	{                                                                                          \
		static struct ww_linux_initcall call = {lvl, KBUILD_MODNAME, #fn, fn, NULL, NULL}; \
		ww_linux_add_initcall(&call);                                                      \
	}
#define __exitcall(fn)                                                                             \
	__attribute__((constructor(1000))) static void ww_add_exit_##fn(void)                      \
	{                                                                                          \
		static struct ww_linux_initcall call = {6, KBUILD_MODNAME, #fn, NULL, fn, NULL};   \
		ww_linux_add_initcall(&call);                                                      \
	}
#ifndef pure_initcall
#define early_initcall(fn)    WW_LINUX_INITCALL(fn, 00)
#define pure_initcall(fn)     WW_LINUX_INITCALL(fn, 00)
#define core_initcall(fn)     WW_LINUX_INITCALL(fn, 10)
#define postcore_initcall(fn) WW_LINUX_INITCALL(fn, 20)
#define arch_initcall(fn)     WW_LINUX_INITCALL(fn, 30)
#define subsys_initcall(fn)   WW_LINUX_INITCALL(fn, 40)
#define fs_initcall(fn)	      WW_LINUX_INITCALL(fn, 50)
#define rootfs_initcall(fn)   WW_LINUX_INITCALL(fn, 50)
#define device_initcall(fn)   WW_LINUX_INITCALL(fn, 60)
#define __initcall(fn)	      WW_LINUX_INITCALL(fn, 60)
#define late_initcall(fn)     WW_LINUX_INITCALL(fn, 70)
/* after all of its level */
#define core_initcall_sync(fn)	   WW_LINUX_INITCALL(fn, 15)
#define postcore_initcall_sync(fn) WW_LINUX_INITCALL(fn, 25)
#define arch_initcall_sync(fn)	   WW_LINUX_INITCALL(fn, 35)
#define subsys_initcall_sync(fn)   WW_LINUX_INITCALL(fn, 45)
#define fs_initcall_sync(fn)	   WW_LINUX_INITCALL(fn, 55)
#define device_initcall_sync(fn)   WW_LINUX_INITCALL(fn, 65)
#define late_initcall_sync(fn)	   WW_LINUX_INITCALL(fn, 75)
#endif

#endif

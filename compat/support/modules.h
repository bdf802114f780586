/* SPDX-License-Identifier: MIT */
/* The registers of module.c, for the program's main(). */
#ifndef WW_LINUX_MODULES_H
#define WW_LINUX_MODULES_H

#include <linux/module.h>
#undef init_module
#undef cleanup_module

struct ww_linux_initcall *ww_linux_initcalls(void);
struct kernel_param *ww_linux_params(void);
struct ww_linux_modinfo *ww_linux_modinfos(void);
/* "name=value"; -ENOENT for a name that nobody has, else what the parameter's setter says. */
int ww_linux_set_param(const char *text);

#endif

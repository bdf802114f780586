/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_EXPORT_H
#define _LINUX_EXPORT_H

#ifndef EXPORT_SYMBOL
#define EXPORT_SYMBOL(sym)
#define EXPORT_SYMBOL_GPL(sym)
#define EXPORT_SYMBOL_NS(sym, ns)
#define EXPORT_SYMBOL_NS_GPL(sym, ns)
#define EXPORT_UNUSED_SYMBOL(sym)
#endif

struct module;
#ifndef THIS_MODULE
struct module *ww_linux_module_named(const char *name);
#define THIS_MODULE ww_linux_module_named(KBUILD_MODNAME)
#endif

#endif

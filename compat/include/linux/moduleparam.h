/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MODULE_PARAMS_H
#define _LINUX_MODULE_PARAMS_H

#include <ww-linux/base.h>
#include <linux/types.h>
#include <linux/stringify.h>
#include <linux/init.h>

struct kernel_param;
struct kernel_param_ops {
	unsigned flags;
	int (*set)(const char *val, const struct kernel_param *kp); /* val NULL: "name" alone */
	int (*get)(char *buffer, const struct kernel_param *kp);    /* into a page; its length */
	void (*free)(void *arg);
};
#define KERNEL_PARAM_OPS_FL_NOARG 1

struct kparam_string {
	unsigned maxlen;
	char *string;
};
struct kparam_array {
	unsigned max, elemsize;
	unsigned *num;
	const struct kernel_param_ops *ops;
	void *elem;
};
struct kernel_param {
	const char *name, *module, *type;
	const struct kernel_param_ops *ops;
	u16 perm;
	union {
		void *arg;
		const struct kparam_string *str;
		const struct kparam_array *arr;
	};
	struct kernel_param *ww_next;
};
void ww_linux_add_param(struct kernel_param *param);

struct ww_linux_modinfo {
	const char *module, *tag, *text;
	struct ww_linux_modinfo *next;
};
void ww_linux_add_modinfo(struct ww_linux_modinfo *info);

#define WW_LINUX_MODINFO(n, tag, text)                                                             \
	__attribute__((constructor(1001))) static void WW_LINUX_PASTE(ww_info_, n)(void)           \
	{                                                                                          \
		static struct ww_linux_modinfo info = {KBUILD_MODNAME, tag, text, NULL};           \
		ww_linux_add_modinfo(&info);                                                       \
	}                                                                                          \
	struct ww_linux_modinfo
#define MODULE_INFO(tag, info)	       WW_LINUX_MODINFO(__COUNTER__, #tag, info)
#define MODULE_PARM_DESC(name, desc)   WW_LINUX_MODINFO(__COUNTER__, "parm", #name ":" desc)
#define __MODULE_PARM_TYPE(name, type) struct ww_linux_modinfo

#define WW_LINUX_PARAM_TYPE(name, type)                                                            \
	extern const struct kernel_param_ops ww_linux_param_ops_##name;                            \
	int ww_linux_param_set_##name(const char *val, const struct kernel_param *kp);             \
	int ww_linux_param_get_##name(char *buffer, const struct kernel_param *kp);                \
	WW_LINUX_INLINE type *ww_linux_param_is_##name(type *p)                                    \
	{                                                                                          \
		return p;                                                                          \
	}
WW_LINUX_PARAM_TYPE(byte, unsigned char)
WW_LINUX_PARAM_TYPE(short, short)
WW_LINUX_PARAM_TYPE(ushort, unsigned short)
WW_LINUX_PARAM_TYPE(int, int)
WW_LINUX_PARAM_TYPE(uint, unsigned int)
WW_LINUX_PARAM_TYPE(long, long)
WW_LINUX_PARAM_TYPE(ulong, unsigned long)
WW_LINUX_PARAM_TYPE(ullong, unsigned long long)
WW_LINUX_PARAM_TYPE(hexint, unsigned int)
WW_LINUX_PARAM_TYPE(charp, char *)
WW_LINUX_PARAM_TYPE(_Bool, _Bool)
WW_LINUX_PARAM_TYPE(invbool, _Bool)
/* "bool" reaches us expanded by <stdbool.h>, or not */
#define ww_linux_param_ops_bool	  ww_linux_param_ops__Bool
#define ww_linux_param_is_bool(p) ww_linux_param_is__Bool(p)

#define param_ops_byte	  ww_linux_param_ops_byte
#define param_ops_short	  ww_linux_param_ops_short
#define param_ops_ushort  ww_linux_param_ops_ushort
#define param_ops_int	  ww_linux_param_ops_int
#define param_ops_uint	  ww_linux_param_ops_uint
#define param_ops_long	  ww_linux_param_ops_long
#define param_ops_ulong	  ww_linux_param_ops_ulong
#define param_ops_ullong  ww_linux_param_ops_ullong
#define param_ops_hexint  ww_linux_param_ops_hexint
#define param_ops_charp	  ww_linux_param_ops_charp
#define param_ops_bool	  ww_linux_param_ops__Bool
#define param_ops_invbool ww_linux_param_ops_invbool
#define param_set_byte	  ww_linux_param_set_byte
#define param_get_byte	  ww_linux_param_get_byte
#define param_set_short	  ww_linux_param_set_short
#define param_get_short	  ww_linux_param_get_short
#define param_set_ushort  ww_linux_param_set_ushort
#define param_get_ushort  ww_linux_param_get_ushort
#define param_set_int	  ww_linux_param_set_int
#define param_get_int	  ww_linux_param_get_int
#define param_set_uint	  ww_linux_param_set_uint
#define param_get_uint	  ww_linux_param_get_uint
#define param_set_long	  ww_linux_param_set_long
#define param_get_long	  ww_linux_param_get_long
#define param_set_ulong	  ww_linux_param_set_ulong
#define param_get_ulong	  ww_linux_param_get_ulong
#define param_set_ullong  ww_linux_param_set_ullong
#define param_get_ullong  ww_linux_param_get_ullong
#define param_set_hexint  ww_linux_param_set_hexint
#define param_get_hexint  ww_linux_param_get_hexint
int ww_linux_param_set_uint_minmax(const char *val, const struct kernel_param *kp, unsigned min,
				   unsigned max);
#define param_set_uint_minmax ww_linux_param_set_uint_minmax
int ww_linux_param_set_string(const char *val, const struct kernel_param *kp);
int ww_linux_param_get_string(char *buffer, const struct kernel_param *kp);
#define param_set_copystring ww_linux_param_set_string
#define param_get_string     ww_linux_param_get_string
#define param_set_charp	     ww_linux_param_set_charp
#define param_get_charp	     ww_linux_param_get_charp
#define param_set_bool	     ww_linux_param_set__Bool
#define param_get_bool	     ww_linux_param_get__Bool
#define param_set_invbool    ww_linux_param_set_invbool
#define param_get_invbool    ww_linux_param_get_invbool

#define WW_LINUX_PARAM(pname, ptype, pops, pperm, parg)                                            \
	__attribute__((constructor(1000))) static void ww_add_param_##pname(void)                  \
	{                                                                                          \
		static struct kernel_param param = {.name = #pname,                                \
						    .module = KBUILD_MODNAME,                      \
						    .type = ptype,                                 \
						    .ops = pops,                                   \
						    .perm = (u16)(pperm),                          \
						    {.arg = (void *)(parg)}};                      \
		ww_linux_add_param(&param);                                                        \
	}                                                                                          \
	struct ww_linux_modinfo

#define module_param(name, type, perm)	      module_param_named(name, name, type, perm)
#define module_param_unsafe(name, type, perm) module_param_named(name, name, type, perm)
#define module_param_named_unsafe(name, value, type, perm)                                         \
	module_param_named(name, value, type, perm)
#define core_param(name, value, type, perm) module_param_named(name, value, type, perm)
#define module_param_named(name, value, type, perm)                                                \
	WW_LINUX_INLINE void ww_check_param_##name(void)                                           \
	{                                                                                          \
		(void)ww_linux_param_is_##type(&(value));                                          \
	}                                                                                          \
	WW_LINUX_PARAM(name, #type, &ww_linux_param_ops_##type, perm, &(value))
#define module_param_cb(name, ops, arg, perm) WW_LINUX_PARAM(name, "callback", ops, perm, arg)
#define module_param_call(pname, pset, pget, arg, perm)                                            \
	static const struct kernel_param_ops ww_ops_##pname = {.set = (pset), .get = (pget)};      \
	WW_LINUX_PARAM(pname, "callback", &ww_ops_##pname, perm, arg)
#define module_param_string(name, str, len, perm)                                                  \
	static const struct kparam_string ww_string_##name = {len, str};                           \
	WW_LINUX_PARAM(name, "string", &ww_linux_param_ops_string, perm, &ww_string_##name)
#define module_param_array(name, type, nump, perm)                                                 \
	module_param_array_named(name, name, type, nump, perm)
#define module_param_array_named(name, array, type, nump, perm)                                    \
	static const struct kparam_array ww_array_##name = {                                       \
		sizeof(array) / sizeof((array)[0]), sizeof((array)[0]), (unsigned *)(nump),        \
		&ww_linux_param_ops_##type, array};                                                \
	WW_LINUX_PARAM(name, "array of " #type, &ww_linux_param_ops_array, perm, &ww_array_##name)
extern const struct kernel_param_ops ww_linux_param_ops_string, ww_linux_param_ops_array;

#define kernel_param_lock(mod)	 ((void)(mod))
#define kernel_param_unlock(mod) ((void)(mod))

#endif

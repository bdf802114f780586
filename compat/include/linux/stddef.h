/* SPDX-License-Identifier: MIT */
#include_next <linux/stddef.h>
#ifndef WW_LINUX_STDDEF_H
#define WW_LINUX_STDDEF_H
#include <stddef.h>

#ifndef sizeof_field
#define sizeof_field(type, member) sizeof((((type *)0)->member))
#endif
#ifndef FIELD_SIZEOF
#define FIELD_SIZEOF(type, member) sizeof_field(type, member)
#endif
#ifndef offsetofend
#define offsetofend(type, member) (offsetof(type, member) + sizeof_field(type, member))
#endif
#ifndef struct_group
#define struct_group(name, ...)                                                                    \
	union {                                                                                    \
		struct {                                                                           \
			__VA_ARGS__                                                                \
		};                                                                                 \
		struct {                                                                           \
			__VA_ARGS__                                                                \
		} name;                                                                            \
	}
#endif
#ifndef DECLARE_FLEX_ARRAY
#define DECLARE_FLEX_ARRAY(type, name) __DECLARE_FLEX_ARRAY(type, name)
#endif

#endif

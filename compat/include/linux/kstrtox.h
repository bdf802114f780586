/* SPDX-License-Identifier: MIT */
/* Whole strings only, one final newline allowed: 0, -EINVAL, -ERANGE. */
#ifndef _LINUX_KSTRTOX_H
#define _LINUX_KSTRTOX_H

#include <linux/types.h>

int ww_linux_kstrtoull(const char *s, unsigned base, unsigned long long *res) WW_LINUX_MUST_CHECK;
int ww_linux_kstrtoll(const char *s, unsigned base, long long *res) WW_LINUX_MUST_CHECK;
int ww_linux_kstrtobool(const char *s, bool *res) WW_LINUX_MUST_CHECK;
unsigned long long ww_linux_simple_strtoull(const char *s, char **end, unsigned base);
long long ww_linux_simple_strtoll(const char *s, char **end, unsigned base);
unsigned long long ww_linux_memparse(const char *s, char **end);
/* "3,1,2": res[0] becomes the count; returns the first byte not read. */
char *ww_linux_get_options(const char *s, int n, int *res);

#define WW_LINUX_KSTRTO(name, type, wide, widest)                                                  \
	WW_LINUX_INLINE WW_LINUX_MUST_CHECK int name(const char *s, unsigned base, type *res)      \
	{                                                                                          \
		widest v;                                                                          \
		int err = wide(s, base, &v);                                                       \
                                                                                                   \
		if (err)                                                                           \
			return err;                                                                \
		if (v != (widest)(type)v)                                                          \
			return -34; /* ERANGE */                                                   \
		*res = (type)v;                                                                    \
		return 0;                                                                          \
	}
#define kstrtoull ww_linux_kstrtoull
#define kstrtoll  ww_linux_kstrtoll
WW_LINUX_KSTRTO(kstrtoul, unsigned long, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtol, long, ww_linux_kstrtoll, long long)
WW_LINUX_KSTRTO(kstrtouint, unsigned int, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtoint, int, ww_linux_kstrtoll, long long)
WW_LINUX_KSTRTO(kstrtou64, u64, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtos64, s64, ww_linux_kstrtoll, long long)
WW_LINUX_KSTRTO(kstrtou32, u32, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtos32, s32, ww_linux_kstrtoll, long long)
WW_LINUX_KSTRTO(kstrtou16, u16, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtos16, s16, ww_linux_kstrtoll, long long)
WW_LINUX_KSTRTO(kstrtou8, u8, ww_linux_kstrtoull, unsigned long long)
WW_LINUX_KSTRTO(kstrtos8, s8, ww_linux_kstrtoll, long long)
#define strict_strtoul		kstrtoul
#define strict_strtol		kstrtol
#define kstrtobool		ww_linux_kstrtobool
#define strtobool		ww_linux_kstrtobool
#define simple_strtoull		ww_linux_simple_strtoull
#define simple_strtoll		ww_linux_simple_strtoll
#define simple_strtoul(s, e, b) ((unsigned long)ww_linux_simple_strtoull(s, e, b))
#define simple_strtol(s, e, b)	((long)ww_linux_simple_strtoll(s, e, b))
#define memparse		ww_linux_memparse
#define get_options		ww_linux_get_options

#endif

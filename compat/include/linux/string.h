/* SPDX-License-Identifier: MIT */
#include_next <linux/string.h>
#ifndef WW_LINUX_STRING_H
#define WW_LINUX_STRING_H

#include <string.h>
#include <linux/types.h>

char *ww_linux_kstrdup(const char *s, gfp_t gfp);
char *ww_linux_kstrndup(const char *s, size_t max, gfp_t gfp);
void *ww_linux_kmemdup(const void *src, size_t len, gfp_t gfp);
char *ww_linux_kmemdup_nul(const char *s, size_t len, gfp_t gfp);
ssize_t ww_linux_strscpy(char *dst, const char *src, size_t size);
ssize_t ww_linux_strscpy_pad(char *dst, const char *src, size_t size);
size_t ww_linux_strlcpy(char *dst, const char *src, size_t size);
size_t ww_linux_strlcat(char *dst, const char *src, size_t size);
char *ww_linux_strim(char *s);
char *ww_linux_skip_spaces(const char *s);
char *ww_linux_strreplace(char *s, char old, char n);
bool ww_linux_sysfs_streq(const char *a, const char *b);
int ww_linux_match_string(const char *const *array, size_t n, const char *s);
int ww_linux_sysfs_match_string(const char *const *array, size_t n, const char *s);
char *ww_linux_strnstr(const char *s, const char *find, size_t len);
char *ww_linux_strnchr(const char *s, size_t count, int c);
void *ww_linux_memchr_inv(const void *start, int c, size_t bytes);
void *ww_linux_memscan(void *addr, int c, size_t size);

#define kstrdup				     ww_linux_kstrdup
#define kstrdup_const			     ww_linux_kstrdup
#define kstrndup			     ww_linux_kstrndup
#define kmemdup				     ww_linux_kmemdup
#define kmemdup_nul			     ww_linux_kmemdup_nul
#define kmemdup_array(src, count, size, gfp) ww_linux_kmemdup(src, (size_t)(count) * (size), gfp)
#define kfree_const(p)			     kfree(p)
/* Two arguments: the destination is an array; three: its size. -E2BIG when cut. */
#define ww_strscpy2(dst, src)		    ww_linux_strscpy(dst, src, sizeof(dst))
#define ww_strscpy3(dst, src, n)	    ww_linux_strscpy(dst, src, n)
#define ww_strscpy_pad2(dst, src)	    ww_linux_strscpy_pad(dst, src, sizeof(dst))
#define ww_strscpy_pad3(dst, src, n)	    ww_linux_strscpy_pad(dst, src, n)
#define ww_strscpy_pick(a, b, c, name, ...) name
#define strscpy(args...)		    ww_strscpy_pick(args, ww_strscpy3, ww_strscpy2)(args)
#define strscpy_pad(args...)		    ww_strscpy_pick(args, ww_strscpy_pad3, ww_strscpy_pad2)(args)
#define strlcpy				    ww_linux_strlcpy
#define strlcat				    ww_linux_strlcat
#define strim				    ww_linux_strim
#define strstrip			    ww_linux_strim
#define skip_spaces			    ww_linux_skip_spaces
#define strreplace			    ww_linux_strreplace
#define sysfs_streq			    ww_linux_sysfs_streq
#define match_string			    ww_linux_match_string
#define __sysfs_match_string		    ww_linux_sysfs_match_string
#define sysfs_match_string(a, s)	    ww_linux_sysfs_match_string(a, sizeof(a) / sizeof((a)[0]), s)
#define strnstr				    ww_linux_strnstr
#define strnchr				    ww_linux_strnchr
#define memchr_inv			    ww_linux_memchr_inv
#define memscan				    ww_linux_memscan
#define strnicmp			    strncasecmp
#define unsafe_memcpy(d, s, n, why)	    memcpy(d, s, n)
#define memzero_explicit(p, n)		    explicit_bzero(p, n)
#define strtomem(dst, src)                                                                         \
	((void)memcpy(dst, src,                                                                    \
		      strnlen(src, sizeof(dst)) < sizeof(dst) ? strnlen(src, sizeof(dst))          \
							      : sizeof(dst)))

WW_LINUX_INLINE size_t str_has_prefix(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) == 0 ? n : 0;
}
WW_LINUX_INLINE bool strstarts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}
WW_LINUX_INLINE const char *kbasename(const char *path)
{
	const char *tail = strrchr(path, '/');

	return tail ? tail + 1 : path;
}
#define memset_after(obj, v, member)                                                               \
	memset((char *)(obj) + offsetofend(__typeof__(*(obj)), member), v,                         \
	       sizeof(*(obj)) - offsetofend(__typeof__(*(obj)), member))
WW_LINUX_INLINE void memset32(u32 *s, u32 v, size_t n)
{
	while (n--)
		*s++ = v;
}
WW_LINUX_INLINE void memset64(u64 *s, u64 v, size_t n)
{
	while (n--)
		*s++ = v;
}
WW_LINUX_INLINE void memset16(u16 *s, u16 v, size_t n)
{
	while (n--)
		*s++ = v;
}
#define memset_l(p, v, n) memset64((u64 *)(p), (u64)(v), n)
#define memset_p(p, v, n) memset64((u64 *)(p), (u64)(uintptr_t)(v), n)
WW_LINUX_INLINE bool mem_is_zero(const void *p, size_t n)
{
	return !ww_linux_memchr_inv(p, 0, n);
}
WW_LINUX_INLINE char *strnchrnul(const char *s, size_t n, int c)
{
	while (n-- && *s && *s != (char)c)
		s++;
	return (char *)s;
}
WW_LINUX_INLINE void memcpy_and_pad(void *dst, size_t size, const void *src, size_t n, int pad)
{
	n = n < size ? n : size;
	memcpy(dst, src, n);
	memset((char *)dst + n, pad, size - n);
}
#define strtomem_pad(dst, src, pad)                                                                \
	memcpy_and_pad(dst, sizeof(dst), src, strnlen(src, sizeof(dst)), pad)
/* Two arrays that end in NULL as one; to be freed. */
void *ww_linux_memcat(void **a, void **b);
#define memcat_p(a, b) ((__typeof__(&(a)[0]))ww_linux_memcat((void **)(a), (void **)(b)))
/* The words of a text; *argc, where there is one, is their number. */
char **ww_linux_argv_split(gfp_t gfp, const char *s, int *argc);
void ww_linux_argv_free(char **argv);
#define argv_split		ww_linux_argv_split
#define argv_free		ww_linux_argv_free
#define str_yes_no(v)		((v) ? "yes" : "no")
#define str_on_off(v)		((v) ? "on" : "off")
#define str_true_false(v)	((v) ? "true" : "false")
#define str_enable_disable(v)	((v) ? "enable" : "disable")
#define str_enabled_disabled(v) ((v) ? "enabled" : "disabled")

#endif

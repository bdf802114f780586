/* SPDX-License-Identifier: MIT */
/* String helpers and number parsing that the C library does not have, or has otherwise. */
#include "support.h"

#include <ctype.h>

#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>
#undef strscpy

WW_LINUX_EXPORT ssize_t ww_linux_strscpy(char *dst, const char *src, size_t size)
{
	size_t n = strnlen(src, size);

	if (!size)
		return -E2BIG;
	if (n == size) {
		memcpy(dst, src, size - 1);
		dst[size - 1] = 0;
		return -E2BIG;
	}
	memcpy(dst, src, n + 1);
	return (ssize_t)n;
}

WW_LINUX_EXPORT ssize_t ww_linux_strscpy_pad(char *dst, const char *src, size_t size)
{
	ssize_t n = ww_linux_strscpy(dst, src, size);

	if (n >= 0)
		memset(dst + n, 0, size - (size_t)n);
	return n;
}

WW_LINUX_EXPORT size_t ww_linux_strlcpy(char *dst, const char *src, size_t size)
{
	if (size)
		ww_linux_strscpy(dst, src, size);
	return strlen(src);
}

WW_LINUX_EXPORT size_t ww_linux_strlcat(char *dst, const char *src, size_t size)
{
	size_t at = strnlen(dst, size);

	return at + ww_linux_strlcpy(dst + at, src, size - at);
}

WW_LINUX_EXPORT char *ww_linux_skip_spaces(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return (char *)s;
}

WW_LINUX_EXPORT char *ww_linux_strim(char *s)
{
	size_t n = strlen(s);

	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = 0;
	return ww_linux_skip_spaces(s);
}

WW_LINUX_EXPORT char *ww_linux_strreplace(char *s, char old, char n)
{
	for (char *p = s; *p; p++)
		if (*p == old)
			*p = n;
	return s;
}

/* Equal but for one final newline. */
WW_LINUX_EXPORT bool ww_linux_sysfs_streq(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);

	na -= na && a[na - 1] == '\n';
	nb -= nb && b[nb - 1] == '\n';
	return na == nb && memcmp(a, b, na) == 0;
}

WW_LINUX_EXPORT int ww_linux_match_string(const char *const *array, size_t n, const char *s)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (strcmp(array[i], s) == 0)
			return (int)i;
	return -EINVAL;
}

WW_LINUX_EXPORT int ww_linux_sysfs_match_string(const char *const *array, size_t n, const char *s)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (ww_linux_sysfs_streq(array[i], s))
			return (int)i;
	return -EINVAL;
}

WW_LINUX_EXPORT char *ww_linux_strnstr(const char *s, const char *find, size_t len)
{
	return memmem(s, strnlen(s, len), find, strlen(find));
}

WW_LINUX_EXPORT char *ww_linux_strnchr(const char *s, size_t count, int c)
{
	size_t n = strnlen(s, count);

	return memchr(s, c, n < count ? n + 1 : n); /* the final 0 can be found, too */
}

WW_LINUX_EXPORT void *ww_linux_memchr_inv(const void *start, int c, size_t bytes)
{
	const unsigned char *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (unsigned char)c)
			return (void *)p;
	return NULL;
}

WW_LINUX_EXPORT void *ww_linux_memscan(void *addr, int c, size_t size)
{
	void *p = memchr(addr, c, size);

	return p ? p : (char *)addr + size;
}

static const char *prefix(const char *s, unsigned *base)
{
	bool hex =
		s[0] == '0' && tolower((unsigned char)s[1]) == 'x' && isxdigit((unsigned char)s[2]);

	if (*base == 0)
		*base = hex ? 16 : s[0] == '0' ? 8 : 10;
	return *base == 16 && hex ? s + 2 : s;
}

/* Digits into *res; how many, or -ERANGE. */
static int digits(const char *s, unsigned base, unsigned long long *res)
{
	unsigned long long v = 0;
	int n = 0;
	bool over = false;

	for (; isalnum((unsigned char)s[n]); n++) {
		unsigned d = isdigit((unsigned char)s[n])
				     ? (unsigned)(s[n] - '0')
				     : (unsigned)(tolower((unsigned char)s[n]) - 'a') + 10;

		if (d >= base)
			break;
		over |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v);
	}
	*res = v;
	return over ? -ERANGE : n;
}

WW_LINUX_EXPORT int ww_linux_kstrtoull(const char *s, unsigned base, unsigned long long *res)
{
	unsigned long long v;
	int n;

	s = prefix(s + (*s == '+'), &base);
	n = digits(s, base, &v);
	if (n <= 0)
		return n ? n : -EINVAL;
	s += n + (s[n] == '\n');
	if (*s)
		return -EINVAL;
	*res = v;
	return 0;
}

WW_LINUX_EXPORT int ww_linux_kstrtoll(const char *s, unsigned base, long long *res)
{
	unsigned long long v;
	int err;

	if (*s == '-') {
		if (s[1] == '+')
			return -EINVAL;
		err = ww_linux_kstrtoull(s + 1, base, &v);
		if (!err && v > (unsigned long long)INT64_MAX + 1)
			err = -ERANGE;
		if (!err)
			*res = (long long)-v;
		return err;
	}
	err = ww_linux_kstrtoull(s, base, &v);
	if (!err && v > (unsigned long long)INT64_MAX)
		err = -ERANGE;
	if (!err)
		*res = (long long)v;
	return err;
}

WW_LINUX_EXPORT int ww_linux_kstrtobool(const char *s, bool *res)
{
	int c = s ? tolower((unsigned char)s[0]) : 0;

	if (c == 'o')
		c = tolower((unsigned char)s[1]) == 'n'	  ? 'y'
		    : tolower((unsigned char)s[1]) == 'f' ? 'n'
							  : 0;
	if (!c || !strchr("yt1nf0", c))
		return -EINVAL;
	*res = strchr("yt1", c) != NULL;
	return 0;
}

WW_LINUX_EXPORT unsigned long long ww_linux_simple_strtoull(const char *s, char **end,
							    unsigned base)
{
	unsigned long long v;
	int n;

	s = prefix(s, &base);
	n = digits(s, base, &v);
	if (n < 0) /* the kernel's lets it wrap: count the digits again */
		for (n = 0; isxdigit((unsigned char)s[n]); n++)
			;
	if (end)
		*end = (char *)s + n;
	return v;
}

WW_LINUX_EXPORT long long ww_linux_simple_strtoll(const char *s, char **end, unsigned base)
{
	if (*s == '-')
		return -(long long)ww_linux_simple_strtoull(s + 1, end, base);
	return (long long)ww_linux_simple_strtoull(s, end, base);
}

WW_LINUX_EXPORT unsigned long long ww_linux_memparse(const char *s, char **end)
{
	static const char units[] = "kmgtpe";
	char *e;
	unsigned long long v = ww_linux_simple_strtoull(s, &e, 0);
	const char *u = *e ? strchr(units, tolower((unsigned char)*e)) : NULL;

	if (u) {
		v <<= 10 * (u - units + 1);
		e++;
	}
	if (end)
		*end = e;
	return v;
}

WW_LINUX_EXPORT char *ww_linux_get_options(const char *s, int n, int *res)
{
	int i = 1;

	while (i < n && (isdigit((unsigned char)*s) || *s == '-')) {
		char *e;

		res[i++] = (int)ww_linux_simple_strtoll(s, &e, 0);
		s = e;
		if (*s != ',')
			break;
		s++;
	}
	res[0] = i - 1;
	return (char *)s;
}

WW_LINUX_EXPORT void *ww_linux_memcat(void **a, void **b)
{
	size_t m = 0, n = 0;
	void **all;

	while (a[m])
		m++;
	while (b[n])
		n++;
	all = ww_linux_kmalloc((m + n + 1) * sizeof(*all), GFP_KERNEL);
	if (!all)
		return NULL;
	memcpy(all, a, m * sizeof(*all));
	memcpy(all + m, b, (n + 1) * sizeof(*all));
	return all;
}

/* One piece of memory: the pointers, then the text that they point into. */
WW_LINUX_EXPORT char **ww_linux_argv_split(gfp_t gfp, const char *s, int *argc)
{
	size_t words = 0, size = strlen(s) + 1;
	char **argv, *text, *save = NULL;

	for (const char *p = s; *p; p++)
		words += !isspace((unsigned char)*p) && (p == s || isspace((unsigned char)p[-1]));
	argv = ww_linux_kmalloc((words + 1) * sizeof(*argv) + size, gfp);
	if (!argv)
		return NULL;
	text = memcpy(argv + words + 1, s, size);
	words = 0;
	for (char *w = strtok_r(text, " \t\n\v\f\r", &save); w;
	     w = strtok_r(NULL, " \t\n\v\f\r", &save))
		argv[words++] = w;
	argv[words] = NULL;
	if (argc)
		*argc = (int)words;
	return argv;
}

WW_LINUX_EXPORT void ww_linux_argv_free(char **argv)
{
	ww_linux_kfree(argv);
}

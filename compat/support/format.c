/* SPDX-License-Identifier: MIT */
/*
 * printf() as the kernel has it: the C library formats each plain conversion; the extensions of %p
 * are made here. Unknown letters after %p belong to the text, as in C.
 */
#include "support.h"

#include <ctype.h>
#include <netinet/in.h>
#include <arpa/inet.h>

#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#undef sprintf
#undef vsprintf
#undef snprintf
#undef vsnprintf

#include "base/report.h"

struct out {
	char *buf;
	size_t size, at; /* at: what was written had there been room */
};

static void put(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++, o->at++)
		if (o->at + 1 < o->size)
			o->buf[o->at] = s[i];
}

/* One conversion's text as the C library pads it. */
static void put_padded(struct out *o, const char *s, const char *flags, int width, int precision)
{
	char spec[32], small[256];
	int n;

	snprintf(spec, sizeof(spec), "%%%s*.*s", strchr(flags, '-') ? "-" : "");
	n = snprintf(small, sizeof(small), spec, width < 0 ? 0 : width, precision, s);
	if (n >= (int)sizeof(small))
		put(o, s, strlen(s));
	else if (n > 0)
		put(o, small, (size_t)n);
}

static void hex_bytes(char *to, size_t size, const unsigned char *from, int n, const char *sep)
{
	size_t at = 0;

	for (int i = 0; i < n && at + 4 < size; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%02x", i ? sep : "", from[i]);
}

static const char *ip_text(char *text, size_t size, const char *ext, const void *p)
{
	bool plain = ext[0] == 'i';

	if (ext[1] == '4') {
		const unsigned char *b = p;

		snprintf(text, size, plain ? "%03u.%03u.%03u.%03u" : "%u.%u.%u.%u", b[0], b[1],
			 b[2], b[3]);
	} else if (ext[2] == 'c') {
		inet_ntop(AF_INET6, p, text, (socklen_t)size);
	} else {
		const unsigned char *b = p;
		size_t at = 0;

		for (int i = 0; i < 16; i += 2)
			at += (size_t)snprintf(text + at, size - at, "%s%02x%02x",
					       i && !plain ? ":" : "", b[i], b[i + 1]);
	}
	return text;
}

static void uuid_text(char *text, size_t size, char kind, const unsigned char *u)
{
	static const unsigned char be[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const unsigned char le[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const unsigned char *order = kind == 'l' || kind == 'L' ? le : be;
	bool upper = kind == 'B' || kind == 'L';
	size_t at = 0;

	for (int i = 0; i < 16; i++) {
		at += (size_t)snprintf(text + at, size - at, upper ? "%02X" : "%02x", u[order[i]]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			at += (size_t)snprintf(text + at, size - at, "-");
	}
}

static void bitmap_list(struct out *o, const unsigned long *map, int bits, bool list)
{
	char text[64];
	bool first = true;

	if (!list) {
		for (int w = (bits + 31) / 32 - 1; w >= 0; w--) {
			unsigned v = (unsigned)(map[w / 2] >> (w % 2 * 32));

			put(o, text,
			    (size_t)snprintf(text, sizeof(text), "%08x%s", v, w ? "," : ""));
		}
		return;
	}
	for (int i = 0; i < bits; i++) {
		int end = i;

		if (!(map[i / 64] >> (i % 64) & 1))
			continue;
		while (end + 1 < bits && map[(end + 1) / 64] >> ((end + 1) % 64) & 1)
			end++;
		put(o, text,
		    (size_t)snprintf(text, sizeof(text), end > i ? "%s%d-%d" : "%s%d",
				     first ? "" : ",", i, end));
		first = false;
		i = end;
	}
}

static const char *errno_name(long err, char *text, size_t size)
{
	const char *name = strerrorname_np((int)-err);

	if (err < 0 && err >= -4095 && name)
		snprintf(text, size, "-%s", name);
	else
		snprintf(text, size, "%ld", err);
	return text;
}

/* %pV: a format within the format. */
static void nested(struct out *o, const struct va_format *vf)
{
	char text[1024];
	va_list ap;

	va_copy(ap, *vf->va);
	ww_linux_format(text, sizeof(text), vf->fmt, ap);
	va_end(ap);
	put(o, text, strlen(text));
}

/* The letters after %p that were used up. */
static int pointer(struct out *o, const char *ext, const void *p, const char *flags, int width,
		   int precision)
{
	char text[256] = "";
	int used = 1;

	switch (ext[0]) {
	case 'S':
	case 's':
	case 'B':
	case 'F':
	case 'f':
		snprintf(text, sizeof(text), "%s", ww_symbol(p));
		if (ext[0] == 's' || ext[0] == 'f')
			text[strcspn(text, "+")] = 0;
		used = ext[1] == 'R' || ext[1] == 'b' ? 2 : 1;
		break;
	case 'M':
	case 'm':
		hex_bytes(text, sizeof(text), p, 6, ext[0] == 'm' ? "" : ext[1] == 'F' ? "-" : ":");
		used = ext[0] == 'M' && ext[1] == 'F' ? 2 : 1;
		break;
	case 'I':
	case 'i':
		if (ext[1] != '4' && ext[1] != '6')
			goto plain;
		ip_text(text, sizeof(text), ext, p);
		used = ext[1] == '6' && ext[2] == 'c'			   ? 3
		       : ext[1] == '4' && ext[2] && strchr("hnbl", ext[2]) ? 3
									   : 2;
		break;
	case 'U':
		used = ext[1] && strchr("bBlL", ext[1]) ? 2 : 1;
		uuid_text(text, sizeof(text), used == 2 ? ext[1] : 'b', p);
		break;
	case 'h':
		used = ext[1] && strchr("CDN", ext[1]) ? 2 : 1;
		hex_bytes(text, sizeof(text), p, width > 0 ? width : 1,
			  used == 1	  ? " "
			  : ext[1] == 'C' ? ":"
			  : ext[1] == 'D' ? "-"
					  : "");
		width = 0;
		break;
	case 'b':
		if (ext[1] == 'l' || !isalpha((unsigned char)ext[1])) {
			bitmap_list(o, p, width, ext[1] == 'l');
			return ext[1] == 'l' ? 2 : 1;
		}
		goto plain;
	case 'e':
		errno_name((long)p, text, sizeof(text));
		break;
	case 'V':
		nested(o, p);
		return 1;
	case 'E':
		snprintf(text, sizeof(text), "%.*s", width > 0 ? width : 1, (const char *)p);
		while (isalpha((unsigned char)ext[used]))
			used++;
		width = 0;
		break;
	case 'a':
		snprintf(text, sizeof(text), "0x%016llx", *(const unsigned long long *)p);
		used = ext[1] == 'p' || ext[1] == 'd' ? 2 : 1;
		break;
	case 'x':
		snprintf(text, sizeof(text), "%lx", (unsigned long)p);
		break;
	case 'K':
		snprintf(text, sizeof(text), "%016lx", (unsigned long)p);
		break;
	default:
	plain:
		used = 0;
		snprintf(text, sizeof(text), p ? "%016lx" : "(null)", (unsigned long)p);
	}
	put_padded(o, text, flags, width, precision);
	return used;
}

/* Hands one conversion to the C library with the argument that its length says. */
#define PLAIN(type)                                                                                \
	do {                                                                                       \
		type v_ = va_arg(*ap, type);                                                       \
		n = snprintf(small, sizeof(small), spec, width, precision, v_);                    \
	} while (0)

static void plain(struct out *o, const char *spec, char conv, int len, int width, int precision,
		  va_list *ap)
{
	char small[512];
	int n = 0;

	if (conv == 'c') {
		PLAIN(int);
	} else if (strchr("eEfFgGaA", conv)) {
		PLAIN(double);
	} else if (len == 'q') {
		PLAIN(long long);
	} else if (len == 'l' || len == 'z' || len == 't' || len == 'j') {
		PLAIN(long);
	} else {
		PLAIN(int);
	}
	put(o, small, n < (int)sizeof(small) ? (size_t)n : sizeof(small) - 1);
}

static void string(struct out *o, const char *s, const char *flags, int width, int precision)
{
	size_t n;

	if (!s)
		s = "(null)";
	n = precision >= 0 ? strnlen(s, (size_t)precision) : strlen(s);
	for (int i = (int)n; i < width && !strchr(flags, '-'); i++)
		put(o, " ", 1);
	put(o, s, n);
	for (int i = (int)n; i < width && strchr(flags, '-'); i++)
		put(o, " ", 1);
}

static int number(const char **fmt, va_list *ap)
{
	int v = 0;

	if (**fmt == '*') {
		(*fmt)++;
		return va_arg(*ap, int);
	}
	while (isdigit((unsigned char)**fmt))
		v = v * 10 + *(*fmt)++ - '0';
	return v;
}

/* After a '%': one conversion. Returns what follows it. */
static const char *conversion(struct out *o, const char *fmt, va_list *ap)
{
	char flags[8] = "", spec[32];
	int width = 0, precision = -1, len = 0;
	size_t nf = 0;

	while (*fmt && strchr("-+ #0", *fmt)) {
		if (nf + 1 < sizeof(flags))
			flags[nf++] = *fmt;
		flags[nf] = 0;
		fmt++;
	}
	width = number(&fmt, ap);
	if (width < 0) {
		width = -width;
		if (nf + 1 < sizeof(flags))
			flags[nf++] = '-';
		flags[nf] = 0;
	}
	if (*fmt == '.') {
		fmt++;
		precision = number(&fmt, ap);
	}
	for (; *fmt && strchr("hlLqzZtj", *fmt); fmt++)
		len = *fmt == 'L' || (*fmt == 'l' && len == 'l') ? 'q'
		      : *fmt == 'h' && len == 'h'		 ? 'H'
		      : *fmt == 'Z'				 ? 'z'
								 : *fmt;
	if (*fmt == 'p') {
		const void *p = va_arg(*ap, const void *);

		fmt++;
		return fmt + pointer(o, fmt, p, flags, width, precision);
	}
	if (*fmt == 's') {
		string(o, va_arg(*ap, const char *), flags, width, precision);
		return fmt + 1;
	}
	if (*fmt == '%') {
		put(o, "%", 1);
		return fmt + 1;
	}
	if (!*fmt || !strchr("diouxXceEfFgGaA", *fmt)) {
		put(o, "%", 1);
		return fmt;
	}
	/* the C library wants "ll" where we keep one letter */
	snprintf(spec, sizeof(spec), "%%%s*.*%s%c", flags,
		 len == 'q'   ? "ll"
		 : len == 'H' ? "hh"
		 : len	      ? (char[]){(char)len, 0}
			      : "",
		 *fmt);
	plain(o, spec, *fmt, len, width, precision, ap);
	return fmt + 1;
}

int ww_linux_format(char *buf, size_t size, const char *fmt, va_list args)
{
	struct out o = {buf, size, 0};
	va_list ap;

	va_copy(ap, args);
	while (*fmt) {
		size_t run = strcspn(fmt, "%");

		put(&o, fmt, run);
		fmt += run;
		if (*fmt)
			fmt = conversion(&o, fmt + 1, &ap);
	}
	va_end(ap);
	if (size)
		buf[o.at < size ? o.at : size - 1] = 0;
	return (int)o.at;
}

WW_LINUX_EXPORT int ww_linux_vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	return ww_linux_format(buf, size, fmt, args);
}

WW_LINUX_EXPORT int ww_linux_vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int n = ww_linux_format(buf, size, fmt, args);

	return !size ? 0 : n < (int)size ? n : (int)size - 1;
}

WW_LINUX_EXPORT int ww_linux_vsprintf(char *buf, const char *fmt, va_list args)
{
	return ww_linux_format(buf, INT32_MAX, fmt, args);
}

#define VARIADIC(call)                                                                             \
	do {                                                                                       \
		va_list ap;                                                                        \
		int n;                                                                             \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		n = call;                                                                          \
		va_end(ap);                                                                        \
		return n;                                                                          \
	} while (0)

WW_LINUX_EXPORT int ww_linux_sprintf(char *buf, const char *fmt, ...)
{
	VARIADIC(ww_linux_format(buf, INT32_MAX, fmt, ap));
}

WW_LINUX_EXPORT int ww_linux_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	VARIADIC(ww_linux_format(buf, size, fmt, ap));
}

WW_LINUX_EXPORT int ww_linux_scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	VARIADIC(ww_linux_vscnprintf(buf, size, fmt, ap));
}

WW_LINUX_EXPORT int ww_linux_sysfs_emit(char *buf, const char *fmt, ...)
{
	VARIADIC(ww_linux_vscnprintf(buf, PAGE_SIZE, fmt, ap));
}

WW_LINUX_EXPORT int ww_linux_sysfs_emit_at(char *buf, int at, const char *fmt, ...)
{
	if (at < 0 || at >= (int)PAGE_SIZE)
		return 0;
	VARIADIC(ww_linux_vscnprintf(buf + at, PAGE_SIZE - (size_t)at, fmt, ap));
}

WW_LINUX_EXPORT char *ww_linux_kvasprintf(unsigned gfp, const char *fmt, va_list args)
{
	int n = ww_linux_format(NULL, 0, fmt, args);
	char *s = ww_linux_kmalloc((size_t)n + 1, gfp);

	if (s)
		ww_linux_format(s, (size_t)n + 1, fmt, args);
	return s;
}

WW_LINUX_EXPORT char *ww_linux_kasprintf(unsigned gfp, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = ww_linux_kvasprintf(gfp, fmt, ap);
	va_end(ap);
	return s;
}

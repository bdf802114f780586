/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_HEX_H
#define _LINUX_HEX_H

#include <ww-linux/base.h>

#define hex_asc_lo(x) ("0123456789abcdef"[(x)&0x0f])
#define hex_asc_hi(x) ("0123456789abcdef"[((x)&0xf0) >> 4])

WW_LINUX_INLINE char *hex_byte_pack(char *buf, unsigned char byte)
{
	*buf++ = hex_asc_hi(byte);
	*buf++ = hex_asc_lo(byte);
	return buf;
}
WW_LINUX_INLINE int hex_to_bin(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
WW_LINUX_INLINE int hex2bin(unsigned char *dst, const char *src, size_t count)
{
	for (; count; count--, src += 2) {
		int hi = hex_to_bin((unsigned char)src[0]);
		int lo = hi < 0 ? -1 : hex_to_bin((unsigned char)src[1]);

		if (lo < 0)
			return -22; /* EINVAL */
		*dst++ = (unsigned char)(hi << 4 | lo);
	}
	return 0;
}
WW_LINUX_INLINE char *bin2hex(char *dst, const void *src, size_t count)
{
	const unsigned char *s = src;

	while (count--)
		dst = hex_byte_pack(dst, *s++);
	return dst;
}

#endif

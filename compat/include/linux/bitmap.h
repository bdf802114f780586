/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_BITMAP_H
#define __LINUX_BITMAP_H

#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/slab.h>

#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) & (BITS_PER_LONG - 1)))
#define BITMAP_LAST_WORD_MASK(nbits)  (~0UL >> (-(nbits) & (BITS_PER_LONG - 1)))
#define bitmap_size(nbits)	      (BITS_TO_LONGS(nbits) * sizeof(unsigned long))

WW_LINUX_INLINE void bitmap_zero(unsigned long *dst, unsigned nbits)
{
	memset(dst, 0, bitmap_size(nbits));
}
WW_LINUX_INLINE void bitmap_fill(unsigned long *dst, unsigned nbits)
{
	memset(dst, 0xff, bitmap_size(nbits));
	if (nbits % BITS_PER_LONG)
		dst[nbits / BITS_PER_LONG] = BITMAP_LAST_WORD_MASK(nbits);
}
WW_LINUX_INLINE void bitmap_copy(unsigned long *dst, const unsigned long *src, unsigned nbits)
{
	memcpy(dst, src, bitmap_size(nbits));
}
#define WW_LINUX_BITMAP_OP(name, expr)                                                             \
	WW_LINUX_INLINE bool name(unsigned long *dst, const unsigned long *a,                      \
				  const unsigned long *b, unsigned nbits)                          \
	{                                                                                          \
		unsigned long any = 0;                                                             \
                                                                                                   \
		for (unsigned i = 0; i < BITS_TO_LONGS(nbits); i++) {                              \
			unsigned long w = expr;                                                    \
                                                                                                   \
			if ((i + 1) * BITS_PER_LONG > nbits)                                       \
				w &= BITMAP_LAST_WORD_MASK(nbits);                                 \
			dst[i] = w;                                                                \
			any |= w;                                                                  \
		}                                                                                  \
		return any;                                                                        \
	}
WW_LINUX_BITMAP_OP(bitmap_and, a[i] & b[i])
WW_LINUX_BITMAP_OP(bitmap_or, a[i] | b[i])
WW_LINUX_BITMAP_OP(bitmap_xor, a[i] ^ b[i])
WW_LINUX_BITMAP_OP(bitmap_andnot, a[i] & ~b[i])
WW_LINUX_INLINE unsigned bitmap_weight(const unsigned long *src, unsigned nbits)
{
	unsigned bit, n = 0;

	for_each_set_bit (bit, src, nbits)
		n++;
	return n;
}
#define bitmap_empty(src, nbits) (find_first_bit(src, nbits) == (nbits))
#define bitmap_full(src, nbits)	 (find_first_zero_bit(src, nbits) == (nbits))
WW_LINUX_INLINE bool bitmap_equal(const unsigned long *a, const unsigned long *b, unsigned nbits)
{
	for (unsigned i = 0; i < nbits; i++)
		if (test_bit(i, a) != test_bit(i, b))
			return false;
	return true;
}
WW_LINUX_INLINE bool bitmap_intersects(const unsigned long *a, const unsigned long *b,
				       unsigned nbits)
{
	for (unsigned i = 0; i < nbits; i++)
		if (test_bit(i, a) && test_bit(i, b))
			return true;
	return false;
}
WW_LINUX_INLINE bool bitmap_subset(const unsigned long *a, const unsigned long *b, unsigned nbits)
{
	for (unsigned i = 0; i < nbits; i++)
		if (test_bit(i, a) && !test_bit(i, b))
			return false;
	return true;
}
WW_LINUX_INLINE void bitmap_set(unsigned long *map, unsigned start, unsigned n)
{
	while (n--)
		__set_bit(start++, map);
}
WW_LINUX_INLINE void bitmap_clear(unsigned long *map, unsigned start, unsigned n)
{
	while (n--)
		__clear_bit(start++, map);
}
/* Where n clear bits begin, aligned; beyond size when there are none. */
WW_LINUX_INLINE unsigned long bitmap_find_next_zero_area(unsigned long *map, unsigned long size,
							 unsigned long start, unsigned n,
							 unsigned long align_mask)
{
	for (;;) {
		unsigned long at = find_next_zero_bit(map, size, start), set;

		at = (at + align_mask) & ~align_mask;
		if (at + n > size)
			return at + n;
		set = find_next_bit(map, at + n, at);
		if (set >= at + n)
			return at;
		start = set + 1;
	}
}
#define bitmap_alloc(nbits, gfp)  ((unsigned long *)kmalloc(bitmap_size(nbits), gfp))
#define bitmap_zalloc(nbits, gfp) ((unsigned long *)kzalloc(bitmap_size(nbits), gfp))
#define bitmap_free(map)	  kfree(map)

#endif

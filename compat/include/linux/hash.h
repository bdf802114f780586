/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_HASH_H
#define _LINUX_HASH_H

#include <linux/types.h>

#define GOLDEN_RATIO_32 0x61C88647U
#define GOLDEN_RATIO_64 0x61C8864680B583EBULL

WW_LINUX_INLINE u32 hash_32(u32 val, unsigned bits)
{
	return (val * GOLDEN_RATIO_32) >> (32 - bits);
}
WW_LINUX_INLINE u32 hash_64(u64 val, unsigned bits)
{
	return (u32)((val * GOLDEN_RATIO_64) >> (64 - bits));
}
#define hash_long(val, bits) hash_64((u64)(val), bits)
WW_LINUX_INLINE u32 hash_ptr(const void *ptr, unsigned bits)
{
	return hash_long((unsigned long)ptr, bits);
}
WW_LINUX_INLINE u32 hash32_ptr(const void *ptr)
{
	return (u32)((unsigned long)ptr ^ ((unsigned long)ptr >> 32));
}

#endif

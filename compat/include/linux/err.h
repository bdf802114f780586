/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_ERR_H
#define _LINUX_ERR_H

#include <ww-linux/base.h>
#include <linux/errno.h>

#define MAX_ERRNO	4095
#define IS_ERR_VALUE(x) ww_linux_unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)

WW_LINUX_INLINE WW_LINUX_MUST_CHECK void *ERR_PTR(long error)
{
	return (void *)error;
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK bool IS_ERR(const void *ptr)
{
	return IS_ERR_VALUE((unsigned long)ptr);
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR_VALUE((unsigned long)ptr);
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK void *ERR_CAST(const void *ptr)
{
	return (void *)ptr;
}
WW_LINUX_INLINE WW_LINUX_MUST_CHECK int PTR_ERR_OR_ZERO(const void *ptr)
{
	return IS_ERR(ptr) ? (int)PTR_ERR(ptr) : 0;
}
#define PTR_RET(p) PTR_ERR_OR_ZERO(p)

#endif

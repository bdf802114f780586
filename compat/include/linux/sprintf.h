/* SPDX-License-Identifier: MIT */
/* The kernel's own conversions (%pM, %pI4, ...) work in all of these. */
#ifndef _LINUX_KERNEL_SPRINTF_H_
#define _LINUX_KERNEL_SPRINTF_H_

#include <stdarg.h>
#include <stdio.h> /* declares the C library's, before the macros take their names */
#include <ww-linux/base.h>

int ww_linux_sprintf(char *buf, const char *fmt, ...) WW_LINUX_PRINTF(2, 3);
int ww_linux_vsprintf(char *buf, const char *fmt, va_list args) WW_LINUX_PRINTF(2, 0);
int ww_linux_snprintf(char *buf, size_t size, const char *fmt, ...) WW_LINUX_PRINTF(3, 4);
int ww_linux_vsnprintf(char *buf, size_t size, const char *fmt, va_list args) WW_LINUX_PRINTF(3, 0);
/* What was really written, without the final NUL. */
int ww_linux_scnprintf(char *buf, size_t size, const char *fmt, ...) WW_LINUX_PRINTF(3, 4);
int ww_linux_vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
	WW_LINUX_PRINTF(3, 0);
char *ww_linux_kasprintf(unsigned gfp, const char *fmt, ...) WW_LINUX_PRINTF(2, 3);
char *ww_linux_kvasprintf(unsigned gfp, const char *fmt, va_list args) WW_LINUX_PRINTF(2, 0);
/* Into a page of sysfs: never past PAGE_SIZE. */
int ww_linux_sysfs_emit(char *buf, const char *fmt, ...) WW_LINUX_PRINTF(2, 3);
int ww_linux_sysfs_emit_at(char *buf, int at, const char *fmt, ...) WW_LINUX_PRINTF(3, 4);

#define sprintf	      ww_linux_sprintf
#define vsprintf      ww_linux_vsprintf
#define snprintf      ww_linux_snprintf
#define vsnprintf     ww_linux_vsnprintf
#define scnprintf     ww_linux_scnprintf
#define vscnprintf    ww_linux_vscnprintf
#define kasprintf     ww_linux_kasprintf
#define kvasprintf    ww_linux_kvasprintf
#define sysfs_emit    ww_linux_sysfs_emit
#define sysfs_emit_at ww_linux_sysfs_emit_at

#endif

/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PANIC_H
#define _LINUX_PANIC_H

#include <ww-linux/base.h>

_Noreturn void ww_linux_panic(const char *fmt, ...) WW_LINUX_PRINTF(1, 2);
#ifndef panic
#define panic ww_linux_panic
#endif
#define oops_in_progress 0

#endif

/* SPDX-License-Identifier: MIT */
#include_next <linux/utsname.h>
#ifndef WW_LINUX_UTSNAME_H
#define WW_LINUX_UTSNAME_H

struct new_utsname *ww_linux_utsname(void);
#define utsname()      ww_linux_utsname()
#define init_utsname() ww_linux_utsname()

#endif

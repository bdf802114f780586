/* SPDX-License-Identifier: MIT */
#include_next <asm/param.h>
#undef HZ
#ifndef WW_LINUX_HZ
#define WW_LINUX_HZ 1000
#endif
#define HZ WW_LINUX_HZ

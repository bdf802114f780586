/* SPDX-License-Identifier: MIT */
/* The C library's <time.h> declares what the system's <linux/time.h> would declare again. */
#ifndef WW_LINUX_TIME_H
#define WW_LINUX_TIME_H

#include <time.h>
#include <sys/time.h>
#include <linux/time64.h>
#include <linux/jiffies.h>

#endif

/* SPDX-License-Identifier: MIT */
#include <linux/sched.h>
#include <linux/timekeeping.h>

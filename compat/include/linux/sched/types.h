/* SPDX-License-Identifier: MIT */
#include_next <linux/sched/types.h>
#include <linux/sched.h>

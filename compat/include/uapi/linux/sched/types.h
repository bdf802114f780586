/* SPDX-License-Identifier: MIT */
#include <linux/sched/types.h>

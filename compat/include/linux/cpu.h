/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CPU_H_
#define _LINUX_CPU_H_

#include <linux/cpumask.h>

#endif

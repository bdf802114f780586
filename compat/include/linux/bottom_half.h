/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_BH_H
#define _LINUX_BH_H

#include <linux/preempt.h>

#define local_bh_disable() ww_linux_preempt_disable()
#define local_bh_enable()  ww_linux_preempt_enable()

#endif

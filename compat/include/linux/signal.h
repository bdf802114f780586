/* SPDX-License-Identifier: MIT */
#ifndef WW_LINUX_SIGNAL_H
#define WW_LINUX_SIGNAL_H

#include <signal.h>
#include <linux/sched/signal.h>

#endif

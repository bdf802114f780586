/* SPDX-License-Identifier: MIT */
#include <linux/workqueue.h>
extern struct delayed_work greeter;

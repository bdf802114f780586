/* SPDX-License-Identifier: MIT */
#include <linux/delay.h>

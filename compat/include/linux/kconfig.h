/* SPDX-License-Identifier: MIT */
#include <linux/kernel.h>

/* SPDX-License-Identifier: MIT */
#include <linux/bitops.h>

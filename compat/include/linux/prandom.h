/* SPDX-License-Identifier: MIT */
#include <linux/random.h>

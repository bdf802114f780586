/* SPDX-License-Identifier: MIT */
#include <linux/bug.h>

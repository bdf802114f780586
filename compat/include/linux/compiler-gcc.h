/* SPDX-License-Identifier: MIT */
#include <linux/compiler_types.h>

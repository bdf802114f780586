/* SPDX-License-Identifier: MIT */
#include <linux/wait.h>

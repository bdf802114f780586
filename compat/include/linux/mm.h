/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <linux/gfp.h>
#include <linux/slab.h>

#endif

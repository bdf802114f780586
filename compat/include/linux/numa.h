/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_NUMA_H
#define _LINUX_NUMA_H

#define NUMA_NO_NODE (-1)

#endif

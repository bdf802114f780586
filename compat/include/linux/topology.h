/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TOPOLOGY_H
#define _LINUX_TOPOLOGY_H

#include <linux/smp.h>
#include <linux/numa.h>

int ww_linux_cpu_to_node(unsigned cpu);
#define cpu_to_node    ww_linux_cpu_to_node
#define numa_node_id() ww_linux_cpu_to_node(ww_linux_cpu())
#define numa_mem_id()  numa_node_id()

#endif

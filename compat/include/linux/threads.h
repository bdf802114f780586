/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_THREADS_H
#define _LINUX_THREADS_H

#define NR_CPUS	       1024
#define CONFIG_NR_CPUS NR_CPUS
#ifndef CONFIG_SMP
#define CONFIG_SMP 1
#endif

#endif

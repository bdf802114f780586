/* SPDX-License-Identifier: MIT */
#ifndef WW_LINUX_LEAKS_H
#define WW_LINUX_LEAKS_H

#include <stdio.h>

/*
 * What would crash a kernel, or be lost in it, once the module's code is gone: armed timers, queued
 * and running works, kthreads, work queues, caches, references; a line each. Returns how many.
 */
unsigned ww_linux_report_leaks(FILE *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Static probes (USDT) for perf, bpftrace and SystemTap, provider "wheelwork": a nop where nobody
 * traces. Without <sys/sdt.h> at build time there are none. Arguments are integers and pointers.
 */
#ifndef WW_BASE_PROBE_H
#define WW_BASE_PROBE_H

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define WW_HAVE_PROBES 1
#endif
#endif

#ifdef WW_HAVE_PROBES
#define WW_PROBE1(name, a)	 DTRACE_PROBE1(wheelwork, name, a)
#define WW_PROBE2(name, a, b)	 DTRACE_PROBE2(wheelwork, name, a, b)
#define WW_PROBE3(name, a, b, c) DTRACE_PROBE3(wheelwork, name, a, b, c)
#else
#define WW_PROBE1(name, a)	 ((void)(a))
#define WW_PROBE2(name, a, b)	 ((void)(a), (void)(b))
#define WW_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif

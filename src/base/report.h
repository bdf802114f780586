/* SPDX-License-Identifier: MIT */
#ifndef WW_BASE_REPORT_H
#define WW_BASE_REPORT_H

/*
 * Misuse found at run time: one line to the handler set with ww_set_misuse_handler() (default:
 * standard error). call is the public call's name; the rest says what is wrong, naming functions
 * by ww_symbol(). The caller then behaves as the form that does not wait.
 */
void ww_misuse(const char *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A warning about the process's state (a stall, a cap that binds), to the same handler. */
void ww_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The name of the function at addr ("name" or "name+0x12"), or its address in hexadecimal where no
 * symbol is known. Valid until the thread's fourth next call.
 */
const char *ww_symbol(const void *addr);
#define ww_symbol_fn(fn) ww_symbol(__extension__(const void *)(fn))

#endif

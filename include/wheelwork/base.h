/* SPDX-License-Identifier: MIT */
/* What every other header needs: reports of misuse. */
#ifndef WHEELWORK_BASE_H
#define WHEELWORK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ww_report_kind {
	WW_REPORT_MISUSE,  /* a call that can't be right: the line names it and both parties */
	WW_REPORT_WARNING, /* nothing is wrong with the call, but somebody should know */
};

/* Gets one line without a newline. Called in the thread that found it; must not call back. */
typedef void (*ww_report_fn)(enum ww_report_kind kind, const char *line);

/*
 * Who is told of misuse (a synchronous delete from the timer's own callback, say). Default and
 * NULL: one line on standard error. The call then behaves as the form that does not wait. Returns
 * the handler before. Context: any thread. Kernel: WARN().
 */
ww_report_fn ww_set_misuse_handler(ww_report_fn fn);

/*
 * Walk every structure of the library and report each fault as a warning; returns how many there
 * are, 0 for none. Locks what it walks for as long as that takes. Context: any thread, no lock of
 * the library held.
 */
int ww_debug_check(void);

/*
 * From now on (or no longer) make checks that cost a search: set-up of an object that is still in
 * use. Off by default. Context: any thread. Kernel: CONFIG_DEBUG_OBJECTS.
 */
void ww_debug_enable(bool on);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <unistd.h>

#include "base/atomic.h"
#include "wheelwork/base.h"

static ww_report_fn handler;

static void deliver(enum ww_report_kind kind, const char *line)
{
	ww_report_fn fn = ww_load_acquire(&handler); /* pairs: REPORT-1 */

	if (fn)
		fn(kind, line);
	else
		fprintf(stderr, "wheelwork: %s\n", line);
}

WW_EXPORT ww_report_fn ww_set_misuse_handler(ww_report_fn fn)
{
	return ww_xchg(&handler, fn); /* pairs: REPORT-1 */
}

void ww_misuse(const char *call, const char *fmt, ...)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%s: ", call);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	deliver(WW_REPORT_MISUSE, line);
}

void ww_warn(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	deliver(WW_REPORT_WARNING, line);
}

/* SPDX-License-Identifier: MIT */
/* What the library reports, kept: ww_set_misuse_handler(keep_report). */
#ifndef WW_TESTS_REPORTS_H
#define WW_TESTS_REPORTS_H

#include <stdio.h>

#include "base/atomic.h"
#include "wheelwork/base.h"

static int reports;
static char report[512]; /* the last one */

static inline void keep_report(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	snprintf(report, sizeof(report), "%s", line);
	ww_fetch_add(&reports, 1);
}

#endif

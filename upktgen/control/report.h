/* SPDX-License-Identifier: MIT */
/* What a run came to: text with the kernel's Result: lines, or one JSON document (docs/json.md). */
#ifndef UPKTGEN_CONTROL_REPORT_H
#define UPKTGEN_CONTROL_REPORT_H

#include "control/session.h"

struct upk_report;

/* NULL + errno. */
struct upk_report *upk_report_open(const struct upk_options *options);

/*
 * After each start: prints it, or puts it into the document. Returns how many devices could not
 * start. The session's receiver figures go with it.
 */
int upk_report_start(struct upk_report *r, struct upk_session *s);

/* A line that failed after all: name:line: why. */
void upk_report_fault(struct upk_report *r, const char *name, unsigned line, const char *why);

/* Prints the document, if it is one, and frees. */
void upk_report_close(struct upk_report *r, bool interrupted);

#endif

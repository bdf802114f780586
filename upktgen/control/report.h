/* SPDX-License-Identifier: MIT */
/* What a run came to: text with the kernel's Result: lines. */
#ifndef UPKTGEN_CONTROL_REPORT_H
#define UPKTGEN_CONTROL_REPORT_H

#include "control/session.h"

/* Of each device that ran: its name and its Result: lines. Returns how many could not start. */
int upk_report_text(struct upk_session *s, FILE *to);

#endif

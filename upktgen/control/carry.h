/* SPDX-License-Identifier: MIT */
/* Carrying a checked script out, for run and send. */
#ifndef UPKTGEN_CONTROL_CARRY_H
#define UPKTGEN_CONTROL_CARRY_H

#include "control/options.h"
#include "control/script.h"

/* The script at path, "-" for standard input. NULL after a line on standard error. */
FILE *upk_script_file(const char *path);
/*
 * Reads and closes it; faults go to told. UPK_OK, or an exit status after a line on standard error,
 * with nothing to free.
 */
int upk_script_read(struct pg_script *script, const char *path, FILE *from, pg_fault_fn told);

/*
 * Checks the whole script, tells every fault on standard error, and carries it out if there is
 * none, with a report on standard output. The exit status.
 */
int upk_carry_out(const struct upk_options *options, const struct pg_script *script);

/* A pg_fault_fn to standard error. */
void upk_tell_fault(const char *name, unsigned line, const char *why, void *arg);

#endif

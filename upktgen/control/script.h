/* SPDX-License-Identifier: MIT */
/*
 * Scripts: one "TARGET COMMAND [ARGUMENT]" a line, "#" begins a comment. A script is read and
 * checked whole before any line of it is carried out.
 */
#ifndef UPKTGEN_CONTROL_SCRIPT_H
#define UPKTGEN_CONTROL_SCRIPT_H

#include <stdio.h>

#include "command/words.h"

#define PG_LINE_MAX 4096

struct pg_line {
	unsigned number; /* from 1 */
	char *target;	 /* without a leading path */
	char *command;	 /* with its argument */
};

struct pg_script {
	char *name; /* for messages */
	struct pg_line *lines;
	size_t nr_lines;
	size_t nr_faults; /* found while reading: told already */
};

/* Where faults go: "NAME:LINE: why". */
typedef void (*pg_fault_fn)(const char *name, unsigned line, const char *why, void *arg);

/* 0 or -errno (the file can't be read, or no memory). What is faulty is told, and counted. */
int pg_script_read(struct pg_script *s, const char *name, FILE *from, pg_fault_fn told, void *arg);
void pg_script_free(struct pg_script *s);

struct pg_check_options {
	bool strict;	 /* what the kernel takes is right, however odd */
	bool any_device; /* the backend needs none: any name will do */
	bool elsewhere;	 /* for another machine: do not look at this one's devices and CPUs */
};

/* Every fault of the script, nothing sent and nobody's rights needed. How many there were. */
size_t pg_script_check(const struct pg_script *s, const struct pg_check_options *options,
		       pg_fault_fn told, void *arg);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the three kinds of files understand. These calls only read words: a device command changes
 * a configuration that it is given, so a script can be checked without an engine, a device or a
 * right to anything.
 */
#ifndef UPKTGEN_COMMAND_COMMAND_H
#define UPKTGEN_COMMAND_COMMAND_H

#include <stdio.h>

#include "transmit/engine.h"

#define PG_WHY_TEXT 480

struct pg_outcome {
	int err;		 /* 0, or the kernel's -errno */
	bool result_set;	 /* result is the new Result: */
	char result[PG_RESULT];	 /* as the kernel words it */
	char why[PG_WHY_TEXT];	 /* err, or a refusal in the Result alone: what would be right */
	char fault[PG_WHY_TEXT]; /* the kernel takes it, but it can't be what was meant */
	bool clear_counters;	 /* left to do: pg_device_clear_counters() */
	bool debug_set;
	uint32_t debug;
};

/*
 * One device command. On success *config is changed; on an error, or a refusal that only the
 * Result tells, it is as before. Returns out->err. strict: refuse what the kernel refuses.
 */
int pg_device_command(const struct pg_device_facts *facts, bool strict, struct pg_config *config,
		      const char *buf, size_t len, struct pg_outcome *out);

enum pg_thread_verb { PG_ADD_DEVICE, PG_REM_DEVICE_ALL, PG_MAX_BEFORE_SOFTIRQ };

/* One command of a kpktgend_N file; device gets the name of add_device. */
int pg_thread_command(const char *buf, size_t len, enum pg_thread_verb *verb,
		      char device[PG_DEV_NAME], struct pg_outcome *out);

enum pg_control_verb { PG_CTRL_START, PG_CTRL_STOP, PG_CTRL_RESET };

int pg_control_command(const char *buf, size_t len, enum pg_control_verb *verb,
		       struct pg_outcome *out);

/* Every device command with its right form, one a line. */
void pg_device_commands_print(FILE *to);

/* The texts of the files (show.c). Text up to size, always ended; the length that it wanted. */
size_t pg_show_device(const struct pg_device_facts *facts, const struct pg_config *config,
		      const struct pg_status *status, const char *result, char *out, size_t size);
/* The two lines of a run's result, and a third that says why it ended early, if it did. */
void pg_show_result(const struct pg_config *config, const struct pg_status *status,
		    char out[PG_RESULT]);

struct pg_rates {
	uint64_t elapsed_us, idle_us;
	uint64_t pps, bps;
};
/* As the result line counts them; all 0 for a run of no length. */
void pg_show_rates(const struct pg_config *config, const struct pg_status *status,
		   struct pg_rates *out);

#define PG_VERSION_LINE "Packet Generator for packet performance testing. Version: 2.75\n"

#endif

/* SPDX-License-Identifier: MIT */
/* The names of the flag bits, in the order of the Flags: line. */
#ifndef UPKTGEN_COMMAND_FLAGS_H
#define UPKTGEN_COMMAND_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_NR_FLAGS 19

extern const char *const pg_flag_names[PG_NR_FLAGS];

/* The bit that NAME or !NAME sets (*clear false) or clears; 0 if it is none. */
uint32_t pg_flag_read(const char *text, bool *clear);
/* "NAME, NAME, ...": those that a command may name. */
void pg_flag_list(char *out, size_t size);

#endif

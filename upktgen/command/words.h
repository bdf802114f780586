/* SPDX-License-Identifier: MIT */
/*
 * The files of /proc/net/pktgen over an engine: what a write to one does, and what a read of one
 * shows. Any thread may call any of it at any time; a start blocks only its caller.
 */
#ifndef UPKTGEN_COMMAND_WORDS_H
#define UPKTGEN_COMMAND_WORDS_H

#include "command/command.h"

struct pg_words;

struct pg_words_options {
	bool strict;
	/* Told of each command while debug is on; may be NULL. */
	void (*debug)(const char *target, const char *buf, size_t len, int err);
};

/* NULL + errno. The engine stays the caller's, and must outlive it. */
struct pg_words *pg_words_create(struct pg_engine *e, const struct pg_words_options *options);
void pg_words_destroy(struct pg_words *w);

/*
 * One write to TARGET: "pgctrl", "kpktgend_N" or a device's full name. 0, or the kernel's -errno
 * (-ENOENT: no such file); out (may be NULL) says why. "start" returns when every device is done.
 */
int pg_words_write(struct pg_words *w, const char *target, const char *buf, size_t len,
		   struct pg_outcome *out);

/* The file's text, to be freed, and its length; NULL + errno. */
char *pg_words_read(struct pg_words *w, const char *target, size_t *len);

/* True if there is such a file. */
bool pg_words_exists(struct pg_words *w, const char *target);
/* Calls fn with each file's name. */
void pg_words_each(struct pg_words *w, void (*fn)(const char *target, void *arg), void *arg);

/* N of "kpktgend_N", or -1. */
int pg_target_cpu(const char *target);

#endif

/* SPDX-License-Identifier: MIT */
/* Options that several subcommands share, as an argp child. */
#ifndef UPKTGEN_CONTROL_OPTIONS_H
#define UPKTGEN_CONTROL_OPTIONS_H

#include <argp.h>

#include "transmit/engine.h"

enum upk_progress { UPK_PROGRESS_NONE, UPK_PROGRESS_TEXT, UPK_PROGRESS_JSON };

struct upk_options {
	struct pg_engine_options engine;
	bool seed_given;
	bool json;
	enum upk_progress progress;
	const char *receiver; /* device of the far end; NULL: none */
	uint64_t limit_ms;    /* of each start; 0: none */
};

/* Input of both: a struct upk_options. The first: how to send. */
extern const struct argp upk_engine_argp;
/* How a run is watched and told: time, receiver, progress, JSON. */
extern const struct argp upk_watch_argp;

/* Chooses the seed where none was given. */
void upk_options_settle(struct upk_options *o);

/* A whole decimal number up to max; else argp_error(). */
uint64_t upk_number(struct argp_state *state, const char *what, const char *text, uint64_t max);
/* "5", "2.5", "300ms", "5s", "2m", "1h" in ns; else argp_error(). */
uint64_t upk_duration(struct argp_state *state, const char *what, const char *text);

/*
 * The keys ARGP_KEY_ARG and ARGP_KEY_END of a subcommand with exactly one argument, which goes to
 * *to: what it is ("device"), and the question where it is missing.
 */
error_t upk_one_argument(int key, char *arg, struct argp_state *state, const char **to,
			 const char *what, const char *question);

#endif

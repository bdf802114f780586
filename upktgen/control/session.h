/* SPDX-License-Identifier: MIT */
/* One engine with its words, as run, send and mount use it, and what a signal does to it. */
#ifndef UPKTGEN_CONTROL_SESSION_H
#define UPKTGEN_CONTROL_SESSION_H

#include "command/words.h"
#include "control/options.h"

struct upk_session {
	struct upk_options options;
	struct pg_engine *engine;
	struct pg_words *words;
};

/* 0, or -errno after one line on standard error. One at a time. */
int upk_session_open(struct upk_session *s, const struct upk_options *options);
void upk_session_close(struct upk_session *s);

/*
 * From now until the close: SIGINT and SIGTERM stop a run, which keeps what it sent. The signal
 * that came, or 0.
 */
void upk_session_catch_signals(struct upk_session *s);
int upk_session_signal(void);

/* For one write of "start": shows progress meanwhile, if asked. As pg_words_write(). */
int upk_session_write(struct upk_session *s, const char *target, const char *command,
		      struct pg_outcome *out);

#endif

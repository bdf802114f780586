/* SPDX-License-Identifier: MIT */
/* One engine with its words, as run, send and mount use it, and what a signal does to it. */
#ifndef UPKTGEN_CONTROL_SESSION_H
#define UPKTGEN_CONTROL_SESSION_H

#include <signal.h>

#include "command/words.h"
#include "control/options.h"
#include "receive/receiver.h"

struct upk_session {
	struct upk_options options;
	struct pg_engine *engine;
	struct pg_words *words;
	/* Of the last start, where there was a receiver: what it found, and the same as text. */
	struct pg_receive_summary heard;
	char *books;
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

/* fn, or SIG_IGN, for SIGINT and SIGTERM. */
void upk_on_signals(void (*fn)(int sig));

/*
 * One write of "start" to pgctrl, watched as the options say: progress, time limit, receiver. What
 * the receiver found goes to the session's books, as text. As pg_words_write(); -EBADMSG if the
 * books of both ends disagree.
 */
int upk_session_start(struct upk_session *s, struct pg_outcome *out);

#endif

// SPDX-License-Identifier: MIT
#include "control/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "receive/watch.h"

static struct pg_engine *to_stop; /* by the handler */
static int caught;

static void handler(int sig)
{
	struct pg_engine *e = ww_load_relaxed(&to_stop);
	int saved = errno;

	ww_store_relaxed(&caught, sig);
	if (e)
		pg_engine_stop_from_signal(e);
	errno = saved;
}

int upk_session_signal(void)
{
	return ww_load_relaxed(&caught);
}

void upk_on_signals(void (*fn)(int sig))
{
	struct sigaction sa = {.sa_handler = fn};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

void upk_session_catch_signals(struct upk_session *s)
{
	ww_store_relaxed(&to_stop, s->engine);
	upk_on_signals(handler);
}

static void say_command(const char *target, const char *buf, size_t len, int err)
{
	fprintf(stderr, "upktgen: %s: %.*s: %d\n", target, (int)strcspn(buf, "\n"), len ? buf : "",
		err);
}

int upk_session_open(struct upk_session *s, const struct upk_options *options)
{
	struct pg_words_options w = {.strict = options->engine.strict, .debug = say_command};

	memset(s, 0, sizeof(*s));
	s->options = *options;
	upk_options_settle(&s->options);
	s->engine = pg_engine_create(&s->options.engine);
	s->words = s->engine ? pg_words_create(s->engine, &w) : NULL;
	if (s->words)
		return 0;
	int err = -errno;

	fprintf(stderr, "upktgen: the transmit threads can't be started: %s\n", strerror(-err));
	pg_engine_destroy(s->engine);
	s->engine = NULL;
	return err;
}

void upk_session_close(struct upk_session *s)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	ww_store_relaxed(&to_stop, (struct pg_engine *)NULL);
	pg_words_destroy(s->words);
	pg_engine_destroy(s->engine);
	free(s->books);
	pg_receive_summary_free(&s->heard);
}

static struct pg_watch *watch(struct upk_session *s, char why[128])
{
	struct pg_watch_options w = {.receiver = s->options.receiver,
				     .limit_ms = s->options.limit_ms,
				     .json = s->options.progress == UPK_PROGRESS_JSON,
				     .summary = &s->heard};

	/* a receiver is somebody who wants to see it */
	if (s->options.progress != UPK_PROGRESS_NONE || (s->options.receiver && !s->options.json))
		w.progress = stderr;
	return pg_watch_start(s->engine, &w, why);
}

int upk_session_start(struct upk_session *s, struct pg_outcome *out)
{
	char why[128];
	struct pg_watch *w = watch(s, why);
	size_t len;
	FILE *to;
	int err, books = 0;

	memset(out, 0, sizeof(*out));
	if (!w) {
		snprintf(out->why, sizeof(out->why), "start: %s", why);
		return out->err = errno ? -errno : -ENOMEM;
	}
	err = pg_words_write(s->words, "pgctrl", "start", 5, out);
	free(s->books);
	s->books = NULL;
	pg_receive_summary_free(&s->heard);
	to = open_memstream(&s->books, &len);
	books = pg_watch_finish(w, to ? to : stdout);
	if (to)
		fclose(to);
	if (!err && books) {
		snprintf(out->why, sizeof(out->why), "start: the books of both ends disagree");
		err = out->err = books;
	}
	return err;
}

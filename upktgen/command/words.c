// SPDX-License-Identifier: MIT
/*
 * Guards: [L] the words' lock. It covers every use of a pg_device pointer, since removal, which
 * frees it, holds the lock too. [S] is taken by a start for its whole length, before [L] and never
 * inside of it: one start at a time, while other commands go on.
 */
#include "command/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"

/* What the engine does not know of a device: the text of its Result: line. */
struct device_text {
	struct device_text *next; /* [L] */
	char name[PG_DEV_NAME];
	struct pg_device_facts facts; /* as of add_device: asking may load a program */
	char result[PG_RESULT];	      /* [L] */
	bool awaited;		      /* [L] a run's end will replace it */
	uint64_t started_us;	      /* [L] of the run before that one */
};

struct pg_words {
	struct ww_lock lock;
	struct ww_lock start;
	struct pg_engine *engine;
	struct pg_words_options options;
	uint32_t debug;		    /* [L] */
	struct device_text *texts;  /* [L] */
	char (*threads)[PG_RESULT]; /* [L] Result: of each thread, by index */
};

int pg_target_cpu(const char *target)
{
	static const char prefix[] = "kpktgend_";
	char *end;
	long n;

	if (strncmp(target, prefix, sizeof(prefix) - 1) != 0)
		return -1;
	target += sizeof(prefix) - 1;
	if (*target < '0' || *target > '9')
		return -1;
	n = strtol(target, &end, 10);
	return *end || n > 65535 ? -1 : (int)n;
}

struct pg_words *pg_words_create(struct pg_engine *e, const struct pg_words_options *options)
{
	struct pg_words *w = ww_alloc(sizeof(*w));

	if (!w)
		return NULL;
	w->engine = e;
	w->options = *options;
	w->threads = ww_alloc((size_t)pg_engine_threads(e) * sizeof(*w->threads));
	if (w->threads)
		return w;
	ww_free(w);
	errno = ENOMEM;
	return NULL;
}

void pg_words_destroy(struct pg_words *w)
{
	while (w->texts) {
		struct device_text *t = w->texts;

		w->texts = t->next;
		ww_free(t);
	}
	ww_free(w->threads);
	ww_free(w);
}

/* [L] */
static struct device_text *text_of(struct pg_words *w, const char *name)
{
	for (struct device_text *t = w->texts; t; t = t->next)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* [L] Forget the devices that are gone. */
static void drop_texts(struct pg_words *w)
{
	struct device_text **at = &w->texts;

	while (*at) {
		struct device_text *t = *at;

		if (pg_engine_find(w->engine, t->name)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		ww_free(t);
	}
}

/* [L] The run that t waits for is over: its result is what is shown from now on. */
static void take_result(struct pg_words *w, struct device_text *t, bool must_be_over)
{
	struct pg_device *d = t->awaited ? pg_engine_find(w->engine, t->name) : NULL;
	struct pg_config config;
	struct pg_status status;

	if (!d)
		return;
	pg_device_status(d, &status);
	if (status.running)
		return;
	if (!must_be_over && status.started_us == t->started_us)
		return;
	t->awaited = false;
	if (status.started_us == t->started_us && !status.error[0]) {
		t->result[0] = 0; /* it never came to run */
		return;
	}
	pg_device_get_config(d, &config);
	pg_show_result(&config, &status, t->result);
}

static void await_each(struct pg_words *w)
{
	for (struct device_text *t = w->texts; t; t = t->next) {
		struct pg_device *d = pg_engine_find(w->engine, t->name);
		struct pg_status status;

		if (!d || t->awaited)
			continue;
		pg_device_status(d, &status);
		t->awaited = true;
		t->started_us = status.started_us;
		snprintf(t->result, sizeof(t->result), "Starting");
	}
}

static int start(struct pg_words *w)
{
	int err;

	ww_lock(&w->start);
	ww_lock(&w->lock);
	await_each(w);
	ww_unlock(&w->lock);

	err = pg_engine_start(w->engine);

	ww_lock(&w->lock);
	for (struct device_text *t = w->texts; t; t = t->next)
		take_result(w, t, true);
	ww_unlock(&w->lock);
	ww_unlock(&w->start);
	return err == -EINTR ? 0 : err; /* a signal ends the run, not the write */
}

static int write_control(struct pg_words *w, const char *buf, size_t len, struct pg_outcome *out)
{
	enum pg_control_verb verb;

	if (pg_control_command(buf, len, &verb, out))
		return out->err;
	switch (verb) {
	case PG_CTRL_START:
		out->err = start(w);
		if (out->err)
			snprintf(out->why, sizeof(out->why), "start: %s", strerror(-out->err));
		break;
	case PG_CTRL_STOP:
		pg_engine_stop(w->engine);
		break;
	case PG_CTRL_RESET:
		pg_engine_stop(w->engine);
		ww_lock(&w->lock);
		for (int i = 0; i < pg_engine_threads(w->engine); i++)
			pg_engine_remove_all(w->engine, pg_engine_thread_cpu(w->engine, i));
		drop_texts(w);
		ww_unlock(&w->lock);
		break;
	}
	return out->err;
}

static int thread_index(const struct pg_words *w, int cpu)
{
	for (int i = 0; i < pg_engine_threads(w->engine); i++)
		if (pg_engine_thread_cpu(w->engine, i) == cpu)
			return i;
	return -1;
}

static const char *why_not_added(int err)
{
	switch (-err) {
	case EBUSY:
		return "it is on a thread already; NAME@N puts one device on several";
	case ENODEV:
		return "no such network device here";
	case EINVAL:
		return "not an Ethernet or loopback device, or no name for a file";
	case ENETDOWN:
		return "it is down: ip link set it up first";
	case EPERM:
	case EACCES:
		return "no right to send on it: needs CAP_NET_RAW";
	default:
		return strerror(-err);
	}
}

/* [L] */
static int add_device(struct pg_words *w, int cpu, const char *name, struct pg_outcome *out)
{
	struct device_text *t = ww_alloc(sizeof(*t));
	struct pg_device *d;
	int err = t ? pg_engine_add(w->engine, cpu, name, &d) : -ENOMEM;

	if (!err) {
		pg_device_facts(d, &t->facts);
		snprintf(t->name, sizeof(t->name), "%s", name);
		t->next = w->texts;
		w->texts = t;
		return 0;
	}
	ww_free(t);
	out->err = err;
	snprintf(out->why, sizeof(out->why), "can't add device %s: %s", name, why_not_added(err));
	snprintf(out->result, sizeof(out->result), "ERROR: can not add device %s%s%s", name,
		 w->options.strict ? "" : "\n  ", w->options.strict ? "" : why_not_added(err));
	return err;
}

static int write_thread(struct pg_words *w, int cpu, const char *buf, size_t len,
			struct pg_outcome *out)
{
	int index = thread_index(w, cpu);
	char device[PG_DEV_NAME] = "";
	enum pg_thread_verb verb;

	if (index < 0) {
		memset(out, 0, sizeof(*out));
		snprintf(out->why, sizeof(out->why), "no thread for CPU %d; there are %d threads",
			 cpu, pg_engine_threads(w->engine));
		return out->err = -ENOENT;
	}
	ww_lock(&w->lock);
	if (!pg_thread_command(buf, len, &verb, device, out)) {
		if (verb == PG_ADD_DEVICE)
			add_device(w, cpu, device, out);
		if (verb == PG_REM_DEVICE_ALL) {
			pg_engine_remove_all(w->engine, cpu);
			drop_texts(w);
		}
	}
	if (out->result_set)
		memcpy(w->threads[index], out->result, PG_RESULT);
	else if (!w->options.strict)
		snprintf(w->threads[index], PG_RESULT, "ERROR: %s", out->why);
	ww_unlock(&w->lock);
	return out->err;
}

static int write_device(struct pg_words *w, const char *name, const char *buf, size_t len,
			struct pg_outcome *out)
{
	struct pg_config config;
	struct device_text *t;
	struct pg_device *d;

	ww_lock(&w->lock);
	d = pg_engine_find(w->engine, name);
	t = text_of(w, name);
	if (!d || !t) {
		ww_unlock(&w->lock);
		memset(out, 0, sizeof(*out));
		snprintf(out->why, sizeof(out->why),
			 "no device %s; write \"add_device %s\" to a kpktgend_N first", name, name);
		return out->err = -ENOENT;
	}
	take_result(w, t, false);
	pg_device_get_config(d, &config);
	if (!pg_device_command(&t->facts, w->options.strict, &config, buf, len, out)) {
		pg_device_set_config(d, &config);
		if (out->clear_counters)
			pg_device_clear_counters(d);
		if (out->debug_set)
			w->debug = out->debug;
	}
	if (out->result_set)
		memcpy(t->result, out->result, PG_RESULT);
	else if (out->err && !w->options.strict)
		snprintf(t->result, PG_RESULT, "ERROR: %s", out->why);
	ww_unlock(&w->lock);
	return out->err;
}

int pg_words_write(struct pg_words *w, const char *target, const char *buf, size_t len,
		   struct pg_outcome *out)
{
	struct pg_outcome unheard;
	bool debug;
	int err;

	if (!out)
		out = &unheard;
	if (!strcmp(target, "pgctrl"))
		err = write_control(w, buf, len, out);
	else if (pg_target_cpu(target) >= 0)
		err = write_thread(w, pg_target_cpu(target), buf, len, out);
	else
		err = write_device(w, target, buf, len, out);
	ww_lock(&w->lock);
	debug = w->debug;
	ww_unlock(&w->lock);
	if (debug && w->options.debug)
		w->options.debug(target, buf, len, err);
	return err;
}

/* --- reading -------------------------------------------------------------------------------- */

struct listing {
	FILE *to;
	bool running;
};

static void list_device(struct pg_device *d, bool running, void *arg)
{
	struct listing *l = arg;

	if (running == l->running)
		fprintf(l->to, "%s ", pg_device_name(d));
}

static void print_thread(struct pg_words *w, int cpu, FILE *to)
{
	const char *result = w->threads[thread_index(w, cpu)];

	fputs("Running: ", to);
	pg_engine_each(w->engine, cpu, list_device, &(struct listing){to, true});
	fputs("\nStopped: ", to);
	pg_engine_each(w->engine, cpu, list_device, &(struct listing){to, false});
	fprintf(to, "\nResult: %s\n", result[0] ? result : "NA");
}

static void print_device(struct pg_words *w, struct pg_device *d, struct device_text *t, FILE *to)
{
	static char text[16384]; /* [L] */
	struct pg_config config;
	struct pg_status status;

	take_result(w, t, false);
	pg_device_get_config(d, &config);
	pg_device_status(d, &status);
	pg_show_device(&t->facts, &config, &status, t->result, text, sizeof(text));
	fputs(text, to);
}

/* [L] 0, or -ENOENT. */
static int print_target(struct pg_words *w, const char *target, FILE *to)
{
	int cpu = pg_target_cpu(target);
	struct device_text *t;
	struct pg_device *d;

	if (!strcmp(target, "pgctrl")) {
		fputs(PG_VERSION_LINE, to);
		return 0;
	}
	if (cpu >= 0) {
		if (thread_index(w, cpu) < 0)
			return -ENOENT;
		print_thread(w, cpu, to);
		return 0;
	}
	d = pg_engine_find(w->engine, target);
	t = text_of(w, target);
	if (!d || !t)
		return -ENOENT;
	print_device(w, d, t, to);
	return 0;
}

char *pg_words_read(struct pg_words *w, const char *target, size_t *len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	int err;

	if (!to)
		return NULL;
	ww_lock(&w->lock);
	err = print_target(w, target, to);
	ww_unlock(&w->lock);
	if (fclose(to) != 0 && !err)
		err = -ENOMEM;
	if (!err)
		return text;
	free(text);
	errno = -err;
	return NULL;
}

bool pg_words_exists(struct pg_words *w, const char *target)
{
	int cpu = pg_target_cpu(target);
	bool is;

	if (!strcmp(target, "pgctrl"))
		return true;
	if (cpu >= 0)
		return thread_index(w, cpu) >= 0;
	ww_lock(&w->lock);
	is = text_of(w, target) && pg_engine_find(w->engine, target);
	ww_unlock(&w->lock);
	return is;
}

/* The names are copied first: fn may call back into the words. */
void pg_words_each(struct pg_words *w, void (*fn)(const char *target, void *arg), void *arg)
{
	char name[32], (*names)[PG_DEV_NAME] = NULL;
	size_t n = 0;

	fn("pgctrl", arg);
	for (int i = 0; i < pg_engine_threads(w->engine); i++) {
		snprintf(name, sizeof(name), "kpktgend_%d", pg_engine_thread_cpu(w->engine, i));
		fn(name, arg);
	}
	ww_lock(&w->lock);
	for (struct device_text *t = w->texts; t; t = t->next)
		n++;
	names = n ? ww_alloc(n * sizeof(*names)) : NULL;
	n = 0;
	for (struct device_text *t = w->texts; t && names; t = t->next)
		if (pg_engine_find(w->engine, t->name))
			memcpy(names[n++], t->name, PG_DEV_NAME);
	ww_unlock(&w->lock);
	for (size_t i = 0; i < n; i++)
		fn(names[i], arg);
	ww_free(names);
}

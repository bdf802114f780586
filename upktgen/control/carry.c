// SPDX-License-Identifier: MIT
#include "control/carry.h"

#include <errno.h>
#include <string.h>

#include "control/report.h"
#include "privilege/ask.h"
#include "subcommand.h"
#include "transmit/backend.h"

void upk_tell_fault(const char *name, unsigned line, const char *why, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s:%u: %s\n", name, line, why);
}

FILE *upk_script_file(const char *path)
{
	FILE *from = strcmp(path, "-") ? fopen(path, "re") : stdin;

	if (!from)
		fprintf(stderr, "upktgen: %s: %s\n", path, strerror(errno));
	return from;
}

int upk_script_read(struct pg_script *script, const char *path, FILE *from, pg_fault_fn told)
{
	int err = pg_script_read(script, from == stdin ? "<stdin>" : path, from, told, NULL);

	if (from != stdin)
		fclose(from);
	if (!err)
		return UPK_OK;
	fprintf(stderr, "upktgen: %s: %s\n", path, strerror(-err));
	pg_script_free(script);
	return UPK_FAILED;
}

/* 0, or -errno and the reason in out; failed counts the devices that could not start. */
static int start(struct upk_session *s, struct upk_report *r, struct pg_outcome *out, int *failed)
{
	int err = upk_session_start(s, out);

	if (!err || err == -EBADMSG)
		*failed += upk_report_start(r, s);
	return err;
}

/* Every line in turn, up to a signal or a command that fails after all. */
static int each_line(struct upk_session *s, struct upk_report *r, const struct pg_script *script)
{
	struct pg_outcome out;
	int err, failed = 0;

	for (size_t i = 0; i < script->nr_lines && !upk_session_signal(); i++) {
		const struct pg_line *l = &script->lines[i];

		if (!strcmp(l->target, "pgctrl") && !strcmp(l->command, "start"))
			err = start(s, r, &out, &failed);
		else
			err = pg_words_write(s->words, l->target, l->command, strlen(l->command),
					     &out);
		if (err) {
			upk_report_fault(r, script->name, l->number, out.why);
			return UPK_FAILED;
		}
	}
	if (upk_session_signal())
		return 128 + upk_session_signal();
	return failed ? UPK_FAILED : UPK_OK;
}

static bool needs_device(const struct upk_options *o)
{
	const char *arg;
	const struct pg_backend *b =
		o->engine.backend ? pg_backend_find(o->engine.backend, &arg) : NULL;

	return !b || b->needs_device;
}

/* "add_device eth0@1" names eth0. */
static bool device_of(const struct pg_line *l, char ifname[PG_ASK_IFNAME])
{
	static const char word[] = "add_device";
	const char *name = l->command + strspn(l->command, " \t\"=");

	if (strncmp(name, word, sizeof(word) - 1) != 0)
		return false;
	name += sizeof(word) - 1;
	name += strspn(name, " \t\"=");
	snprintf(ifname, PG_ASK_IFNAME, "%.*s", (int)strcspn(name, "@ \t\"\r\n"), name);
	return ifname[0];
}

/* The devices of a checked script, and the receiver's: no others will be opened. */
static int seal_devices(const struct pg_script *script, const struct upk_options *options)
{
	static char text[PG_ASK_DEVICES][PG_ASK_IFNAME];
	const char *names[PG_ASK_DEVICES];
	unsigned n = 0;

	if (options->receiver)
		names[n++] = options->receiver;
	for (size_t i = 0; i < script->nr_lines; i++) {
		if (!device_of(&script->lines[i], text[n]))
			continue;
		unsigned known = 0;

		while (known < n && strcmp(names[known], text[n]) != 0)
			known++;
		if (known < n)
			continue;
		if (n == PG_ASK_DEVICES - 1)
			return -E2BIG;
		names[n] = text[n];
		n++;
	}
	return pg_opener_seal(names, n);
}

int upk_carry_out(const struct upk_options *options, const struct pg_script *script)
{
	struct pg_check_options check = {.strict = options->engine.strict,
					 .any_device = !needs_device(options)};
	struct upk_report *r;
	struct upk_session s;
	int status = UPK_FAILED;

	if (script->nr_faults + pg_script_check(script, &check, upk_tell_fault, NULL))
		return UPK_USAGE;
	if (seal_devices(script, options)) {
		fprintf(stderr, "%s: more than %d devices\n", script->name, PG_ASK_DEVICES - 1);
		return UPK_FAILED;
	}
	if (upk_session_open(&s, options))
		return UPK_FAILED;
	upk_session_catch_signals(&s);
	r = upk_report_open(&s.options);
	if (r) {
		status = each_line(&s, r, script);
		upk_report_close(r, upk_session_signal());
	}
	upk_session_close(&s);
	return status;
}

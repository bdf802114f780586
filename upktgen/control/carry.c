// SPDX-License-Identifier: MIT
#include "control/carry.h"

#include <errno.h>
#include <string.h>

#include "control/report.h"
#include "subcommand.h"
#include "transmit/backend.h"

void upk_tell_fault(const char *name, unsigned line, const char *why, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s:%u: %s\n", name, line, why);
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

int upk_carry_out(const struct upk_options *options, const struct pg_script *script)
{
	struct pg_check_options check = {.strict = options->engine.strict,
					 .any_device = !needs_device(options)};
	struct upk_report *r;
	struct upk_session s;
	int status = UPK_FAILED;

	if (script->nr_faults + pg_script_check(script, &check, upk_tell_fault, NULL))
		return UPK_USAGE;
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

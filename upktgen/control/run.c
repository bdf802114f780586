// SPDX-License-Identifier: MIT
/* upktgen run: carry a script out, after all of it was found right. */
#include <errno.h>
#include <string.h>

#include "control/report.h"
#include "control/script.h"
#include "subcommand.h"
#include "transmit/backend.h"

struct args {
	struct upk_options options;
	const char *file;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &a->options;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "one script at a time: '%s' is a second one", arg);
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->file)
			argp_error(state, "which script? A file, or - for standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&upk_engine_argp, 0, NULL, 0}, {&upk_watch_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Carry out a script of pktgen commands, one a line: TARGET COMMAND [ARGUMENT], with "
	       "TARGET pgctrl, kpktgend_N or a device. The whole script is checked first: nothing "
	       "is sent if a line is faulty (exit status 2)."
	       "\vExample, to send 1000 packets:\n"
	       "  kpktgend_0 add_device veth0\n"
	       "  veth0 count 1000\n"
	       "  veth0 dst 10.0.0.2\n"
	       "  veth0 dst_mac 02:00:00:00:00:02\n"
	       "  pgctrl start",
	.children = children,
};

static void tell_fault(const char *name, unsigned line, const char *why, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s:%u: %s\n", name, line, why);
}

/* 0, or -errno and the reason in out; failed counts the devices that could not start. */
static int start(struct upk_session *s, struct pg_outcome *out, int *failed)
{
	int err = upk_session_start(s, out);

	if (err && err != -EBADMSG)
		return err;
	*failed += upk_report_text(s, stdout);
	if (s->books)
		fputs(s->books, stdout);
	fflush(stdout);
	return err;
}

/* Every line in turn, up to a signal or a command that fails after all. */
static int carry_out(struct upk_session *s, const struct pg_script *script)
{
	struct pg_outcome out;
	int err, failed = 0;

	printf("seed %llu\n", (unsigned long long)s->options.engine.seed);
	fflush(stdout);
	for (size_t i = 0; i < script->nr_lines && !upk_session_signal(); i++) {
		const struct pg_line *l = &script->lines[i];

		if (!strcmp(l->target, "pgctrl") && !strcmp(l->command, "start"))
			err = start(s, &out, &failed);
		else
			err = pg_words_write(s->words, l->target, l->command, strlen(l->command),
					     &out);
		if (err) {
			tell_fault(script->name, l->number, out.why, NULL);
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

static int run(const struct args *a, const struct pg_script *script)
{
	struct pg_check_options check = {.strict = a->options.engine.strict,
					 .any_device = !needs_device(&a->options)};
	struct upk_session s;
	int status;

	if (script->nr_faults + pg_script_check(script, &check, tell_fault, NULL))
		return UPK_USAGE;
	if (upk_session_open(&s, &a->options))
		return UPK_FAILED;
	upk_session_catch_signals(&s);
	status = carry_out(&s, script);
	upk_session_close(&s);
	return status;
}

int upk_cmd_run(int argc, char **argv)
{
	struct args a = {0};
	struct pg_script script;
	FILE *from = stdin;
	bool is_stdin;
	int err, status;

	argp_err_exit_status = UPK_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	is_stdin = !strcmp(a.file, "-");
	if (!is_stdin)
		from = fopen(a.file, "re");
	if (!from) {
		fprintf(stderr, "upktgen: %s: %s\n", a.file, strerror(errno));
		return UPK_USAGE;
	}
	err = pg_script_read(&script, is_stdin ? "<stdin>" : a.file, from, tell_fault, NULL);
	if (err)
		fprintf(stderr, "upktgen: %s: %s\n", a.file, strerror(-err));
	status = err ? UPK_FAILED : run(&a, &script);
	pg_script_free(&script);
	if (!is_stdin)
		fclose(from);
	return status;
}

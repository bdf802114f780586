// SPDX-License-Identifier: MIT
/* upktgen run: carry a script out, after all of it was found right. */
#include <errno.h>
#include <string.h>

#include "confine.h"
#include "control/carry.h"
#include "subcommand.h"

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
	if (upk_confine(&(struct upk_confine){.sends = true, .backend = a.options.engine.backend}))
		return UPK_FAILED;
	err = pg_script_read(&script, is_stdin ? "<stdin>" : a.file, from, upk_tell_fault, NULL);
	if (err)
		fprintf(stderr, "upktgen: %s: %s\n", a.file, strerror(-err));
	status = err ? UPK_FAILED : upk_carry_out(&a.options, &script);
	pg_script_free(&script);
	if (!is_stdin)
		fclose(from);
	return status;
}

// SPDX-License-Identifier: MIT
/* upktgen run: carry a script out, after all of it was found right. */
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
	default:
		return upk_one_argument(key, arg, state, &a->file, "script",
					"which script? A file, or - for standard input");
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
	FILE *from;
	int status;

	upk_parse(&argp, argc, argv, 0, &a);
	from = upk_script_file(a.file);
	if (!from)
		return UPK_USAGE;
	if (upk_confine(&(struct upk_confine){.sends = true, .backend = a.options.engine.backend}))
		return UPK_FAILED;
	status = upk_script_read(&script, a.file, from, upk_tell_fault);
	if (status)
		return status;
	status = upk_carry_out(&a.options, &script);
	pg_script_free(&script);
	return status;
}

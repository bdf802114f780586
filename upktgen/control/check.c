// SPDX-License-Identifier: MIT
/* upktgen check: every fault of a script, without sending and without any right. */
#include <stdlib.h>

#include "confine.h"
#include "control/carry.h"
#include "subcommand.h"

struct args {
	struct pg_check_options options;
	const char *file;
};

enum { KEY_STRICT = 0x100, KEY_ELSEWHERE, KEY_COMMANDS };

static const struct argp_option options[] = {
	{"strict", KEY_STRICT, NULL, 0, "only what the kernel would refuse", 0},
	{"elsewhere", KEY_ELSEWHERE, NULL, 0,
	 "the script is for another machine: do not look at this one's devices and CPUs", 0},
	{"commands", KEY_COMMANDS, NULL, 0, "list the device commands, and what is right for each",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case KEY_STRICT:
		a->options.strict = true;
		return 0;
	case KEY_ELSEWHERE:
		a->options.elsewhere = true;
		return 0;
	case KEY_COMMANDS:
		pg_device_commands_print(stdout);
		exit(UPK_OK);
	default:
		return upk_one_argument(key, arg, state, &a->file, "script",
					"which script? A file, or - for standard input");
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Find every fault of a script, as FILE:LINE: what is wrong, what would be right. "
	       "Nothing is sent. The exit status is 2 if there is a fault.",
};

static void tell_fault(const char *name, unsigned line, const char *why, void *arg)
{
	(void)arg;
	printf("%s:%u: %s\n", name, line, why);
}

int upk_cmd_check(int argc, char **argv)
{
	struct args a = {0};
	struct pg_script script;
	size_t faults;
	FILE *from;
	int status;

	upk_parse(&argp, argc, argv, 0, &a);
	from = upk_script_file(a.file);
	if (!from)
		return UPK_USAGE;
	if (upk_confine_reader())
		return UPK_FAILED;
	status = upk_script_read(&script, a.file, from, tell_fault);
	if (status)
		return status;
	faults = script.nr_faults + pg_script_check(&script, &a.options, tell_fault, NULL);
	pg_script_free(&script);
	return faults ? UPK_USAGE : UPK_OK;
}

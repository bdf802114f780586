// SPDX-License-Identifier: MIT
/* upktgen check: every fault of a script, without sending and without any right. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "confine.h"
#include "control/options.h"
#include "control/script.h"
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
	FILE *from = stdin;
	size_t faults;
	int err;

	argp_err_exit_status = UPK_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (strcmp(a.file, "-") != 0)
		from = fopen(a.file, "re");
	if (!from) {
		fprintf(stderr, "upktgen: %s: %s\n", a.file, strerror(errno));
		return UPK_USAGE;
	}
	if (upk_confine_reader())
		return UPK_FAILED;
	err = pg_script_read(&script, from == stdin ? "<stdin>" : a.file, from, tell_fault, NULL);
	if (from != stdin)
		fclose(from);
	if (err) {
		fprintf(stderr, "upktgen: %s: %s\n", a.file, strerror(-err));
		pg_script_free(&script);
		return UPK_FAILED;
	}
	faults = script.nr_faults + pg_script_check(&script, &a.options, tell_fault, NULL);
	pg_script_free(&script);
	return faults ? UPK_USAGE : UPK_OK;
}

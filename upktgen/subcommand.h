/* SPDX-License-Identifier: MIT */
/*
 * The subcommands: each is one small file in the room that it belongs to, with argument parsing of
 * its own (argp), and one row in main.c. argv[0] is "upktgen NAME", so that argp's messages read
 * well. The value is the exit status.
 */
#ifndef UPKTGEN_SUBCOMMAND_H
#define UPKTGEN_SUBCOMMAND_H

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	UPK_OK = 0,
	UPK_FAILED = 1, /* the job was tried and did not work */
	UPK_USAGE = 2,	/* the words were wrong; nothing was done */
};

/* argp_parse(), which ends the process where the words are wrong, and here also where there is no memory. */
static inline void upk_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
			     void *into)
{
	argp_err_exit_status = UPK_USAGE;
	error_t err = argp_parse(argp, argc, argv, flags, NULL, into);

	if (!err)
		return;
	fprintf(stderr, "%s: the command line can't be read: %s\n", argv[0], strerror(err));
	exit(UPK_FAILED);
}

int upk_cmd_run(int argc, char **argv);
int upk_cmd_check(int argc, char **argv);
int upk_cmd_mount(int argc, char **argv);
int upk_cmd_shell(int argc, char **argv);
int upk_cmd_send(int argc, char **argv);
int upk_cmd_probe(int argc, char **argv);
int upk_cmd_help(int argc, char **argv);
int upk_cmd_receive(int argc, char **argv);

#endif

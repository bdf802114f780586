/* SPDX-License-Identifier: MIT */
/*
 * The subcommands: each is one small file in the room that it belongs to, with argument parsing of
 * its own (argp), and one row in main.c. argv[0] is "upktgen NAME", so that argp's messages read
 * well. The value is the exit status.
 */
#ifndef UPKTGEN_SUBCOMMAND_H
#define UPKTGEN_SUBCOMMAND_H

enum {
	UPK_OK = 0,
	UPK_FAILED = 1, /* the job was tried and did not work */
	UPK_USAGE = 2,	/* the words were wrong; nothing was done */
};

int upk_cmd_run(int argc, char **argv);
int upk_cmd_check(int argc, char **argv);
int upk_cmd_mount(int argc, char **argv);
int upk_cmd_shell(int argc, char **argv);
int upk_cmd_send(int argc, char **argv);
int upk_cmd_probe(int argc, char **argv);
int upk_cmd_help(int argc, char **argv);
int upk_cmd_receive(int argc, char **argv);

#endif

// SPDX-License-Identifier: MIT
/* upktgen SUBCOMMAND ...: finds the row and calls it. */
#include "subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "privilege/ask.h"
#include "privilege/rights.h"

#define UPK_VERSION "0.1.0"

static const struct {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *what;
} rows[] = {
	{"receive", upk_cmd_receive, "receive pktgen's packets: loss, order, latency"},
	{"send", upk_cmd_send, "send packets, said in one command line"},
	{"run", upk_cmd_run, "carry out a script of pktgen commands"},
	{"check", upk_cmd_check, "find every fault of a script, without sending"},
	{"shell", upk_cmd_shell, "run a command where /proc/net/pktgen is ours"},
	{"mount", upk_cmd_mount, "offer pktgen's control files in a folder"},
	{"probe", upk_cmd_probe, "what a device, this kernel and you can do"},
	{"help", upk_cmd_help, "this text"},
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static void usage(FILE *to)
{
	fputs("usage: upktgen SUBCOMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "The kernel's packet generator in user space.\n\n",
	      to);
	for (size_t i = 0; i < NR_ROWS; i++)
		fprintf(to, "  %-10s %s\n", rows[i].name, rows[i].what);
	fputs("\n\"upktgen SUBCOMMAND --help\" says more of one.\n", to);
}

int upk_cmd_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	usage(stdout);
	return UPK_OK;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	char title[64];

	if (pg_rights_begin())
		return UPK_FAILED;
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version")) {
		puts("upktgen " UPK_VERSION);
		return UPK_OK;
	}
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (strcmp(name, rows[i].name) != 0)
			continue;
		snprintf(title, sizeof(title), "upktgen %s", name);
		argv[1] = title;
		int status = rows[i].fn(argc - 1, argv + 1);

		pg_opener_finish();
		return status;
	}
	if (*name)
		fprintf(stderr, "upktgen: no subcommand '%s'\n\n", name);
	usage(stderr);
	return UPK_USAGE;
}

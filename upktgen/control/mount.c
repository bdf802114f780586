// SPDX-License-Identifier: MIT
/* upktgen mount: the control files on a folder, until it is unmounted or a signal comes. */
#include <string.h>

#include "base/atomic.h"
#include "confine.h"
#include "control/files.h"
#include "control/session.h"
#include "subcommand.h"

struct args {
	struct upk_options options;
	const char *dir;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->options;
		return 0;
	case ARGP_KEY_ARG:
		if (a->dir)
			argp_error(state, "one folder: '%s' is a second one", arg);
		a->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->dir)
			argp_error(state, "on which folder?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&upk_engine_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Offer the control files pgctrl, kpktgend_N and one for each device in DIR, as the "
	       "kernel does in /proc/net/pktgen, until DIR is unmounted or this is interrupted. "
	       "Only who mounts it can use it.",
	.children = children,
};

static struct upk_files *mounted; /* for the handler */

static void leave(int sig)
{
	(void)sig;
	upk_files_leave(ww_load_relaxed(&mounted));
}

int upk_cmd_mount(int argc, char **argv)
{
	struct pg_keeper keeper = {.fd = 0};
	struct args a = {0};
	struct upk_session s;
	struct upk_files *f;
	int status = UPK_FAILED;

	argp_err_exit_status = UPK_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	f = upk_files_mount(a.dir, &keeper);
	if (!f)
		return UPK_FAILED;
	if (upk_confine(
		    &(struct upk_confine){.sends = true, .backend = a.options.engine.backend}) ||
	    upk_session_open(&s, &a.options)) {
		upk_files_unmount(f);
		return UPK_FAILED;
	}
	if (!upk_files_attach(f, s.words, s.engine)) {
		ww_store_relaxed(&mounted, f);
		upk_on_signals(leave);
		printf("seed %llu\n%s is ready\n", (unsigned long long)s.options.engine.seed,
		       a.dir);
		fflush(stdout);
		status = upk_files_serve(f) ? UPK_FAILED : UPK_OK;
		upk_on_signals(SIG_IGN);
	}
	upk_files_unmount(f);
	upk_session_close(&s);
	return status;
}

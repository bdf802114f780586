// SPDX-License-Identifier: MIT
/* upktgen mount: the control files on a folder, until it is unmounted or a signal comes. */
#include "base/atomic.h"
#include "control/files.h"
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
	default:
		return upk_one_argument(key, arg, state, &a->dir, "folder", "on which folder?");
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

static int serve(struct upk_files *f, struct upk_session *s, void *arg)
{
	int err;

	ww_store_relaxed(&mounted, f);
	upk_on_signals(leave);
	printf("seed %llu\n%s is ready\n", (unsigned long long)s->options.engine.seed,
	       (const char *)arg);
	fflush(stdout);
	err = upk_files_serve(f);
	upk_on_signals(SIG_IGN);
	return err ? UPK_FAILED : UPK_OK;
}

int upk_cmd_mount(int argc, char **argv)
{
	struct pg_keeper keeper = {.fd = 0};
	struct upk_confine c = {.sends = true};
	struct args a = {0};
	struct upk_files *f;

	upk_parse(&argp, argc, argv, 0, &a);
	f = upk_files_mount(a.dir, &keeper);
	c.backend = a.options.engine.backend;
	return f ? upk_files_with(f, &c, &a.options, serve, (void *)(uintptr_t)a.dir) : UPK_FAILED;
}

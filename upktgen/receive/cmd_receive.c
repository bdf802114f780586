// SPDX-License-Identifier: MIT
/* upktgen receive DEV */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wheelwork/thread.h>
#include <wheelwork/work.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "confine.h"
#include "privilege/ask.h"
#include "receive/receiver.h"
#include "subcommand.h"

struct arguments {
	const char *ifname;
	uint64_t last, seconds, silence_ms, flows;
	bool quiet, json;
	const char *svg;
	enum pg_receive_way way;
};

static uint32_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	ww_store_relaxed(&interrupted, 1u);
}

static const struct argp_option options[] = {
	{"last", 'l', "N", 0,
	 "The sender's last sequence number: end when it arrived, and count a "
	 "missing tail as lost",
	 0},
	{"seconds", 't', "N", 0, "End after N seconds", 0},
	{"silence", 's', "MS", 0,
	 "End when nothing came for MS milliseconds (default 1000 with "
	 "--last, else never)",
	 0},
	{"json", 'j', NULL, 0, "The result as a JSON object", 0},
	{"svg", 'g', "FILE", 0, "Also the latency histogram, as a picture in FILE", 0},
	{"way", 'w', "xdp|packet", 0,
	 "How to receive: a program at the driver, or a packet socket (default: the first that can "
	 "be had)",
	 0},
	{"flows", 'f', "N", 0,
	 "List N flows, the worst first (default 16; JSON has all of them, at most 65536)", 0},
	{"quiet", 'q', NULL, 0, "No progress", 0},
	{0},
};

static uint64_t number(struct argp_state *state, const char *text, uint64_t most)
{
	char *end;

	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);

	if (errno || *end || end == text || *text == '-' || v == 0 || v > most)
		argp_error(state, "\"%s\" is not a number from 1 to %" PRIu64, text, most);
	return v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'l':
		a->last = number(state, arg, UINT32_MAX);
		return 0;
	case 't':
		a->seconds = number(state, arg, 1000000000);
		return 0;
	case 's':
		a->silence_ms = number(state, arg, 1000000000);
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case 'g':
		a->svg = arg;
		return 0;
	case 'w':
		if (strcmp(arg, "xdp") != 0 && strcmp(arg, "packet") != 0)
			argp_error(state, "--way: '%s' is neither xdp nor packet", arg);
		a->way = !strcmp(arg, "xdp") ? PG_RECEIVE_XDP : PG_RECEIVE_PACKET;
		return 0;
	case 'f':
		a->flows = number(state, arg, PG_FLOWS_MAX);
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->ifname)
			argp_error(state, "one device, not also \"%s\"", arg);
		a->ifname = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which device? \"ip link\" lists them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	options,
	parse,
	"DEV",
	"Receives pktgen's packets on a device and tells what became of them: received, lost, "
	"duplicated and reordered by their sequence numbers, in all, by sender and by flow, and "
	"one-way latency.\v"
	"Ends with Ctrl-C, or as the options say, and prints the result. The clocks of sender and "
	"receiver should agree: on one host they do.",
	NULL,
	NULL,
	NULL,
};

static void catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static void line(const struct pg_receive_totals *t, uint64_t frames, double seconds, bool terminal)
{
	fprintf(stderr, "%s%" PRIu64 " packets  %.0f packets/s  missing %" PRIu64 "%s%s",
		terminal ? "\r" : "", t->frames, (double)(t->frames - frames) / seconds, t->holes,
		t->silent ? "  silent" : "", terminal ? "\033[K" : "\n");
	fflush(stderr);
}

/* Until a signal, or as the options say. */
static void wait_for_end(struct pg_receiver *r, const struct arguments *a)
{
	uint64_t start = ww_clock_ns(), shown = start, frames = 0;
	bool terminal = isatty(STDERR_FILENO);
	uint64_t every = terminal ? 200000000u : 1000000000u;

	while (!ww_load_relaxed(&interrupted)) {
		struct pg_receive_totals t;
		uint64_t now = ww_clock_ns();

		pg_receiver_totals(r, &t);
		if (!a->quiet && now - shown >= every && (t.frames != frames || terminal)) {
			line(&t, frames, (double)(now - shown) / 1e9, terminal);
			shown = now;
			frames = t.frames;
		}
		if (t.gone || (a->silence_ms && t.silent) ||
		    (a->last && t.frames && t.last_seq == (uint32_t)a->last) ||
		    (a->seconds && now - start >= a->seconds * 1000000000u))
			break;
		ww_schedule_timeout_interruptible((int64_t)ww_msecs_to_jiffies(20));
	}
	if (!a->quiet && terminal)
		fputc('\n', stderr);
}

int upk_cmd_receive(int argc, char **argv)
{
	struct arguments a = {.flows = 16};
	struct pg_receive_summary s;
	char why[128];

	upk_parse(&parser, argc, argv, 0, &a);
	if (a.last && !a.silence_ms)
		a.silence_ms = 1000;
	if (a.svg)
		pg_given_file(a.svg);
	if (upk_confine(&(struct upk_confine){.devices = {a.ifname}}))
		return UPK_FAILED;
	catch_signals();
	struct pg_receiver_options o = {
		.ifname = a.ifname,
		.way = a.way,
		.cpu = -1,
		.silence_ms = (uint32_t)a.silence_ms,
	};
	struct pg_receiver *r = pg_receiver_start(&o, why);

	if (!r) {
		fprintf(stderr, "upktgen receive: %s\n", why);
		return UPK_FAILED;
	}
	if (!a.quiet)
		fprintf(stderr, "receiving on %s, Ctrl-C ends it\n", a.ifname);
	wait_for_end(r, &a);
	pg_receiver_finish(r, (uint32_t)a.last, &s);
	if (a.json)
		pg_receive_print_json(a.ifname, &s, stdout);
	else
		pg_receive_print(a.ifname, &s, (unsigned)a.flows, stdout);
	int err = a.svg ? pg_receive_write_svg(a.svg, a.ifname, &s) : 0;

	bool gone = s.totals.gone;

	pg_receive_summary_free(&s);
	if (err) {
		fprintf(stderr, "upktgen receive: %s: %s\n", a.svg, strerror(-err));
		return UPK_FAILED;
	}
	return gone ? UPK_FAILED : UPK_OK;
}

// SPDX-License-Identifier: MIT
/*
 * Who may touch what: C constant after the start; W the progress work alone while it is queued.
 */
#include "receive/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <wheelwork/work.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "transmit/link.h"

enum {
	MAX_DEVICES = 64,
	TAIL_QUIET_MS = 300,
	TAIL_LIMIT_MS = 5000,
	OPENING_MS = 10,
	FLOWS_SHOWN = 8
};

struct sent {
	uint64_t packets, bytes, errors;
};

struct watched {
	char name[PG_DEV_NAME], ifname[16];
	uint64_t tx_before; /* the network device's own counter */
	bool first;	    /* of those on the same network device */
};

struct pg_watch {
	struct pg_engine *engine;	 /* C */
	struct pg_watch_options options; /* C */
	struct pg_receiver *receiver;	 /* C */
	struct watched devices[MAX_DEVICES];
	unsigned nr_devices;	      /* C */
	bool terminal;		      /* C */
	uint64_t every;		      /* C: ticks between two lines */
	struct sent last;	      /* W */
	uint64_t started_ns, last_ns; /* W */
	uint32_t stopped;	      /* nothing is queued any more; read and written relaxed */
	bool shown;		      /* W */
	struct ww_delayed_work progress, limit;
};

static void add_up(struct pg_device *d, bool running, void *arg)
{
	struct sent *s = arg;
	uint64_t packets, bytes, errors;

	(void)running;
	pg_device_progress(d, &packets, &bytes, &errors);
	s->packets += packets;
	s->bytes += bytes;
	s->errors += errors;
}

static struct sent sent_so_far(struct pg_engine *e)
{
	struct sent s = {0};

	for (int i = 0; i < pg_engine_threads(e); i++)
		pg_engine_each(e, pg_engine_thread_cpu(e, i), add_up, &s);
	return s;
}

static void json_line(struct pg_watch *w, const struct sent *s, uint64_t now, double pps,
		      double mbs)
{
	FILE *out = w->options.progress;

	fprintf(out,
		"{\"seconds\":%.3f,\"sent\":%" PRIu64 ",\"errors\":%" PRIu64
		",\"packets_per_s\":%.0f,\"bits_per_s\":%.0f",
		(double)(now - w->started_ns) / 1e9, s->packets, s->errors, pps, mbs * 1e6);
	if (w->receiver) {
		struct pg_receive_totals t;

		pg_receiver_totals(w->receiver, &t);
		uint64_t ours = t.damaged + t.dropped;

		fprintf(out,
			",\"received\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"damaged\":%" PRIu64
			",\"receiver_dropped\":%" PRIu64,
			t.frames, t.holes > ours ? t.holes - ours : 0, t.damaged, t.dropped);
	}
	fputs("}\n", out);
	fflush(out);
	w->last = *s;
	w->last_ns = now;
}

static void progress_line(struct pg_watch *w, uint64_t now)
{
	struct sent s = sent_so_far(w->engine);
	double seconds = (double)(now - w->last_ns) / 1e9;
	double pps = (double)(s.packets - w->last.packets) / seconds;
	double mbs = (double)(s.bytes - w->last.bytes) * 8 / seconds / 1e6;
	FILE *out = w->options.progress;

	if (w->options.json) {
		json_line(w, &s, now, pps, mbs);
		return;
	}
	fprintf(out, "%s%6.1f s  %" PRIu64 " packets  %.0f packets/s  %.1f Mb/s",
		w->terminal ? "\r" : "", (double)(now - w->started_ns) / 1e9, s.packets, pps, mbs);
	if (s.errors)
		fprintf(out, "  errors %" PRIu64, s.errors);
	if (w->receiver) {
		struct pg_receive_totals t;

		pg_receiver_totals(w->receiver, &t);
		uint64_t ours = t.damaged + t.dropped;
		uint64_t lost = t.holes > ours ? t.holes - ours : 0;
		uint64_t of = t.frames + t.holes;

		fprintf(out, "  received %" PRIu64 "  lost %" PRIu64 " (%.3f %%)", t.frames, lost,
			of ? (double)lost * 100 / (double)of : 0.0);
		if (t.dropped)
			fprintf(out, "  receiver dropped %" PRIu64, t.dropped);
	}
	fputs(w->terminal ? "\033[K" : "\n", out);
	fflush(out);
	w->shown = true;
	w->last = s;
	w->last_ns = now;
}

static void progress(struct ww_work *work)
{
	struct pg_watch *w = ww_container_of(ww_to_delayed_work(work), struct pg_watch, progress);

	if (ww_load_relaxed(&w->stopped))
		return;
	progress_line(w, ww_clock_ns());
	ww_queue_delayed_work(ww_system_wq(), &w->progress, w->every);
}

struct beginning {
	uint64_t after_us, first_us;
};

static void note_beginning(struct pg_device *d, bool running, void *arg)
{
	struct beginning *b = arg;
	uint64_t began_us = pg_device_began_us(d);

	(void)running;
	if (began_us >= b->after_us && began_us < b->first_us)
		b->first_us = began_us;
}

/* The time runs from the first device's beginning: opening it may take a while by itself. */
static void time_is_up(struct ww_work *work)
{
	struct pg_watch *w = ww_container_of(ww_to_delayed_work(work), struct pg_watch, limit);
	struct beginning b = {.after_us = w->started_ns / 1000, .first_us = UINT64_MAX};
	uint64_t now_us = ww_clock_ns() / 1000, left_us = OPENING_MS * 1000;

	if (ww_load_relaxed(&w->stopped))
		return;
	for (int i = 0; i < pg_engine_threads(w->engine); i++)
		pg_engine_each(w->engine, pg_engine_thread_cpu(w->engine, i), note_beginning, &b);
	if (b.first_us != UINT64_MAX) {
		uint64_t end_us = b.first_us + w->options.limit_ms * 1000;

		if (now_us >= end_us) {
			pg_engine_stop(w->engine);
			return;
		}
		left_us = end_us - now_us;
	}
	ww_queue_delayed_work(ww_system_wq(), &w->limit,
			      ww_msecs_to_jiffies((left_us + 999) / 1000));
}

static void note_device(struct pg_device *d, bool running, void *arg)
{
	struct pg_watch *w = arg;
	struct watched *n = &w->devices[w->nr_devices];

	(void)running;
	if (w->nr_devices == MAX_DEVICES)
		return;
	snprintf(n->name, sizeof(n->name), "%s", pg_device_name(d));
	snprintf(n->ifname, sizeof(n->ifname), "%s", pg_device_ifname(d));
	n->first = true;
	for (unsigned i = 0; i < w->nr_devices; i++)
		if (!strcmp(w->devices[i].ifname, n->ifname))
			n->first = false;
	w->nr_devices++;
}

static uint64_t counter_of(const char *ifname)
{
	struct pg_link link;

	return pg_link_read(ifname, &link) ? 0 : link.tx_packets;
}

/* The last usable CPU: the transmit threads are filled from the first. */
static int receiver_cpu(const struct pg_engine *e)
{
	int n = pg_engine_threads(e);

	return n > 1 ? pg_engine_thread_cpu(e, n - 1) : -1;
}

struct pg_watch *pg_watch_start(struct pg_engine *e, const struct pg_watch_options *options,
				char why[128])
{
	struct pg_watch *w = ww_alloc(sizeof(*w));

	if (!w) {
		snprintf(why, 128, "not enough memory");
		return NULL;
	}
	w->engine = e;
	w->options = *options;
	for (int i = 0; i < pg_engine_threads(e); i++)
		pg_engine_each(e, pg_engine_thread_cpu(e, i), note_device, w);
	if (options->receiver) {
		struct pg_receiver_options r = {
			.ifname = options->receiver,
			.from_start = true,
			.cpu = receiver_cpu(e),
		};

		w->receiver = pg_receiver_start(&r, why);
		if (!w->receiver) {
			ww_free(w);
			return NULL;
		}
	}
	for (unsigned i = 0; i < w->nr_devices; i++)
		w->devices[i].tx_before = counter_of(w->devices[i].ifname);
	ww_init_delayed_work(&w->progress, progress);
	ww_init_delayed_work(&w->limit, time_is_up);
	w->started_ns = w->last_ns = ww_clock_ns();
	if (options->limit_ms)
		ww_queue_delayed_work(ww_system_wq(), &w->limit,
				      ww_msecs_to_jiffies(options->limit_ms));
	if (options->progress) {
		w->terminal = !options->json && isatty(fileno(options->progress));
		w->every = ww_msecs_to_jiffies(w->terminal ? 200 : 1000);
		ww_queue_delayed_work(ww_system_wq(), &w->progress, w->every);
	}
	return w;
}

void pg_watch_end_progress(struct pg_watch *w)
{
	if (ww_load_relaxed(&w->stopped))
		return;
	/* Twice: the first may meet one that is just being queued again. */
	ww_store_relaxed(&w->stopped, 1u);
	ww_cancel_delayed_work_sync(&w->limit);
	ww_cancel_delayed_work_sync(&w->limit);
	if (!w->options.progress)
		return;
	ww_cancel_delayed_work_sync(&w->progress);
	ww_cancel_delayed_work_sync(&w->progress);
	if (w->terminal && w->shown)
		fputc('\n', w->options.progress);
}

/* The sum of the devices' own counters, and of ours. Prints both. */
static void print_sent(struct pg_watch *w, const char *backend, uint64_t *by_device, FILE *out)
{
	struct sent s = sent_so_far(w->engine);

	*by_device = 0;
	for (unsigned i = 0; i < w->nr_devices; i++)
		if (w->devices[i].first)
			*by_device += counter_of(w->devices[i].ifname) - w->devices[i].tx_before;
	fprintf(out, "Sent: %" PRIu64 " packets, %" PRIu64 " by the device's own counter%s%s\n",
		s.packets, *by_device, backend ? ", backend " : "", backend ? backend : "");
}

/* Each device numbered its own packets, up to this. How many of them sent anything. */
static unsigned last_numbers(struct pg_watch *w, uint32_t lasts[MAX_DEVICES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nr_devices; i++) {
		struct pg_device *d = pg_engine_find(w->engine, w->devices[i].name);
		struct pg_status s;

		if (!d)
			continue;
		pg_device_status(d, &s);
		if (s.ever_ran && s.cursor.seq_num > 1)
			lasts[n++] = s.cursor.seq_num - 1;
	}
	return n;
}

static int settle_books(struct pg_watch *w, uint64_t by_device, FILE *out)
{
	struct pg_receive_summary s;
	uint32_t lasts[MAX_DEVICES];
	unsigned n = last_numbers(w, lasts);

	pg_receiver_wait(w->receiver, n == 1 ? lasts[0] : 0, TAIL_QUIET_MS, TAIL_LIMIT_MS, NULL);
	pg_receiver_finish_all(w->receiver, lasts, n, &s);
	s.one_clock = true;
	pg_receive_print(w->options.receiver, &s, FLOWS_SHOWN, out);
	uint64_t sum = s.sequence.received + s.lost + s.totals.damaged + s.totals.dropped;
	/* others' packets went through the device too: then our own count has to do */
	if (s.totals.other && sum != by_device)
		by_device = sent_so_far(w->engine).packets;
	bool good = sum == by_device;

	fprintf(out,
		"Books: sent %" PRIu64 " %s received %" PRIu64 " + lost %" PRIu64
		" + damaged %" PRIu64 " + dropped by the receiver %" PRIu64 "\n",
		by_device, good ? "=" : "IS NOT", s.sequence.received, s.lost, s.totals.damaged,
		s.totals.dropped);
	if (w->options.summary)
		*w->options.summary = s;
	else
		pg_receive_summary_free(&s);
	return good ? 0 : -EBADMSG;
}

int pg_watch_finish(struct pg_watch *w, FILE *out)
{
	struct pg_device *one =
		w->nr_devices == 1 ? pg_engine_find(w->engine, w->devices[0].name) : NULL;
	struct pg_status s = {0};
	uint64_t by_device;
	int err = 0;

	pg_watch_end_progress(w);
	if (one)
		pg_device_status(one, &s);
	if (s.passed_over[0])
		fprintf(out, "Not sent through %s\n", s.passed_over);
	if (w->receiver) {
		print_sent(w, s.backend, &by_device, out);
		err = settle_books(w, by_device, out);
	}
	ww_free(w);
	return err;
}

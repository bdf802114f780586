// SPDX-License-Identifier: MIT
/*
 * Who may touch what:
 *   T: the receiving thread alone, and pg_receiver_finish() after it has ended
 *   P: written by T's thread (silent, silences: by the watchdog too), read by any, relaxed
 *   C: constant after pg_receiver_start()
 */
#include "receive/receiver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <wheelwork/thread.h>
#include <wheelwork/work.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "receive/capture.h"
#include "receive/tap.h"

struct pg_receiver {
	struct pg_tap *tap;	       /* T: one of these two */
	struct pg_capture capture;     /* T */
	struct pg_streams streams;     /* T */
	struct pg_flows flows;	       /* T */
	struct pg_flow *last_flow;     /* T */
	struct pg_flow beyond;	       /* T */
	uint64_t damaged_unknown;      /* T */
	struct pg_histogram latency;   /* T */
	struct pg_histogram jitter;    /* T */
	bool fine;		       /* T */
	uint64_t early, unstamped;     /* T */
	struct pg_receive_totals now;  /* T: published after each block */
	struct pg_receive_totals seen; /* P */
	uint32_t blocks;	       /* P: counts bursts, for the watchdog's reader */
	uint32_t silent, silences;     /* P */
	uint32_t gone;		       /* P */
	uint64_t silence_ticks;	       /* C */
	struct ww_thread *thread;      /* C */
	struct ww_workqueue *queue;    /* C */
	struct ww_delayed_work silence;
};

/* Nobody pushed the deadline out for silence_ms. */
static void fell_silent(struct ww_work *work)
{
	struct pg_receiver *r =
		ww_container_of(ww_to_delayed_work(work), struct pg_receiver, silence);

	ww_store_relaxed(&r->silent, 1u);
	ww_fetch_add_relaxed(&r->silences, 1u);
}

/* The first packet of each stamp: those that share it were made later than it says. */
static void measure(struct pg_receiver *r, struct pg_stream *t, const struct pg_arrival *a)
{
	uint64_t latency = a->arrived_ns - a->sent_ns;

	if (a->sent_ns == t->stamp)
		return;
	if (a->sent_ns > a->arrived_ns) {
		r->early++;
		t->stamp = a->sent_ns;
		return;
	}
	if (t->stamp)
		pg_histogram_add(&r->jitter, latency > t->latency ? latency - t->latency
								  : t->latency - latency);
	t->stamp = a->sent_ns;
	t->latency = latency;
	pg_histogram_add(&r->latency, latency);
}

static void take_damaged(struct pg_receiver *r, const struct pg_arrival *a)
{
	/* Only one that is known: what made the frame wrong may have made a flow up. */
	struct pg_flow *f = a->flow ? pg_flows_find(&r->flows, a->flow) : NULL;
	struct pg_stream *t = f ? pg_streams_by_serial(&r->streams, f->stream) : NULL;

	r->now.damaged++;
	if (f)
		f->damaged++;
	else
		r->damaged_unknown++;
	if (t)
		t->damaged++;
}

static struct pg_flow *flow_of(struct pg_receiver *r, uint64_t key)
{
	if (!r->last_flow || r->last_flow->key != key)
		r->last_flow = pg_flows_get(&r->flows, key);
	return r->last_flow;
}

static void take(void *arg, const struct pg_arrival *a)
{
	struct pg_receiver *r = arg;
	/* Flows beyond those that have a place are one. */
	struct pg_flow *f;
	struct pg_stream *t;

	if (a->kind != PG_FRAME_OURS) {
		if (a->kind == PG_FRAME_DAMAGED)
			take_damaged(r, a);
		else
			r->now.other++;
		return;
	}
	f = flow_of(r, a->flow);
	if (!f) {
		f = &r->beyond;
		r->flows.beyond += !a->told;
	} else if (__builtin_expect(f->id.version == 0, 0)) {
		if (a->told)
			f->id = *a->told;
		else if (a->facts)
			pg_frame_flow_id(a->facts, &f->id);
	}
	if (a->told)
		return;
	r->now.frames++;
	r->now.bytes += a->bytes;
	f->bytes += a->bytes;
	t = pg_streams_add(&r->streams, f, a->seq, a->sent_ns);
	if (a->arrived_ns) {
		if (r->now.first_ns == 0)
			r->now.first_ns = a->arrived_ns;
		r->now.last_ns = a->arrived_ns;
	}
	r->fine = a->fine;
	if (a->sent_ns == 0)
		r->unstamped++;
	else if (t && a->arrived_ns)
		measure(r, t, a);
}

/* Numbers that did not come so far, of all senders. */
static uint64_t holes(const struct pg_receiver *r)
{
	uint64_t n = r->streams.past.holes;

	for (unsigned i = 0; i < r->streams.nr; i++)
		n += r->streams.all[i]->sequence.holes;
	return n;
}

static void publish(struct pg_receiver *r)
{
	struct pg_receive_totals *to = &r->seen;

	if (r->tap) {
		r->now.dropped += pg_tap_dropped(r->tap);
		r->now.other += pg_tap_other(r->tap);
	} else {
		r->now.dropped += pg_capture_dropped(&r->capture);
	}
	ww_store_relaxed(&to->frames, r->now.frames);
	ww_store_relaxed(&to->bytes, r->now.bytes);
	ww_store_relaxed(&to->damaged, r->now.damaged);
	ww_store_relaxed(&to->other, r->now.other);
	ww_store_relaxed(&to->dropped, r->now.dropped);
	ww_store_relaxed(&to->first_ns, r->now.first_ns);
	ww_store_relaxed(&to->last_ns, r->now.last_ns);
	ww_store_relaxed(&to->holes, holes(r));
	ww_store_relaxed(&to->last_seq, pg_streams_top(&r->streams));
}

static int wait_frames(struct pg_receiver *r, int timeout_ms)
{
	return r->tap ? pg_tap_wait(r->tap, timeout_ms, take, r)
		      : pg_capture_wait(&r->capture, timeout_ms, take, r);
}

static int receive_thread(void *arg)
{
	struct pg_receiver *r = arg;

	while (!ww_thread_should_stop()) {
		uint64_t before = r->now.frames;
		/* 20 ms bounds how long a stop waits; a block wakes it at once. */
		int n = wait_frames(r, 20);

		if (n < 0) {
			/* What was counted stands. */
			ww_store_relaxed(&r->gone, 1u);
			break;
		}
		publish(r);
		if (r->now.frames == before)
			continue;
		if (ww_load_relaxed(&r->silent))
			ww_store_relaxed(&r->silent, 0u);
		ww_store_relaxed(&r->blocks, r->blocks + 1);
		ww_queue_update_delayed_work(r->queue, &r->silence, r->silence_ticks);
	}
	return 0;
}

/* What was in the ring when the thread stopped. */
static void drain(struct pg_receiver *r)
{
	while (wait_frames(r, 0) > 0)
		;
	publish(r);
}

static void free_receiver(struct pg_receiver *r)
{
	if (r->queue)
		ww_destroy_workqueue(r->queue);
	pg_streams_free(&r->streams);
	pg_flows_free(&r->flows);
	pg_capture_close(&r->capture);
	pg_tap_close(r->tap);
	ww_free(r);
}

/* XDP where it can be had, unless another way is asked for; 0 or errno. */
static int open_way(struct pg_receiver *r, const struct pg_receiver_options *options, char why[128])
{
	if (options->way != PG_RECEIVE_PACKET) {
		r->tap = pg_tap_open(options->ifname, why);
		if (r->tap)
			return 0;
		if (options->way == PG_RECEIVE_XDP)
			return errno;
	}
	return -pg_capture_open(&r->capture, options->ifname, why);
}

struct pg_receiver *pg_receiver_start(const struct pg_receiver_options *options, char why[128])
{
	struct pg_receiver *r = ww_alloc_lines(sizeof(*r));
	uint32_t silence_ms = options->silence_ms ? options->silence_ms : 1000;
	int err = ENOMEM;

	snprintf(why, 128, "not enough memory for a receiver");
	if (!r)
		return NULL;
	r->silence_ticks = ww_msecs_to_jiffies(silence_ms);
	r->capture.fd = -1;
	ww_init_delayed_work(&r->silence, fell_silent);
	pg_streams_init(&r->streams, options->from_start);
	err = -pg_flows_init(&r->flows);
	if (!err)
		err = open_way(r, options, why);
	if (err)
		goto fail;
	r->queue = ww_alloc_workqueue("pg_receive", WW_WQ_UNBOUND, 0);
	if (!r->queue)
		goto fail_errno;
	r->thread = ww_thread_create(receive_thread, r, "pg_rx_%s", options->ifname);
	if (!r->thread)
		goto fail_errno;
	ww_thread_get(r->thread); /* it may end by itself */
	if (options->cpu >= 0)
		ww_thread_bind(r->thread, options->cpu);
	ww_wake_up_process(r->thread);
	return r;
fail_errno:
	err = errno;
	snprintf(why, 128, "the receiver's thread: %s", strerror(err));
fail:
	free_receiver(r);
	errno = err;
	return NULL;
}

void pg_receiver_totals(struct pg_receiver *r, struct pg_receive_totals *out)
{
	const struct pg_receive_totals *from = &r->seen;

	*out = (struct pg_receive_totals){
		.frames = ww_load_relaxed(&from->frames),
		.bytes = ww_load_relaxed(&from->bytes),
		.damaged = ww_load_relaxed(&from->damaged),
		.other = ww_load_relaxed(&from->other),
		.dropped = ww_load_relaxed(&from->dropped),
		.silences = ww_load_relaxed(&r->silences),
		.first_ns = ww_load_relaxed(&from->first_ns),
		.last_ns = ww_load_relaxed(&from->last_ns),
		.last_seq = ww_load_relaxed(&from->last_seq),
		.holes = ww_load_relaxed(&from->holes),
		.silent = ww_load_relaxed(&r->silent) != 0,
		.gone = ww_load_relaxed(&r->gone) != 0,
	};
}

bool pg_receiver_wait(struct pg_receiver *r, uint32_t last_seq, uint32_t quiet_ms,
		      uint32_t limit_ms, const uint32_t *stop)
{
	uint64_t now = ww_clock_ns(), end = now + limit_ms * 1000000ull, moved = now;
	uint32_t blocks = ww_load_relaxed(&r->blocks);

	for (;;) {
		if (last_seq && ww_load_relaxed(&r->seen.last_seq) == last_seq)
			return true;
		uint32_t b = ww_load_relaxed(&r->blocks);

		now = ww_clock_ns();
		if (b != blocks)
			moved = now;
		blocks = b;
		if (now >= end || now - moved >= quiet_ms * 1000000ull ||
		    (stop && ww_load_relaxed(stop)))
			return false;
		ww_set_current_state(WW_TASK_INTERRUPTIBLE);
		ww_schedule_timeout((int64_t)ww_msecs_to_jiffies(5));
	}
}

static void report_stream(const struct pg_receiver *r, const struct pg_stream *t,
			  struct pg_stream_report *out)
{
	const struct pg_flow *f = pg_flows_find(&r->flows, t->only_flow);

	*out = (struct pg_stream_report){
		.serial = t->serial,
		.restart = pg_stream_is_restart(&r->streams, t),
		.packets = t->packets,
		.damaged = t->damaged,
		.sequence = t->sequence,
		.one_flow = t->nr_flows == 1 && f,
	};
	out->sequence.seen = NULL;
	out->lost = t->sequence.holes > t->damaged ? t->sequence.holes - t->damaged : 0;
	if (out->one_flow)
		pg_flow_name(f, out->flow);
}

static int by_serial(const void *a, const void *b)
{
	const struct pg_stream_report *x = a, *y = b;

	return x->serial < y->serial ? -1 : 1;
}

static uint64_t trouble(const struct pg_flow_report *f)
{
	return f->lost + f->flow.duplicated + f->flow.reordered + f->flow.damaged;
}

static int worst_first(const void *a, const void *b)
{
	const struct pg_flow_report *x = a, *y = b;
	uint64_t u = trouble(x), v = trouble(y);

	if (u != v)
		return u < v ? 1 : -1;
	if (x->flow.packets != y->flow.packets)
		return x->flow.packets < y->flow.packets ? 1 : -1;
	return x->flow.key < y->flow.key ? -1 : x->flow.key > y->flow.key;
}

static void report_streams(const struct pg_receiver *r, struct pg_receive_summary *out)
{
	const struct pg_streams *s = &r->streams;

	out->streams = ww_alloc((s->nr + 1) * sizeof(out->streams[0]));
	for (unsigned i = 0; out->streams && i < s->nr; i++) {
		report_stream(r, s->all[i], &out->streams[i]);
		out->senders += !out->streams[i].restart;
	}
	out->nr_streams = out->streams ? s->nr : 0;
	if (out->streams)
		qsort(out->streams, out->nr_streams, sizeof(out->streams[0]), by_serial);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The flows of a sender that come in turns: what each should have had, less what came of it. */
static void know_lost(const struct pg_receiver *r, const struct pg_stream *t,
		      struct pg_receive_summary *out, uint64_t *expected)
{
	const struct pg_flow *all = r->flows.flow;

	memset(expected, 0, r->flows.nr * sizeof(expected[0]));
	if (!pg_cadence_expected(&t->cadence, &t->sequence, &r->flows, expected))
		return;
	for (unsigned i = 0; i < r->flows.nr; i++)
		if (all[i].stream == t->serial &&
		    (all[i].shared || all[i].packets - all[i].duplicated > expected[i]))
			return; /* not all of it was this sender's, or in turn */
	for (unsigned i = 0; i < r->flows.nr; i++) {
		struct pg_flow_report *f = &out->flows[i];

		if (all[i].stream != t->serial)
			continue;
		f->lost_known = true;
		f->lost = less(expected[i] + f->flow.duplicated, f->flow.packets + f->flow.damaged);
	}
}

static void know_all_lost(const struct pg_receiver *r, struct pg_receive_summary *out)
{
	uint64_t *expected = ww_alloc((r->flows.nr + 1ul) * sizeof(expected[0]));

	for (unsigned i = 0; expected && i < r->streams.nr; i++)
		if (r->streams.all[i]->nr_flows > 1)
			know_lost(r, r->streams.all[i], out, expected);
	ww_free(expected);
}

static void report_flows(const struct pg_receiver *r, struct pg_receive_summary *out)
{
	out->flows_beyond = r->flows.beyond;
	out->damaged_unknown = r->damaged_unknown;
	out->flows = ww_alloc((r->flows.nr + 1ul) * sizeof(out->flows[0]));
	if (!out->flows)
		return;
	out->nr_flows = r->flows.nr;
	for (unsigned i = 0; i < out->nr_flows; i++) {
		const struct pg_flow *f = &r->flows.flow[i];
		const struct pg_stream *t = pg_streams_by_serial(&r->streams, f->stream);

		out->flows[i] = (struct pg_flow_report){.flow = *f, .sender = t ? t->serial : 0};
		if (t && t->nr_flows == 1 && !f->shared) {
			out->flows[i].lost_known = true;
			out->flows[i].lost =
				t->sequence.holes > t->damaged ? t->sequence.holes - t->damaged : 0;
		}
	}
	know_all_lost(r, out);
	qsort(out->flows, out->nr_flows, sizeof(out->flows[0]), worst_first);
}

void pg_receive_summary_free(struct pg_receive_summary *s)
{
	ww_free(s->streams);
	ww_free(s->flows);
	memset(s, 0, sizeof(*s));
}

void pg_receiver_finish_all(struct pg_receiver *r, const uint32_t *lasts, unsigned n,
			    struct pg_receive_summary *out)
{
	ww_thread_stop_put(r->thread);
	ww_cancel_delayed_work_sync(&r->silence);
	drain(r);
	pg_streams_close(&r->streams, lasts, n);
	publish(r);
	memset(out, 0, sizeof(*out));
	pg_receiver_totals(r, &out->totals);
	pg_streams_total(&r->streams, &out->sequence);
	out->latency = r->latency;
	out->jitter = r->jitter;
	out->way = r->tap ? "xdp" : "packet";
	out->queues = r->tap ? pg_tap_queues(r->tap) : 1;
	out->fine = r->fine;
	out->early = r->early;
	out->unstamped = r->unstamped;
	out->tail_closed = n != 0;
	report_streams(r, out);
	report_flows(r, out);
	/* A hole is first a damaged frame that did arrive, then one that we dropped ourselves. */
	uint64_t ours = out->totals.damaged + out->totals.dropped;

	out->lost = out->sequence.holes > ours ? out->sequence.holes - ours : 0;
	free_receiver(r);
}

void pg_receiver_finish(struct pg_receiver *r, uint32_t last_seq, struct pg_receive_summary *out)
{
	pg_receiver_finish_all(r, &last_seq, last_seq != 0, out);
}

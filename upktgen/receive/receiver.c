// SPDX-License-Identifier: MIT
/*
 * Who may touch what:
 *   T: the receiving thread alone, and pg_receiver_finish() after it has ended
 *   P: written by T's thread (silent, silences: by the watchdog too), read by any, relaxed
 *   C: constant after pg_receiver_start()
 */
#include "receive/receiver.h"

#include <errno.h>
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
	struct pg_sequence sequence;   /* T */
	struct pg_histogram latency;   /* T */
	struct pg_histogram jitter;    /* T */
	uint64_t last_latency;	       /* T */
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

static void measure(struct pg_receiver *r, const struct pg_arrival *a)
{
	if (a->sent_ns > a->arrived_ns) {
		r->early++;
		return;
	}
	uint64_t latency = a->arrived_ns - a->sent_ns;

	if (r->latency.count > 0)
		pg_histogram_add(&r->jitter, latency > r->last_latency ? latency - r->last_latency
								       : r->last_latency - latency);
	r->last_latency = latency;
	pg_histogram_add(&r->latency, latency);
}

static void take(void *arg, const struct pg_arrival *a)
{
	struct pg_receiver *r = arg;

	if (a->kind != PG_FRAME_OURS) {
		if (a->kind == PG_FRAME_DAMAGED)
			r->now.damaged++;
		else
			r->now.other++;
		return;
	}
	r->now.frames++;
	r->now.bytes += a->bytes;
	pg_sequence_add(&r->sequence, a->seq, a->sent_ns);
	if (a->arrived_ns) {
		if (r->now.first_ns == 0)
			r->now.first_ns = a->arrived_ns;
		r->now.last_ns = a->arrived_ns;
	}
	r->fine = a->fine;
	if (a->sent_ns == 0)
		r->unstamped++;
	else if (a->arrived_ns)
		measure(r, a);
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
	ww_store_relaxed(&to->holes, r->sequence.holes);
	ww_store_relaxed(&to->last_seq, pg_sequence_top(&r->sequence));
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
	pg_sequence_free(&r->sequence);
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
	err = -pg_sequence_init(&r->sequence, options->from_start);
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

void pg_receiver_finish(struct pg_receiver *r, uint32_t last_seq, struct pg_receive_summary *out)
{
	ww_thread_stop_put(r->thread);
	ww_cancel_delayed_work_sync(&r->silence);
	drain(r);
	if (last_seq)
		pg_sequence_close(&r->sequence, last_seq);
	publish(r);
	memset(out, 0, sizeof(*out));
	pg_receiver_totals(r, &out->totals);
	out->sequence = r->sequence;
	out->sequence.seen = NULL;
	out->latency = r->latency;
	out->jitter = r->jitter;
	out->way = r->tap ? "xdp" : "packet";
	out->cpus = r->tap ? pg_tap_cpus(r->tap) : 1;
	out->fine = r->fine;
	out->early = r->early;
	out->unstamped = r->unstamped;
	out->tail_closed = last_seq != 0;
	/* A hole is first a damaged frame that did arrive, then one that we dropped ourselves. */
	uint64_t ours = out->totals.damaged + out->totals.dropped;

	out->lost = r->sequence.holes > ours ? r->sequence.holes - ours : 0;
	free_receiver(r);
}

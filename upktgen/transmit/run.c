// SPDX-License-Identifier: MIT
/* One device's run, from its start to its result: everything here is the transmit thread's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "transmit/internal.h"

/* The numbers as others see them. */
static void publish(struct pg_device *d)
{
	struct pg_status *s = &d->status;
	uint64_t errors = 0;

	for (int i = 0; i < PG_NR_CAUSES; i++) {
		uint64_t n = d->tx.causes[i] - d->base_causes[i];

		errors += n;
		ww_store_relaxed(&s->by_cause[i], n);
	}
	ww_store_relaxed(&s->errors, errors);
	ww_store_relaxed(&s->sofar, d->tx.sent - d->base_sent);
	ww_store_relaxed(&s->tx_bytes, d->tx.bytes - d->base_bytes);
	ww_store_relaxed(&s->idle_us, d->idle_ns / 1000);
}

static uint64_t seed_of(const struct pg_device *d)
{
	uint64_t h = d->engine->options.seed ^ 0xcbf29ce484222325u;

	for (const char *c = d->name; *c; c++)
		h = (h ^ (uint8_t)*c) * 0x100000001b3u;
	return h;
}

/* Link, configuration and generator into d->tx; the lock is not held. */
static int prepare_tx(struct pg_device *d)
{
	struct pg_tx *tx = &d->tx;
	int err = 0;

	tx->link = (struct pg_link){.nr_queues = 1};
	if (tx->ops->needs_device)
		err = pg_link_read(d->ifname, &tx->link);
	if (err) {
		snprintf(tx->why, PG_WHY, "%s: %s", d->ifname, strerror(-err));
		return err;
	}
	if (tx->ops->needs_device) {
		err = pg_link_trouble(d->ifname, &tx->link, tx->why);
		if (err)
			return err;
	}
	if (tx->ops->needs_device)
		pg_link_addresses(d->ifname, &tx->link);
	ww_lock(&d->engine->lock);
	memcpy(d->config.dev_mac, tx->link.mac, sizeof(tx->link.mac));
	d->config.dev_addr = tx->link.addr;
	d->config.dev_addr6 = tx->link.addr6;
	d->config.stamp_ns = d->engine->options.stamp_ns;
	pg_config_settle(&d->config, tx->link.nr_queues);
	tx->config = d->config;
	ww_unlock(&d->engine->lock);
	tx->copies = (tx->config.clone_skb > 1 ? tx->config.clone_skb : 1) *
		     (tx->config.burst > 1 ? tx->config.burst : 1);
	tx->why[0] = 0;
	tx->packet = pg_packet_start(&tx->config, tx->seed, tx->cpu, tx->link.nr_queues, tx->why);
	return tx->packet ? 0 : -errno;
}

static int open_tx(struct pg_device *d)
{
	int err = prepare_tx(d);

	if (err)
		return err;
	err = d->tx.ops->open(&d->tx);
	if (err) {
		pg_packet_end(d->tx.packet);
		d->tx.packet = NULL;
	}
	return err;
}

/* By itself: the first that opens with this very configuration. why: of the first that did not. */
static int open_best(struct pg_device *d, char passed_over[PG_WHY])
{
	struct pg_tx *tx = &d->tx;
	int err = -EOPNOTSUPP;

	for (unsigned i = 0; i < PG_BACKENDS_BY_ITSELF && err; i++) {
		tx->ops = pg_backends[i];
		tx->why[0] = tx->how[0] = 0;
		if (d->config.xmit_mode == PG_NETIF_RECEIVE && !tx->ops->receives)
			continue; /* a hint: the backend itself refuses what it can't do */
		err = open_tx(d);
		if (err && !passed_over[0])
			snprintf(passed_over, PG_WHY, "%s: %.110s", tx->ops->name, tx->why);
	}
	return err;
}

static int open_backend(struct pg_device *d)
{
	struct pg_tx *tx = &d->tx;
	char passed_over[PG_WHY] = "";
	int err;

	if (d->engine->backend[0]) {
		tx->ops = pg_backend_find(d->engine->backend, &tx->arg);
		err = open_tx(d);
	} else {
		err = open_best(d, passed_over);
	}
	ww_lock(&d->engine->lock);
	d->backend = tx->ops->name;
	memcpy(d->how, tx->how, sizeof(d->how));
	snprintf(d->passed_over, sizeof(d->passed_over), "%s", err ? "" : passed_over);
	ww_unlock(&d->engine->lock);
	return err;
}

int pg_device_begin(struct pg_device *d)
{
	struct pg_tx *tx = &d->tx;
	int err;

	ww_free(tx->late);
	*tx = (struct pg_tx){
		.name = d->name,
		.ifname = d->ifname,
		.cpu = d->thread->cpu,
		.seed = seed_of(d),
		.no_burst = d->engine->options.no_burst,
		.sndbuf = d->engine->options.sndbuf,
		.stamp_every = d->engine->options.stamp_every ? d->engine->options.stamp_every : 1,
	};
	ww_fetch_and(&d->attention, ~(uint32_t)(PG_A_CONFIG | PG_A_CLEAR));
	d->idle_ns = d->base_sent = d->base_bytes = 0;
	memset(d->base_causes, 0, sizeof(d->base_causes));
	publish(d);
	err = open_backend(d);
	ww_lock(&d->engine->lock);
	d->ever_ran = true;
	memcpy(d->error, err ? tx->why : "", err ? PG_WHY : 1);
	ww_unlock(&d->engine->lock);
	d->owed = 0;
	if (!err && d->tx.config.delay)
		d->tx.late = ww_alloc(sizeof(*d->tx.late));
	d->next_ns = ww_clock_ns();
	d->cpu_ns = ww_clock_thread_cpu_ns();
	ww_lock(&d->engine->lock);
	ww_store_relaxed(&d->status.started_us, d->next_ns / 1000);
	ww_store_relaxed(&d->status.stopped_us, d->next_ns / 1000);
	if (!err)
		ww_store_relaxed(&d->running, 1u);
	ww_unlock(&d->engine->lock);
	return err;
}

static void copy_cursor(struct pg_device *d)
{
	if (!d->tx.packet)
		return;
	pg_packet_cursor(d->tx.packet, &d->cursor);
	/* What is made but not sent will go out under the same numbers. */
	d->cursor.seq_num -= (uint32_t)d->tx.pending;
}

void pg_device_end(struct pg_device *d, const char *why)
{
	uint64_t now = ww_clock_ns();

	ww_lock(&d->engine->lock);
	copy_cursor(d);
	d->cursor_serial++;
	memcpy(d->how, d->tx.how, sizeof(d->how));
	if (why)
		snprintf(d->error, sizeof(d->error), "%s", why);
	ww_unlock(&d->engine->lock);
	d->tx.ops->close(&d->tx); /* may still correct the counters */
	pg_packet_end(d->tx.packet);
	d->tx.packet = NULL;
	publish(d);
	d->cpu_ns = ww_clock_thread_cpu_ns() - d->cpu_ns;
	ww_lock(&d->engine->lock);
	ww_store_relaxed(&d->status.stopped_us, now / 1000);
	ww_store_release(&d->running, 0u); /* pairs: ENGINE-2 */
	ww_unlock(&d->engine->lock);
}

/* A changed configuration: the run goes on with it, sequence numbers included. */
static bool reopen(struct pg_device *d)
{
	struct pg_tx *tx = &d->tx;
	struct pg_packet *old = tx->packet;
	struct pg_cursor at;

	pg_packet_cursor(old, &at);
	pg_packet_set_seq(old, at.seq_num - (uint32_t)tx->pending);
	tx->ops->close(tx);
	tx->pending = 0;
	tx->packet = NULL;
	int err = prepare_tx(d);

	if (!err) {
		pg_packet_carry(tx->packet, old);
		err = tx->ops->open(tx);
	}
	pg_packet_end(old);
	if (err == 0)
		return true;
	return false;
}

static void clear_counters(struct pg_device *d)
{
	d->base_sent = d->tx.sent;
	d->base_bytes = d->tx.bytes;
	memcpy(d->base_causes, d->tx.causes, sizeof(d->base_causes));
	d->idle_ns = 0;
	pg_packet_set_seq(d->tx.packet, 1 + (uint32_t)d->tx.pending);
	publish(d);
}

void pg_device_attend(struct pg_device *d)
{
	uint32_t want = ww_xchg(&d->attention, 0u); /* pairs: ENGINE-1 */

	if (want & PG_A_CONFIG && !reopen(d)) {
		pg_device_end(d, d->tx.why);
		return;
	}
	if (want & PG_A_CLEAR)
		clear_counters(d);
	if (want & PG_A_CURSOR) {
		ww_lock(&d->engine->lock);
		copy_cursor(d);
		d->cursor_serial++;
		ww_unlock(&d->engine->lock);
	}
}

/* How many packets are due now, at most a batch; 0 if the wait was interrupted. */
static unsigned paced(struct pg_device *d, unsigned most)
{
	uint64_t delay = d->tx.config.delay, now = ww_clock_ns();
	unsigned unit = d->tx.config.burst > 1 ? d->tx.config.burst : 1;

	if (now < d->next_ns) {
		bool came = pg_pace_wait(d->thread, d->next_ns);
		uint64_t then = ww_clock_ns();

		d->idle_ns += then - now;
		now = then;
		if (!came)
			return 0;
	}
	if (d->tx.no_burst && now > d->next_ns + delay)
		d->next_ns = now - (now - d->next_ns) % delay; /* what was missed stays missed */
	if (d->tx.first_ns == 0)
		d->tx.first_ns = now;
	d->tx.last_ns = now;
	if (d->tx.late)
		pg_histogram_add(d->tx.late, now - d->next_ns);
	uint64_t due = ((now - d->next_ns) / delay + 1) * unit;

	return due < most ? (unsigned)due : most;
}

/* The schedule of a capture file: one frame is due, or 0 if the wait was interrupted. */
static unsigned due_by_gap(struct pg_device *d)
{
	uint64_t now = ww_clock_ns();

	if (now < d->next_ns) {
		bool came = pg_pace_wait(d->thread, d->next_ns);

		d->idle_ns += ww_clock_ns() - now;
		if (!came)
			return 0;
	}
	return 1;
}

/* Does this loop keep the schedule, rather than the backend? */
static bool we_pace(const struct pg_device *d)
{
	return d->tx.config.delay && d->tx.config.delay >= d->tx.ops->paces_below_ns;
}

static unsigned burst_size(struct pg_device *d)
{
	unsigned n = d->tx.batch;
	uint64_t count = d->tx.config.count;

	if (count) {
		uint64_t left = count - (d->tx.sent - d->base_sent);

		if (left < n)
			n = (unsigned)left;
	}
	if (pg_packet_has_gaps(d->tx.packet))
		return due_by_gap(d);
	return we_pace(d) ? paced(d, n) : n;
}

/* A backend that keeps the schedule itself waits in its call: the share of its turns that did. */
static int send_burst(struct pg_device *d, unsigned n)
{
	struct pg_tx *tx = &d->tx;

	if (!tx->config.delay || we_pace(d))
		return tx->ops->send(tx, n);
	uint64_t before = ww_clock_ns();
	int sent = tx->ops->send(tx, n);

	if (tx->turns)
		d->idle_ns += (uint64_t)((double)(ww_clock_ns() - before) * (double)tx->idle_turns /
					 (double)tx->turns);
	return sent;
}

bool pg_device_burst(struct pg_device *d)
{
	struct pg_tx *tx = &d->tx;
	uint64_t delay = tx->config.delay;

	if (tx->config.count && tx->sent - d->base_sent >= tx->config.count) {
		pg_device_end(d, NULL);
		return false;
	}
	if (delay == PG_NEVER) {
		uint64_t now = ww_clock_ns();

		pg_pace_wait(d->thread, UINT64_MAX);
		d->idle_ns += ww_clock_ns() - now;
		publish(d);
		return true;
	}
	unsigned n = burst_size(d);

	if (n == 0)
		return true;
	int sent = send_burst(d, n);

	if (sent < 0) {
		pg_device_end(d, tx->why);
		return false;
	}
	if (pg_packet_has_gaps(tx->packet)) {
		d->next_ns += sent ? pg_packet_gap_ns(tx->packet) : 0;
	} else if (we_pace(d)) {
		unsigned unit = tx->config.burst > 1 ? tx->config.burst : 1;

		d->owed += (unsigned)sent;
		d->next_ns += delay * (d->owed / unit);
		d->owed %= unit;
	} else if (d->thread->nr_run > 1) {
		d->next_ns = ww_clock_ns(); /* takes turns with the thread's other devices */
	}
	publish(d);
	return true;
}

// SPDX-License-Identifier: MIT
#include "transmit/frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#ifdef PG_BARRIER_PER_PACKET
#include <wheelwork/thread.h>
#endif

int pg_frames_check_length(struct pg_tx *tx)
{
	uint32_t smallest = pg_config_shortest(&tx->config);

	if (!tx->max_bytes || smallest <= tx->max_bytes)
		return 0;
	snprintf(tx->why, PG_WHY,
		 "frames of %u bytes do not fit %s: give it an MTU of %u, or a smaller pkt_size",
		 smallest, tx->ifname, tx->link.mtu + smallest - tx->max_bytes);
	return -EMSGSIZE;
}

int pg_frames_open(struct pg_frames *f, struct pg_tx *tx, unsigned size)
{
	int err = pg_frames_check_length(tx);

	if (err)
		return err;
	*f = (struct pg_frames){
		.size = size,
		.one_by_one = tx->copies > 1 ||
			      (tx->max_bytes && pg_config_longest(&tx->config) > tx->max_bytes),
		.stamped = pg_packet_stamped(tx->packet),
		.room = (pg_packet_room(tx->packet) + 63) & ~63u,
	};
	pg_packet_clock(tx->packet, &tx->stamp);
	f->memory = ww_alloc_lines((size_t)f->room * size);
	f->v = ww_alloc(size * sizeof(f->v[0]));
	if (!f->memory || !f->v) {
		pg_frames_close(f);
		snprintf(tx->why, PG_WHY, "no memory for %u frames", size);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < size; i++) {
		f->v[i].iov_base = f->memory + (size_t)f->room * i;
		pg_packet_prepare(tx->packet, f->v[i].iov_base);
	}
	return 0;
}

void pg_frames_close(struct pg_frames *f)
{
	ww_free(f->memory);
	ww_free(f->v);
	*f = (struct pg_frames){0};
}

/* The next frame or the next copy of it, into v[i]. False: too long for the device. */
static bool fill_one(struct pg_frames *f, struct pg_tx *tx, unsigned i, uint64_t stamp)
{
	if (f->copies_left == 0) {
		f->again.iov_base = f->memory + (size_t)f->room * f->next_buffer;
		f->next_buffer = (f->next_buffer + 1) % f->size;
		f->again.iov_len = pg_packet_next_stamped(tx->packet, f->again.iov_base, stamp);
		if (tx->max_bytes && f->again.iov_len > tx->max_bytes) {
			tx->causes[PG_ERR_MTU]++;
			return false;
		}
		f->copies_left = tx->copies;
	}
#ifdef PG_BARRIER_PER_PACKET /* bench/: what the loop of before 2014 paid for each packet */
	ww_set_current_state(WW_TASK_RUNNING);
#endif
	f->copies_left--;
	f->v[i] = f->again;
	pg_packet_sent(tx->packet, 1);
	return true;
}

/* Frames that are repeated or looked at: one at a time. The clock is read for a new frame only. */
static unsigned fill_each(struct pg_frames *f, struct pg_tx *tx, unsigned n)
{
	unsigned filled = 0, since = tx->stamp_every;
	uint64_t stamp = 0;

	for (unsigned i = 0; i < n; i++, since++) {
		if (f->copies_left == 0 && f->stamped && since >= tx->stamp_every) {
			stamp = pg_stamp_now(&tx->stamp);
			since = 0;
		}
		filled += fill_one(f, tx, filled, stamp);
	}
	return filled;
}

static void fill_all(const struct pg_frames *f, struct pg_tx *tx, struct iovec *v, unsigned n)
{
	if (f->stamped && tx->stamp_every == 1) {
		pg_packet_fill_each(tx->packet, v, n, &tx->stamp);
		return;
	}
	if (!f->stamped) {
		pg_packet_fill_stamped(tx->packet, v, n, 0);
		return;
	}
	for (unsigned i = 0; i < n; i += tx->stamp_every) {
		unsigned slice = n - i < tx->stamp_every ? n - i : tx->stamp_every;

		pg_packet_fill_stamped(tx->packet, v + i, slice, pg_stamp_now(&tx->stamp));
	}
}

unsigned pg_frames_fill(struct pg_frames *f, struct pg_tx *tx, unsigned n)
{
	if (f->filled)
		return f->filled < n ? f->filled : n;
	f->head = 0;
	if (f->one_by_one) {
		f->filled = fill_each(f, tx, n);
	} else {
		fill_all(f, tx, f->v, n);
		f->filled = n;
	}
	tx->pending = f->filled;
	return f->filled;
}

unsigned pg_frames_make(struct pg_frames *f, struct pg_tx *tx, struct iovec *v, unsigned n)
{
	if (!f->one_by_one) {
		fill_all(f, tx, v, n);
		return n;
	}
	unsigned made = fill_each(f, tx, n);

	for (unsigned i = 0; i < made; i++) {
		memcpy(v[i].iov_base, f->v[i].iov_base, f->v[i].iov_len);
		v[i].iov_len = f->v[i].iov_len;
	}
	return made;
}

void pg_frames_sent(struct pg_frames *f, struct pg_tx *tx, unsigned n)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += f->v[f->head + i].iov_len;
	f->head += n;
	f->filled -= n;
	tx->pending = f->filled;
	tx->sent += n;
	tx->bytes += bytes;
}

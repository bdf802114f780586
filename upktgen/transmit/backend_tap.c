// SPDX-License-Identifier: MIT
/*
 * "tap": the device is a tap, and each frame is written to its file: the kernel receives it there,
 * as if it had come in by a wire. A tap that does not exist yet is made for the run.
 */
#include "transmit/backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "transmit/frames.h"
#include "transmit/open.h"

enum { BATCH = 32 };

struct tap_tx {
	struct pg_frames frames;
	int fd;
};

static int tap_probe(const char *ifname, char why[PG_WHY])
{
	int err = access("/dev/net/tun", R_OK | W_OK) ? -errno : 0;

	(void)ifname;
	if (err)
		snprintf(why, PG_WHY, "/dev/net/tun: %s", strerror(-err));
	return err;
}

static void tap_close(struct pg_tx *tx)
{
	struct tap_tx *t = tx->priv;

	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	pg_frames_close(&t->frames);
	ww_free(t);
	tx->priv = NULL;
}

static int attach(struct tap_tx *t, struct pg_tx *tx)
{
	int err;

	t->fd = pg_open_tap(tx->ifname);
	err = t->fd < 0 ? t->fd : 0;
	if (!err)
		err = pg_link_read(tx->ifname, &tx->link);
	if (err)
		snprintf(tx->why, PG_WHY, "tap %s: %s%s", tx->ifname, strerror(-err),
			 err == -EPERM	  ? " (needs CAP_NET_ADMIN, or a tap that is yours)"
			 : err == -EINVAL ? " (is there a device of another kind by that name?)"
			 : err == -EBUSY  ? " (another program holds it)"
					  : "");
	return err;
}

static int tap_open(struct pg_tx *tx)
{
	const struct pg_config *c = &tx->config;

	if (c->flags & PG_IPSEC || c->skb_priority) {
		snprintf(tx->why, PG_WHY, "skb_priority and flag IPSEC have no meaning for a tap");
		return -EOPNOTSUPP;
	}
	struct tap_tx *t = ww_alloc(sizeof(*t));

	if (!t) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	t->fd = -1;
	tx->priv = t;
	tx->batch = BATCH;
	int err = attach(t, tx);

	if (!err)
		err = pg_frames_open(&t->frames, tx, BATCH);
	if (err)
		tap_close(tx);
	return err;
}

static int tap_send(struct pg_tx *tx, unsigned n)
{
	struct tap_tx *t = tx->priv;
	struct iovec *v;
	unsigned i = 0;
	int err = 0;

	n = pg_frames_fill(&t->frames, tx, n);
	v = &t->frames.v[t->frames.head];
	for (; i < n; i++)
		if (write(t->fd, v[i].iov_base, v[i].iov_len) < 0) {
			err = errno;
			break;
		}
	pg_frames_sent(&t->frames, tx, i);
	if (!err || err == EINTR || i)
		return (int)i;
	int trouble = pg_link_trouble(tx->ifname, &tx->link, tx->why);

	tx->causes[trouble					      ? PG_ERR_DOWN
		   : err == ENOBUFS || err == ENOMEM || err == EAGAIN ? PG_ERR_NOBUFS
								      : PG_ERR_OTHER]++;
	return trouble;
}

const struct pg_backend pg_backend_tap = {
	.name = "tap",
	.what = "writes to a tap device: the kernel receives the frames on it",
	.receives = true,
	.probe = tap_probe,
	.open = tap_open,
	.send = tap_send,
	.close = tap_close,
};

// SPDX-License-Identifier: MIT
/* "null": frames are made and go nowhere. The generator alone. */
#include "transmit/backend.h"

#include <errno.h>
#include <stdio.h>

#include "base/alloc.h"
#include "transmit/frames.h"

enum { BATCH = 64 };

static int null_probe(const char *ifname, char why[PG_WHY])
{
	(void)ifname;
	why[0] = 0;
	return 0;
}

static int null_open(struct pg_tx *tx)
{
	struct pg_frames *f = ww_alloc(sizeof(*f));
	int err;

	if (!f) {
		snprintf(tx->why, PG_WHY, "no memory");
		return -ENOMEM;
	}
	tx->priv = f;
	tx->batch = BATCH;
	err = pg_frames_open(f, tx, BATCH);
	if (err) {
		ww_free(f);
		tx->priv = NULL;
	}
	return err;
}

static int null_send(struct pg_tx *tx, unsigned n)
{
	struct pg_frames *f = tx->priv;

	n = pg_frames_fill(f, tx, n);
	pg_frames_sent(f, tx, n);
	return (int)n;
}

static void null_close(struct pg_tx *tx)
{
	if (tx->priv)
		pg_frames_close(tx->priv);
	ww_free(tx->priv);
	tx->priv = NULL;
}

const struct pg_backend pg_backend_null = {
	.name = "null",
	.what = "frames are made in memory and go nowhere",
	.probe = null_probe,
	.open = null_open,
	.send = null_send,
	.close = null_close,
};

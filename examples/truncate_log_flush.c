/* SPDX-License-Identifier: MIT */
/*
 * A file system notes freed clusters in a log and gives them back later, all at once: each new
 * record puts the flush off, until there has been peace for a while
 * (ocfs2_schedule_truncate_log_flush). A full log is flushed by whoever fills it, and then the
 * scheduled flush is taken back.
 */
#include "example.h"

#define FLUSH_MS 200
#define FULL	 64

static struct truncate_log {
	struct ww_delayed_work flush;
	unsigned records, flushes;
} tl;

static void flush_log(struct truncate_log *log, const char *why)
{
	log->flushes++;
	say("%s: %u records are given back", why, log->records);
	log->records = 0;
}

static void flush_works(struct ww_work *work)
{
	flush_log((struct truncate_log *)(void *)ww_to_delayed_work(work), "quiet");
}

static void append(struct truncate_log *log)
{
	if (++log->records == FULL) {
		ww_cancel_delayed_work_sync(&log->flush);
		flush_log(log, "the log is full");
		return;
	}
	put_off(&log->flush, FLUSH_MS);
}

static void truncate_files(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		append(&tl);
		pass(5);
	}
}

int main(int argc, char **argv)
{
	example_start(argc, argv);
	ww_init_delayed_work(&tl.flush, flush_works);
	say("30 files are truncated");
	truncate_files(30);
	pass(400);
	say("100 files are truncated");
	truncate_files(100);
	pass(400);
	if (ww_cancel_delayed_work_sync(&tl.flush))
		flush_log(&tl, "unmount");
	say("unmounted after %u flushes", tl.flushes);
	example_end();
	return tl.flushes != 3;
}

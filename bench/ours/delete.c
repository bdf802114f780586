// SPDX-License-Identifier: MIT
/*
 * The origin's second table: a synchronous delete, in cycles, of a timer that has fired, that is
 * pending, that was never armed; with everything in cache, with the timer's line flushed, and with
 * the line of its base too, which is why this program sees the inside. "bases-busy": meanwhile every
 * base is in another timer's callback, asleep on a futex. n is the number of bases.
 */
#include <wheelwork/timer.h>

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cycle_rows.h"
#include "timer/timer.h"

static struct ww_timer *fired, *idle, *pending, *blockers;
static uint32_t ran, never;
static long blocked;

static void expired(struct ww_timer *t)
{
	(void)t;
	__atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
}

static void block(struct ww_timer *t)
{
	(void)t;
	__atomic_fetch_add(&blocked, 1, __ATOMIC_RELEASE);
	for (;;)
		syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void place(struct ww_timer **t, void (*fn)(struct ww_timer *), struct ww_base *base)
{
	*t = bench_alloc(1, sizeof(**t));
	ww_timer_setup(*t, fn, 0);
	if (ww_timer_set_base(*t, base) != 0)
		bench_cannot("a timer was refused its base");
}

static void open_bases(struct bench *b)
{
	struct ww_base *base;

	bench_pin(0);
	blockers = bench_alloc((size_t)b->n, sizeof(*blockers));
	for (long i = 0; i < b->n; i++) {
		base = ww_base_create("bench");
		if (!base)
			bench_cannot("no base number %ld", i);
		ww_timer_setup(&blockers[i], block, 0);
		if (ww_timer_set_base(&blockers[i], base) != 0)
			bench_cannot("a timer was refused its base");
		if (i == b->n / 2) {
			place(&fired, expired, base);
			place(&idle, expired, base);
			place(&pending, expired, base);
		}
	}
	ww_mod_timer(fired, ww_jiffies());
	while (!__atomic_load_n(&ran, __ATOMIC_ACQUIRE))
		bench_sleep(1000000);
	bench_sleep(10000000);
}

static void open_busy(struct bench *b)
{
	open_bases(b);
	for (long i = 0; i < b->n; i++)
		ww_mod_timer(&blockers[i], ww_jiffies());
	while (__atomic_load_n(&blocked, __ATOMIC_ACQUIRE) != b->n)
		bench_sleep(1000000);
}

static void delete_sync(void *arg)
{
	ww_timer_delete_sync((struct ww_timer *)arg);
}

static void arm(void *arg)
{
	ww_mod_timer((struct ww_timer *)arg, ww_jiffies() + 1000000);
}

static const void *base_line(struct ww_timer *t)
{
	return &ww_base_hot[ww_word_base(ww_timer_impl(t)->word)].running;
}

static void run(struct bench *b)
{
	struct ww_timer *unarmed[] = {fired, idle};
	static const char *const name[][3] = {
		{"fired-warm", "fired-cold-timer", "fired-cold-both"},
		{"idle-warm", "idle-cold-timer", "idle-cold-both"},
		{"pending-warm", "pending-cold-timer", "pending-cold-both"},
	};

	for (int i = 0; i < 2; i++) {
		const void *flush[] = {unarmed[i], base_line(unarmed[i])};

		bench_figure(b, name[i][0], "cycles", warm_cycles(delete_sync, unarmed[i]));
		for (int lines = 1; lines <= 2; lines++)
			bench_figure(b, name[i][lines], "cycles",
				     cold_cycles(NULL, delete_sync, unarmed[i], flush, lines));
	}
	/* Each call needs the timer armed again: warm, too, is one call at a time. */
	const void *flush[] = {pending, base_line(pending)};
	for (int lines = 0; lines <= 2; lines++)
		bench_figure(b, name[2][lines], "cycles",
			     cold_cycles(arm, delete_sync, pending, flush, lines));
}
BENCH("delete-sync", "bases-idle", open_bases, run)
BENCH("delete-sync", "bases-busy", open_busy, run)

// SPDX-License-Identifier: MIT
/*
 * The origin's second table: a synchronous delete, in cycles, of a timer that has fired, that is
 * pending, that was never armed; with everything in cache, with the timer's line flushed, and with
 * the line of its base too, which is why this program sees the inside. "busy": meanwhile every
 * base is in another timer's callback, asleep on a futex. n is the number of bases.
 */
#include <wheelwork/timer.h>

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cycle_rows.h"
#include "timer/timer.h"

static struct ww_timer *timer, *blockers;
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

static void open_bases(struct bench *b)
{
	struct ww_base *base;

	bench_pin(0);
	timer = bench_alloc(1, sizeof(*timer));
	blockers = bench_alloc((size_t)b->n, sizeof(*blockers));
	ww_timer_setup(timer, expired, 0);
	for (long i = 0; i < b->n; i++) {
		base = ww_base_create("bench");
		if (!base)
			bench_cannot("no base number %ld", i);
		ww_timer_setup(&blockers[i], block, 0);
		if (ww_timer_set_base(&blockers[i], base) != 0 ||
		    (i == b->n / 2 && ww_timer_set_base(timer, base) != 0))
			bench_cannot("a timer was refused its base");
	}
}

static void open_fired(struct bench *b)
{
	open_bases(b);
	ww_mod_timer(timer, ww_jiffies());
	while (!__atomic_load_n(&ran, __ATOMIC_ACQUIRE))
		bench_sleep(1000000);
	bench_sleep(10000000);
}

static void open_busy(struct bench *b)
{
	open_fired(b);
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

static void run_warm(struct bench *b)
{
	bench_figure(b, NULL, "cycles", warm_cycles(delete_sync, timer));
}
BENCH("delete-sync", "fired-warm", open_fired, run_warm)
BENCH("delete-sync", "idle-warm", open_bases, run_warm)
BENCH("delete-sync", "busy-warm", open_busy, run_warm)

static void run_pending(struct bench *b)
{
	bench_figure(b, NULL, "cycles", cold_cycles(arm, delete_sync, timer, NULL, 0));
}
BENCH("delete-sync", "pending-warm", open_bases, run_pending)

static void run_cold(struct bench *b, int lines)
{
	const void *flush[] = {timer,
			       &ww_base_hot[ww_word_base(ww_timer_impl(timer)->word)].running};

	bench_figure(b, NULL, "cycles", cold_cycles(NULL, delete_sync, timer, flush, lines));
}

static void run_cold_timer(struct bench *b)
{
	run_cold(b, 1);
}
BENCH("delete-sync", "fired-cold-timer", open_fired, run_cold_timer)
BENCH("delete-sync", "busy-cold-timer", open_busy, run_cold_timer)

static void run_cold_both(struct bench *b)
{
	run_cold(b, 2);
}
BENCH("delete-sync", "fired-cold-both", open_fired, run_cold_both)
BENCH("delete-sync", "busy-cold-both", open_busy, run_cold_both)

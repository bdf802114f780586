/* SPDX-License-Identifier: MIT */
/*
 * Calls on timers, and the virtual clock, against a model that knows no wheel. Two bytes are one
 * call: which call and timer, and a distance (its upper bits are the power of two).
 */
#include "fuzz.h"

#include "wheelwork/clock.h"
#include "wheelwork/timer.h"

#define TIMERS 8

static struct item {
	struct ww_timer timer; /* first */
	bool pending, dead;
	uint64_t expires; /* meant */
	uint64_t armed_at;
} items[TIMERS];

static void must(bool cond)
{
	if (!cond)
		abort();
}

static void fires(struct ww_timer *t)
{
	struct item *it = (struct item *)(void *)t;
	uint64_t now = ww_jiffies(), due = it->expires + 1;

	if (ww_time_before(due, it->armed_at + 1))
		due = it->armed_at + 1;
	must(it->pending && !it->dead);
	must(now == due);
	it->pending = false;
}

static void arm(struct item *it, uint64_t expires)
{
	it->pending = true;
	it->expires = expires;
	it->armed_at = ww_jiffies();
}

static void call(unsigned which, struct item *it, uint64_t distance)
{
	uint64_t to = ww_jiffies() + distance;

	switch (which) {
	case 0:
	case 1:
	case 2:
		must(ww_mod_timer(&it->timer, to) == (it->pending && !it->dead));
		if (!it->dead)
			arm(it, to);
		break;
	case 3:
		must(ww_mod_timer_pending(&it->timer, to) == it->pending);
		if (it->pending)
			arm(it, to);
		break;
	case 4:
		must(ww_timer_reduce(&it->timer, to) == it->pending);
		if (!it->dead && (!it->pending || ww_time_before(to, it->expires)))
			arm(it, to);
		break;
	case 5:
		must(ww_timer_delete(&it->timer) == it->pending);
		it->pending = false;
		break;
	case 6:
		must(ww_timer_delete_sync(&it->timer) == it->pending);
		it->pending = false;
		break;
	case 7:
		/* To the past, as a deadline that was missed. */
		must(ww_mod_timer(&it->timer, ww_jiffies() - distance) ==
		     (it->pending && !it->dead));
		if (!it->dead)
			arm(it, ww_jiffies() - distance);
		break;
	case 8:
		must(ww_timer_shutdown_sync(&it->timer) == it->pending);
		it->pending = false;
		it->dead = true;
		break;
	case 9:
		if (it->dead)
			ww_timer_setup(&it->timer, fires, 0);
		it->dead = false;
		break;
	case 10:
		must(ww_timer_pending(&it->timer) == it->pending);
		must(!it->pending || it->timer.expires == it->expires);
		break;
	case 11:
		if (it->pending || it->dead)
			break;
		it->timer.expires = to;
		ww_add_timer(&it->timer);
		arm(it, to);
		break;
	case 12:
		must(ww_debug_check() == 0);
		break;
	default:
		ww_clock_advance(distance & 0xffffff);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready) {
		must(ww_clock_use_virtual() == 0);
		ready = true;
	}
	for (int i = 0; i < TIMERS; i++) {
		items[i] = (struct item){.pending = false};
		ww_timer_setup(&items[i].timer, fires, 0);
	}
	for (; size >= 3; data += 3, size -= 3)
		call(data[0] >> 4, &items[data[0] % TIMERS],
		     ((uint64_t)data[1] << (data[2] & 31)) + (data[2] >> 5));
	ww_clock_advance(300);
	for (int i = 0; i < TIMERS; i++) {
		must(!items[i].pending || ww_time_after_eq(items[i].expires, ww_jiffies()));
		ww_timer_shutdown_sync(&items[i].timer);
	}
	must(ww_debug_check() == 0);
	return 0;
}

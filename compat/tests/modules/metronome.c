// SPDX-License-Identifier: MIT
/*
 * A high-resolution timer that keeps a period by moving its own deadline on, one that a call cancels
 * while it waits, and one for a given moment that has passed.
 * run: --duration 2s period_us=5000 ticks=20
 * expect: tick 20 of 20
 * expect: cancelled 1, then 0
 * expect: the past came at once
 * expect: stopped after 20 ticks
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/module.h>

static unsigned int period_us = 1000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "microseconds between two ticks");
static int ticks = 10;
module_param(ticks, int, 0444);
MODULE_PARM_DESC(ticks, "how many before it falls silent");

static struct hrtimer metronome, never, past;
static DECLARE_COMPLETION(past_came);
static ktime_t due;
static int count;

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	u64 periods;

	WARN_ON(ktime_before(hrtimer_cb_get_time(timer), due)); /* never early */
	WARN_ON(!hrtimer_callback_running(timer));
	WARN_ON(hrtimer_is_queued(timer));
	pr_info("tick %d of %d\n", ++count, ticks);
	periods = hrtimer_forward_now(timer, us_to_ktime(period_us));
	WARN_ON(periods < 1);
	WARN_ON(hrtimer_get_expires(timer) !=
		ktime_add_us(due, periods * period_us)); /* no drift */
	due = hrtimer_get_expires(timer);
	return count < ticks ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static enum hrtimer_restart at_once(struct hrtimer *timer)
{
	complete(&past_came);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart not_this_one(struct hrtimer *timer)
{
	WARN(1, "an hour has passed");
	return HRTIMER_NORESTART;
}

static int __init metronome_init(void)
{
	int first;

	hrtimer_init(&metronome, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	metronome.function = tick;
	due = ktime_add_us(ktime_get(), period_us);
	hrtimer_start(&metronome, due, HRTIMER_MODE_ABS);

	hrtimer_setup(&never, not_this_one, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_start(&never, ktime_set(3600, 0), HRTIMER_MODE_REL);
	WARN_ON(!hrtimer_active(&never));
	WARN_ON(ktime_to_ns(hrtimer_get_remaining(&never)) <= 0);
	first = hrtimer_cancel(&never);
	pr_info("cancelled %d, then %d\n", first, hrtimer_cancel(&never));
	WARN_ON(hrtimer_active(&never));

	hrtimer_setup(&past, at_once, CLOCK_REALTIME, HRTIMER_MODE_ABS);
	hrtimer_start(&past, ktime_set(1, 0), HRTIMER_MODE_ABS);
	wait_for_completion(&past_came);
	pr_info("the past came at once\n");
	return 0;
}

static void __exit metronome_exit(void)
{
	hrtimer_cancel(&past);
	hrtimer_cancel(&metronome);
	WARN_ON(hrtimer_active(&metronome));
	pr_info("stopped after %d ticks\n", count);
}

module_init(metronome_init);
module_exit(metronome_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("A period kept by a high-resolution timer");

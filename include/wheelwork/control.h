/* SPDX-License-Identifier: MIT */
/*
 * A control word: how others tell a busy loop what to do, without a cost to the loop.
 *
 *	loop:	while (!ww_thread_should_stop()) {
 *			if (work_to_do)
 *				one_burst();
 *			else
 *				ww_control_wait(&control, ~0u, WW_MAX_TIMEOUT);
 *			if (ww_control_peek(&control))
 *				obey(ww_control_take(&control, START | STOP));
 *		}
 *	others:	ww_control_post(&control, STOP);
 *
 * Posting is an atomic read-modify-write and wakes a sleeping loop at once; peeking is one relaxed
 * load, so a busy loop pays nothing and obeys within one turn. A bit is never lost: taking is
 * atomic too. Put the word on a cache line of its own if neighbours are written often.
 */
#ifndef WHEELWORK_CONTROL_H
#define WHEELWORK_CONTROL_H

#include <wheelwork/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 64 bytes; all zero is valid and holds no bit. */
struct ww_control {
	uint64_t ww_private[8];
};

void ww_control_init(struct ww_control *control);

/*
 * Sets these bits and wakes whoever waits for them. Returns those that were set before. What the
 * caller wrote before is seen by who takes the bits. Any thread; does not sleep.
 */
uint32_t ww_control_post(struct ww_control *control, uint32_t bits);

/* The bits now. One relaxed load: for every turn of a loop. Orders nothing: take before acting. */
uint32_t ww_control_peek(const struct ww_control *control);

/* Clears these bits and returns those of them that were set. Any thread; does not sleep. */
uint32_t ww_control_take(struct ww_control *control, uint32_t bits);

/*
 * Sleeps until one of these bits is set, for at most timeout ticks (WW_MAX_TIMEOUT: no end), or
 * until the clock of ww_ktime_get_ns() reads deadline_ns (UINT64_MAX: no end). Returns the bits
 * set, not taken; 0 when the time is up, and at once when the calling thread is asked to stop or
 * park.
 */
uint32_t ww_control_wait(struct ww_control *control, uint32_t bits, int64_t timeout);
uint32_t ww_control_wait_until(struct ww_control *control, uint32_t bits, uint64_t deadline_ns);

/*
 * The other side: sleeps until none of these bits is set any more, that is, until each has been
 * taken. True then; false when the time is up or the calling thread is asked to stop.
 */
bool ww_control_wait_taken(struct ww_control *control, uint32_t bits, int64_t timeout);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Timers: a function called once, when the tick counter first reads expires + 1. The caller embeds
 * struct ww_timer in its own object; nothing is allocated per operation.
 */
#ifndef WHEELWORK_TIMER_H
#define WHEELWORK_TIMER_H

#include <wheelwork/clock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ww_timer;
typedef void (*ww_timer_fn)(struct ww_timer *timer);

/* 64 bytes on every 64-bit machine. */
struct ww_timer {
	uint64_t expires; /* ticks; read it freely, write it only while idle, before ww_add_timer()
			   */
	ww_timer_fn function;
	uint64_t ww_private[6];
};

#define WW_TIMER_DEFERRABLE 0x1u /* never wakes a sleeping base: may be late without bound */
#define WW_TIMER_PINNED	    0x2u /* fires on the CPU that armed it */

/* Kernel: timer_setup(), timer_setup_on_stack(), timer_destroy_on_stack(). */
void ww_timer_setup(struct ww_timer *timer, ww_timer_fn function, unsigned flags);
/*
 * The same for a timer in a function's frame: ww_timer_destroy_on_stack() must follow before that
 * function returns, after a synchronous delete; it finds the timer that was forgotten.
 */
void ww_timer_setup_on_stack(struct ww_timer *timer, ww_timer_fn function, unsigned flags);
void ww_timer_destroy_on_stack(struct ww_timer *timer);

/*
 * A timer that is set up when the program starts:
 *	static WW_DEFINE_TIMER(my_timer, my_function);
 * or, inside another static object, .timer = WW_TIMER_INITIALIZER(my_function).
 * Kernel: DEFINE_TIMER(), __TIMER_INITIALIZER().
 */
#define WW_TIMER_MAGIC_ 0x74776d31u
#define WW_TIMER_INITIALIZER(fn)                                                                   \
	{                                                                                          \
		0, (fn),                                                                           \
		{                                                                                  \
			0, 0, 0, 0, 0, WW_TIMER_MAGIC_                                             \
		}                                                                                  \
	}
#define WW_DEFINE_TIMER(name, fn) struct ww_timer name = WW_TIMER_INITIALIZER(fn)

void ww_add_timer(struct ww_timer *timer);
int ww_mod_timer(struct ww_timer *timer, uint64_t expires);
int ww_timer_delete(struct ww_timer *timer);
int ww_timer_delete_sync(struct ww_timer *timer);
bool ww_timer_pending(const struct ww_timer *timer);

#ifdef __cplusplus
}
#endif
#endif

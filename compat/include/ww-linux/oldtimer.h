/* SPDX-License-Identifier: MIT */
/*
 * Timers as they were before 4.15: function(data), data an unsigned long. The structure has the
 * library's timer inside, whose function calls the old one. All calls take either: the timer in a
 * delayed work is the library's. timer_setup() and from_timer() work here too, as in 4.14.
 */
#ifndef WW_LINUX_OLDTIMER_H
#define WW_LINUX_OLDTIMER_H

#include <wheelwork/timer.h>
#include <ww-linux/base.h>

struct timer_list {
	union {
		struct ww_timer ww_timer;
		unsigned long expires; /* the same word as ww_timer.expires */
	};
	void (*function)(unsigned long data);
	unsigned long data;
};
_Static_assert(sizeof(unsigned long) == 8, "expires is the library's");
typedef void (*TIMER_FUNC_TYPE)(unsigned long data);
#define TIMER_DATA_TYPE unsigned long

void ww_linux_old_timer_run(struct ww_timer *timer);

/* Function, data and deadline may have been stored before, or are stored afterwards. */
WW_LINUX_INLINE void ww_linux_old_timer_init(struct timer_list *timer, unsigned flags)
{
	unsigned long expires = timer->expires;

	ww_timer_setup(&timer->ww_timer, ww_linux_old_timer_run, flags);
	timer->expires = expires;
}

WW_LINUX_INLINE void ww_linux_old_timer_setup(struct timer_list *timer,
					      void (*function)(unsigned long), unsigned long data,
					      unsigned flags)
{
	timer->function = function;
	timer->data = data;
	ww_linux_old_timer_init(timer, flags);
}

/* The form of today, whose argument is the timer. */
WW_LINUX_INLINE void ww_linux_old_timer_setup_new(struct timer_list *timer,
						  void (*function)(struct timer_list *timer),
						  unsigned flags)
{
	timer->function = (TIMER_FUNC_TYPE)(void *)function;
	timer->data = (unsigned long)timer;
	ww_linux_old_timer_init(timer, flags);
}

#define WW_LINUX_PINNED_DEFERRABLE (WW_TIMER_PINNED | WW_TIMER_DEFERRABLE)
#define init_timer(t)		   ww_linux_old_timer_init(t, 0)
#define __init_timer(t, flags)	   ww_linux_old_timer_init(t, flags)
#define init_timer_on_stack(t)	   ww_linux_old_timer_init(t, 0)
#define init_timer_key(t, flags, name, key)                                                        \
	((void)(name), (void)(key), ww_linux_old_timer_init(t, flags))
#define init_timer_deferrable(t)	ww_linux_old_timer_init(t, WW_TIMER_DEFERRABLE)
#define init_timer_pinned(t)		ww_linux_old_timer_init(t, WW_TIMER_PINNED)
#define init_timer_pinned_deferrable(t) ww_linux_old_timer_init(t, WW_LINUX_PINNED_DEFERRABLE)

#define setup_timer(t, fn, data)	       ww_linux_old_timer_setup(t, fn, data, 0)
#define setup_timer_on_stack(t, fn, data)      ww_linux_old_timer_setup(t, fn, data, 0)
#define __setup_timer(t, fn, data, flags)      ww_linux_old_timer_setup(t, fn, data, flags)
#define __setup_timer_on_stack(t, fn, data, f) ww_linux_old_timer_setup(t, fn, data, f)
#define setup_deferrable_timer(t, fn, data)                                                        \
	ww_linux_old_timer_setup(t, fn, data, WW_TIMER_DEFERRABLE)
#define setup_deferrable_timer_on_stack(t, fn, data) setup_deferrable_timer(t, fn, data)
#define setup_pinned_timer(t, fn, data)		     ww_linux_old_timer_setup(t, fn, data, WW_TIMER_PINNED)
#define setup_pinned_timer_on_stack(t, fn, data)     setup_pinned_timer(t, fn, data)
#define setup_pinned_deferrable_timer(t, fn, data)                                                 \
	ww_linux_old_timer_setup(t, fn, data, WW_LINUX_PINNED_DEFERRABLE)
#define setup_pinned_deferrable_timer_on_stack(t, fn, data)                                        \
	setup_pinned_deferrable_timer(t, fn, data)
#define timer_setup(t, fn, flags)	   ww_linux_old_timer_setup_new(t, fn, flags)
#define timer_setup_on_stack(t, fn, flags) ww_linux_old_timer_setup_new(t, fn, flags)

#define WW_LINUX_OLD_TIMER(fn, exp, d, flags)                                                      \
	{                                                                                          \
		{{(exp),                                                                           \
		  ww_linux_old_timer_run,                                                          \
		  {WW_TIMER_WORD_ | WW_TIMER_FLAGS_(flags), 0, 0, 0, 0, WW_TIMER_MAGIC_}}},        \
			(fn), (d)                                                                  \
	}
#define TIMER_INITIALIZER(fn, exp, data) WW_LINUX_OLD_TIMER(fn, exp, data, 0u)
#define TIMER_DEFERRED_INITIALIZER(fn, exp, data)                                                  \
	WW_LINUX_OLD_TIMER(fn, exp, data, TIMER_DEFERRABLE)
#define TIMER_PINNED_INITIALIZER(fn, exp, data) WW_LINUX_OLD_TIMER(fn, exp, data, TIMER_PINNED)
#define TIMER_PINNED_DEFERRED_INITIALIZER(fn, exp, data)                                           \
	WW_LINUX_OLD_TIMER(fn, exp, data, TIMER_PINNED | TIMER_DEFERRABLE)

#define WW_LINUX_DEFINE_TIMER_4(name, fn, exp, data)                                               \
	struct timer_list name = WW_LINUX_OLD_TIMER(fn, exp, data, 0u)
#define WW_LINUX_DEFINE_TIMER_2(name, fn)                                                          \
	struct timer_list name =                                                                   \
		WW_LINUX_OLD_TIMER((TIMER_FUNC_TYPE)(fn), 0, (unsigned long)&(name), 0u)
#define WW_LINUX_DEFINE_TIMER(a, b, c, d, pick, ...) pick
#define DEFINE_TIMER(args...)                                                                      \
	WW_LINUX_DEFINE_TIMER(args, WW_LINUX_DEFINE_TIMER_4, 3, WW_LINUX_DEFINE_TIMER_2)(args)

/* The timer inside, of a pointer to either. */
#define ww_linux_inner_timer(t)                                                                    \
	_Generic((t), struct timer_list *                                                          \
		 : (struct ww_timer *)(void *)(t), const struct timer_list *                       \
		 : (struct ww_timer *)(void *)(t), struct ww_timer *                               \
		 : (struct ww_timer *)(void *)(t), const struct ww_timer *                         \
		 : (struct ww_timer *)(void *)(t))

#define timer_destroy_on_stack(t)     ww_timer_delete_sync(ww_linux_inner_timer(t))
#define destroy_timer_on_stack(t)     timer_destroy_on_stack(t)
#define add_timer(t)		      ww_add_timer(ww_linux_inner_timer(t))
#define add_timer_on(t, cpu)	      ww_add_timer_on(ww_linux_inner_timer(t), cpu)
#define mod_timer(t, exp)	      ww_mod_timer(ww_linux_inner_timer(t), exp)
#define __mod_timer(t, exp)	      ww_mod_timer(ww_linux_inner_timer(t), exp)
#define mod_timer_pending(t, exp)     ww_mod_timer_pending(ww_linux_inner_timer(t), exp)
#define mod_timer_pinned(t, exp)      ww_mod_timer(ww_linux_inner_timer(t), exp)
#define timer_reduce(t, exp)	      ww_timer_reduce(ww_linux_inner_timer(t), exp)
#define timer_pending(t)	      ww_timer_pending(ww_linux_inner_timer(t))
#define del_timer(t)		      ww_timer_delete(ww_linux_inner_timer(t))
#define del_timer_sync(t)	      ww_timer_delete_sync(ww_linux_inner_timer(t))
#define try_to_del_timer_sync(t)      ww_timer_delete_sync_try(ww_linux_inner_timer(t))
#define del_singleshot_timer_sync(t)  ww_timer_delete_sync(ww_linux_inner_timer(t))
#define del_single_shot_timer_sync(t) ww_timer_delete_sync(ww_linux_inner_timer(t))
/* 2.6.35 to 4.7; the library is exact whatever the slack */
#define set_timer_slack(timer, hz) ((void)(timer), (void)(hz))

#endif

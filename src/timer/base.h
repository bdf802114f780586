/* SPDX-License-Identifier: MIT */
/* Bases among the files of this folder that make, drive and walk them. */
#ifndef WW_TIMER_BASE_H
#define WW_TIMER_BASE_H

#include "timer/timer.h"

/* Under base.c's lock / without. A new base; NULL + errno. */
struct ww_base *ww_base_make(unsigned id, enum ww_base_kind kind, int cpu, const char *name);
struct ww_base *ww_base_make_object(enum ww_base_kind kind, const char *name);
/* The base is locked and its thread is gone: make idle what is left on it. */
void ww_base_drop_timers(struct ww_base *b);
/* Its thread is gone, nothing is pending on it. */
void ww_base_unmake(struct ww_base *b);

/* wait.c, around a fork. */
void ww_wait_graph_lock(void);
void ww_wait_graph_unlock(void);
void ww_wait_graph_child(void);

/* check.c */
int ww_timer_debug_check(void);

#endif

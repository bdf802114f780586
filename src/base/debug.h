/* SPDX-License-Identifier: MIT */
/* Structures that check themselves: what ww_debug_check() and ww_debug_enable() act on. */
#ifndef WW_BASE_DEBUG_H
#define WW_BASE_DEBUG_H

#include <stdbool.h>

/*
 * A room registers, once, a function that walks what it has and reports each fault with ww_warn();
 * it returns how many there were. Takes what locks it needs, holds none afterwards.
 */
void ww_debug_register(int (*check)(void));

/* Whether checks that cost a search are made at each call (init of a linked object). */
bool ww_debug_enabled(void);

#endif

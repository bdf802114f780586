/* SPDX-License-Identifier: MIT */
#ifndef WW_BASE_FORK_H
#define WW_BASE_FORK_H

/*
 * Each room registers, once, what it does around fork(): prepare (take its locks, so that the
 * child's copy is consistent), parent (release them), child (forget threads, timers and works of
 * the parent; start afresh). prepare runs in the reverse order of registration, the others in it.
 */
void ww_fork_register(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif

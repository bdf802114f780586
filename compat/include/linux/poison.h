/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_POISON_H
#define _LINUX_POISON_H

/* Addresses that no mapping has, so that a use after list_del() faults where it happens. */
#define LIST_POISON1 ((void *)0xdead000000000100UL)
#define LIST_POISON2 ((void *)0xdead000000000122UL)
#define POISON_FREE  0x6b
#define POISON_INUSE 0x5a

#endif

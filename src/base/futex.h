/* SPDX-License-Identifier: MIT */
#ifndef WW_BASE_FUTEX_H
#define WW_BASE_FUTEX_H

#include <stdint.h>

#define WW_FOREVER UINT64_MAX

/*
 * Sleep while *word == expected. deadline_ns is absolute CLOCK_MONOTONIC, or WW_FOREVER.
 * Returns 0 when woken (spurious wake-ups happen), -EAGAIN when *word differs, -ETIMEDOUT, -EINTR.
 */
int ww_futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns);

/*
 * Wake at most n sleepers of word; returns how many were woken, 0 where the word's memory is gone. A
 * filter that forbids it now ends the process with a word.
 */
int ww_futex_wake(uint32_t *word, int n);

#endif

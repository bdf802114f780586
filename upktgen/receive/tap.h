/* SPDX-License-Identifier: MIT */
/*
 * Frames from a device by a program of ours at its driver (XDP): for full speed. Frames of others
 * go on to the stack, ours end there.
 */
#ifndef UPKTGEN_RECEIVE_TAP_H
#define UPKTGEN_RECEIVE_TAP_H

#include "privilege/ask.h"
#include "receive/arrival.h"

struct pg_tap; /* opaque */

extern const struct pg_op pg_op_tap_program;

/* NULL + errno, and why. Frames are taken from the return on. */
struct pg_tap *pg_tap_open(const char *ifname, char why[128]);
void pg_tap_close(struct pg_tap *t);
/* As pg_capture_wait(). */
int pg_tap_wait(struct pg_tap *t, int timeout_ms, pg_arrival_fn fn, void *arg);
/* Frames that found a ring full / frames of others, since the last call. */
uint64_t pg_tap_dropped(struct pg_tap *t);
uint64_t pg_tap_other(struct pg_tap *t);
/* Queues on which frames came in: between several the order is not known. */
unsigned pg_tap_queues(const struct pg_tap *t);

#endif

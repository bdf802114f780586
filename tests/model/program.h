/* SPDX-License-Identifier: MIT */
/*
 * Threads of a model written as text, for explore.h: every word is one instruction of a machine that
 * is near enough to the real one. The search stops at the first thing that must not be: a failed
 * "must", a thread that is still asleep when nobody can move, or a wrong final value.
 *
 * A program is text, one instruction a line, "NAME:" a label. r0 to r3 are the thread's own; any
 * other word is a shared variable; numbers are decimal or 0x. X is a number or a register.
 *
 *	load r v | store v X | release v X		plain load; buffered stores
 *	xchg r v X | or r v X | and r v X | add r v X	atomic; r becomes what was there
 *	cas r v X Y					atomic; r what was there; it was X: now Y
 *	fence | lock v | unlock v
 *	wait v X | waitfor r v X			futex wait; waitfor may time out: r = 1
 *	wake v						futex wake
 *	set r X | ror r X | rand r X			r = X, r |= X, r &= X
 *	jmp L | jz r L | jnz r L | jeq r X L | jtest r X L | jclear r X L
 *	ghost v X | inc v				writes that only the checks see, at once
 *	must v X | mustle v X				stop if v is not X / is more than X
 *	end
 */
#ifndef WW_TESTS_MODEL_PROGRAM_H
#define WW_TESTS_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/explore.h"

#define X_THREADS M_THREADS

struct x_model {
	const char *name;
	const char *thread[X_THREADS]; /* programs, NULL after the last */
	const char *start;	       /* "v=1 w=2": values that are not 0 */
	const char *finally;	       /* "v=1": what holds once all have ended */
};

enum x_machine { X_TSO, X_PSO };

struct x_result {
	bool bad;
	size_t states;
	char why[8192]; /* the fault, and the steps that lead there */
};

void x_explore(const struct x_model *m, enum x_machine machine, struct x_result *out);

#endif

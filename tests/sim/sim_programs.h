/* SPDX-License-Identifier: MIT */
/* Programs for the simulator: one promise each, in few enough steps to try most schedules. */
#ifndef WW_TESTS_SIM_PROGRAMS_H
#define WW_TESTS_SIM_PROGRAMS_H

#include <string.h>

#include "base/atomic.h"
#include "base/thread.h"

struct sim_program {
	const char *name; /* the promise */
	void (*fn)(void);
	unsigned bound;	 /* departures from the plain schedule that are tried exhaustively */
	unsigned random; /* and schedules at random */
	bool no_membarrier;
	bool fails; /* it is wrong, and the simulator must find that */
	struct sim_program *next;
};

void sim_announce(struct sim_program *p);

#define SIM_PROGRAM_FULL(name, bound, random, no_membarrier, fails)                                \
	static void name(void);                                                                    \
	__attribute__((constructor)) static void name##_announce(void)                             \
	{                                                                                          \
		static struct sim_program p = {#name,	      name,  bound, random,                \
					       no_membarrier, fails, NULL};                        \
		sim_announce(&p);                                                                  \
	}                                                                                          \
	static void name(void)
#define SIM_PROGRAM(name, bound, random) SIM_PROGRAM_FULL(name, bound, random, false, false)
#define SIM_PROGRAM_WITHOUT_MEMBARRIER(name, bound, random)                                        \
	SIM_PROGRAM_FULL(name, bound, random, true, false)
#define SIM_PROGRAM_FAILS(name, bound, random) SIM_PROGRAM_FULL(name, bound, random, false, true)

/* A thread of the program. */
static inline struct ww_os_thread sim_thread(void (*fn)(void *), void *arg)
{
	struct ww_os_thread t;

	memset(&t, 0, sizeof(t));
	SIM_CHECK(ww_os_thread_start(&t, "sim", -1, fn, arg) == 0);
	return t;
}

#endif

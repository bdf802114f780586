/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the mixed torture share. An area is a kind of object: "act" does one random call
 * of its kind, from any of the actors' threads; "settle" is called while all actors stand still, lets
 * what is under way come to its end, and closes the accounts; what it leaves armed or queued goes on
 * while the actors do.
 */
#ifndef WW_TESTS_TORTURE_H
#define WW_TESTS_TORTURE_H

#include "tap.h"

#include <pthread.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/cpu.h"
#include "base/list.h"
#include "wheelwork/wheelwork.h"

struct torture_area {
	const char *name;
	unsigned weight; /* how often, among the others */
	void (*begin)(void);
	void (*act)(uint64_t *rng);
	void (*settle)(void);
	void (*end)(void);
	bool alone; /* one actor at a time */
	uint32_t busy;
	uint64_t acts, longest_ms, settle_ms;
};

extern struct torture_area torture_timers, torture_early, torture_bases;
extern struct torture_area torture_works, torture_queues, torture_rcu, torture_workers;
extern struct torture_area torture_threads, torture_waits, torture_freezer;
extern struct torture_area torture_process[], torture_forks;
enum { TORTURE_PROCESS_AREAS = 3 };

/* Set while accounts are closed: functions do not queue or arm anything then. */
extern uint32_t torture_calm;

/* Real time, whatever the clock that is held back says. */
uint64_t torture_now_ms(void);
void torture_sleep_us(unsigned us);
/* A generator of each thread's own, for callbacks. */
uint64_t *torture_rng(void);

#define COUNT(field) ww_fetch_add_relaxed(&(field), (__typeof__(field))1)
#define GET(field)   ww_load_relaxed(&(field))

/* Until cond, for at most a minute of real time; what says what was waited for. */
#define TORTURE_UNTIL(cond, what)                                                                  \
	do {                                                                                       \
		uint64_t torture_end_ = torture_now_ms() + 60000;                                  \
		while (!(cond)) {                                                                  \
			if (torture_now_ms() > torture_end_)                                       \
				tap_fail(__FILE__, __LINE__, "never: %s", what);                   \
			torture_sleep_us(200);                                                     \
		}                                                                                  \
	} while (0)

#endif

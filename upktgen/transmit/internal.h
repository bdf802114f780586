/* SPDX-License-Identifier: MIT */
/*
 * The engine from the inside. Who may touch a field:
 *   C: constant once made
 *   L: under engine->lock
 *   T: the transmit thread alone
 *   P: written by the transmit thread, read by any (relaxed)
 *   A: atomic read-modify-write by any; the thread takes all bits at once (ENGINE-1)
 * control is the library's control word: posted by any, taken by the thread.
 */
#ifndef UPKTGEN_TRANSMIT_INTERNAL_H
#define UPKTGEN_TRANSMIT_INTERNAL_H

#include <wheelwork/control.h>
#include <wheelwork/thread.h>
#include <wheelwork/wait.h>

#include "base/atomic.h"
#include "base/list.h"
#include "base/lock.h"
#include "transmit/backend.h"
#include "transmit/engine.h"
#include "transmit/histogram.h"

/* A thread's control word, the kernel's T_* and one of ours. Any bit set ends a burst or a wait. */
enum {
	PG_T_STOP = 1u << 0,
	PG_T_RUN = 1u << 1,
	PG_T_REMDEVALL = 1u << 2,
	PG_T_ATTEND = 1u << 3, /* some device's attention word is not 0 */
};

/* A device's attention word. */
enum {
	PG_A_CONFIG = 1u << 0, /* d->config was changed */
	PG_A_CURSOR = 1u << 1, /* somebody waits for a fresh d->cursor */
	PG_A_CLEAR = 1u << 2,  /* clear_counters */
};

struct pg_device {
	struct ww_list link;	  /* L: of thread->devices */
	struct pg_engine *engine; /* C */
	struct pg_thread *thread; /* C */
	char name[PG_DEV_NAME];	  /* C */
	char ifname[16];	  /* C */
	struct pg_config config;  /* L */
	uint32_t attention;	  /* A */
	uint32_t running;	  /* P */
	bool ever_ran;		  /* L */
	struct pg_cursor cursor;  /* L */
	uint32_t cursor_serial;	  /* L */
	char error[PG_WHY];	  /* L */
	char passed_over[PG_WHY]; /* L */
	const char *backend;	  /* L */
	char how[PG_HOW];	  /* L */

	/* The sending side. */
	struct pg_tx tx ww_aligned_line; /* T */
	uint64_t next_ns;		 /* T: when the next burst is due */
	unsigned owed;			 /* T: packets of a unit (burst N) that were sent */
	uint64_t idle_ns;		 /* T */
	uint64_t base_sent, base_bytes, base_causes[PG_NR_CAUSES]; /* T: as of clear_counters */
	uint64_t cpu_ns;	 /* T: thread's CPU time at start */
	struct pg_status status; /* P: numbers only; strings and cursor are L above */
};

struct pg_thread {
	struct ww_control control;
	int cpu;		  /* C */
	struct pg_engine *engine; /* C */
	struct ww_thread *task;	  /* C */
	bool in_run;		  /* T: counted in engine->active */
	struct pg_device **run;	  /* T: the running devices */
	unsigned nr_run;	  /* T */
	uint64_t lead_ns;	  /* T: wake this long before a departure; 0: not learnt yet */
	struct ww_list devices;	  /* L: newest first */
	uint32_t removals_asked, removals_done; /* a removal waits for a number of its own */
	uint32_t nr_devices;			/* L to write; read relaxed */
} ww_aligned_line;

struct pg_engine {
	struct ww_lock lock;
	uint32_t active;		  /* threads that run or were told to; wait on done */
	uint32_t interrupted;		  /* by a signal; the next or present start takes it */
	struct ww_thread *starter;	  /* who waits in a start, for a signal to wake; or NULL */
	int nr_threads;			  /* C */
	struct pg_thread *threads;	  /* C */
	struct pg_engine_options options; /* C */
	char backend[64];		  /* C: copy of options.backend, empty for automatic */
	struct ww_wait_queue_head done;
};

/* loop.c */
int pg_transmit_thread(void *arg);
void pg_device_free(struct pg_device *d);

/* pace.c: until target_ns; false if the control word wants something first. */
bool pg_pace_wait(struct pg_thread *t, uint64_t target_ns);

/* run.c: one device's run. */
int pg_device_begin(struct pg_device *d);
void pg_device_end(struct pg_device *d, const char *why);
/* Sends what is due. False when the run is over. */
bool pg_device_burst(struct pg_device *d);
void pg_device_attend(struct pg_device *d);

#endif

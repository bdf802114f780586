/* SPDX-License-Identifier: MIT */
/*
 * An exhaustive explorer of small concurrent programs with the asymmetric barrier, on x86-TSO or
 * (weak) on a machine that also lets stores to different variables change places: PSO, where a
 * RELEASE comes after all stores before it.
 *
 * A model is a few threads over byte-sized shared variables. Each thread is one function, written
 * with the macros below much as the real code is, or a text (program.h); every access to a shared
 * variable is one step. A store goes into its thread's own buffer and reaches memory at any later
 * moment; a load sees its own thread's buffered stores first. Read-modify-writes, locks and fences
 * wait for the buffer to be empty. MEMBARRIER makes each other thread pass a full barrier once, at
 * a moment of the explorer's choosing, between its start and its end. Loads keep their order: what
 * needs more than that needs another tool.
 *
 * The explorer visits every reachable state (breadth first, so that the trace of a failure is a
 * shortest one). A model fails by M_ASSERT, by its final check, or by a state from which no thread
 * can move although some have not ended.
 *
 * Between two steps a thread keeps only what is in its registers (t->reg): C locals do not
 * survive. (The macros jump to a case label of a switch around the whole function.)
 */
#ifndef WW_TESTS_MODEL_EXPLORE_H
#define WW_TESTS_MODEL_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define M_THREADS 4
#define M_VARS	  24
#define M_REGS	  8
#define M_BUF	  4  /* depth of a store buffer; a store into a full one waits */
#define M_GHOST	  24 /* bytes that only the checks read and write, at once and for all */

struct m_thread {
	uint16_t pc;
	uint8_t done;
	uint8_t nbuf;
	uint8_t barrier; /* threads that have yet to pass this thread's MEMBARRIER */
	uint8_t asleep;	 /* on that variable + 1 */
	uint8_t reg[M_REGS];
	struct {
		uint8_t var, val, release;
	} buf[M_BUF];
};

struct m_state {
	uint8_t mem[M_VARS];
	uint8_t ghost[M_GHOST];
	struct m_thread th[M_THREADS];
};

struct m {
	struct m_state s;
	const struct m_model *model;
	const int *cfg;	   /* the scenario, for the thread functions */
	bool sequential;   /* stores reach memory at once */
	bool weak;	   /* or in any order, but for releases */
	bool starting;	   /* a thread runs up to its first step */
	bool time_out;	   /* the step is that its timed sleep is over */
	int bug;	   /* which part is left out; 0 for the protocol as it is */
	int self;	   /* index of the thread that moves */
	bool moved;	   /* the step was not blocked */
	const char *error; /* what M_ASSERT found */
	FILE *trace;
};

typedef void m_fn(struct m *m, struct m_thread *t);

struct m_model {
	const char *name;
	int threads;
	m_fn *fn[M_THREADS];
	const char *thread_names[M_THREADS];
	const char *const *var_names;
	void (*init)(struct m *m);
	void (*final)(struct m *m); /* when all have ended and all buffers are empty */
};

struct m_result {
	const char *error; /* NULL: nothing found in any state */
	uint64_t states;
};

struct m_scenario {
	const struct m_model *model;
	const char *name;
	const int *cfg;
	bool sequential;
	bool weak;
};

/* Explores; where a failure is found and trace is not NULL, the steps that lead to it go there. */
struct m_result m_explore(const struct m_scenario *scenario, int bug, FILE *trace);

uint8_t m_load(struct m *m, struct m_thread *t, int var);
bool m_store(struct m *m, struct m_thread *t, int var, uint8_t val, bool release);
void m_say(struct m *m, const char *op, int var, int val);
void m_start_barrier(struct m *m, struct m_thread *t);
bool m_others_done(struct m *m);

#define M_BEGIN                                                                                    \
	switch (t->pc) {                                                                           \
	case 0:
#define M_END                                                                                      \
	; /* a label needs a statement */                                                          \
	}                                                                                          \
	t->done = 1

/* One step that can be taken once cond holds. */
#define M_WHEN(cond) M_WHEN_AT(cond, __COUNTER__ + 1)
#define M_WHEN_AT(cond, n)                                                                         \
	do {                                                                                       \
		t->pc = (n);                                                                       \
		return;                                                                            \
	case (n):                                                                                  \
		if (!(cond))                                                                       \
			return;                                                                    \
		m->moved = true;                                                                   \
	} while (0)

#define LOAD(dst, var)                                                                             \
	do {                                                                                       \
		M_WHEN(true);                                                                      \
		(dst) = m_load(m, t, var);                                                         \
		m_say(m, "reads", var, dst);                                                       \
	} while (0)
#define STORE_AS(var, val, release)                                                                \
	do {                                                                                       \
		M_WHEN(m_store(m, t, var, (uint8_t)(val), release));                               \
		m_say(m, "stores", var, val);                                                      \
	} while (0)
#define STORE(var, val)	  STORE_AS(var, val, false)
#define RELEASE(var, val) STORE_AS(var, val, true)
#define XCHG(dst, var, val)                                                                        \
	do {                                                                                       \
		M_WHEN(t->nbuf == 0);                                                              \
		uint8_t new_ = (uint8_t)(val);                                                     \
		(dst) = m->s.mem[var];                                                             \
		m->s.mem[var] = new_;                                                              \
		m_say(m, "exchanges", var, new_);                                                  \
	} while (0)
/* ok becomes 1 where var was old. */
#define CAS(ok, var, old, val)                                                                     \
	do {                                                                                       \
		M_WHEN(t->nbuf == 0);                                                              \
		(ok) = m->s.mem[var] == (uint8_t)(old);                                            \
		if (ok)                                                                            \
			m->s.mem[var] = (uint8_t)(val);                                            \
		m_say(m, (ok) ? "swaps" : "fails to swap", var, m->s.mem[var]);                    \
	} while (0)
#define LOCK(var)                                                                                  \
	do {                                                                                       \
		M_WHEN(t->nbuf == 0 && m->s.mem[var] == 0);                                        \
		m->s.mem[var] = 1;                                                                 \
		m_say(m, "locks", var, 1);                                                         \
	} while (0)
/* A plain store, as the release of the light lock is. */
#define UNLOCK(var)                                                                                \
	do {                                                                                       \
		M_WHEN(m_store(m, t, var, 0, true));                                               \
		m_say(m, "unlocks", var, 0);                                                       \
	} while (0)
#define FENCE()                                                                                    \
	do {                                                                                       \
		M_WHEN(t->nbuf == 0);                                                              \
	} while (0)
#define MEMBARRIER()                                                                               \
	do {                                                                                       \
		M_WHEN(t->nbuf == 0);                                                              \
		m_start_barrier(m, t);                                                             \
		M_WHEN(t->barrier == 0);                                                           \
	} while (0)

/* At the end: each arming came to one end. */
#define M_ACCOUNT(armed, runs, deleted, pending)                                                   \
	M_ASSERT((armed) == (runs) + (deleted) + ((pending) ? 1 : 0),                              \
		 "armings do not add up to runs, deletes and pending")

#define M_ASSERT(cond, what)                                                                       \
	do {                                                                                       \
		if (!(cond) && !m->error)                                                          \
			m->error = (what);                                                         \
	} while (0)

#endif

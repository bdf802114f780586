/* SPDX-License-Identifier: MIT */
/*
 * The simulator: the library's own code, with every switch between threads decided by a seed.
 *
 * Built with WW_SIM, each operation of base/atomic.h is a call below, and the simulator's program
 * is linked so that the system calls of src/base (futex, membarrier, clocks, threads, yield) come
 * here too. Threads are real threads, but only the one that holds the baton runs; before each
 * operation the scheduler decides who goes on. Relaxed and release stores wait in a store buffer
 * (x86-TSO) that only read-modify-writes, seq_cst stores, fences, system calls, the barrier of
 * another thread or the scheduler's whim empty. Time stands still while anybody can run; where
 * nobody can, it jumps to the next deadline, and the scheduler may let a sleeper's deadline pass
 * at any moment: the others were slow.
 *
 * Some random runs are of a weaker machine, in the manner of an aarch64 without its atomic
 * instructions: stores to different words become visible in any order, a release only after all
 * that its thread stored before; and a read-modify-write reads at once but its store waits like
 * any other (as a release, unless the order it names is less), so that a later load, other than a
 * seq_cst one, may come before it. No load is ever out of date by itself: what needs acquire on
 * the reading side is ThreadSanitizer's to find.
 *
 * Plain accesses to shared fields under a lock are not seen here. They work because a buffered
 * store is in memory at once for its own thread's plain reads, while the others' operations are
 * shown the value before it.
 *
 * A program is run again and again in a child process, each time under another schedule, from the
 * state of rest in which the run before left the library; its own variables (SIM_STATE) are reset.
 * All of it follows from the options, so that a run which fails is found again by its number, and
 * told with a trace of every operation.
 */
#ifndef WW_BASE_SIM_H
#define WW_BASE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ww_sim_site {
	const char *op, *what, *file;
	int line;
};

enum ww_sim_order {
	WW_SIM_RELAXED = 0,
	WW_SIM_ACQUIRE = 1,
	WW_SIM_RELEASE = 2,
	WW_SIM_SEQ_CST = 3,
};

uint64_t ww_sim_load(const volatile void *p, size_t size, bool seq_cst,
		     const struct ww_sim_site *at);
void ww_sim_store(volatile void *p, size_t size, uint64_t v, enum ww_sim_order order,
		  const struct ww_sim_site *at);

enum ww_sim_rmw { WW_SIM_XCHG, WW_SIM_ADD, WW_SIM_SUB, WW_SIM_OR, WW_SIM_AND };
uint64_t ww_sim_rmw(volatile void *p, size_t size, enum ww_sim_rmw op, uint64_t v,
		    enum ww_sim_order order, const struct ww_sim_site *at);
bool ww_sim_cmpxchg(volatile void *p, size_t size, void *oldp, uint64_t v, enum ww_sim_order order,
		    const struct ww_sim_site *at);
void ww_sim_fence(const struct ww_sim_site *at);
void ww_sim_yield(const struct ww_sim_site *at);

#define WW_SIM_AT(op, what)                                                                        \
	(__extension__({                                                                           \
		static const struct ww_sim_site at_ = {op, what, __FILE__, __LINE__};              \
		&at_;                                                                              \
	}))
#define WW_SIM_VALUE(v)	   ((uint64_t)(uintptr_t)(v))
#define WW_SIM_TYPED(p, x) (__extension__({ (__typeof__(*(p)))(uintptr_t)(x); }))

#define WW_SIM_LOAD(p, sc)                                                                         \
	WW_SIM_TYPED(p, ww_sim_load((p), sizeof(*(p)), sc, WW_SIM_AT("load", #p)))
#define ww_load_relaxed(p) WW_SIM_LOAD(p, false)
#define ww_load_acquire(p) WW_SIM_LOAD(p, false)
#define ww_load_seq_cst(p) WW_SIM_LOAD(p, true)

#define WW_SIM_STORE(p, v, order)                                                                  \
	ww_sim_store((p), sizeof(*(p)), WW_SIM_VALUE((__typeof__(*(p)))(v)), order,                \
		     WW_SIM_AT("store", #p))
#define ww_store_relaxed(p, v) WW_SIM_STORE(p, v, WW_SIM_RELAXED)
#define ww_store_release(p, v) WW_SIM_STORE(p, v, WW_SIM_RELEASE)
#define ww_store_seq_cst(p, v) WW_SIM_STORE(p, v, WW_SIM_SEQ_CST)

#define WW_SIM_RMW(p, op, v, order, text)                                                          \
	WW_SIM_TYPED(p, ww_sim_rmw((p), sizeof(*(p)), WW_SIM_##op, WW_SIM_VALUE(v),                \
				   WW_SIM_##order, WW_SIM_AT(text, #p)))
#define ww_xchg(p, v)		   WW_SIM_RMW(p, XCHG, v, SEQ_CST, "exchange")
#define ww_xchg_acquire(p, v)	   WW_SIM_RMW(p, XCHG, v, ACQUIRE, "exchange")
#define ww_xchg_release(p, v)	   WW_SIM_RMW(p, XCHG, v, RELEASE, "exchange")
#define ww_xchg_relaxed(p, v)	   WW_SIM_RMW(p, XCHG, v, RELAXED, "exchange")
#define ww_fetch_add(p, v)	   WW_SIM_RMW(p, ADD, v, SEQ_CST, "add")
#define ww_fetch_add_relaxed(p, v) WW_SIM_RMW(p, ADD, v, RELAXED, "add")
#define ww_fetch_sub(p, v)	   WW_SIM_RMW(p, SUB, v, SEQ_CST, "subtract")
#define ww_fetch_sub_release(p, v) WW_SIM_RMW(p, SUB, v, RELEASE, "subtract")
#define ww_fetch_or(p, v)	   WW_SIM_RMW(p, OR, v, SEQ_CST, "or")
#define ww_fetch_or_relaxed(p, v)  WW_SIM_RMW(p, OR, v, RELAXED, "or")
#define ww_fetch_and(p, v)	   WW_SIM_RMW(p, AND, v, SEQ_CST, "and")
#define ww_fetch_and_release(p, v) WW_SIM_RMW(p, AND, v, RELEASE, "and")

#define WW_SIM_CMPXCHG(p, oldp, v, order)                                                          \
	ww_sim_cmpxchg((p), sizeof(*(p)), (oldp), WW_SIM_VALUE((__typeof__(*(p)))(v)),             \
		       WW_SIM_##order, WW_SIM_AT("compare and exchange", #p))
#define ww_cmpxchg(p, oldp, v)	       WW_SIM_CMPXCHG(p, oldp, v, SEQ_CST)
#define ww_cmpxchg_acquire(p, oldp, v) WW_SIM_CMPXCHG(p, oldp, v, ACQUIRE)
#define ww_cmpxchg_release(p, oldp, v) WW_SIM_CMPXCHG(p, oldp, v, RELEASE)
#define ww_cmpxchg_relaxed(p, oldp, v) WW_SIM_CMPXCHG(p, oldp, v, RELAXED)

#define ww_fence_seq_cst()  ww_sim_fence(WW_SIM_AT("fence", ""))
#define ww_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define ww_cpu_relax()	    ww_sim_yield(WW_SIM_AT("relax", ""))

/* For the programs that are simulated. */

/* A variable that each run finds as it was initialised. */
#define SIM_STATE __attribute__((section("sim_state")))

/* From here on the scheduler decides; before, the calling thread goes on as long as it can. */
void sim_go(void);
void sim_stop(void);
/* Before it: threads are never so slow that a deadline passes which they could have met. */
void sim_prompt(void);
/* A step of the program's own: others may run before it. */
void sim_step(const char *what);
/* The run has failed: the driver reports it with the decisions that led here. */
_Noreturn void sim_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define SIM_CHECK(cond)                                                                            \
	do {                                                                                       \
		if (!(cond))                                                                       \
			sim_fail("%s:%d: %s", __FILE__, __LINE__, #cond);                          \
	} while (0)
/* Simulated time, which a program may also move: it has gone on by ns. */
uint64_t sim_now_ns(void);
void sim_pass_ns(uint64_t ns);

struct sim_options {
	unsigned bound;	    /* every schedule that departs at most so often from the plain one */
	uint64_t schedules; /* at most so many of those; 0: no limit */
	uint64_t random;    /* and so many at random */
	uint64_t seed;
	unsigned cpus; /* that the program sees; 0 for 2 */
	bool no_membarrier;
	bool all_weak; /* every run on the weaker machine; else some of the random ones */
	bool no_weak;
};

struct sim_result {
	char error[512];  /* empty: nothing found */
	uint64_t runs;	  /* the last one failed, if there is an error */
	bool whole;	  /* the bounded search was not cut short */
	unsigned longest; /* decisions in the longest run */
	uint64_t digest;  /* of all decisions and what they were among */
};

struct sim_result sim_explore(void (*program)(void), const struct sim_options *o);
/* The same up to that run, which is traced on standard output. */
struct sim_result sim_replay(void (*program)(void), const struct sim_options *o, uint64_t run);

#endif

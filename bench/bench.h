/* SPDX-License-Identifier: MIT */
/*
 * The one interface between the harness (bench.py) and whoever is measured. Each of these is a
 * program of its own, named after who it measures, so that no two libraries share a process:
 *
 *	static double mine(struct bench *b, int thread, long iters) { ... }
 *	static void run(struct bench *b) { bench_figure(b, NULL, "ns", bench_ns_per_op(b, mine)); }
 *	BENCH(rearm, "absolute", open, run)
 *
 * The harness starts the program for one row at a time: open() makes ready, then each run() reports
 * one figure or more. Runs of all who take part in a row are interleaved. A row never measures
 * something else than its name says; "limit" is the bare operation, measured beside it.
 */
#ifndef WW_BENCH_BENCH_H
#define WW_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench {
	const char *name;    /* "rearm" */
	const char *variant; /* "absolute" */
	long n;		     /* how many timers, items, ... exist */
	int threads;	     /* that do it at once */
	bool quick;
	long iters;    /* a run's operations, found by the first run */
	bool unpinned; /* set by open(): leave the measuring threads where they are */
	/* Set by open() where threads must be made in a library's own way: start number thread, join it. */
	void (*start)(int thread, void *(*fn)(void *), void *arg);
	void (*join)(int thread);
	double thread_ns[64]; /* of the last bench_ns_per_op(), thread by thread */
};

struct bench_row {
	const char *name, *variant;
	void (*open)(struct bench *b); /* or NULL */
	void (*run)(struct bench *b);
	struct bench_row *next;
};

/* The row that is open. */
extern const struct bench *bench_current;

void bench_add(struct bench_row *row);

#define BENCH_NAME3(a, b) bench_row_##a##_##b
#define BENCH_NAME2(a, b) BENCH_NAME3(a, b)
#define BENCH(name_, variant_, open_, run_)                                                        \
	__attribute__((constructor)) static void BENCH_NAME2(add, __LINE__)(void)                  \
	{                                                                                          \
		static struct bench_row row = {name_, variant_, open_, run_, NULL};                \
		bench_add(&row);                                                                   \
	}

/*
 * One figure of this run; more than one run gives its minimum, median and maximum. suffix is added
 * to the row's variant ("idle-p50"), or NULL. unit: ns, cycles, items/s, packets/s, bytes or us.
 */
void bench_figure(const struct bench *b, const char *suffix, const char *unit, double value);

/* What a probe found, in words. Ends the run, and the program, where its loop can't be left. */
void bench_word(const char *suffix, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bench_end(void) __attribute__((noreturn));

/* Ends the program: this row can't be measured here, for a reason that the harness prints. */
void bench_cannot(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * Runs loop(b, thread, iters) in b->threads threads at once, each pinned to a CPU of its own, for
 * iters large enough to time. Returns nanoseconds per operation, the mean over
 * the threads. With one thread the caller's own is used.
 */
typedef void (*bench_loop)(struct bench *b, int thread, long iters);
double bench_ns_per_op(struct bench *b, bench_loop loop);

/* For the callbacks of a timer's adapter: timer i ran; true when it was the last that is awaited. */
bool timer_fired(long i);

/* For the items of a pool's adapter: item i runs now. */
bool pool_item_runs(long i);

/* CLOCK_MONOTONIC; CPU time of the process, and of this thread; all in nanoseconds. */
uint64_t bench_now(void);
uint64_t bench_cpu_process(void);
uint64_t bench_cpu_thread(void);
void bench_sleep(uint64_t ns);
void bench_sleep_until(uint64_t ns);

/* The time-stamp counter, serialised on both sides. */
uint64_t bench_cycles(void);

/* The CPU for the thread-th measured thread; pins the calling thread to it. */
int bench_cpu(int thread);
void bench_pin(int thread);

/* Sorts v and gives its p-th quantile (0 to 1). */
double bench_quantile(double *v, size_t n, double p);

/* calloc() that ends the program when there is no memory. */
void *bench_alloc(size_t n, size_t size);

/* Bytes that malloc() has handed out so far. */
size_t bench_heap(void);

/* A small generator of good quality. */
uint64_t bench_random(uint64_t *state);

/* The compiler must have this value at this point. */
#define bench_keep(x) __asm__ volatile("" : : "g"(x) : "memory")

#ifdef __cplusplus
}
#endif
#endif

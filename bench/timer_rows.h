/* SPDX-License-Identifier: MIT */
/*
 * The rows that every timer library takes part in, as loops around functions that an adapter defines
 * before it includes this file. They are compiled in, so no call through a pointer is added. The
 * adapter's callback calls timer_fired(i), declared in bench.h.
 *
 *	static void rival_open(long n);
 *		Make the loop and n timers, none armed.
 *	static void rival_arm(long i, long ms);
 *		Arm or re-arm timer i for ms from the time that the library goes by without reading a
 *		clock: an absolute deadline where its calls take one, else its loop's cached now.
 *	static void rival_arm_now(long i, long ms);
 *		For ms from this moment, clock read included.
 *	static void rival_cancel(long i);
 *	static void rival_inside(void (*fn)(void *), void *arg);
 *		fn(arg) where its users arm timers: in a callback of its loop, if it has one.
 *	static void rival_run(void);
 *		Run the loop until timer_fired() has said true.
 *	RIVAL_THREADS
 *		Defined if several threads may do all this on one loop.
 *	RIVAL_UPDATES
 *		Defined if it takes part in the rows of delayed works with its timers; RIVAL_ORG if
 *		its rows of cancel + queue are of its own making.
 *	RIVAL_PROBES
 *		Defined if one thread may cancel or re-arm what another one's loop runs, with
 *	static void rival_enter(void);		make the calling thread known
 *	static void rival_cancel_sync(long i);	its strongest cancel
 *	static bool rival_refuses(long i, long ms);	re-arm, and say whether that failed
 */
#ifndef WW_BENCH_TIMER_ROWS_H
#define WW_BENCH_TIMER_ROWS_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

#include "bench.h"

/* Far enough that none fires. Each re-arm goes later than any before it, as idle timeouts do. */
enum { AWAY = 3600000 };

/* By thread, a line each: the next deadline, and whose turn it is. */
static long next_ms[64][8];

enum { MS, TURN };

static void open_armed(struct bench *b)
{
	rival_open(b->n * b->threads + b->threads);
	for (long i = 0; i < b->n * b->threads; i++)
		rival_arm(i, AWAY + i % b->n);
	for (int t = 0; t < 64; t++)
		next_ms[t][MS] = AWAY + b->n;
}

static void do_rearm(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first + next_ms[thread][TURN],
	     ms = next_ms[thread][MS];

	for (long k = 0; k < iters; k++) {
		rival_arm(i, ms++);
		if (++i == end)
			i = first;
	}
	next_ms[thread][MS] = ms;
	next_ms[thread][TURN] = i - first;
}

static void do_same(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first + next_ms[thread][TURN];

	for (long k = 0; k < iters; k++) {
		rival_arm(i, AWAY);
		if (++i == end)
			i = first;
	}
	next_ms[thread][TURN] = i - first;
}

static void do_rearm_now(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first + next_ms[thread][TURN];

	for (long k = 0; k < iters; k++) {
		rival_arm_now(i, AWAY);
		if (++i == end)
			i = first;
	}
	next_ms[thread][TURN] = i - first;
}

static void do_cancel_add(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first + next_ms[thread][TURN],
	     ms = next_ms[thread][MS];

	for (long k = 0; k < iters; k++) {
		rival_cancel(i);
		rival_arm(i, ms++);
		if (++i == end)
			i = first;
	}
	next_ms[thread][MS] = ms;
	next_ms[thread][TURN] = i - first;
}

/* The one that is added and cancelled is not among the n that stay. */
static void do_add_cancel(struct bench *b, int thread, long iters)
{
	long i = b->n * b->threads + thread;
	uint64_t seed = (uint64_t)thread + 1;

	for (long k = 0; k < iters; k++) {
		rival_arm(i, AWAY / 2 + (long)(bench_random(&seed) & 0xfffff));
		rival_cancel(i);
	}
}

/* Expiry ------------------------------------------------------------------------------------- */

static long fired, expected;
static uint64_t *due; /* in ns, or NULL: nobody wants to know */
static double *late;

static void probed_callback(long i);
static bool probing;
/* The server row: its timers have an expiry of their own. */
static bool serving;
static void server_expired(long i) __attribute__((unused));
#ifndef RIVAL_SERVER
static void server_expired(long i)
{
	(void)i;
}
#endif

bool timer_fired(long i)
{
	if (serving) {
		server_expired(i);
		return false;
	}
	if (probing)
		probed_callback(i);
	if (due)
		late[i] = (double)(int64_t)(bench_now() - due[i]);
	return __atomic_add_fetch(&fired, 1, __ATOMIC_RELEASE) == expected;
}

static void open_idle(struct bench *b)
{
	if (b->threads > 1)
		bench_cannot("one thread is what this row is about");
	rival_open(b->n);
	late = (double *)bench_alloc((size_t)b->n, sizeof(*late));
}

/* All n due evenly over a second, or a quarter of one where little time is given, in an order that has
 * nothing to do with their places. */
static void arm_over_a_second(struct bench *b, long from_ms)
{
	long step = 7919; /* prime: coprime to any power of ten */
	double over_ms = b->quick ? 250 : 1000;

	fired = 0;
	expected = b->n;
	for (long k = 0, i = 0; k < b->n; k++, i = (i + step) % b->n) {
		long ms = from_ms + (long)((double)k * over_ms / (double)b->n);

		if (due)
			due[i] = bench_now() + (uint64_t)ms * 1000000u;
		rival_arm_now(i, ms);
	}
}

static void run_expire(struct bench *b)
{
	uint64_t cpu;

	arm_over_a_second(b, 200 + b->n / 1000);
	cpu = bench_cpu_process();
	rival_run();
	bench_figure(b, NULL, "ns", (double)(bench_cpu_process() - cpu) / (double)b->n);
}
BENCH("expire", "real", open_idle, run_expire)

static void run_lateness(struct bench *b)
{
	size_t n = (size_t)b->n;

	due = (uint64_t *)bench_alloc(n, sizeof(*due));
	arm_over_a_second(b, 100);
	rival_run();
	bench_figure(b, "p50", "us", bench_quantile(late, n, 0.5) / 1e3);
	bench_figure(b, "p99", "us", bench_quantile(late, n, 0.99) / 1e3);
	bench_figure(b, "first", "us", bench_quantile(late, n, 0) / 1e3);
	bench_figure(b, "last", "us", bench_quantile(late, n, 1) / 1e3);
}
BENCH("lateness", "due", open_idle, run_lateness)

/* Nothing is due for an hour: who wakes up nevertheless? Ten seconds; one with --quick. */
static void *idle_loop(void *arg)
{
	rival_run();
	return arg;
}

static long context_switches(void)
{
	char path[64], line[128];
	struct dirent *e;
	long sum = 0, n;
	DIR *tasks = opendir("/proc/self/task");

	while (tasks && (e = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				sum += n;
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

static void run_idle(struct bench *b)
{
	static bool running;
	uint64_t ns = b->quick ? 1000000000u : 10000000000u;
	pthread_t t;

	if (!running && pthread_create(&t, NULL, idle_loop, NULL) != 0)
		bench_cannot("no thread");
	running = true;
	bench_sleep(200000000);
	long before = context_switches();
	uint64_t cpu = bench_cpu_process();
	bench_sleep(ns);
	/* This thread's own wake-up is none of theirs. */
	double used = (double)(bench_cpu_process() - cpu),
	       wakes = (double)(context_switches() - before - 1);
	bench_figure(b, "wakeups", "items/s", wakes * 1e9 / (double)ns);
	bench_figure(b, "cpu", "us", used / 1e3 * 1e9 / (double)ns);
}
BENCH("idle-wakeups", "hour-away", open_armed, run_idle)

/* What one pending timer costs in memory of the process. */
static void run_memory(struct bench *b)
{
	static double bytes;
	size_t before = bench_heap();

	if (bytes == 0) {
		rival_open(b->n);
		for (long i = 0; i < b->n; i++)
			rival_arm(i, AWAY + i);
		bytes = (double)(bench_heap() - before) / (double)b->n;
	}
	bench_figure(b, NULL, "bytes", bytes);
}
BENCH("memory", "timer", NULL, run_memory)

/* Correctness beside speed: what a user must know, found out by doing it ---------------------------- */

static void probe_early(struct bench *b)
{
	double first;

	due = (uint64_t *)bench_alloc((size_t)b->n, sizeof(*due));
	arm_over_a_second(b, 100);
	rival_run();
	first = bench_quantile(late, (size_t)b->n, 0);
	if (first < 0)
		bench_word("fires early", "yes, by up to %.2f ms", -first / 1e6);
	else
		bench_word("fires early", "no");
	due = NULL;
}

#ifdef RIVAL_PROBES
static int probe_state; /* of the callback of timer 0: 0 not yet, 1 runs, 2 ended; counted up */
static bool rearm_itself;

static void probed_callback(long i)
{
	if (i != 0)
		return;
	__atomic_fetch_add(&probe_state, 1, __ATOMIC_SEQ_CST);
	if (rearm_itself)
		rival_arm_now(0, 150);
	bench_sleep(100000000);
	__atomic_fetch_add(&probe_state, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_state(int state)
{
	while (__atomic_load_n(&probe_state, __ATOMIC_SEQ_CST) < state)
		bench_sleep(1000000);
}

static void *probe(void *arg)
{
	(void)arg;
	bool refused;

	rival_enter();
	rival_arm_now(0, 20);
	wait_for_state(1);
	bench_sleep(20000000);
	rival_cancel_sync(0);
	bench_word("cancel waits for a running callback",
		   __atomic_load_n(&probe_state, __ATOMIC_SEQ_CST) == 2 ? "yes" : "no");
	wait_for_state(2);
	bench_sleep(50000000);

	rearm_itself = true;
	rival_arm_now(0, 20);
	wait_for_state(3);
	bench_sleep(20000000);
	rival_cancel_sync(0);
	wait_for_state(4);
	rearm_itself = false;
	bench_sleep(400000000);
	bench_word("is a timer that its callback re-armed still cancelled",
		   __atomic_load_n(&probe_state, __ATOMIC_SEQ_CST) == 4 ? "yes" : "no");
	rival_cancel_sync(0);
	wait_for_state(__atomic_load_n(&probe_state, __ATOMIC_SEQ_CST) & ~1);

	__atomic_store_n(&probe_state, 0, __ATOMIC_SEQ_CST);
	rival_arm_now(0, 20);
	wait_for_state(1);
	bench_sleep(20000000);
	refused = rival_refuses(0, 1000);
	bench_word("can a re-arm be refused", refused ? "yes, while its callback runs" : "no");
	bench_end();
}
#endif

#ifndef RIVAL_PROBES
/* One thread, its loop: timer 0 arms itself again in its callback, timer 1 cancels it, 2 ends it all. */
static int runs_of_0;
static bool cancelled_by_1;

static void probed_callback(long i)
{
	if (i == 0 && ++runs_of_0 == 1)
		rival_arm_now(0, 100);
	if (i == 1 && cancelled_by_1)
		rival_cancel(0);
}

static void arm_three(void *arg)
{
	(void)arg;
	rival_arm_now(0, 20);
	rival_arm_now(1, 60);
	rival_arm_now(2, 300);
}

static int probe_loop(bool cancels)
{
	cancelled_by_1 = cancels;
	runs_of_0 = 0;
	fired = 0;
	expected = cancels ? 3 : 4;
	rival_inside(arm_three, NULL);
	rival_run();
	return runs_of_0;
}
#endif

static void run_probes(struct bench *b)
{
	probe_early(b);
	probing = true;
#ifdef RIVAL_PROBES
	pthread_t t;

	expected = -1;
	if (pthread_create(&t, NULL, probe, b) != 0)
		bench_cannot("no thread");
	for (;;)
		rival_run();
#else
	bench_word("cancel waits for a running callback",
		   "never needs to: only the loop's thread may cancel");
	bench_word("is a timer that its callback re-armed still cancelled",
		   probe_loop(true) == 1 ? "yes, by the loop's thread" : "no");
	bench_word("can a re-arm be refused", probe_loop(false) == 2 ? "no" : "yes");
	bench_end();
#endif
}
BENCH("correctness", "timers", open_idle, run_probes)

/* Operations --------------------------------------------------------------------------------- */

struct inside {
	struct bench *b;
	bench_loop what;
	bool often;
	double ns;
};

/*
 * Often: what is re-armed is re-armed again and again, so no run holds the first times of any (of
 * which one may find it on another CPU, and one notes that it is re-armed at all).
 */
static void measure(void *arg)
{
	struct inside *in = (struct inside *)arg;

	if (in->often && in->b->iters == 0) {
		bench_pin(0);
		in->what(in->b, 0, 2 * in->b->n);
	}
	in->ns = bench_ns_per_op(in->b, in->what);
}

static void run_often(struct bench *b, bench_loop what, bool often)
{
	struct inside in = {b, what, often, 0};

#ifndef RIVAL_THREADS
	if (b->threads > 1)
		bench_cannot("one loop serves one thread only");
#endif
	if (b->threads > 1)
		measure(&in);
	else
		rival_inside(measure, &in);
	bench_figure(b, NULL, "ns", in.ns);
}

static void run_loop(struct bench *b, bench_loop what)
{
	run_often(b, what, false);
}

static void run_rearm(struct bench *b)
{
	run_often(b, do_rearm, b->threads == 1);
}
BENCH("rearm", "absolute", open_armed, run_rearm)

static void run_same(struct bench *b)
{
	run_often(b, do_same, b->threads == 1);
}
BENCH("rearm", "same", open_armed, run_same)

static void run_rearm_now(struct bench *b)
{
	run_often(b, do_rearm_now, b->threads == 1);
}
BENCH("rearm-relative", "relative", open_armed, run_rearm_now)

static void run_cancel_add(struct bench *b)
{
	run_loop(b, do_cancel_add);
}
BENCH("cancel-add", "pending", open_armed, run_cancel_add)

static void run_add_cancel(struct bench *b)
{
	run_loop(b, do_add_cancel);
}
BENCH("add-cancel", "fresh", open_armed, run_add_cancel)

#if defined(RIVAL_UPDATES) && !defined(RIVAL_ORG)
/* Beside our delayed works: what a user of this library writes instead of an update. */
static void do_cancel_add_same(struct bench *b, int thread, long iters)
{
	long first = thread * b->n, end = first + b->n, i = first + next_ms[thread][TURN];

	for (long k = 0; k < iters; k++) {
		rival_cancel(i);
		rival_arm(i, AWAY);
		if (++i == end)
			i = first;
	}
	next_ms[thread][TURN] = i - first;
}

static void run_cancel_add_same(struct bench *b)
{
	run_loop(b, do_cancel_add_same);
}
BENCH("update-delayed-work", "long-own-ORG", open_armed, run_cancel_add)
BENCH("update-delayed-work", "short-own-ORG", open_armed, run_cancel_add_same)
#endif

#ifdef RIVAL_UPDATES
BENCH("update-delayed-work", "given", open_armed, run_rearm)
BENCH("update-delayed-work", "given-same", open_armed, run_same)
BENCH("update-delayed-work", "relative", open_armed, run_rearm_now)
#endif

#endif

// SPDX-License-Identifier: MIT
/* The floor under threads: a call and a relaxed load, an exchange, a bare futex, a bare pthread. */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bench.h"
#include "limit_calls.h"

static uint32_t word, other;

static void futex_wait(uint32_t *w, uint32_t expected)
{
	while (__atomic_load_n(w, __ATOMIC_ACQUIRE) == expected)
		syscall(SYS_futex, w, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_set(uint32_t *w, uint32_t value)
{
	__atomic_store_n(w, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, w, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void woken(void);

static void *sleep_again(void *arg)
{
	bench_pin(1);
	for (uint32_t turn = 0;; turn++) {
		futex_wait(&word, turn);
		woken();
	}
	return arg;
}

static void rival_open(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sleep_again, NULL);
}

static void rival_wake(void)
{
	futex_set(&word, word + 1);
}

#include "../thread_rows.h"

static void do_load(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(limit_load(&word));
}

static void do_exchange(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++)
		bench_keep(limit_exchange(&word, 0));
}

static void run_load(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_load));
}
BENCH("thread", "should-stop", NULL, run_load)
BENCH("thread", "control-word", NULL, run_load)

static void run_exchange(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_exchange));
}
BENCH("thread", "full-barrier", NULL, run_exchange)

/* There and back through two futexes: what park and unpark can't go below. */
static void *answer(void *arg)
{
	bench_pin(0);
	for (uint32_t turn = 0;; turn++) {
		futex_wait(&word, turn);
		futex_set(&other, turn + 1);
	}
	return arg;
}

static void open_pair(struct bench *b)
{
	pthread_t t;

	(void)b;
	pthread_create(&t, NULL, answer, NULL);
}

static void do_pair(struct bench *b, int thread, long iters)
{
	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++) {
		uint32_t turn = word;

		futex_set(&word, turn + 1);
		futex_wait(&other, turn);
	}
}

static void run_pair(struct bench *b)
{
	bench_figure(b, NULL, "us", bench_ns_per_op(b, do_pair) / 1e3);
}
BENCH("thread", "park-unpark", open_pair, run_pair)

static void *nothing(void *arg)
{
	return arg;
}

static void do_create(struct bench *b, int thread, long iters)
{
	pthread_t t;

	(void)b;
	(void)thread;
	for (long k = 0; k < iters; k++) {
		if (pthread_create(&t, NULL, nothing, NULL) != 0)
			bench_cannot("no thread");
		pthread_join(t, NULL);
	}
}

static void run_create(struct bench *b)
{
	bench_figure(b, NULL, "us", bench_ns_per_op(b, do_create) / 1e3);
}
BENCH("thread", "create-stop", NULL, run_create)

/* A line from one CPU to the other: what anything that two threads do in turns begins with. */
static uint32_t turns __attribute__((aligned(128)));

static void do_trips(struct bench *b, int thread, long iters)
{
	(void)b;
	for (long k = 0; k < iters; k++) {
		uint32_t turn;

		while ((turn = __atomic_load_n(&turns, __ATOMIC_ACQUIRE)) % 2 != (uint32_t)thread)
			;
		__atomic_store_n(&turns, turn + 1, __ATOMIC_RELEASE);
	}
}

static void run_trips(struct bench *b)
{
	bench_figure(b, NULL, "ns", bench_ns_per_op(b, do_trips) / 2);
}
BENCH("queue", "line-trip", NULL, run_trips)

// SPDX-License-Identifier: MIT
/*
 * main() of every measured program.
 *	WHO				lists its rows: NAME VARIANT
 *	WHO NAME VARIANT N THREADS QUICK	opens the row and prints "ready"; then each line on
 *					standard input is one run, answered with a line
 *					"figure CASE UNIT VALUE" for each figure, and "done"
 */
#include "bench.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { CANNOT = 3 };

static struct bench_row *first, **last = &first;
static FILE *answers;
const struct bench *bench_current;

void bench_add(struct bench_row *row)
{
	/* Of two of one name only the first would ever be measured. */
	for (struct bench_row *r = first; r; r = r->next)
		if (strcmp(r->name, row->name) == 0 && strcmp(r->variant, row->variant) == 0) {
			fprintf(stderr, "two rows %s %s\n", r->name, r->variant);
			abort();
		}
	*last = row;
	last = &row->next;
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t bench_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t bench_cpu_process(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t bench_cpu_thread(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void bench_sleep(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (nanosleep(&ts, &ts) != 0)
		;
}

uint64_t bench_cycles(void)
{
#if defined(__x86_64__)
	unsigned aux;

	_mm_lfence();
	uint64_t t = __rdtscp(&aux);
	_mm_lfence();
	return t;
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(t)::"memory");
	return t;
#else
	return bench_now();
#endif
}

void bench_sleep_until(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) != 0)
		;
}

/* From the last CPU of the mask downwards: the first ones take most of the machine's interrupts. */
int bench_cpu(int thread)
{
	static cpu_set_t allowed;
	static bool known;
	int count, nth;

	if (!known)
		sched_getaffinity(0, sizeof(allowed), &allowed);
	known = true;
	count = CPU_COUNT(&allowed);
	nth = count - 1 - thread % count;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && nth-- == 0)
			return cpu;
	return 0;
}

void bench_pin(int thread)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(bench_cpu(thread), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double bench_quantile(double *v, size_t n, double p)
{
	size_t i = (size_t)(p * (double)(n - 1) + 0.5);

	qsort(v, n, sizeof(*v), by_value);
	return v[i];
}

void *bench_alloc(size_t n, size_t size)
{
	void *p = aligned_alloc(64, (n * size + 63) / 64 * 64);

	if (!p)
		bench_cannot("no memory for %zu times %zu bytes", n, size);
	return memset(p, 0, n * size);
}

size_t bench_heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

uint64_t bench_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void bench_figure(const struct bench *b, const char *suffix, const char *unit, double value)
{
	fprintf(answers, "figure %s%s%s %s %.17g\n", b->variant, suffix ? "-" : "",
		suffix ? suffix : "", unit, value);
}

void bench_word(const char *suffix, const char *fmt, ...)
{
	va_list ap;

	fprintf(answers, "word %s\t", suffix);
	va_start(ap, fmt);
	vfprintf(answers, fmt, ap);
	va_end(ap);
	fputc('\n', answers);
}

void bench_end(void)
{
	fputs("done\n", answers);
	fflush(answers);
	_exit(0);
}

void bench_cannot(const char *fmt, ...)
{
	va_list ap;

	fputs("cannot ", answers);
	va_start(ap, fmt);
	vfprintf(answers, fmt, ap);
	va_end(ap);
	fputc('\n', answers);
	fflush(answers);
	_exit(CANNOT);
}

/* Threads that measure ------------------------------------------------------------------------ */

/* The median of many slices: somebody else's turn on this CPU is no property of the operation. */
enum { SLICES = 32, ENOUGH = 1 << 16 };

struct party {
	struct bench *b;
	bench_loop loop;
	int thread;
	long iters;
	int *waiting;
	double ns;
};

static void *take_part(void *arg)
{
	struct party *p = arg;
	double slice[SLICES];

	if (!p->b->unpinned)
		bench_pin(p->thread);
	__atomic_fetch_sub(p->waiting, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(p->waiting, __ATOMIC_ACQUIRE) > 0)
		;
	for (int i = 0; i < SLICES; i++) {
		uint64_t begin = bench_now();

		p->loop(p->b, p->thread, p->iters / SLICES);
		slice[i] = (double)(bench_now() - begin);
	}
	p->ns = bench_quantile(slice, SLICES, 0.5) * SLICES;
	return NULL;
}

/* Mean time of one thread for iters operations. */
static double together(struct bench *b, bench_loop loop, long iters)
{
	struct party party[64];
	pthread_t thread[64] = {0};
	const int threads = b->threads;
	int waiting = threads;
	double sum = 0;

	for (int i = 0; i < threads; i++) {
		party[i] = (struct party){b, loop, i, iters, &waiting, 0};
		if (threads > 1 && b->start)
			b->start(i, take_part, &party[i]);
		else if (threads > 1 && pthread_create(&thread[i], NULL, take_part, &party[i]))
			bench_cannot("no thread");
	}
	if (threads == 1)
		take_part(&party[0]);
	for (int i = 0; i < threads; i++) {
		if (threads > 1 && b->start)
			b->join(i);
		else if (threads > 1)
			pthread_join(thread[i], NULL);
		b->thread_ns[i] = party[i].ns / (double)iters;
		sum += party[i].ns;
	}
	return sum / threads;
}

double bench_ns_per_op(struct bench *b, bench_loop loop)
{
	double target = b->quick ? 15e6 : 50e6;

	if (b->iters == 0) {
		/* Turns go on from run to run: no run needs to reach all n. */
		long enough = b->n < ENOUGH ? b->n : ENOUGH;
		long iters = enough > 256 ? (enough / SLICES + 1) * SLICES : 256;
		double ns;

		for (;;) {
			ns = together(b, loop, iters);
			if (ns >= target / 8)
				break;
			iters *= 4;
		}
		b->iters = (long)((double)iters * target / ns);
		if (b->iters < enough)
			b->iters = enough;
		b->iters = (b->iters / SLICES + 1) * SLICES;
	}
	return together(b, loop, b->iters) / (double)b->iters;
}

/* Files and timers of the kernel's: as many as this user may have. */
static void lift_limits(void)
{
	struct rlimit r = {1048576, 1048576};

	if (setrlimit(RLIMIT_NOFILE, &r) != 0) {
		getrlimit(RLIMIT_NOFILE, &r);
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	r = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	setrlimit(RLIMIT_SIGPENDING, &r);
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	char line[64];

	if (argc != 6) {
		for (struct bench_row *r = first; r; r = r->next)
			printf("%s %s\n", r->name, r->variant);
		return argc == 1 ? 0 : 2;
	}
	/* Libraries chatter on standard output; only figures go to the harness. */
	answers = fdopen(dup(STDOUT_FILENO), "w");
	dup2(STDERR_FILENO, STDOUT_FILENO);
	b = (struct bench){.name = argv[1],
			   .variant = argv[2],
			   .n = atol(argv[3]),
			   .threads = atoi(argv[4]),
			   .quick = atoi(argv[5]) != 0};
	bench_current = &b;
	lift_limits();
	for (struct bench_row *r = first; r; r = r->next) {
		if (strcmp(r->name, b.name) != 0 || strcmp(r->variant, b.variant) != 0)
			continue;
		if (r->open)
			r->open(&b);
		fputs("ready\n", answers);
		fflush(answers);
		while (fgets(line, sizeof(line), stdin)) {
			r->run(&b);
			fputs("done\n", answers);
			fflush(answers);
		}
		/* Whatever the row made goes with the process. */
		_exit(0);
	}
	bench_cannot("no row %s %s", b.name, b.variant);
}

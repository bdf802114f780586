/* SPDX-License-Identifier: MIT */
/* The simulator's threads, memory and time; sim_explore.c chooses the schedules. See sim.h. */
#include "base/sim.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sim_private.h"

#define THREADS_MAX 24
#define BUFFER	    8
#define PLACES_MAX  (THREADS_MAX * BUFFER)
#define STEPS_MAX   400000
#define NOBODY	    (-1)
#define PERIOD_NS   (4096ull * 1000000) /* two levels of a wheel of milliseconds */

enum state { UNUSED, RUNNABLE, WAITING, JOINING, ENDED };

struct entry {
	uintptr_t addr;
	uint8_t size; /* 0: overtaken by a plain store */
	bool release; /* only after all before it */
	bool rmw;     /* of a read-modify-write: nobody else's store may come in between */
	uint64_t val;
};

struct thread {
	enum state state;
	void *sp; /* while it does not run: its stack, on which its registers lie */
	int cpu;
	bool yielded;	   /* others first, until one of them has made a step */
	uintptr_t word;	   /* WAITING: the futex */
	uint64_t deadline; /* WAITING: UINT64_MAX for none */
	int wait_rc;
	int joins; /* JOINING: that thread */
	pthread_t handle;
	void *(*fn)(void *);
	void *arg;
	void *result;
	struct lent {
		pthread_t handle;
		void *stack;
	} lent;
	int nbuf;
	struct entry buf[BUFFER];
};

/* An address with stores on their way: what all but their threads see there. */
struct place {
	uintptr_t addr;
	uint8_t size;
	int pending;
	uint64_t committed;
	uint64_t newest; /* what memory holds, unless a plain store came after */
};

static struct thread threads[THREADS_MAX];
static int nr_threads;
static struct place places[PLACES_MAX];
static int nr_places;
static uint64_t now_ns = 1000000000;
static uint64_t steps;
static bool running; /* the simulation, as opposed to the parent */

static int current = NOBODY; /* the thread that runs */
static bool prompt;
static bool atomic_section; /* in a once function: no switch */

/* The real ones. */
long __real_syscall(long n, ...);
int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg);
int __real_pthread_join(pthread_t t, void **ret);
int __real_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __real_sched_yield(void);
void __real_free(void *p);

static uint64_t read_memory(uintptr_t addr, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, (void *)addr, size);
	return v;
}

static void write_memory(uintptr_t addr, size_t size, uint64_t v)
{
	memcpy((void *)addr, &v, size);
}

static struct place *find_place(uintptr_t addr, size_t size)
{
	for (int i = 0; i < nr_places; i++)
		if (places[i].addr == addr && places[i].size == size)
			return &places[i];
	return NULL;
}

static void forget_place(struct place *p)
{
	*p = places[--nr_places];
}

/* The program wrote there without us: that is what everybody sees now. */
static void heed_plain_stores(uintptr_t addr, size_t size)
{
	for (int i = 0; i < nr_places; i++) {
		struct place *p = &places[i];

		if (p->addr >= addr + size || addr >= p->addr + p->size ||
		    read_memory(p->addr, p->size) == p->newest)
			continue;
		for (int t = 0; t < nr_threads; t++)
			for (int k = 0; k < threads[t].nbuf; k++)
				if (threads[t].buf[k].addr == p->addr)
					threads[t].buf[k].size = 0;
		forget_place(p);
		i--;
	}
}

/* Store k of thread t reaches memory. */
static void drain_at(struct thread *t, int k)
{
	struct entry e = t->buf[k];
	struct place *p;

	t->nbuf--;
	memmove(&t->buf[k], &t->buf[k + 1], (size_t)(t->nbuf - k) * sizeof(t->buf[0]));
	if (!e.size)
		return;
	heed_plain_stores(e.addr, e.size);
	p = find_place(e.addr, e.size);
	if (!p)
		return;
	p->committed = e.val;
	if (--p->pending == 0) {
		write_memory(e.addr, e.size, e.val);
		forget_place(p);
	}
}

static void drain(struct thread *t)
{
	while (t->nbuf)
		drain_at(t, 0);
}

static bool overlaps(const struct entry *e, uintptr_t addr, size_t size)
{
	return e->size && e->addr < addr + size && addr < e->addr + e->size;
}

/* Whether store k of t may be the next one that others see. */
static bool may_drain(const struct thread *t, int k)
{
	if (k == 0)
		return true;
	if (!sim_shared->weak || t->buf[k].release)
		return false;
	for (int i = 0; i < k; i++)
		if (overlaps(&t->buf[i], t->buf[k].addr, t->buf[k].size))
			return false;
	return true;
}

/* The first k stores of t. */
static void drain_first(struct thread *t, int k)
{
	while (k-- > 0)
		drain_at(t, 0);
}

/* An acquire of the strong kind comes after all earlier releases of its thread. */
static void drain_releases(struct thread *t)
{
	int k = t->nbuf;

	while (k > 0 && !t->buf[k - 1].release)
		k--;
	drain_first(t, k);
}

/*
 * Another thread is about to store there: what a read-modify-write has left there is seen first.
 * False: nobody else has anything on its way there.
 */
static bool settle_rmws(const struct thread *me, uintptr_t addr, size_t size)
{
	bool others = false;

	for (int i = 0; i < nr_threads; i++) {
		struct thread *t = &threads[i];

		for (int k = 0; t != me && k < t->nbuf; k++) {
			if (!overlaps(&t->buf[k], addr, size))
				continue;
			if (!t->buf[k].rmw) {
				others = true;
				continue;
			}
			drain_first(t, k + 1);
			k = -1;
		}
	}
	return others;
}

static void overlay(uint64_t *v, uintptr_t addr, size_t size, uintptr_t a, size_t s, uint64_t val)
{
	for (size_t i = 0; i < s; i++)
		if (a + i >= addr && a + i < addr + size) {
			size_t shift = 8 * (a + i - addr);

			*v = (*v & ~(0xffull << shift)) | ((val >> (8 * i) & 0xff) << shift);
		}
}

/* What thread t (NULL: nobody in particular) sees there. */
static uint64_t view(struct thread *t, uintptr_t addr, size_t size)
{
	uint64_t v;

	heed_plain_stores(addr, size);
	v = read_memory(addr, size);
	for (int i = 0; i < nr_places; i++)
		overlay(&v, addr, size, places[i].addr, places[i].size, places[i].committed);
	for (int k = 0; t && k < t->nbuf; k++)
		overlay(&v, addr, size, t->buf[k].addr, t->buf[k].size, t->buf[k].val);
	return v;
}

static void buffer_store(struct thread *t, uintptr_t addr, size_t size, uint64_t v, bool release,
			 bool rmw)
{
	struct place *p;

	heed_plain_stores(addr, size);
	if (t->nbuf == BUFFER)
		drain_at(t, 0);
	p = find_place(addr, size);
	if (!p) {
		if (nr_places == PLACES_MAX)
			sim_fail("simulator: too many stores on their way");
		p = &places[nr_places++];
		*p = (struct place){addr, (uint8_t)size, 0, read_memory(addr, size), 0};
	}
	p->pending++;
	t->buf[t->nbuf++] = (struct entry){addr, (uint8_t)size, release, rmw, v};
	write_memory(addr, size, v);
	p->newest = read_memory(addr, size);
}

/* A store that is seen by all at once; t's buffer is empty. */
static void direct_store(uintptr_t addr, size_t size, uint64_t v)
{
	struct place *p = find_place(addr, size);

	write_memory(addr, size, v);
	v = read_memory(addr, size);
	if (p) {
		p->committed = v;
		p->newest = v;
	}
}

static void trace(const char *text, const struct ww_sim_site *at, uint64_t v)
{
	const char *file = at ? strrchr(at->file, '/') : NULL;

	if (!sim_shared->trace)
		return;
	if (at)
		printf("%*s[%d] %s %s = %" PRIx64 "  (%s:%d)\n", current * 2, "", current, text,
		       at->what, v, file ? file + 1 : at->file, at->line);
	else
		printf("%*s[%d] %s %" PRIx64 "\n", current * 2, "", current, text, v);
	fflush(stdout);
}

void sim_fail(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(sim_shared->error, sizeof(sim_shared->error), fmt, ap);
	va_end(ap);
	_exit(1);
}

/*
 * One thread of the operating system does all the running: a switch is a change of stack and of
 * thread pointer, so that it costs nothing on a loaded machine. Each simulated thread has a real
 * one that only sleeps and lends its thread pointer: thread-local variables, errno and
 * pthread_self() are then its own.
 */
__attribute__((naked, noinline)) static void switch_stack(void **save __attribute__((unused)),
							  void *to __attribute__((unused)))
{
	__asm__("push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
		"mov %rsp, (%rdi)\n"
		"mov %rsi, %rsp\n"
		"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
		"ret");
}

static void set_thread_pointer(pthread_t t)
{
	long rc;

	/* Not by syscall(): that may touch errno, which is somebody else's just now. */
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(t)
			 : "rcx", "r11", "memory");
}

/* Not inlined, so that no thread-local address is kept across the switch. */
__attribute__((noinline)) static void switch_to(int from, int to)
{
	set_thread_pointer(threads[to].handle);
	switch_stack(&threads[from].sp, threads[to].sp);
}

static void wake_up(struct thread *t, int rc)
{
	t->state = RUNNABLE;
	t->wait_rc = rc;
	t->yielded = false;
}

static void let_deadline_pass(struct thread *t)
{
	if (t->deadline > now_ns)
		now_ns = t->deadline;
	wake_up(t, -ETIMEDOUT);
}

/* Nobody can run: time goes on to the next deadline. False: there is none. */
static bool jump(void)
{
	struct thread *first = NULL;

	for (int i = 0; i < nr_threads; i++)
		if (threads[i].state == WAITING && threads[i].deadline != UINT64_MAX &&
		    (!first || threads[i].deadline < first->deadline))
			first = &threads[i];
	if (!first)
		return false;
	let_deadline_pass(first);
	return true;
}

static bool can_run(int i)
{
	return threads[i].state == RUNNABLE && !threads[i].yielded;
}

/* What the scheduler may do: let a thread run, drain a store, let a deadline pass. */
static int list_options(struct sim_option *o)
{
	int n = 0;

	/* The plain schedule comes first: go on, or the next one in a circle. */
	for (int k = 0; k < nr_threads; k++) {
		int i = (current + k) % nr_threads;

		if (can_run(i))
			o[n++] = (struct sim_option){SIM_RUN, i, 0};
	}
	for (int i = 0; i < nr_threads; i++)
		for (int s = 0; s < threads[i].nbuf; s++)
			if (may_drain(&threads[i], s))
				o[n++] = (struct sim_option){SIM_DRAIN, i, s};
	for (int i = 0; i < nr_threads && !prompt; i++)
		if (threads[i].state == WAITING && threads[i].deadline != UINT64_MAX)
			o[n++] = (struct sim_option){SIM_EXPIRE, i, 0};
	return n;
}

static int count_runnable(void)
{
	int n = 0;

	for (int i = 0; i < nr_threads; i++)
		n += can_run(i);
	if (n)
		return n;
	for (int i = 0; i < nr_threads; i++) {
		threads[i].yielded = false;
		n += can_run(i);
	}
	return n;
}

static void tell_stuck(void)
{
	char text[400];
	int n = 0;

	for (int i = 0; i < nr_threads && n < 380; i++)
		if (threads[i].state == WAITING || threads[i].state == JOINING)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " [%d] %s", i,
				      threads[i].state == WAITING ? "sleeps" : "joins");
	sim_fail("nobody can go on:%.390s", text);
}

/* Decide who goes on, and return when that is the calling thread. */
static void schedule(void)
{
	struct sim_option o[(2 + BUFFER) * THREADS_MAX];
	_Static_assert((2 + BUFFER) * THREADS_MAX < 256, "a choice is a byte");

	for (;;) {
		struct sim_option c;

		while (!count_runnable())
			if (!jump())
				tell_stuck();
		c = o[sim_choose(o, list_options(o))];
		switch (c.kind) {
		case SIM_DRAIN:
			trace("lets a store out of", NULL, (uint64_t)c.thread);
			drain_at(&threads[c.thread], c.store);
			continue;
		case SIM_EXPIRE:
			let_deadline_pass(&threads[c.thread]);
			trace("is slow: a deadline passes of", NULL, (uint64_t)c.thread);
			continue;
		case SIM_RUN:
			break;
		}
		if (c.thread != current) {
			int from = current;

			current = c.thread;
			switch_to(from, c.thread);
		}
		return;
	}
}

static bool simulated(void)
{
	return running && current != NOBODY;
}

/* Before each operation. */
static void point(void)
{
	if (atomic_section)
		return;
	if (++steps > STEPS_MAX)
		sim_fail("no end after %d steps", STEPS_MAX);
	schedule();
	/* This thread makes a step: those who let others go first may go on. */
	for (int i = 0; i < nr_threads; i++)
		if (i != current)
			threads[i].yielded = false;
}

/* Operations. */

uint64_t ww_sim_load(const volatile void *p, size_t size, bool seq_cst,
		     const struct ww_sim_site *at)
{
	uintptr_t addr = (uintptr_t)p;
	uint64_t v;

	if (!simulated())
		return read_memory(addr, size);
	point();
	if (seq_cst && sim_shared->weak) /* on x86 it is a load like others */
		drain_releases(&threads[current]);
	v = view(&threads[current], addr, size);
	trace("reads", at, v);
	return v;
}

void ww_sim_store(volatile void *p, size_t size, uint64_t v, enum ww_sim_order order,
		  const struct ww_sim_site *at)
{
	uintptr_t addr = (uintptr_t)p;

	if (!simulated()) {
		write_memory(addr, size, v);
		return;
	}
	point();
	trace(order == WW_SIM_SEQ_CST ? "stores for all" : "stores", at, v);
	settle_rmws(&threads[current], addr, size);
	if (order == WW_SIM_SEQ_CST && !sim_shared->weak) {
		drain(&threads[current]);
		heed_plain_stores(addr, size);
		direct_store(addr, size, v);
	} else {
		buffer_store(&threads[current], addr, size, v, order & WW_SIM_RELEASE, false);
	}
}

/* The reading half: what memory holds, when all that comes before in the order has been seen. */
static uint64_t rmw_read(uintptr_t addr, size_t size, enum ww_sim_order order, bool *alone)
{
	struct thread *me = &threads[current];

	point();
	*alone = false;
	if (!sim_shared->weak) {
		drain(me);
		return view(me, addr, size);
	}
	if (order & WW_SIM_ACQUIRE)
		drain_releases(me);
	for (int k = me->nbuf; k-- > 0;)
		if (overlaps(&me->buf[k], addr, size)) {
			drain_first(me, k + 1);
			break;
		}
	*alone = !settle_rmws(me, addr, size);
	return view(me, addr, size);
}

/* The writing half: at once on x86; on the weaker machine it may wait where nobody else is there. */
static void rmw_write(uintptr_t addr, size_t size, uint64_t v, enum ww_sim_order order, bool alone)
{
	if (alone) {
		buffer_store(&threads[current], addr, size, v, order & WW_SIM_RELEASE, true);
		return;
	}
	if (order & WW_SIM_RELEASE)
		drain(&threads[current]);
	direct_store(addr, size, v);
}

uint64_t ww_sim_rmw(volatile void *p, size_t size, enum ww_sim_rmw op, uint64_t v,
		    enum ww_sim_order order, const struct ww_sim_site *at)
{
	uintptr_t addr = (uintptr_t)p;
	uint64_t old, new = v;
	bool alone = false;

	if (simulated())
		old = rmw_read(addr, size, order, &alone);
	else
		old = read_memory(addr, size);
	switch (op) {
	case WW_SIM_XCHG:
		break;
	case WW_SIM_ADD:
		new = old + v;
		break;
	case WW_SIM_SUB:
		new = old - v;
		break;
	case WW_SIM_OR:
		new = old | v;
		break;
	case WW_SIM_AND:
		new = old &v;
		break;
	}
	if (simulated()) {
		trace(at->op, at, new);
		rmw_write(addr, size, new, order, alone);
	} else {
		write_memory(addr, size, new);
	}
	return old;
}

bool ww_sim_cmpxchg(volatile void *p, size_t size, void *oldp, uint64_t v, enum ww_sim_order order,
		    const struct ww_sim_site *at)
{
	uintptr_t addr = (uintptr_t)p;
	uint64_t expected = read_memory((uintptr_t)oldp, size), old;
	bool alone = false;

	if (simulated()) {
		old = rmw_read(addr, size, order, &alone);
		trace(old == expected ? "swaps" : "fails to swap", at, old == expected ? v : old);
	} else {
		old = read_memory(addr, size);
	}
	if (old != expected) {
		write_memory((uintptr_t)oldp, size, old);
		return false;
	}
	if (simulated())
		rmw_write(addr, size, v, order, alone);
	else
		write_memory(addr, size, v);
	return true;
}

void ww_sim_fence(const struct ww_sim_site *at)
{
	if (!simulated())
		return;
	point();
	trace("fence", at, 0);
	drain(&threads[current]);
}

static void yield(void)
{
	threads[current].yielded = true;
	sim_yields(current);
	drain(&threads[current]);
	point();
	threads[current].yielded = false;
}

void ww_sim_yield(const struct ww_sim_site *at)
{
	(void)at;
	if (simulated() && !atomic_section)
		yield();
}

void sim_prompt(void)
{
	prompt = true;
}

void sim_step(const char *what)
{
	if (!simulated())
		return;
	point();
	if (sim_shared->trace)
		printf("%*s[%d] %s\n", current * 2, "", current, what);
}

uint64_t sim_now_ns(void)
{
	return now_ns;
}

void sim_pass_ns(uint64_t ns)
{
	now_ns += ns;
}

/* Sleeping. */

static int sleep_on(uintptr_t word, uint64_t deadline)
{
	struct thread *me = &threads[current];

	me->state = WAITING;
	me->word = word;
	me->deadline = deadline;
	if (deadline <= now_ns)
		wake_up(me, -ETIMEDOUT);
	schedule();
	return me->wait_rc;
}

static int futex_wait(uint32_t *word, uint32_t expected, const struct timespec *ts)
{
	uint64_t deadline = UINT64_MAX;

	point();
	drain(&threads[current]);
	if ((uint32_t)view(NULL, (uintptr_t)word, 4) != expected)
		return -EAGAIN;
	if (ts)
		deadline = (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
	trace("sleeps until", NULL, deadline);
	return sleep_on((uintptr_t)word, deadline);
}

static int futex_wake(uint32_t *word, int n)
{
	int woken = 0;

	point();
	drain(&threads[current]);
	for (int k = 0; k < nr_threads && woken < n; k++) {
		struct thread *t = &threads[(current + k) % nr_threads];

		if (t->state == WAITING && t->word == (uintptr_t)word) {
			wake_up(t, 0);
			woken++;
		}
	}
	trace("wakes", NULL, (uint64_t)woken);
	return woken;
}

/* Every other thread passes a full barrier, each at a moment of its own. */
static int membarrier(void)
{
	point();
	trace("begins a barrier", NULL, 0);
	drain(&threads[current]);
	for (int i = 0; i < nr_threads; i++)
		if (i != current) {
			point();
			drain(&threads[i]);
		}
	point();
	trace("ends the barrier", NULL, 0);
	return 0;
}

/* System calls: the simulator's programs are linked with --wrap for each. */

long __wrap_syscall(long n, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	int rc;

	if (n == SYS_gettid && running)
		return 1000 + current;
	if (n == SYS_membarrier && running && sim_shared->options.no_membarrier) {
		errno = ENOSYS;
		return -1;
	}
	if (!simulated() || (n != SYS_futex && n != SYS_membarrier))
		return __real_syscall(n, a, b, c, d, e, f);
	if (n == SYS_membarrier)
		return a == MEMBARRIER_CMD_PRIVATE_EXPEDITED ? membarrier() : 0;
	if ((b & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
		rc = futex_wait((uint32_t *)a, (uint32_t)c, (const struct timespec *)d);
	else
		rc = futex_wake((uint32_t *)a, (int)c);
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	if (!simulated())
		return __real_clock_gettime(id, ts);
	if (!atomic_section)
		point();
	now_ns += 20; /* so that a loop which waits for time to pass ends */
	ts->tv_sec = (time_t)(now_ns / 1000000000u);
	ts->tv_nsec = (long)(now_ns % 1000000000u);
	return 0;
}

int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *ts,
			   struct timespec *rest);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *ts,
			   struct timespec *rest)
{
	uint64_t until = (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;

	if (!simulated())
		return clock_nanosleep(id, flags, ts, rest);
	point();
	drain(&threads[current]);
	sleep_on(0, flags & TIMER_ABSTIME ? until : now_ns + until);
	return 0;
}

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
	if (!simulated())
		return __real_sched_yield();
	yield();
	return 0;
}

int __wrap_sched_getcpu(void);
int __wrap_sched_getcpu(void)
{
	return current == NOBODY ? 0 : threads[current].cpu;
}

int __wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
	unsigned n = sim_shared && sim_shared->options.cpus ? sim_shared->options.cpus : 2;

	(void)tid;
	memset(set, 0, size);
	for (unsigned i = 0; i < n; i++)
		CPU_SET_S(i, size, set);
	return 0;
}

int __wrap_sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set)
{
	(void)tid;
	for (int i = 0; simulated() && i < 64; i++)
		if (CPU_ISSET_S(i, size, set)) {
			threads[current].cpu = i;
			break;
		}
	return 0;
}

int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void));
int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void))
{
	bool outer = atomic_section;

	if (simulated() && !atomic_section)
		point();
	if (*once)
		return 0;
	*once = (pthread_once_t)1;
	atomic_section = true;
	fn();
	atomic_section = outer;
	return 0;
}

/* Own stores to memory that is given back have arrived before anybody else can have it. */
void __wrap_free(void *p);
void __wrap_free(void *p)
{
	if (simulated())
		drain(&threads[current]);
	__real_free(p);
}

/* Threads. */

/* The real thread: sleeps. */
static void *lender(void *arg)
{
	static uint32_t never;

	(void)arg;
	for (;;)
		__real_syscall(SYS_futex, &never, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL,
			       0);
	return NULL;
}

#define KEYS_MAX 8

static struct {
	pthread_key_t key;
	void (*destroy)(void *);
} keys[KEYS_MAX];
static int nr_keys;

int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	int err = __real_pthread_key_create(key, NULL);

	if (err || !destroy)
		return err;
	if (nr_keys == KEYS_MAX)
		return EAGAIN;
	keys[nr_keys].key = *key;
	keys[nr_keys++].destroy = destroy;
	return 0;
}

/* What a thread does for its own values when its function has returned. */
static void run_destructors(void)
{
	for (int i = 0; i < nr_keys; i++) {
		void *value = pthread_getspecific(keys[i].key);

		if (!value)
			continue;
		pthread_setspecific(keys[i].key, NULL);
		keys[i].destroy(value);
	}
}

static void thread_main(void)
{
	struct thread *me = &threads[current];

	me->result = me->fn(me->arg);
	run_destructors();
	point();
	drain(me);
	me->state = ENDED;
	for (int i = 0; i < nr_threads; i++)
		if (threads[i].state == JOINING && threads[i].joins == current)
			wake_up(&threads[i], 0);
	schedule();
	abort(); /* nobody comes back to it */
}

#define STACK (256 << 10)

static struct lent spare[THREADS_MAX];
static int nr_spare;

/* The program's thread-local variables, as a new thread has them. */
static int reset_tls(struct dl_phdr_info *info, size_t size, void *handle)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		size_t room;
		char *block;

		if (h->p_type != PT_TLS)
			continue;
		room = (h->p_memsz + h->p_align - 1) & ~(h->p_align - 1);
		block = (char *)*(pthread_t *)handle - room;
		memcpy(block, (char *)info->dlpi_addr + h->p_vaddr, h->p_filesz);
		memset(block + h->p_filesz, 0, h->p_memsz - h->p_filesz);
	}
	return 1; /* the first object is the program itself */
}

/* A real thread with a clean set of thread-local variables, and a stack. */
static int get_lender(struct thread *t)
{
	pthread_attr_t small;
	uint64_t *top;
	int err = 0;

	if (nr_spare) {
		t->lent = spare[--nr_spare];
		dl_iterate_phdr(reset_tls, &t->lent.handle);
	} else {
		t->lent.stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
		if (t->lent.stack == MAP_FAILED)
			return EAGAIN;
		pthread_attr_init(&small);
		pthread_attr_setstacksize(&small, 64 << 10);
		err = __real_pthread_create(&t->lent.handle, &small, lender, NULL);
	}
	/* As if switch_stack() had been called from thread_main()'s first instruction. */
	top = (uint64_t *)t->lent.stack + STACK / sizeof(*top) - 3;
	top[0] = 0;
	top[-1] = (uint64_t)(uintptr_t)thread_main;
	t->sp = top - 7;
	t->handle = t->lent.handle;
	return err;
}

static void free_lender(struct thread *t)
{
	spare[nr_spare++] = t->lent;
	t->state = UNUSED;
}

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
	struct thread *new;
	int i = 1, err;

	(void)a;
	if (!simulated())
		return __real_pthread_create(t, a, fn, arg);
	point();
	drain(&threads[current]);
	while (i < nr_threads && threads[i].state != UNUSED)
		i++;
	if (i == THREADS_MAX)
		return EAGAIN;
	new = &threads[i];
	*new = (struct thread){.state = RUNNABLE, .fn = fn, .arg = arg, .cpu = i % 2};
	err = get_lender(new);
	if (err)
		return err;
	*t = new->handle;
	if (i == nr_threads)
		nr_threads++;
	trace("starts thread", NULL, (uint64_t)i);
	return 0;
}

int __wrap_pthread_join(pthread_t t, void **ret);
int __wrap_pthread_join(pthread_t t, void **ret)
{
	if (!simulated())
		return __real_pthread_join(t, ret);
	point();
	drain(&threads[current]);
	for (int i = 1; i < nr_threads; i++) {
		if (threads[i].state == UNUSED || !pthread_equal(threads[i].handle, t))
			continue;
		while (threads[i].state != ENDED) {
			threads[current].state = JOINING;
			threads[current].joins = i;
			schedule();
		}
		if (ret)
			*ret = threads[i].result;
	}
	return 0;
}

/* Everybody else comes to rest; stores arrive. */
static void settle(void)
{
	bool busy;

	do {
		busy = false;
		yield();
		for (int i = 1; i < nr_threads; i++) {
			drain(&threads[i]);
			busy |= threads[i].state == RUNNABLE;
		}
	} while (busy);
	for (int i = 1; i < nr_threads; i++)
		if (threads[i].state == ENDED)
			free_lender(&threads[i]);
	while (threads[nr_threads - 1].state == UNUSED)
		nr_threads--;
	/* Every run begins at the same place in the wheels. */
	now_ns = (now_ns / PERIOD_NS + 1) * PERIOD_NS;
	steps = 0;
}

extern char __start_sim_state[], __stop_sim_state[];

void sim_run(void (*program)(void))
{
	size_t size = (size_t)(__stop_sim_state - __start_sim_state);
	char *initial = malloc(size);

	memcpy(initial, __start_sim_state, size);
	running = true;
	current = 0;
	nr_threads = 1;
	threads[0] = (struct thread){.state = RUNNABLE, .handle = pthread_self()};
	/* What is made on first use is made in a run that does not count. */
	sim_before(true);
	program();
	do {
		settle();
		memcpy(__start_sim_state, initial, size);
		prompt = false;
		sim_before(false);
		program();
		sim_stop();
	} while (sim_after());
	_exit(0);
}

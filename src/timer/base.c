/* SPDX-License-Identifier: MIT */
/* Bases and their threads, made on first use; what becomes of them in a fork. Guards: timer.h;
 * (G) make_lock. */
#include "timer/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/debug.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/report.h"
#include "timer/barrier.h"
#include "timer/virtual.h"
#include "timer/watch.h"

static struct ww_lock make_lock;
static struct ww_base *bases[WW_BASES_MAX]; /* (G) */
static unsigned highest;		    /* (G) written, read by anyone */
static struct ww_base *fallback;    /* (G) the first that came up: for CPUs whose own cannot */
static bool hopeless[WW_BASES_MAX]; /* (G) of those it was reported */
static bool registered;		    /* (G) */
/* Written in a child of a fork while it has one thread. */
unsigned ww_timer_forks;
unsigned ww_base_first_cpu = WW_BASE_CPUS;
static uint16_t moved_to[WW_BASES_MAX]; /* the number that an object has since, 0 for none */

unsigned ww_base_id_of_cpu(int cpu)
{
	return ww_base_first_cpu + (unsigned)ww_cpu_slot_of(cpu);
}

unsigned ww_base_highest(void)
{
	return ww_load_acquire(&highest); /* pairs: TIMER-9 */
}

static void base_thread(void *arg)
{
	struct ww_base *b = arg;
	struct ww_base_hot *h = ww_base_hot_of(b);

	ww_os_thread_exact_sleep();
	ww_light_lock(&h->lock);
	ww_store_release(&h->owner, (const void *)&ww_timer_context); /* pairs: TIMER-8 */
	while (!b->stop) {
		uint64_t ns = WW_FOREVER;
		uint32_t seq;
		long ran;

		b->sleep = WW_BASE_AWAKE;
		do {
			ran = ww_base_sweep(b, ww_jiffies());
			if (ran < 0)
				return; /* the child of a fork, whose only thread this is */
		} while (ran > 0 && !b->stop);
		if (b->stop)
			break; /* said while a callback ran or a barrier was under way */
		b->sleep = WW_BASE_FOREVER;
		if (ww_base_next(b, &b->wake)) {
			b->sleep = WW_BASE_TIMED;
			ns = ww_tick_to_ns(b->wake);
		}
		b->stats.sleeps++;
		seq = ww_load_relaxed(&h->wake_seq);
		ww_light_unlock(&h->lock);
		ww_futex_wait(&h->wake_seq, seq, ns);
		ww_light_lock(&h->lock);
	}
	ww_store_release(&h->owner, (const void *)NULL);
	ww_light_unlock(&h->lock);
}

static void reset(struct ww_base *b)
{
	b->sleep = WW_BASE_FOREVER;
	b->moved -= ww_base_pending(b);
	b->swept = b->stop = false;
	ww_list_init(&b->waiters);
	b->expired = (struct ww_bucket){{NULL}};
	b->floor = ww_jiffies() + 1;
	for (unsigned k = 0; k < WW_WHEELS; k++)
		ww_wheel_clear(&b->wheel[k], b->floor);
	ww_store_relaxed(&ww_base_hot_of(b)->mark,
			 ww_membarrier_available() ? 0u : WW_MARK_EXCHANGE);
}

static void drop(struct ww_base *b, struct ww_timer_impl *t, void *arg)
{
	(void)b, (void)arg;
	ww_timer_set_word(t, WW_TW_STATE, 0);
}

void ww_base_drop_timers(struct ww_base *b)
{
	ww_base_each(b, drop, NULL);
	reset(b);
}

unsigned ww_base_id_since_fork(unsigned id)
{
	while (moved_to[id])
		id = moved_to[id];
	return id;
}

/* Everything that threads of the parent may hold or change, in the order in which they nest. */
static void fork_prepare(void)
{
	ww_lock(&make_lock);
	for (unsigned i = 0; i <= highest; i++)
		ww_light_lock(&ww_base_hot[i].lock);
	ww_barrier_lock();
	ww_wait_graph_lock();
}

static void fork_parent(void)
{
	ww_wait_graph_unlock();
	ww_barrier_unlock();
	for (unsigned i = 0; i <= highest; i++)
		ww_light_unlock(&ww_base_hot[i].lock);
	ww_unlock(&make_lock);
}

/*
 * After very many forks in a row the numbers begin again. A timer that has been pending since a
 * process that many generations back would now be taken for one of ours; it must be set up again.
 */
static void ids_used_up(void)
{
	ww_base_first_cpu = WW_BASE_CPUS;
	for (unsigned i = 0; i < (unsigned)ww_cpu_slots(); i++)
		ww_base_hot[ww_base_first_cpu + i].stale = false;
}

/* A number that nobody had in this process or its parents, for an object; 0 for none left. */
static unsigned unused_id(void)
{
	for (unsigned id = WW_BASE_CPUS + WW_SLOTS_MAX; id < WW_BASES_MAX; id++)
		if (!bases[id] && !ww_base_hot[id].stale)
			return id;
	return 0;
}

/*
 * The child has none of the parent's timers, and its bases' threads are not there. Nothing in a
 * timer is touched for that, which may be on the stack of a thread that is gone: the numbers of the
 * parent's bases are given up for good, a timer whose word names one is idle whatever it says
 * (ww_timer_lock()), and the raised mark keeps stores out. New bases have other numbers.
 */
static void fork_child(void)
{
	unsigned n, old = highest;

	ww_timer_forks++;
	ww_clock_child();
	ww_watch_child();
	if (!old) { /* nothing was made yet */
		fork_parent();
		return;
	}
	n = (unsigned)ww_cpu_slots();
	for (unsigned id = 0; id <= old; id++) {
		struct ww_base_hot *h = &ww_base_hot[id];

		h->lock = (struct ww_light_lock){.word = 0};
		h->running = NULL;
		h->owner = NULL;
		h->base = NULL;
		if (bases[id]) {
			h->stale = true;
			h->mark = WW_MARK_SWEEP;
		}
	}
	for (unsigned id = WW_BASE_CPUS + WW_SLOTS_MAX; id <= old; id++) {
		struct ww_base *b = bases[id];
		unsigned fresh = b && b->kind != WW_BASE_CPU ? unused_id() : 0;

		bases[id] = NULL;
		if (!fresh)
			continue; /* none left: what is bound to it can't be armed, and says so */
		b->id = fresh;
		ww_base_hot[fresh].armed = ww_base_hot[id].armed;
		ww_base_hot[fresh].cancelled = ww_base_hot[id].cancelled;
		bases[fresh] = b;
		moved_to[id] = (uint16_t)fresh;
		if (fresh > highest)
			highest = fresh;
	}
	/* What CPU bases there were is not freed: a callback that forked may be in one. */
	memset(bases + WW_BASE_CPUS, 0, WW_SLOTS_MAX * sizeof(bases[0]));
	memset(hopeless, 0, sizeof(hopeless));
	ww_base_first_cpu += n;
	if (ww_base_first_cpu + n > WW_BASE_CPUS + WW_SLOTS_MAX)
		ids_used_up();
	fallback = NULL;
	ww_timer_context = (struct ww_timer_context){NULL, NULL};
	ww_barrier_child();
	ww_wait_graph_child();
	ww_virtual_child();
	ww_lock_init(&make_lock);
}

/* Before any thread can be in here. */
__attribute__((constructor)) static void register_fork(void)
{
	ww_fork_register(fork_prepare, fork_parent, fork_child);
}

/* The base's thread; under make_lock. 0 or -errno. */
static int start_thread(struct ww_base *b)
{
	return ww_clock_is_virtual()
		       ? 0
		       : ww_os_thread_start(&b->thread, b->name, b->cpu, base_thread, b);
}

/*
 * The base and its buckets in one piece of zeroed memory, of which most is never touched: so much
 * that the allocator asks the kernel for pages, and all is NULL as it comes.
 */
static struct ww_base *alloc_base(void)
{
	/* Open timers move on by themselves; deferrable ones are few. */
	static const unsigned fine[WW_WHEELS] = {WW_WHEEL_FINE, WW_WHEEL_COARSE, WW_WHEEL_COARSE,
						 WW_WHEEL_COARSE};
	size_t size = sizeof(struct ww_base) + WW_CACHE_LINE - 1;
	struct ww_bucket *buckets;
	struct ww_base *b;
	void *block;

	for (unsigned k = 0; k < WW_WHEELS; k++)
		size += WW_WHEEL_BUCKETS(fine[k]) * sizeof(struct ww_bucket);
	block = ww_alloc(size);
	if (!block)
		return NULL;
	b = (void *)(((uintptr_t)block + WW_CACHE_LINE - 1) & ~(uintptr_t)(WW_CACHE_LINE - 1));
	b->block = block;
	buckets = (struct ww_bucket *)(b + 1);
	for (unsigned k = 0; k < WW_WHEELS; k++) {
		ww_wheel_init(&b->wheel[k], 0, fine[k], buckets);
		buckets += WW_WHEEL_BUCKETS(fine[k]);
	}
	return b;
}

struct ww_base *ww_base_make(unsigned id, enum ww_base_kind kind, int cpu, const char *name)
{
	struct ww_base *b = alloc_base();
	int err = 0;

	if (!b)
		return NULL;
	b->id = id;
	b->kind = kind;
	b->cpu = cpu;
	b->fd = -1;
	b->forks = ww_timer_forks;
	/* The number may have been another's, whose lock nobody wants any more. */
	ww_base_hot[id].armed = ww_base_hot[id].cancelled = 0;
	snprintf(b->name, sizeof(b->name), "%s", name);
	reset(b);
	if (kind == WW_BASE_DRIVEN)
		err = b->fd = ww_clock_fd_create();
	else
		err = start_thread(b);
	if (err < 0) {
		ww_free(b->block);
		errno = -err;
		return NULL;
	}
	if (!registered) {
		registered = true;
		ww_debug_register(ww_timer_debug_check);
	}
	ww_store_release(&bases[id], b); /* pairs: TIMER-9 */
	if (id > highest)
		ww_store_release(&highest, id); /* pairs: TIMER-9 */
	ww_light_lock(&ww_base_hot[id].lock);
	ww_store_release(&ww_base_hot[id].base, b); /* pairs: TIMER-9 */
	ww_light_unlock(&ww_base_hot[id].lock);
	return b;
}

void ww_base_unmake(struct ww_base *b)
{
	struct ww_base_hot *h = ww_base_hot_of(b);

	ww_lock(&make_lock);
	ww_light_lock(&h->lock);
	ww_store_relaxed(&h->base, NULL);
	ww_light_unlock(&h->lock);
	if (bases[b->id] == b)
		bases[b->id] = NULL;
	ww_unlock(&make_lock);
	if (b->fd >= 0)
		ww_clock_fd_close(b->fd);
	ww_free(b->block);
}

struct ww_base *ww_base_make_object(enum ww_base_kind kind, const char *name)
{
	static unsigned last = WW_BASE_CPUS + WW_SLOTS_MAX - 1; /* (G) */
	struct ww_base *b = NULL;
	unsigned n = WW_BASES_MAX - (WW_BASE_CPUS + WW_SLOTS_MAX), id;

	ww_clock_start();
	ww_lock(&make_lock);
	id = last;
	errno = EAGAIN;
	/* Numbers go round, so that a timer left behind does not soon find another base. */
	for (unsigned i = 0; i < n; i++) {
		id = id + 1 < WW_BASES_MAX ? id + 1 : WW_BASE_CPUS + WW_SLOTS_MAX;
		if (bases[id] || ww_base_hot[id].stale)
			continue;
		b = ww_base_make(id, kind, -1, name);
		last = id;
		break;
	}
	ww_unlock(&make_lock);
	return b;
}

/* The parent's object, in the child of a fork: empty, with a thread or descriptor of its own. */
static struct ww_base *renew(struct ww_base *b)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	int err;

	reset(b);
	err = b->kind == WW_BASE_DRIVEN ? ww_clock_fd_renew(b->fd) : start_thread(b);
	if (err) {
		errno = -err;
		return NULL;
	}
	b->forks = ww_timer_forks;
	ww_light_lock(&h->lock);
	ww_store_release(&h->base, b); /* pairs: TIMER-9 */
	ww_light_unlock(&h->lock);
	return b;
}

static struct ww_base *get_locked(unsigned id)
{
	struct ww_base *b = ww_base_hot[id].base;
	char name[16];

	if (b)
		return b;
	if (bases[id]) {
		b = renew(bases[id]);
	} else if (id >= ww_base_first_cpu && id < ww_base_first_cpu + (unsigned)ww_cpu_slots()) {
		int cpu = ww_cpu_of_slot((int)(id - ww_base_first_cpu));

		if (hopeless[id] && fallback)
			return fallback;
		snprintf(name, sizeof(name), "ww/timer%d", cpu);
		b = ww_base_make(id, WW_BASE_CPU, cpu, name);
	} else {
		ww_misuse("ww_timer", "the base that a timer was bound to is gone");
		return NULL;
	}
	if (b) {
		if (!fallback && b->kind == WW_BASE_CPU)
			fallback = b;
		return b;
	}
	if (!hopeless[id] || !fallback)
		ww_warn("timer base %u can't be started: %s%s", id, strerror(errno),
			fallback ? "; its timers go to another" : "; a timer is not armed");
	hopeless[id] = true;
	return fallback;
}

struct ww_base *ww_base_get(unsigned id)
{
	struct ww_base *b = ww_load_acquire(&ww_base_hot[id].base); /* pairs: TIMER-9 */

	if (ww_likely(b))
		return b;
	ww_clock_start();
	ww_lock(&make_lock);
	b = get_locked(id);
	ww_unlock(&make_lock);
	return b;
}

void ww_base_wake(unsigned id)
{
	ww_futex_wake(&ww_base_hot[id].wake_seq, 1);
}

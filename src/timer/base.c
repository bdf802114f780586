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

static struct ww_lock make_lock;
static struct ww_base *bases[WW_BASES_MAX]; /* (G) */
static unsigned highest;		    /* (G) written, read by anyone */
static struct ww_base *fallback;    /* (G) the first that came up: for CPUs whose own cannot */
static bool hopeless[WW_BASES_MAX]; /* (G) of those it was reported */
static bool registered;		    /* (G) */
static unsigned forks;		    /* written in a child while it has one thread */

unsigned ww_base_id_of_cpu(int cpu)
{
	return WW_BASE_CPUS + (unsigned)ww_cpu_slot_of(cpu);
}

unsigned ww_base_id_here(void)
{
	/* On the virtual clock nothing may depend on where the scheduler put a thread. */
	return ww_clock_is_virtual() ? WW_BASE_CPUS
				     : WW_BASE_CPUS + (unsigned)ww_cpu_current_slot();
}

unsigned ww_timer_fork_count(void)
{
	return forks;
}

struct ww_base *ww_base_by_id(unsigned id)
{
	return ww_load_acquire(&bases[id]); /* pairs: TIMER-9 */
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
	b->pending = 0;
	b->swept = b->stop = false;
	ww_list_init(&b->waiters);
	ww_list_init(&b->expired);
	ww_list_init(&b->due);
	ww_list_init(&b->rest);
	for (unsigned k = 0; k < WW_WHEELS; k++)
		ww_wheel_init(&b->wheel[k], ww_jiffies() + 1);
	ww_store_relaxed(&ww_base_hot_of(b)->mark,
			 ww_membarrier_available() ? 0u : WW_MARK_EXCHANGE);
}

static void forget_list(struct ww_list *l)
{
	while (!ww_list_empty(l)) {
		struct ww_timer_impl *t = ww_timer_of_node(l->next);

		ww_list_del(&t->node);
		/* No store can be under way: its thread is not in this process. */
		ww_timer_set_word(t, WW_TW_STATE | WW_TW_DIRTY, 0);
	}
}

void ww_base_forget(struct ww_base *b)
{
	for (unsigned k = 0; k < WW_WHEELS; k++)
		for (unsigned i = 0; i < WW_WHEEL_LEVELS * WW_WHEEL_SIZE; i++)
			forget_list(&b->wheel[k].bucket[i]);
	forget_list(&b->expired);
	forget_list(&b->due);
	forget_list(&b->rest);
	reset(b);
	if (b->kind == WW_BASE_DRIVEN && ww_clock_fd_renew(b->fd))
		ww_warn("timer base %s: no descriptor of its own after the fork: %s", b->name,
			strerror(errno));
	ww_store_relaxed(&ww_base_hot_of(b)->stale, false);
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
 * The child has none of the parent's timers; its bases' threads are not there. The timers' own
 * memory is put right by whoever comes to a base first (ww_base_forget()), so that a child that
 * only calls exec() does not touch it. The raised mark keeps stores out until then.
 */
static void fork_child(void)
{
	forks++;
	for (unsigned i = 0; i <= highest; i++) {
		struct ww_base_hot *h = &ww_base_hot[i];

		h->lock = (struct ww_light_lock){.word = 0};
		h->running = NULL;
		h->owner = NULL;
		if (!bases[i])
			continue;
		h->stale = true;
		h->mark = WW_MARK_SWEEP;
		if (bases[i]->kind != WW_BASE_DRIVEN)
			h->base = NULL;
		hopeless[i] = false;
	}
	fallback = NULL;
	ww_timer_context = (struct ww_timer_context){NULL, NULL};
	ww_barrier_child();
	ww_wait_graph_child();
	ww_virtual_child();
	ww_lock_init(&make_lock);
}

/* The base's thread; under make_lock. 0 or -errno. */
static int start_thread(struct ww_base *b)
{
	return ww_clock_is_virtual()
		       ? 0
		       : ww_os_thread_start(&b->thread, b->name, b->cpu, base_thread, b);
}

struct ww_base *ww_base_make(unsigned id, enum ww_base_kind kind, int cpu, const char *name)
{
	struct ww_base *b = ww_alloc_lines(sizeof(*b));
	int err = 0;

	if (!b)
		return NULL;
	b->id = id;
	b->kind = kind;
	b->cpu = cpu;
	b->fd = -1;
	snprintf(b->name, sizeof(b->name), "%s", name);
	reset(b);
	if (kind == WW_BASE_DRIVEN)
		err = b->fd = ww_clock_fd_create();
	else
		err = start_thread(b);
	if (err < 0) {
		ww_free(b);
		errno = -err;
		return NULL;
	}
	if (!registered) {
		registered = true;
		ww_fork_register(fork_prepare, fork_parent, fork_child);
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
	bases[b->id] = NULL;
	ww_unlock(&make_lock);
	if (b->fd >= 0)
		ww_clock_fd_close(b->fd);
	ww_free(b);
}

struct ww_base *ww_base_make_object(enum ww_base_kind kind, const char *name)
{
	static unsigned last = WW_BASE_CPUS + WW_SLOTS_MAX - 1; /* (G) */
	struct ww_base *b = NULL;
	unsigned n = WW_BASES_MAX - (WW_BASE_CPUS + WW_SLOTS_MAX), id = last;

	ww_clock_start();
	ww_lock(&make_lock);
	errno = EAGAIN;
	/* Numbers go round, so that a timer left behind does not soon find another base. */
	for (unsigned i = 0; i < n; i++) {
		id = id + 1 < WW_BASES_MAX ? id + 1 : WW_BASE_CPUS + WW_SLOTS_MAX;
		if (bases[id])
			continue;
		b = ww_base_make(id, kind, -1, name);
		last = id;
		break;
	}
	ww_unlock(&make_lock);
	return b;
}

/* The parent's base, whose thread stayed behind, in the child of a fork. */
static struct ww_base *restart(struct ww_base *b)
{
	struct ww_base_hot *h = ww_base_hot_of(b);
	int err;

	ww_light_lock(&h->lock);
	if (h->stale)
		ww_base_forget(b);
	ww_light_unlock(&h->lock);
	err = start_thread(b);
	if (err) {
		errno = -err;
		return NULL;
	}
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
		b = restart(bases[id]);
	} else if (id >= WW_BASE_CPUS && id < WW_BASE_CPUS + (unsigned)ww_cpu_slots()) {
		int cpu = ww_cpu_of_slot((int)(id - WW_BASE_CPUS));

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

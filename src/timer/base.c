/* SPDX-License-Identifier: MIT */
/* Bases and their threads. Guards: timer.h; (G) make_lock. */
#include "timer/timer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/report.h"
#include "timer/virtual.h"

static struct ww_lock make_lock;
static struct ww_base *fallback; /* (G) the first that came up: for CPUs whose own cannot */

unsigned ww_base_id_of_cpu(int cpu)
{
	return 1u + (unsigned)ww_cpu_slot_of(cpu);
}

unsigned ww_base_id_here(void)
{
	/* On the virtual clock nothing may depend on where the scheduler put a thread. */
	return ww_clock_is_virtual() ? 1u : ww_base_id_of_cpu(ww_cpu_current());
}

static void base_thread(void *arg)
{
	struct ww_base *b = arg;
	struct ww_base_hot *h = ww_base_hot_of(b);

	ww_lock(&h->lock);
	for (;;) {
		uint64_t ns = WW_FOREVER;
		uint32_t seq;

		b->sleep = WW_BASE_AWAKE;
		ww_base_sweep(b, ww_jiffies());
		b->sleep = WW_BASE_FOREVER;
		if (ww_base_next(b, &b->wake)) {
			b->sleep = WW_BASE_TIMED;
			ns = ww_tick_to_ns(b->wake);
		}
		seq = ww_load_relaxed(&h->wake_seq);
		ww_unlock(&h->lock);
		ww_futex_wait(&h->wake_seq, seq, ns);
		ww_lock(&h->lock);
	}
}

static struct ww_base *base_alloc(unsigned id, int cpu)
{
	struct ww_base *b = ww_alloc_lines(sizeof(*b));

	if (!b)
		return NULL;
	b->id = id;
	b->cpu = cpu;
	b->sleep = WW_BASE_FOREVER;
	ww_list_init(&b->waiters);
	for (int k = 0; k < WW_WHEELS; k++)
		ww_wheel_init(&b->wheel[k], ww_jiffies() + 1);
	return b;
}

static struct ww_base *make_cpu_base(unsigned id)
{
	int cpu = ww_cpu_of_slot((int)id - 1);
	struct ww_base *b = base_alloc(id, cpu);
	char name[16];
	int err = 0;

	if (!b)
		return NULL;
	snprintf(name, sizeof(name), "ww/timer%d", cpu);
	if (ww_clock_is_virtual())
		ww_virtual_add_base(b);
	else
		err = ww_os_thread_start(&b->thread, name, cpu, base_thread, b);
	if (err) {
		ww_free(b);
		errno = -err;
		return NULL;
	}
	return b;
}

struct ww_base *ww_base_get(unsigned id)
{
	struct ww_base *b = ww_load_acquire(&ww_base_hot[id].base); /* pairs: TIMER-3 */

	if (ww_likely(b))
		return b;
	ww_lock(&make_lock);
	b = ww_base_hot[id].base;
	if (!b) {
		b = make_cpu_base(id);
		if (b) {
			ww_store_release(&ww_base_hot[id].base, b); /* pairs: TIMER-3 */
			if (!fallback)
				fallback = b;
		} else {
			ww_warn("no timer thread for CPU %d: %s%s", ww_cpu_of_slot((int)id - 1),
				strerror(errno),
				fallback ? "; its timers go to another" : "; a timer is lost");
			b = fallback;
		}
	}
	ww_unlock(&make_lock);
	return b;
}

void ww_base_wake(unsigned id)
{
	ww_futex_wake(&ww_base_hot[id].wake_seq, 1);
}

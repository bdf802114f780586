/* SPDX-License-Identifier: MIT */
/*
 * CPUs as this process may use them. A "slot" is 0 .. ww_cpu_slots()-1: min(CPUs in the affinity
 * mask at first use, cgroup quota rounded up); every CPU number maps onto one. Bases and pools are
 * numbered by slot.
 */
#ifndef WW_BASE_CPU_H
#define WW_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__has_include) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "base/atomic.h"

#define WW_SLOTS_MAX 1024
#define WW_CPUS_MAX  1024

/* The CPU this thread runs on now (restartable sequences where glibc has them, else getcpu). */
int ww_cpu_current(void);

/* One more than the highest CPU number that the topology knows. */
int ww_cpu_possible(void);

int ww_cpu_slots(void);
int ww_cpu_slot_of(int cpu);  /* any CPU number, also one outside of the mask */
int ww_cpu_of_slot(int slot); /* the CPU that a slot's thread is bound to */
int ww_cpu_node(int cpu);     /* NUMA node, 0 where there is none */

/*
 * The slot of the CPU this thread runs on now: asked for at every arming of a timer. Where the CPU's
 * number stands behind a thread's pointer; 0: there is none, or the topology is not known yet.
 */
extern ptrdiff_t ww_cpu_number_at __attribute__((visibility("hidden")));
extern int ww_cpu_slot_table[WW_CPUS_MAX] __attribute__((visibility("hidden")));
int ww_cpu_current_slot_slow(void);

static inline int ww_cpu_current_slot(void)
{
#if defined(RSEQ_SIG) && !defined(WW_SIM)
	ptrdiff_t at = ww_load_acquire(&ww_cpu_number_at); /* pairs: CPU-1 */
	const uint32_t *number = (const void *)((const char *)__builtin_thread_pointer() + at);
	uint32_t cpu;

	/* Of a thread without restartable sequences it is negative. */
	if (ww_likely(at) && ww_likely((cpu = ww_load_relaxed(number)) < WW_CPUS_MAX))
		return ww_cpu_slot_table[cpu];
#endif
	return ww_cpu_current_slot_slow();
}

/* ww_cpu_possible() once it is known, 0 before: inside of the next one. */
extern int ww_cpu_nr_known __attribute__((visibility("hidden")));

/* ww_cpu_slot_of() without a call; -1 where the CPU does not exist, or nothing is known yet. */
static inline int ww_cpu_slot_known(int cpu)
{
	return (unsigned)cpu < (unsigned)ww_load_acquire(&ww_cpu_nr_known) /* pairs: CPU-1 */
		       ? ww_cpu_slot_table[cpu]
		       : -1;
}

/* Bind the calling thread; -errno where the cpuset refuses (the caller then runs unbound). */
int ww_cpu_bind_self(int cpu);

/* The same for any thread, by its kernel id. */
int ww_cpu_bind(int tid, int cpu);

/* Where a thread may run: these CPUs; every CPU that this process may use. 0 or -errno. */
int ww_cpu_bind_mask(int tid, const unsigned long *bits, int nbits);
int ww_cpu_unbind(int tid);

/* Tests: read the topology below this folder instead of /sys; NULL for the real one. */
void ww_cpu_set_topology_root(const char *root);

#endif
